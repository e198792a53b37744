//! Collects findings, so that a build shows all of them at once.
//!
//! Pure. Every pass pushes here and goes on; nothing returns on the first finding. At the end the
//! findings come out in the order of the source text, as `compile_error!` (or, for a warning, as
//! the use of a deprecated constant: the only warning a stable macro can give).

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Attribute;

use crate::codegen::paths::conditions;

/// A rule of `guarantees.md`: its code, and what to write instead.
pub(crate) struct Rule {
    pub(crate) code: &'static str,
    pub(crate) help: &'static str,
}

/// One thing the user has to change, or (a warning) should look at.
struct Finding {
    span: Span,
    code: &'static str,
    message: String,
    help: String,
    cfgs: Vec<Attribute>,
    warning: bool,
}

/// The findings of one build.
#[derive(Default)]
pub(crate) struct Report {
    findings: Vec<Finding>,
    cfgs: Vec<Attribute>,
}

impl Report {
    /// Reports `message` at `span`, with the rule's own help.
    pub(crate) fn push(&mut self, span: Span, rule: &Rule, message: impl Into<String>) {
        self.push_with(span, rule, message, rule.help);
    }

    /// Reports `message` at `span`, with a help that fits this case.
    pub(crate) fn push_with(
        &mut self,
        span: Span,
        rule: &Rule,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.findings.push(Finding {
            span,
            code: rule.code,
            message: message.into(),
            help: help.into(),
            cfgs: self.cfgs.clone(),
            warning: false,
        });
    }

    /// Reports a warning: the build goes on.
    pub(crate) fn warn(&mut self, span: Span, rule: &Rule, message: impl Into<String>) {
        self.warn_with(span, rule, message, rule.help);
    }

    /// The same with a help that fits this case.
    pub(crate) fn warn_with(
        &mut self,
        span: Span,
        rule: &Rule,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push_with(span, rule, message, help);
        if let Some(finding) = self.findings.last_mut() {
            finding.warning = true;
        }
    }

    /// Runs `with` so that what it reports exists only under `cfgs`, as the item it is about.
    pub(crate) fn under(&mut self, cfgs: &[Attribute], with: impl FnOnce(&mut Self)) {
        let before = self.cfgs.len();
        self.cfgs.extend_from_slice(cfgs);
        with(self);
        self.cfgs.truncate(before);
    }

    /// The same for what is reported through the guard, as long as it lives.
    pub(crate) fn within(&mut self, cfgs: &[Attribute]) -> Within<'_> {
        let before = self.cfgs.len();
        self.cfgs.extend_from_slice(cfgs);
        Within { report: self, before }
    }

    /// How many findings there are.
    pub(crate) fn len(&self) -> usize {
        self.findings.len()
    }

    /// Whether the build ends here.
    pub(crate) fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| !finding.warning)
    }

    /// Under which `cfg`s each error is there; `None` if one always is.
    pub(crate) fn conditions(&self) -> Option<Vec<TokenStream>> {
        let errors = self.findings.iter().filter(|finding| !finding.warning);
        errors
            .map(|finding| {
                let all = conditions(&finding.cfgs);
                (!all.is_empty()).then(|| quote!(#(#all),*))
            })
            .collect()
    }

    /// All findings, in the order of the source text.
    pub(crate) fn to_tokens(&self) -> TokenStream {
        let mut findings: Vec<&Finding> = self.findings.iter().collect();
        findings.sort_by_key(|finding| {
            let start = finding.span.start();
            (start.line, start.column)
        });
        findings.into_iter().map(Finding::to_tokens).collect()
    }
}

/// A report whose findings exist only under some `cfg`s.
pub(crate) struct Within<'a> {
    report: &'a mut Report,
    before: usize,
}

impl std::ops::Deref for Within<'_> {
    type Target = Report;

    fn deref(&self) -> &Report {
        self.report
    }
}

impl std::ops::DerefMut for Within<'_> {
    fn deref_mut(&mut self) -> &mut Report {
        self.report
    }
}

impl Drop for Within<'_> {
    fn drop(&mut self) {
        self.report.cfgs.truncate(self.before);
    }
}

impl Finding {
    fn to_tokens(&self) -> TokenStream {
        let text = if self.help.is_empty() {
            format!("{} [{}]", self.message, self.code)
        } else {
            format!("{} [{}]\nhelp: {}", self.message, self.code, self.help)
        };
        let cfgs = &self.cfgs;
        if self.warning {
            let name = quote_spanned!(self.span=> FINDING);
            return quote! {
                #(#cfgs)*
                const _: () = {
                    #[deprecated(note = #text)]
                    const FINDING: () = ();
                    #name
                };
            };
        }
        quote_spanned!(self.span=> #(#cfgs)* ::core::compile_error! { #text })
    }
}
