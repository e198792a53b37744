//! The macros of spate: `#[pipeline]`, `chain!`, `derive(Row)` and `derive(Record)`.
//!
//! A pass is a file: `ast` reads what was written, `lower` resolves it into the `model`, `check`
//! holds the model against the rules, `codegen` writes it out. `report` collects findings over
//! all passes; with findings, `fallback` takes the place of `codegen`.
//!
//! ```text
//! tokens → ast → lower → check → codegen → tokens
//!           └──────┴───────┴─ findings ─→ fallback
//! ```
//!
//! Holds: INV-M2 (every path ends), INV-M4 (whatever the tokens are, the macro answers).

#![forbid(unsafe_code)]

mod ast;
mod check;
mod codegen;
mod config;
mod ddl;
mod editor;
mod expand;
mod fallback;
mod file;
mod label;
mod lower;
mod model;
mod names;
mod record;
mod report;
mod row;
#[cfg(test)]
mod tests;
mod text;

use proc_macro2::TokenStream;

use model::Operator;
use report::{Report, Rule};

/// Makes a program of a module: sources, sinks, operators and chains.
///
/// The module is a Rust module as any other; see the guide for its language. In it stand
/// `#[source]` and `#[sink]` functions without a body, `#[state]` structs, operators as plain
/// functions, and `chain!(name, { .. });`. What is generated beside them:
///
/// | item | for |
/// |---|---|
/// | `main() -> ExitCode` | the program: `run` (the default), `check`, `graph` |
/// | `pipeline(config)` | assembling and running it from code |
/// | `test()` | the pipeline under test, as a `Test` with an accessor for each source and sink |
/// | `GRAPH` | the topology as a constant |
/// | `Config` | the configuration's type |
///
/// # Arguments
///
/// - `config = "orders.yaml"`: the configuration compiled in as the default, relative to the
///   manifest.
/// - `crate = ::renamed`: the facade, where it is not called `spate`.
///
/// # Looking inside
///
/// `SPATE_EXPAND=orders cargo build` writes the expansion to `target/spate/orders.rs`. A chain is
/// one function, and reads like a loop a person would write:
///
/// ```text
/// for payload in cx.rest(batch) {
///     let at = cx.take(payload);
///     for record in Json::<OrderEvent<'buf>>::records(decoder, value) {
///         'record: {
///             let placed = match record { Ok(placed) => placed, Err(err) => { .. break 'record } };
///             if !in_stock(&placed) { tally.dropped[IN_STOCK] += 1; break 'record }
///             sinks.push_lines(&placed, at);
///         }
///     }
///     if sinks.end_of_payload() { return cx.blocked() }
/// }
/// ```
#[proc_macro_attribute]
pub fn pipeline(
    args: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    run(args.into(), item.into()).into()
}

/// The wiring of a pipeline; stands inside a `#[pipeline]` module, which reads it.
#[proc_macro]
pub fn chain(_tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    chain_alone().into()
}

/// Makes a row of a struct: what a sink takes, column by column.
///
/// On the struct: `#[row(ddl = "schema/lines.sql")]`, `#[row(crate = ::renamed)]`. On a field:
/// `#[row(rename = "column")]`, `#[row(skip)]`.
#[proc_macro_derive(Row, attributes(row))]
pub fn derive_row(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    row::derive(item.into()).into()
}

/// Makes a record of a struct or an enum: what a source's format decodes into.
///
/// It stands beside `Deserialize`, whose attributes it reads, and changes nothing about what is
/// decoded: `#[derive(Deserialize, Record)]`. A pipeline whose source says `Json<T>` then decodes
/// `T` by a decoder of its own, several times as fast. That decoder expects the keys in the order
/// it saw last. Whatever it does not expect (an escape in a key, `1.0` for an integer, a key
/// twice) it leaves to serde_json, record by record, whose values and errors are the answer.
///
/// | of `#[serde(..)]` | |
/// |---|---|
/// | `rename`, `rename_all`, `rename_all_fields`, `alias`, `default`, `skip`, `borrow`, `deny_unknown_fields`, `transparent`, `other` | as serde reads them |
/// | `tag`, `content` | the tag comes first; where it does not, serde_json reads the record |
/// | `with`, `deserialize_with` | called for the value alone |
/// | `flatten`, `untagged`, `from`, `try_from`, `remote` | refused: P067 |
///
/// Fields are of the types that records are made of, records themselves, or anything serde reads,
/// with `#[record(serde)]` on the field. `#[record(crate = ::renamed)]` on the type names the
/// facade.
#[proc_macro_derive(Record, attributes(record, serde))]
pub fn derive_record(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    record::derive(item.into()).into()
}

/// Reads, lowers, checks and generates; with findings, falls back.
fn run(args: TokenStream, item: TokenStream) -> TokenStream {
    let (tokens, generated) = expanded(args, item);
    if let Some(name) = generated {
        expand::write_if_asked(&name, &tokens);
    }
    tokens
}

/// What stands in the place of the module, and the module's name if the pipeline was generated.
fn expanded(args: TokenStream, item: TokenStream) -> (TokenStream, Option<String>) {
    let mut report = Report::default();
    let ast = match ast::read(args, &item, &mut report) {
        Ok(ast) => ast,
        Err(mut instead) => {
            instead.extend(report.to_tokens());
            return (instead, None);
        }
    };
    let (pipeline, outer) = lower::lower(ast, &mut report);
    check::check(&pipeline, &mut report);
    let findings = report.to_tokens();
    if report.has_errors() {
        let fallback = fallback::module(&pipeline, &outer, &findings);
        let Some(when) = report.conditions() else { return (fallback, None) };
        // The errors are about items that may not be there, and then the module is sound: each
        // stands under its own condition, and the warnings stay.
        let sound = codegen::generate(&pipeline, &outer, &findings);
        let either = quote::quote! {
            #[cfg(any(#(all(#when)),*))]
            #fallback
            #[cfg(not(any(#(all(#when)),*)))]
            #sound
        };
        return (either, Some(names::plain(&outer.ident)));
    }
    let tokens = codegen::generate(&pipeline, &outer, &findings);
    (tokens, Some(names::plain(&outer.ident)))
}

/// A `chain!` that no pipeline has read.
fn chain_alone() -> TokenStream {
    const ALONE: Rule = Rule { code: "P066", help: "put it inside a module with `#[pipeline]`" };
    let mut report = Report::default();
    let span = proc_macro2::Span::call_site();
    report.push(span, &ALONE, "`chain!` stands outside of a pipeline");
    report.to_tokens()
}

/// An operator's text for the graph.
fn text_of(operator: &Operator) -> String {
    text::of(operator)
}
