//! The arguments of `#[pipeline(..)]`.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{Expr, LitStr};

use super::options;
use crate::check::P066;
use crate::names;
use crate::report::Report;

/// ```text
/// args := ("config" "=" text)? ("crate" "=" path)?
/// ```
#[derive(Default)]
pub(crate) struct Args {
    /// The YAML file, relative to the manifest.
    pub(crate) config: Option<LitStr>,
    /// The facade's path, for crates that rename it.
    pub(crate) krate: Option<TokenStream>,
}

impl Args {
    pub(crate) fn read(tokens: TokenStream, report: &mut Report) -> Self {
        let mut args = Self::default();
        for option in options::read(tokens, "pipeline", &["config", "crate"], report) {
            match names::plain(&option.key).as_str() {
                "config" => args.config = option.text(report),
                _ => args.krate = facade_path(&option, report),
            }
        }
        args
    }
}

/// A path to the facade, as an option's value.
pub(crate) fn facade_path(option: &options::Opt, report: &mut Report) -> Option<TokenStream> {
    match option.expr("::renamed", report)? {
        Expr::Path(path) if path.qself.is_none() => Some(path.to_token_stream()),
        other => {
            report.push_with(
                super::first_span(other),
                &P066,
                "`crate` takes a path",
                "write `crate = ::renamed`",
            );
            None
        }
    }
}
