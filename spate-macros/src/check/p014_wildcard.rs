//! P014: a wildcard hides new variants (a warning).
//!
//! Where the other arms name variants, a `_` takes every variant that is added later without
//! anybody deciding where its records go. Numbers and texts need one, and so does an enum marked
//! `#[non_exhaustive]`: there `#[allow(..)]` on the arm, with any lint's name, keeps it quiet.

use syn::Pat;

use crate::ast::first_span;
use crate::model::{End, Pipeline};
use crate::names;
use crate::report::{Report, Rule};

const WILDCARD: Rule = Rule {
    code: "P014",
    help: "list the variants, or put `#[allow(clippy::wildcard_enum_match_arm)]` on the arm",
};

/// Warns of each wildcard arm that stands beside arms with variants.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for chain in &pipeline.chains {
        for path in &chain.paths {
            let report = &mut *report.within(&path.cfgs);
            let End::Split(split) = &path.end else { continue };
            let variants = split.arms.iter().any(|arm| names_variant(&arm.pat));
            for arm in &split.arms {
                let allowed = arm.attrs.iter().any(|attribute| {
                    attribute.path().is_ident("allow") || attribute.path().is_ident("expect")
                });
                if variants && !allowed && arm.guard.is_none() && takes_all(&arm.pat) {
                    let message = "this wildcard takes variants that are added later";
                    report.warn(first_span(&arm.pat), &WILDCARD, message);
                }
            }
        }
    }
}

fn takes_all(pat: &Pat) -> bool {
    match pat {
        Pat::Wild(_) => true,
        Pat::Ident(pat) => {
            !names::plain(&pat.ident).starts_with(char::is_uppercase) && pat.subpat.is_none()
        }
        Pat::Paren(pat) => takes_all(&pat.pat),
        _ => false,
    }
}

/// Whether the pattern is a path to a variant: `Kind::Placed`, and no constant in capitals.
fn names_variant(pat: &Pat) -> bool {
    let path = match pat {
        Pat::Path(pat) => &pat.path,
        Pat::TupleStruct(pat) => &pat.path,
        Pat::Struct(pat) => &pat.path,
        Pat::Or(pat) => return pat.cases.iter().any(names_variant),
        Pat::Paren(pat) => return names_variant(&pat.pat),
        _ => return false,
    };
    let last = path.segments.last().map(|last| last.ident.to_string());
    path.segments.len() > 1
        && last.is_some_and(|last| {
            last.starts_with(char::is_uppercase) && last.chars().any(char::is_lowercase)
        })
}
