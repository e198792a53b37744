//! What is emitted when there are findings: the user's items untouched, the errors, and typed
//! stubs of what would have been generated, so that a call of `main` is not a second error.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::check::p060_feature::off;
use crate::codegen::paths::{Paths, with_lifetime};
use crate::codegen::{builder, state_default};
use crate::lower::Outer;
use crate::model::Pipeline;

/// The module with its findings.
pub(crate) fn module(pipeline: &Pipeline, outer: &Outer, findings: &TokenStream) -> TokenStream {
    let krate = Paths::new(outer.krate.clone()).krate;
    let Outer { attrs, vis, ident, kept, .. } = outer;
    let built_by = pipeline
        .sources
        .iter()
        .chain(&pipeline.sinks)
        .filter_map(|declared| declared.built_by.as_ref())
        .map(builder);
    let states = pipeline.states.iter().map(state_default);
    let own = |name: &str| pipeline.scope.declares(name);
    let main = (!own("main")).then(|| {
        quote! {
            /// Not generated: see the errors.
            #[must_use]
            pub fn main() -> ::std::process::ExitCode {
                ::std::process::ExitCode::FAILURE
            }
        }
    });
    let config = (!own("Config")).then(|| {
        quote! {
            /// Not generated: see the errors.
            pub type Config = #krate::Config;
        }
    });
    let graph = (!own("GRAPH")).then(|| {
        quote! {
            /// Not generated: see the errors.
            pub const GRAPH: #krate::__private::Graph = #krate::__private::Graph {
                pipeline: "",
                file: "",
                sources: &[],
                sinks: &[],
                lookups: &[],
                chains: &[],
            };
        }
    });
    let run = (!own("pipeline")).then(|| {
        quote! {
            /// Not generated: see the errors.
            #[must_use]
            pub fn pipeline(_: #krate::Config) -> #krate::Pipeline {
                ::core::panic!("this pipeline did not compile")
            }
        }
    });
    let test = (!own("test") && !own("Test")).then(|| {
        quote! {
            /// Not generated: see the errors.
            pub type Test = #krate::test::Harness;

            /// Not generated: see the errors.
            #[must_use]
            pub fn test() -> Test {
                ::core::panic!("this pipeline did not compile")
            }
        }
    });
    // Names the declared types and what the module imports, or an import that only the chain uses
    // would be a second finding.
    let declared = pipeline.sources.iter().chain(&pipeline.sinks);
    let known = declared.filter(|declared| off(declared, &pipeline.scope).next().is_none());
    let types = known.map(|declared| {
        let (cfgs, ty) = (&declared.cfgs, with_lifetime(&declared.connector, "static"));
        quote!(#(#cfgs)* const _: () = { type _Declared = #ty; };)
    });
    let unread = pipeline.unread.iter().map(|ty| {
        let ty = with_lifetime(ty, "static");
        quote!(const _: () = { type _Declared = #ty; };)
    });
    let imports = pipeline.scope.imports.iter().filter_map(|path| {
        let name: Ident = syn::parse_str(path.rsplit("::").next()?).ok()?;
        Some(quote! {
            #[allow(unused_imports)]
            use self::#name as _;
        })
    });
    quote! {
        #(#attrs)*
        #vis mod #ident {
            #(#kept)*
            #(#states)*
            #(#types)*
            #(#unread)*
            #(#imports)*
            #(#built_by)*
            #findings
            #main
            #config
            #graph
            #run
            #test
        }
    }
}
