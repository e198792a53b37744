//! P042: a state is not shared.
//!
//! Every lane has a state of its own and holds it by `&mut`, so a lock or an atomic in it guards
//! against nobody, unless other lanes hold the same one: then they wait for each other, and the
//! order in which they change it is another on every run.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens as _;

use super::scan::{self, Call, Into};
use crate::model::Pipeline;
use crate::report::{Report, Rule};

const SHARED: Rule = Rule { code: "P042", help: "" };

/// Types through which `&T` changes what others see, and what they are in a message.
const GUARDS: [(&str, &str); 6] = [
    ("Mutex", "lock"),
    ("RwLock", "lock"),
    ("ReentrantMutex", "lock"),
    ("FairMutex", "lock"),
    ("Condvar", "lock"),
    ("DashMap", "map"),
];

/// Reports each field of a state with a lock or an atomic, at its type, and each use of a `static`
/// of the module with one in an operator.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for state in pipeline.states.iter().filter(|state| !state.shared) {
        let report = &mut *report.within(&state.cfgs);
        for field in &state.item.fields {
            let Some((span, what)) = guard(pipeline, field.ty.to_token_stream()) else { continue };
            report.push_with(
                span,
                &SHARED,
                format!("lanes would contend on this {what} and lose order"),
                format!(
                    "hold the value itself: every lane has its own `{name}`; or write \
                     `#[state(allow(shared))]`",
                    name = state.ident
                ),
            );
        }
    }
    statics(pipeline, report);
}

fn statics(pipeline: &Pipeline, report: &mut Report) {
    let shared: Vec<(String, &str)> = pipeline
        .scope
        .statics
        .iter()
        .filter_map(|item| {
            let (_, what) = if matches!(item.mutability, syn::StaticMutability::Mut(_)) {
                (Span::call_site(), "`static mut`")
            } else {
                guard(pipeline, item.ty.to_token_stream())?
            };
            Some((item.ident.to_string(), what))
        })
        .collect();
    if shared.is_empty() {
        return;
    }
    for operator in scan::operators(pipeline) {
        if operator.allow.shared {
            continue;
        }
        operator.each(&pipeline.scope, report, |call, report| {
            if let Call::Path { last, .. } = call
                && let Some((_, what)) = shared.iter().find(|(name, _)| *last == name)
            {
                report.push_with(
                    last.span(),
                    &SHARED,
                    format!("lanes would contend on this {what} and lose order"),
                    format!(
                        "keep it in a `#[state]`, one per lane, or {}",
                        operator.hatch("shared")
                    ),
                );
            }
            Into::Arguments
        });
    }
}

/// The first lock or atomic in a type, and what it is.
fn guard(pipeline: &Pipeline, ty: TokenStream) -> Option<(Span, &'static str)> {
    ty.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => guard(pipeline, group.stream()),
        TokenTree::Ident(ident) => {
            let name = ident.to_string();
            let imported = pipeline
                .scope
                .imports
                .iter()
                .any(|path| path.rsplit("::").next() == Some(&name) && path.contains("sync"));
            if pipeline.scope.declares(&name) && !imported {
                return None;
            }
            let what = GUARDS
                .iter()
                .find(|(known, _)| name == *known)
                .map(|&(_, what)| what);
            let atomic = || is_atomic(&name).then_some("atomic");
            what.or_else(atomic).map(|what| (ident.span(), what))
        }
        _ => None,
    })
}

fn is_atomic(name: &str) -> bool {
    let of = name.strip_prefix("Atomic").unwrap_or_default();
    let number = of.strip_prefix(['U', 'I']).unwrap_or_default();
    matches!(of, "Bool" | "Ptr") || matches!(number, "8" | "16" | "32" | "64" | "128" | "size")
}
