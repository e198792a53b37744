//! The arguments of `#[pipeline(..)]`.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{Expr, LitStr};

use super::options;
use crate::check::P066;
use crate::names;
use crate::report::Report;

/// ```text
/// args := ("config" "=" text)? ("crate" "=" path)? ("alloc" "=" ("warn" | "deny" | "allow"))?
/// ```
#[derive(Default)]
pub(crate) struct Args {
    /// The YAML file, relative to the manifest.
    pub(crate) config: Option<LitStr>,
    /// The facade's path, for crates that rename it.
    pub(crate) krate: Option<TokenStream>,
    /// Whether to write what editors read, whoever asks: for tests of it.
    pub(crate) editor: bool,
    /// What becomes of an operator that allocates.
    pub(crate) alloc: Alloc,
}

/// What P033 and P034 do.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Alloc {
    #[default]
    Warn,
    Deny,
    Allow,
}

impl Args {
    pub(crate) fn read(tokens: TokenStream, report: &mut Report) -> Self {
        let mut args = Self::default();
        for option in
            options::read(tokens, "pipeline", &["config", "crate", "alloc", "__editor"], report)
        {
            match names::plain(&option.key).as_str() {
                "config" => args.config = option.text(report),
                "alloc" => args.alloc = Alloc::of(&option, report),
                "__editor" => args.editor = true,
                _ => args.krate = facade_path(&option, report),
            }
        }
        args
    }
}

impl Alloc {
    fn of(option: &options::Opt, report: &mut Report) -> Self {
        let Some(value) = option.expr("deny", report) else { return Self::default() };
        let word = match &value {
            Expr::Path(path) => path.path.get_ident().map(names::plain),
            _ => None,
        };
        match word.as_deref() {
            Some("warn") => Self::Warn,
            Some("deny") => Self::Deny,
            Some("allow") => Self::Allow,
            _ => {
                report.push_with(
                    super::first_span(value),
                    &P066,
                    "`alloc` is `warn`, `deny` or `allow`",
                    "write `alloc = deny`, or leave it out",
                );
                Self::default()
            }
        }
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
