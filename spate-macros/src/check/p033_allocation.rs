//! P033: operators do not allocate (a warning; `#[pipeline(alloc = deny)]` makes it an error).
//!
//! The loop allocates nothing per record; an operator that does is usually the most expensive thing
//! in it. What an operator allocates to say why it failed is not counted: `Err(..)`, and the
//! closures of `map_err` and `ok_or_else`. `clone` is not either: it allocates for some types only.

use std::collections::BTreeSet;

use quote::ToTokens as _;

use super::p034_vec_per_record as vec_per_record;
use super::scan::{self, Call, Into, Scanned};
use crate::ast::args::Alloc;
use crate::model::Pipeline;
use crate::names;
use crate::report::{Report, Rule};

const ALLOCATION: Rule = Rule { code: "P033", help: "" };

const METHODS: [&str; 5] = ["to_string", "to_owned", "to_vec", "into_owned", "into_boxed_slice"];
const PATHS: [&str; 15] = [
    "std::string::String::from",
    "std::string::String::with_capacity",
    "std::string::String::from_utf8_lossy",
    "std::string::ToString::to_string",
    "std::borrow::ToOwned::to_owned",
    "std::vec::Vec::from",
    "std::vec::Vec::with_capacity",
    "std::vec::Vec::from_iter",
    "std::boxed::Box::new",
    "std::rc::Rc::new",
    "std::sync::Arc::new",
    "std::collections::HashMap::with_capacity",
    "std::collections::HashSet::with_capacity",
    "std::collections::VecDeque::with_capacity",
    "std::str::from_utf8_lossy",
];
/// Collections that `collect` can be told to make.
const COLLECTIONS: [&str; 11] = [
    "Vec",
    "String",
    "HashMap",
    "HashSet",
    "BTreeMap",
    "BTreeSet",
    "VecDeque",
    "BinaryHeap",
    "Box",
    "Rc",
    "Arc",
];
/// Only there to say why a record failed.
const FAILURES: [&str; 2] = ["map_err", "ok_or_else"];

/// Warns of each call that allocates, at its name; an operator that is P034's has one finding.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for operator in scan::operators(pipeline) {
        if !operator.allow.alloc && !vec_per_record::builds(&operator, pipeline) {
            scan(&operator, pipeline, report);
        }
    }
}

fn scan(operator: &Scanned<'_>, pipeline: &Pipeline, report: &mut Report) {
    let scope = &pipeline.scope;
    let mut words = BTreeSet::new();
    names::collect(operator.body().clone(), &mut words);
    names::collect(operator.returns.to_token_stream(), &mut words);
    let makes = COLLECTIONS.iter().any(|&name| words.contains(name));
    operator.each(scope, report, |call, report| {
        let found = match call {
            Call::Method { name, .. } if FAILURES.iter().any(|known| *name == known) => {
                return Into::Nothing;
            }
            Call::Method { name, types, args, .. } => {
                let text = name.to_string();
                let allocates = (METHODS.contains(&text.as_str()) && args.is_empty())
                    || (text == "collect" && (collects(types) || (types.is_empty() && makes)));
                (allocates && !scope.has_function(&text)).then_some((*name, text))
            }
            Call::Path { last, .. } if *last == "Err" => return Into::Nothing,
            Call::Path { last, path } => PATHS
                .iter()
                .any(|known| path.is(known))
                .then(|| (*last, path.short())),
            Call::Macro { name, args } => {
                let text = name.to_string();
                let allocates = text == "format" || (text == "vec" && !args.is_empty());
                (allocates && !scope.has_function(&text)).then(|| (*name, format!("{text}!")))
            }
        };
        let Some((name, what)) = found else { return Into::Arguments };
        let help = format!(
            "borrow from the record, or keep a buffer in a `#[state]`; or {}",
            operator.hatch("alloc")
        );
        weigh(
            pipeline,
            report,
            name.span(),
            &ALLOCATION,
            format!("`{what}` allocates once per record"),
            help,
        );
        // What it is built from is part of it.
        Into::Nothing
    });
}

/// Whether a `collect` with these types makes a collection, as far as its text says.
fn collects(types: &[String]) -> bool {
    types
        .iter()
        .any(|name| COLLECTIONS.contains(&name.as_str()))
}

/// A warning, an error, or nothing: as the module says.
pub(super) fn weigh(
    pipeline: &Pipeline,
    report: &mut Report,
    span: proc_macro2::Span,
    rule: &Rule,
    message: String,
    help: String,
) {
    match pipeline.alloc {
        Alloc::Warn => report.warn_with(span, rule, message, help),
        Alloc::Deny => report.push_with(span, rule, message, help),
        Alloc::Allow => {}
    }
}
