//! P043: what is deduplicated by holds what the source is partitioned by.
//!
//! Each lane remembers the keys of its own partition. Equal keys meet only where the producer put
//! them on one partition, which `#[source(partition_key = ..)]` says. A key that holds the
//! partition key and more, as a tuple, is right as well: where all of it is equal, so is that part.

use syn::{Block, Expr, FnArg, Pat, Stmt};

use crate::model::{Kind, Operator, Origin, Pipeline};
use crate::report::{Report, Rule};

const DEDUP_KEY: Rule = Rule { code: "P043", help: "" };

/// Reports each `dedup` whose key cannot be seen to hold its source's partition key, at the key.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for chain in &pipeline.chains {
        let source = chain.paths.iter().find_map(|path| match path.origin {
            Origin::Source(source) => pipeline.sources.get(source),
            _ => None,
        });
        let Some(source) = source else { continue };
        for path in &chain.paths {
            let report = &mut *report.within(&path.cfgs);
            for stage in path.stages.iter().filter(|stage| stage.kind == Kind::Dedup) {
                let Some(operator) = &stage.operator else { continue };
                let key = Key::of(operator, pipeline);
                let name = &source.ident;
                let Some(partition) = &source.key else {
                    let by = key.parts.first().map_or("key_of", String::as_str);
                    report.push_with(
                        operator.span(),
                        &DEDUP_KEY,
                        format!("nothing says that equal keys of `{name}` arrive on one lane"),
                        format!(
                            "write `#[source(partition_key = {by})]`, if its producer \
                             partitions by that"
                        ),
                    );
                    continue;
                };
                let by = crate::text::of(partition);
                let within = Key::of_path(partition, pipeline);
                if key.holds(&within) {
                    continue;
                }
                let (message, help) = if key.parts.is_empty() {
                    (
                        format!("this key does not show `{by}`, which `{name}` is partitioned by"),
                        format!(
                            "key by `{by}`, or name one function in both places: \
                             `partition_key = key_of`, `.dedup(key_of, ..)`"
                        ),
                    )
                } else {
                    let parts: Vec<String> =
                        key.parts.iter().map(|part| format!("`{part}`")).collect();
                    (
                        format!(
                            "equal {} can arrive on different lanes, `{name}` is partitioned by \
                             `{by}`",
                            parts.join(" and ")
                        ),
                        format!("key by `{by}`, or by a tuple with it"),
                    )
                };
                report.push_with(operator.span(), &DEDUP_KEY, message, help);
            }
        }
    }
}

/// What a key is made of, as far as its text shows.
struct Key {
    /// The function that makes it, if it is one by name.
    function: Option<String>,
    /// The fields of the record it holds, such as `id` or `customer.id`.
    parts: Vec<String>,
}

impl Key {
    fn of(operator: &Operator, pipeline: &Pipeline) -> Self {
        match operator {
            Operator::Closure(closure, _) => {
                let record = closure.inputs.first().and_then(name_of);
                let mut key = Self { function: None, parts: Vec::new() };
                if let Some(record) = record {
                    key.see(&closure.body, &record);
                }
                key
            }
            Operator::Function(_, path) | Operator::Path(path) => {
                Self::of_path(&Expr::Path(path.clone()), pipeline)
            }
        }
    }

    /// A field of the record, or a function of it.
    fn of_path(expr: &Expr, pipeline: &Pipeline) -> Self {
        let text = crate::text::of(expr);
        let function = pipeline
            .functions
            .iter()
            .find(|function| function.ident == text);
        let mut key = Self { function: Some(text.clone()), parts: Vec::new() };
        match function {
            Some(function) => {
                let record = function.sig.inputs.iter().find_map(|arg| match arg {
                    FnArg::Typed(arg) => name_of(&arg.pat),
                    FnArg::Receiver(_) => None,
                });
                if let (Some(record), Some(body)) = (record, only(&function.block)) {
                    key.see(body, &record);
                }
            }
            None if !text.contains("::") => key.parts.push(text),
            None => {}
        }
        key
    }

    fn holds(&self, other: &Self) -> bool {
        let same = self.function.is_some() && self.function == other.function;
        let within = |part: &String| self.parts.contains(part);
        let by_name = other.function.as_ref().is_some_and(within);
        same || by_name || (!other.parts.is_empty() && other.parts.iter().all(within))
    }

    fn see(&mut self, expr: &Expr, record: &str) {
        match expr {
            Expr::Reference(expr) => self.see(&expr.expr, record),
            Expr::Paren(expr) => self.see(&expr.expr, record),
            Expr::Group(expr) => self.see(&expr.expr, record),
            Expr::Cast(expr) => self.see(&expr.expr, record),
            Expr::Unary(expr) => self.see(&expr.expr, record),
            Expr::Block(expr) => {
                if let Some(expr) = only(&expr.block) {
                    self.see(expr, record);
                }
            }
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|expr| self.see(expr, record)),
            // What only shows the same value in another way.
            Expr::MethodCall(call)
                if call.args.is_empty() && SHOWS.iter().any(|name| call.method == name) =>
            {
                self.see(&call.receiver, record);
            }
            Expr::Call(call) if call.args.len() == 1 => {
                self.parts.push(crate::text::of(&call.func))
            }
            Expr::Field(_) => {
                let text = crate::text::of(expr);
                if let Some(field) = text.strip_prefix(&format!("{record}.")) {
                    self.parts.push(field.to_owned());
                }
            }
            _ => {}
        }
    }
}

const SHOWS: [&str; 7] =
    ["clone", "to_owned", "to_string", "as_ref", "as_str", "as_bytes", "into_owned"];

fn name_of(pat: &Pat) -> Option<String> {
    match pat {
        Pat::Ident(pat) => Some(pat.ident.to_string()),
        Pat::Type(pat) => name_of(&pat.pat),
        Pat::Reference(pat) => name_of(&pat.pat),
        _ => None,
    }
}

/// The expression that a block consists of.
fn only(block: &Block) -> Option<&Expr> {
    match block.stmts.as_slice() {
        [Stmt::Expr(expr, None)] => Some(expr),
        _ => None,
    }
}
