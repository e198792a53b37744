//! Pipelines that a macro of the user writes, from pieces of every kind.

use spate::prelude::*;
use ui_tests::*;

macro_rules! billing {
    ($name:ident, $record:ty, $row:ty, $map:path, $keep:expr, $label:literal, $size:literal, $why:literal) => {
        #[pipeline]
        mod $name {
            use super::*;

            #[source(partition_key = id)]
            fn events() -> Feed<Plain<$record>>;

            #[sink(key = id)]
            fn lines() -> Table<$row>;

            chain!(bill, {
                let kept = events.decode().or_skip().filter($keep).named($label);
                let (a, b) = kept.dedup(|order| order.id, $size).sample(1, $size).tee();
                a.discard($why);
                b.map($map).to(lines);;
            });
        }
    };
}

billing!(orders, Order<'_>, Line<'_>, line, |order| order.qty > 0, "many", 16, "too many");
billing!(others, Order<'_>, Line<'_>, self::line, |o: &Order<'_>| o.qty > 9, "few", 8, "too few");

fn main() {
    let _ = (orders::main, others::main);
}
