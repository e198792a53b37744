//! An operator that gives more records for one than its `fan_out` stops the pipeline, and says so.

use std::iter::repeat_n;

use spate::prelude::*;
use ui_tests::*;

/// The most the operators of every module here give for one.
const MOST: usize = 3;

/// As many lines as the payload has bytes.
fn copies(order: Order<'_>) -> impl Iterator<Item = Line<'_>> {
    let count = usize::try_from(order.id).unwrap_or(usize::MAX);
    repeat_n(order, count).map(line)
}

/// The same with a memory.
#[derive(Default)]
struct Copies;

impl<'a> Operator<Order<'a>> for Copies {
    type Out = Line<'a>;

    fn apply(&mut self, order: Order<'a>) -> impl IntoIterator<Item = Line<'a>> {
        copies(order)
    }
}

/// A pipeline of a feed and a table, with what stands between them.
macro_rules! pipeline_of {
    ($name:ident, $($chain:tt)*) => {
        #[pipeline]
        mod $name {
            use super::*;

            #[source]
            fn events() -> Feed<Plain<Order<'_>>>;

            #[sink]
            fn lines() -> Table<Line<'_>>;

            $($chain)*
        }
    };
}

pipeline_of! { by_function,
    #[op(fan_out = 3)]
    fn explode(order: Order<'_>) -> impl Iterator<Item = Line<'_>> {
        copies(order)
    }

    chain!({ events.decode().or_skip().flat_map(explode).to(lines) });
}

pipeline_of! { by_fallible_function,
    #[op(fan_out = MOST)]
    fn explode(order: Order<'_>) -> Result<impl Iterator<Item = Line<'_>>, Refused> {
        if order.id == 0 { Err(Refused) } else { Ok(copies(order)) }
    }

    chain!({ events.decode().or_skip().try_flat_map(explode).or_skip().to(lines) });
}

pipeline_of! { by_closure,
    chain!({
        events
            .decode()
            .or_skip()
            .flat_map(#[op(fan_out = 3, label = "explode")] |order| copies(order))
            .to(lines)
    });
}

pipeline_of! { by_path,
    chain!({
        events
            .decode()
            .or_skip()
            .flat_map(#[op(fan_out = MOST)] copies)
            .named("explode")
            .to(lines)
    });
}

pipeline_of! { by_apply,
    chain!({
        events.decode().or_skip().apply(#[op(fan_out = 3, label = "explode")] Copies).to(lines)
    });
}

pipeline_of! { in_a_branch,
    #[op(fan_out = 3)]
    fn explode<'a>(order: &Order<'a>) -> impl Iterator<Item = Line<'a>> {
        copies(order.clone())
    }

    chain!({
        let (many, one) = events.decode().or_skip().tee();
        many.flat_map(explode).to(lines);
        one.discard("the rest");
    });
}

#[test]
fn an_operator_gives_as_many_records_for_one_as_its_fan_out_and_no_more() {
    macro_rules! check {
        ($($name:ident),*) => {$({
            let mut t = $name::test();
            for payload in ["a", "ab", "abc"] {
                t.events().push(payload);
            }
            t.settle();
            assert_eq!(t.lines().len(), 1 + 2 + 3, "{}", stringify!($name));
            assert_eq!(t.events().committed(), 3, "{}", stringify!($name));

            t.events().push("a");
            t.events().push("abcd");
            t.events().push("a");
            let report = t.fail();
            let said = &report.snapshot.failures[0];
            let line = $name::GRAPH.chains[0]
                .stages
                .iter()
                .find(|stage| stage.label == "explode")
                .unwrap()
                .line;
            assert!(
                said.ends_with(&format!(
                    "operator `explode` of line {line} gave more than its `fan_out` of 3 for one \
                     record of events[0] offset 4"
                )),
                "{}: {said}",
                stringify!($name)
            );
            // Nothing of its payload is written, nothing before it is lost, and it comes again.
            assert_eq!(t.lines().len(), 7, "{}", stringify!($name));
            assert_eq!(t.events().committed(), 4, "{}", stringify!($name));
            assert_eq!(report.balance(), Ok(()), "{}", stringify!($name));
            t.restart();
            t.fail();
            assert_eq!((t.lines().len(), t.events().committed()), (7, 4), "{}", stringify!($name));
        })*};
    }
    check!(by_function, by_fallible_function, by_closure, by_path, by_apply, in_a_branch);
}
