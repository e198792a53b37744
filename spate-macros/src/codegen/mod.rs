//! Model → tokens.
//!
//! Pure and total: whatever the rules let through can be generated. Emits the user's items as
//! they are, then what is derived from them:
//!
//! ```text
//! sink.rs    per sink a type, then `Sinks`, `Encoders` and `Ports` over all of them
//! chain.rs   per chain a struct with its state and the fused loop
//! lane.rs    the pipeline's definition: graph, assembly, `main`, `pipeline`
//! test.rs    the pipeline under test: an accessor for each source and sink
//! picture.rs the chains as a text, for the module's documentation
//! config.rs  its configuration, held against the schemas of its connectors
//! paths.rs   absolute paths, spans, lifetimes, indices under `cfg`
//! ```

mod chain;
mod config;
mod lane;
pub(crate) mod paths;
pub(crate) mod picture;
mod sink;
pub(crate) mod table;
mod test;

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;

use crate::ast::item::BuiltBy;
use crate::lower::Outer;
use crate::model::{Pipeline, State};
use crate::names::{self, Names};
use paths::{Paths, at, emit, placed};

/// Names of generated items that clash with nothing in the module.
pub(crate) struct Items {
    /// The pipeline's definition.
    pub(crate) definition: Ident,
    pub(crate) sinks: Ident,
    pub(crate) encoders: Ident,
    pub(crate) ports: Ident,
    pub(crate) declared: Ident,
    pub(crate) files: Ident,
    pub(crate) captured: Ident,
    /// The ports' type parameter, as the loop sees it.
    pub(crate) s: Ident,
    pub(crate) e: Ident,
    /// Shape `[chain]`.
    pub(crate) chains: Vec<Ident>,
    /// What each decodes with. Shape `[chain]`.
    pub(crate) formats: Vec<Ident>,
    /// How many records the stage at (chain, node) gives for one, where that is limited.
    pub(crate) fan_outs: BTreeMap<(usize, usize), Ident>,
}

impl Items {
    fn of(pipeline: &Pipeline) -> Self {
        let mut free = Names::beside(pipeline.scope.tokens.clone());
        let camel = |ident: &Ident| names::camel(&names::plain(ident));
        Self {
            definition: free.ident(&camel(&pipeline.ident)),
            sinks: free.ident("Sinks"),
            encoders: free.ident("Encoders"),
            ports: free.ident("Ports"),
            declared: free.ident("Declared"),
            files: free.ident("Files"),
            captured: free.ident("Captured"),
            s: free.ident("S"),
            e: free.ident("E"),
            chains: pipeline
                .chains
                .iter()
                .map(|chain| free.ident(&camel(pipeline.chain_name(chain))))
                .collect(),
            formats: pipeline
                .chains
                .iter()
                .map(|chain| free.ident(&format!("{}Format", camel(pipeline.chain_name(chain)))))
                .collect(),
            fan_outs: fan_outs(pipeline, &mut free),
        }
    }
}

fn fan_outs(pipeline: &Pipeline, free: &mut Names) -> BTreeMap<(usize, usize), Ident> {
    let mut named = BTreeMap::new();
    for (index, chain) in pipeline.chains.iter().enumerate() {
        let limited = chain
            .paths
            .iter()
            .flat_map(|path| &path.stages)
            .filter(|stage| stage.limit().is_some());
        for stage in limited {
            let Some(node) = chain.nodes.get(stage.node) else { continue };
            let name = free.ident(&format!("{}_FAN_OUT", names::constant(&node.label)));
            named.insert((index, stage.node), name);
        }
    }
    named
}

/// Generates the module.
pub(crate) fn generate(pipeline: &Pipeline, outer: &Outer, findings: &TokenStream) -> TokenStream {
    let paths = Paths::new(outer.krate.clone());
    let items = Items::of(pipeline);
    let Outer { attrs, vis, ident, kept, .. } = outer;
    let built_by = pipeline
        .sources
        .iter()
        .chain(&pipeline.sinks)
        .filter_map(|declared| declared.built_by.as_ref())
        .map(builder);
    let states = pipeline.states.iter().map(state_default);
    let sinks = sink::generate(pipeline, &items, &paths);
    let chains: Vec<TokenStream> = (0..pipeline.chains.len())
        .filter_map(|index| chain::generate(pipeline, index, &items, &paths))
        .collect();
    let lane = lane::generate(pipeline, &items, &paths);
    let test = test::generate(pipeline, &items, &paths);
    let docs = docs(pipeline, attrs);
    emit! {
        #(#attrs)*
        #docs
        #vis mod #ident {
            #(#kept)*
            #(#built_by)*
            #findings
            #(#states)*
            #sinks
            #(#chains)*
            #lane
            #test
        }
    }
}

/// The chains as a text behind the module's own documentation; a first line where it has none.
fn docs(pipeline: &Pipeline, attrs: &[syn::Attribute]) -> TokenStream {
    let documented = attrs
        .iter()
        .any(|attribute| attribute.path().is_ident("doc"));
    let first = if documented {
        String::new()
    } else {
        format!(" The pipeline `{}`.", names::plain(&pipeline.ident))
    };
    let mut lines = vec![first];
    if !documented {
        lines.push(String::new());
    }
    lines.extend([" # Chains".to_owned(), String::new(), " ```text".to_owned()]);
    lines.extend(
        picture::lines(pipeline)
            .into_iter()
            .map(|line| format!(" {line}")),
    );
    lines.push(" ```".to_owned());
    emit!(#(#[doc = #lines])*)
}

/// `Default` for a state whose module says nothing of it: every field by its own `Default`.
pub(crate) fn state_default(state: &State) -> TokenStream {
    if !state.defaults_by_field {
        return TokenStream::new();
    }
    let (cfgs, ident) = (&state.cfgs, placed(&state.ident, state.ident.span()));
    let value = |field: &syn::Field| {
        let (ty, span) = (&field.ty, at(crate::ast::first_span(&field.ty)));
        quote_spanned!(span=> <#ty as ::core::default::Default>::default())
    };
    let fields = state.item.fields.iter().map(|field| {
        let (cfgs, value) = (crate::ast::cfgs(&field.attrs), value(field));
        match &field.ident {
            Some(name) => emit!(#(#cfgs)* #name: #value),
            None => emit!(#(#cfgs)* #value),
        }
    });
    let made = match &state.item.fields {
        syn::Fields::Named(_) => emit!(Self { #(#fields),* }),
        syn::Fields::Unnamed(_) => emit!(Self(#(#fields),*)),
        syn::Fields::Unit => emit!(Self),
    };
    emit! {
        #(#cfgs)*
        impl ::core::default::Default for #ident {
            fn default() -> Self {
                #made
            }
        }
    }
}

/// A declaration with a body, as a function that returns the connector for good.
pub(crate) fn builder(built: &BuiltBy) -> TokenStream {
    let BuiltBy { attrs, vis, sig, block } = built;
    let mut sig = sig.clone();
    if let syn::ReturnType::Type(_, ty) = &mut sig.output {
        let named = paths::with_lifetime(ty, "static");
        **ty = syn::Type::Verbatim(named);
    }
    emit!(#(#attrs)* #vis #sig #block)
}
