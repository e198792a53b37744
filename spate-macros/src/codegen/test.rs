//! The pipeline under test: `test()`, and an accessor for each source and sink by its name.
//!
//! Everything here is `#[inline]`, so that nothing of it is generated where no test calls it.

use proc_macro2::{Ident, TokenStream};

use super::Items;
use super::lane::{lookup_index, source_index};
use super::paths::{Paths, at, emit, with_lifetime};
use super::sink::sink_index;
use crate::ast::item::Declared;
use crate::model::Pipeline;
use crate::names;

/// Generates `Test` and `test()`.
pub(super) fn generate(pipeline: &Pipeline, items: &Items, paths: &Paths) -> TokenStream {
    let definition = &items.definition;
    let name = names::plain(&pipeline.ident);
    let [harness, source_type, sink_type] =
        ["Harness", "TestSource", "TestSink"].map(|name| paths.rt(name));
    let sources = pipeline.sources.iter().enumerate().map(|(number, source)| {
        let (cfgs, ident) = (&source.cfgs, accessor(source));
        let (doc, id) = (doc("source", source), source_index(pipeline, number));
        emit! {
            #(#cfgs)*
            #[doc = #doc]
            #[inline]
            pub fn #ident(&self) -> #source_type<'_> {
                self.harness.source(#id)
            }
        }
    });
    let sinks = pipeline.sinks.iter().enumerate().map(|(number, sink)| {
        let (cfgs, ident) = (&sink.cfgs, accessor(sink));
        let (doc, id) = (doc("sink", sink), sink_index(pipeline, number));
        let row = with_lifetime(&sink.inner, "test");
        emit! {
            #(#cfgs)*
            #[doc = #doc]
            #[inline]
            #[must_use]
            pub fn #ident<'test>(&'test self) -> #sink_type<'test, #row> {
                self.harness.sink(#id)
            }
        }
    });
    let lookup_type = paths.rt("TestLookup");
    let lookups = pipeline.lookups.iter().enumerate().map(|(number, lookup)| {
        let (cfgs, id, returns) = (&lookup.cfgs, lookup_index(pipeline, number), &lookup.returns);
        let mut ident = lookup.ident.clone();
        ident.set_span(at(ident.span()));
        let doc = format!("The lookup `{}`: empty until the test sets it.", names::plain(&ident));
        emit! {
            #(#cfgs)*
            #[doc = #doc]
            #[inline]
            #[must_use]
            pub fn #ident(&self) -> #lookup_type<'_, #returns> {
                self.harness.lookup(#id)
            }
        }
    });
    let test_doc = format!(
        "`{name}` under test: its real parts on a virtual clock, with sources and sinks made of \
         memory."
    );
    let type_doc = format!(
        "`{name}` under test: each source and sink by its name; the rest is its `Harness`."
    );
    emit! {
        #[doc = #test_doc]
        #[inline]
        #[must_use]
        #[track_caller]
        pub fn test() -> Test {
            Test { harness: #harness::new::<#definition>() }
        }

        #[doc = #type_doc]
        pub struct Test {
            harness: #harness,
        }

        impl Test {
            #(#sources)*
            #(#sinks)*
            #(#lookups)*
        }

        impl ::core::ops::Deref for Test {
            type Target = #harness;

            #[inline]
            fn deref(&self) -> &#harness {
                &self.harness
            }
        }

        impl ::core::ops::DerefMut for Test {
            #[inline]
            fn deref_mut(&mut self) -> &mut #harness {
                &mut self.harness
            }
        }

        impl ::core::fmt::Debug for Test {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(&self.harness, f)
            }
        }
    }
}

/// The accessor of a source or sink: called as it is, where it is declared.
fn accessor(declared: &Declared) -> Ident {
    let mut ident = declared.ident.clone();
    ident.set_span(at(declared.ident.span()));
    ident
}

fn doc(what: &str, declared: &Declared) -> String {
    let connector = crate::text::of(&declared.connector);
    format!("The {what} `{}`, declared as `{connector}`.", names::plain(&declared.ident))
}
