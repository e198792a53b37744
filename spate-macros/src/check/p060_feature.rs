//! P060: the cargo feature of a connector is on.
//!
//! The facade switches on a feature of this crate with each of its own, so that the macro knows
//! what is compiled in. A name that the module declares or imports itself is the user's own.

use proc_macro2::{Ident, Span};
use syn::Type;

use crate::ast::Scope;
use crate::ast::item::Declared;
use crate::model::Pipeline;
use crate::report::{Report, Rule};

const FEATURE: Rule = Rule { code: "P060", help: "" };

/// Whether ClickHouse is compiled in.
pub(crate) const CLICKHOUSE: bool = cfg!(any(test, feature = "clickhouse"));

/// The names the facade's prelude has behind a feature.
const CONNECTORS: [(&str, &str, bool); 5] = [
    ("Kafka", "kafka", cfg!(any(test, feature = "kafka"))),
    ("ClickHouse", "clickhouse", CLICKHOUSE),
    ("File", "file", cfg!(any(test, feature = "file"))),
    ("Datagen", "datagen", cfg!(any(test, feature = "datagen"))),
    ("Json", "json", cfg!(any(test, feature = "json"))),
];

/// Reports each declared connector or format that is not compiled in, at its name.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for declared in pipeline.sources.iter().chain(&pipeline.sinks) {
        report.under(&declared.cfgs, |report| {
            for (name, known, feature) in off(declared, &pipeline.scope) {
                report.push_with(
                    name.span(),
                    &FEATURE,
                    format!("`{known}` is not compiled in"),
                    switch_on(feature),
                );
            }
        });
    }
}

/// Whether a row's `ddl` can be read: its rules are the connector's. Reports it if not.
pub(crate) fn ddl_is_read(span: Span, clickhouse: bool, report: &mut Report) -> bool {
    if !clickhouse {
        let message =
            "`ddl` is held against the row by ClickHouse's rules, which are not compiled in";
        report.push_with(span, &FEATURE, message, switch_on("clickhouse"));
    }
    clickhouse
}

fn switch_on(feature: &str) -> String {
    format!("switch it on in Cargo.toml: `spate = {{ features = [\"{feature}\"] }}`")
}

/// The names in a declaration that are not compiled in, with their features.
pub(crate) fn off<'a>(
    declared: &'a Declared,
    scope: &'a Scope,
) -> impl Iterator<Item = (&'a Ident, &'static str, &'static str)> {
    named(declared).filter_map(|name| {
        let (known, feature, _) = CONNECTORS
            .iter()
            .find(|(known, _, on)| name == known && !on)?;
        (!scope.declares(known)).then_some((name, *known, *feature))
    })
}

/// The connector's name and that of what it is given, where they are bare names.
fn named(declared: &Declared) -> impl Iterator<Item = &Ident> {
    [&declared.connector, &declared.inner]
        .into_iter()
        .filter_map(|ty| match ty {
            Type::Path(path) if path.path.segments.len() == 1 => {
                path.path.segments.first().map(|segment| &segment.ident)
            }
            _ => None,
        })
}
