//! P027: operators do not panic.
//!
//! A panic ends the lane with its payload in hand, and the same payload is there again after every
//! restart. Indexing, arithmetic and slicing can panic too; nobody can tell from their text whether
//! they do, so they are left to clippy (`indexing_slicing`, `arithmetic_side_effects`).

use super::scan::{self, Call, Into};
use crate::model::Pipeline;
use crate::report::{Report, Rule};

const PANIC: Rule = Rule { code: "P027", help: "" };

const MACROS: [&str; 7] =
    ["panic", "todo", "unimplemented", "unreachable", "assert", "assert_eq", "assert_ne"];
const PATHS: [&str; 6] = [
    "std::option::Option::unwrap",
    "std::option::Option::expect",
    "std::result::Result::unwrap",
    "std::result::Result::expect",
    "std::process::exit",
    "std::process::abort",
];

/// Reports each call that panics, at its name.
///
/// A method `unwrap` or `expect` counts as the standard library's if the module has none of its
/// own, if its argument is one of theirs (none, or a text), and if no `?` stands behind it.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    let scope = &pipeline.scope;
    for operator in scan::operators(pipeline) {
        if operator.allow.panic {
            continue;
        }
        operator.each(scope, report, |call, report| {
            let (name, what) = match call {
                Call::Method { name, args, questioned: false, .. } => {
                    let text = name.to_string();
                    let theirs = match text.as_str() {
                        "unwrap" | "unwrap_err" => args.is_empty(),
                        "expect" | "expect_err" => args.to_string().starts_with('"'),
                        _ => false,
                    };
                    (theirs && !scope.has_function(&text)).then_some((*name, text))
                }
                Call::Macro { name, .. } => {
                    let text = name.to_string();
                    let theirs = MACROS.contains(&text.as_str()) && !scope.has_function(&text);
                    theirs.then(|| (*name, format!("{text}!")))
                }
                Call::Path { last, path } => PATHS
                    .iter()
                    .any(|known| path.is(known))
                    .then(|| (*last, path.short())),
                Call::Method { .. } => None,
            }
            .unzip();
            if let (Some(name), Some(what)) = (name, what) {
                let help = format!(
                    "return a `Result` to a `try_` stage with a policy, or {}",
                    operator.hatch("panic")
                );
                let message = format!("`{what}` takes the whole lane down on one bad record");
                report.push_with(name.span(), &PANIC, message, help);
            }
            Into::Arguments
        });
    }
}
