//! The pipeline's definition: its graph, how it is put together, and `main` and `pipeline`.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote_spanned;

use super::Items;
use super::config;
use super::paths::{Paths, at, emit, index, placed, with_lifetime};
use super::sink::sink_index;
use crate::ast::item::Declared;
use crate::config::ConfigFile;
use crate::model::{Chain, Kind, Node, NodeKind, NodePolicy, Origin, Pipeline};
use crate::names;

/// Generates what the module offers to the outside.
pub(super) fn generate(pipeline: &Pipeline, items: &Items, paths: &Paths) -> TokenStream {
    let krate = &paths.krate;
    let definition = &items.definition;
    let name = names::plain(&pipeline.ident);
    let graph = graph(pipeline, paths);
    let assemble = assemble(pipeline, items, paths);
    let (captured, loaded) =
        (chains(pipeline, items, &items.captured, paths), lookups(pipeline, paths));
    let [graph_type, definition_trait, assembler, run] =
        ["Graph", "Definition", "Assembler", "main"].map(|name| paths.rt(name));
    let expected = paths.rt("Expected");
    let sections = config::sections(pipeline, items, paths);
    let checked = pipeline
        .config
        .as_ref()
        .map(|file| config::check(file, pipeline, definition, paths));
    let (same_version, version) = (paths.rt("assert_same_version"), paths.rt("VERSION"));
    let ours = env!("CARGO_PKG_VERSION");
    let config = match &pipeline.config {
        None => emit!(::core::option::Option::None),
        Some(ConfigFile { literal: file, .. }) => {
            let at_literal = at(file.span());
            let text = quote_spanned! {at_literal=>
                ::core::include_str!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/", #file))
            };
            emit!(::core::option::Option::Some((#file, #text)))
        }
    };
    let main_doc = format!("The program of `{name}`: `run` (the default), `check`, `graph`.");
    let pipeline_doc = format!("`{name}` with this configuration, to run it from code.");
    let graph_doc = format!("The topology of `{name}`.");
    let config_doc = format!("The configuration of `{name}`.");
    emit! {
        // Cargo builds anew when the variable changes, and the expansion is written (see `expand`).
        const _: ::core::option::Option<&str> = ::core::option_env!("SPATE_EXPAND");
        const _: () = #same_version(#ours, #version);
        #checked

        #[doc = #graph_doc]
        pub const GRAPH: #graph_type = #graph;

        #[doc = #config_doc]
        pub type Config = #krate::Config;

        #[doc = #main_doc]
        #[must_use]
        pub fn main() -> ::std::process::ExitCode {
            #run::<#definition>()
        }

        #[doc = #pipeline_doc]
        #[must_use]
        pub fn pipeline(config: Config) -> #krate::Pipeline {
            #krate::Pipeline::new::<#definition>(config)
        }

        /// How the pipeline is put together for a run.
        struct #definition;
        impl #definition_trait for #definition {
            const GRAPH: &'static #graph_type = &GRAPH;
            const CONFIG: ::core::option::Option<(&'static str, &'static str)> = #config;
            const SECTIONS: &'static [#expected<'static>] = #sections;

            fn assemble(assembler: &mut #assembler<'_>) {
                #assemble
            }

            // Inline, and so generated where it is called only: in tests.
            #[inline]
            fn captured(assembler: &mut #assembler<'_>) {
                #loaded
                #captured
            }
        }
    }
}

fn assemble(pipeline: &Pipeline, items: &Items, paths: &Paths) -> TokenStream {
    let Items { declared, files, .. } = items;
    let [source_id, sink_id] = ["SourceId", "SinkId"].map(|name| paths.rt(name));
    let sources = pipeline.sources.iter().enumerate().map(|(number, source)| {
        let id = source_index(pipeline, number);
        made(source, &emit!(source), &emit!(source_with), &emit!(#source_id(#id)))
    });
    let sinks = pipeline.sinks.iter().enumerate().map(|(number, sink)| {
        let id = sink_index(pipeline, number);
        made(sink, &emit!(sink), &emit!(sink_with), &emit!(#sink_id(#id)))
    });
    let (to_files, to_declared) =
        (chains(pipeline, items, files, paths), chains(pipeline, items, declared, paths));
    let lookups = lookups(pipeline, paths);
    emit! {
        #(#sources)*
        #(#sinks)*
        #lookups
        if assembler.sinks_to_files() {
            #to_files
        } else {
            #to_declared
        }
    }
}

/// How every lookup is loaded.
fn lookups(pipeline: &Pipeline, paths: &Paths) -> TokenStream {
    let each = pipeline.lookups.iter().enumerate().map(|(number, lookup)| {
        let (cfgs, id, ident) = (&lookup.cfgs, lookup_index(pipeline, number), &lookup.ident);
        let [lookup_id, loading] = ["LookupId", "Loading"].map(|name| paths.rt(name));
        let returns = &lookup.returns;
        let span = at(crate::ast::first_span(returns));
        let loading = placed(loading, span);
        let begin = match (lookup.is_async, lookup.takes_config) {
            (true, false) => quote_spanned!(span=> |_| #loading::of_future(#ident())),
            (false, false) => quote_spanned!(span=> |_| #loading::of_function(#ident)),
            (true, true) => quote_spanned! {span=>
                |config| {
                    let config = ::core::clone::Clone::clone(config);
                    #loading::of_future(async move { #ident(&config).await })
                }
            },
            (false, true) => quote_spanned! {span=>
                |config| {
                    let config = ::core::clone::Clone::clone(config);
                    #loading::of_function(move || #ident(&config))
                }
            },
        };
        quote_spanned!(span=> #(#cfgs)* assembler.lookup::<#returns>(#lookup_id(#id), #begin);)
    });
    each.collect()
}

/// How the lanes of every chain are made, with ports of this kind.
fn chains(pipeline: &Pipeline, items: &Items, kind: &Ident, paths: &Paths) -> TokenStream {
    let (ports, lane) = (&items.ports, paths.rt("Lane"));
    let chains = pipeline.chains.iter().zip(&items.chains).enumerate();
    let each = chains.map(|(number, (chain, ident))| {
        let cfgs = &chain.cfgs;
        let before = pipeline.chains.iter().take(number);
        let id = index(before.map(|chain| &*chain.cfgs));
        emit!(#(#cfgs)* assembler.chain::<#lane<#ident, #ports<#kind>>>(#id);)
    });
    each.collect()
}

/// How a source or sink is made: from its section, or by its own body.
fn made(
    declared: &Declared,
    plain: &TokenStream,
    with: &TokenStream,
    id: &TokenStream,
) -> TokenStream {
    let (cfgs, ident) = (&declared.cfgs, &declared.ident);
    let connector = with_lifetime(&declared.connector, "static");
    let Some(built) = &declared.built_by else {
        return emit!(#(#cfgs)* assembler.#plain::<#connector>(#id););
    };
    if built.sig.inputs.is_empty() {
        emit!(#(#cfgs)* assembler.#with(#id, |_| #ident());)
    } else {
        emit!(#(#cfgs)* assembler.#with(#id, #ident);)
    }
}

pub(super) fn source_index(pipeline: &Pipeline, number: usize) -> TokenStream {
    index(
        pipeline
            .sources
            .iter()
            .take(number)
            .map(|source| &*source.cfgs),
    )
}

/// The number of a lookup, as an expression where a `cfg` may take an earlier one away.
pub(super) fn lookup_index(pipeline: &Pipeline, number: usize) -> TokenStream {
    index(
        pipeline
            .lookups
            .iter()
            .take(number)
            .map(|lookup| &*lookup.cfgs),
    )
}

fn graph(pipeline: &Pipeline, paths: &Paths) -> TokenStream {
    let [graph, source_node, sink_node, lookup_node, chain_node] =
        ["Graph", "SourceNode", "SinkNode", "LookupNode", "ChainNode"].map(|name| paths.rt(name));
    let name = names::plain(&pipeline.ident);
    let sources = pipeline.sources.iter().map(|source| {
        let (cfgs, name) = (&source.cfgs, names::plain(&source.ident));
        let declared = crate::text::of(&source.connector);
        emit!(#(#cfgs)* #source_node { name: #name, declared: #declared })
    });
    let sinks = pipeline.sinks.iter().map(|sink| {
        let (cfgs, name) = (&sink.cfgs, names::plain(&sink.ident));
        let declared = crate::text::of(&sink.connector);
        let key = sink.key.as_ref().map(crate::text::of).unwrap_or_default();
        emit!(#(#cfgs)* #sink_node { name: #name, declared: #declared, key: #key })
    });
    let lookups = pipeline.lookups.iter().map(|lookup| {
        let (cfgs, name) = (&lookup.cfgs, names::plain(&lookup.ident));
        let (declared, refresh) = (crate::text::of(&lookup.returns), lookup.refresh_ms);
        emit! {
            #(#cfgs)*
            #lookup_node { name: #name, declared: #declared, refresh_ms: #refresh }
        }
    });
    let chains = pipeline.chains.iter().map(|chain| {
        let (cfgs, name) = (&chain.cfgs, names::plain(pipeline.chain_name(chain)));
        let source = chain.paths.iter().find_map(|path| match path.origin {
            Origin::Source(source) => Some(source),
            _ => None,
        });
        let source = source_index(pipeline, source.unwrap_or_default());
        let stages = chain
            .nodes
            .iter()
            .map(|node| stage(pipeline, chain, node, paths));
        emit! {
            #(#cfgs)*
            #chain_node { name: #name, source: #source, stages: &[#(#stages),*] }
        }
    });
    emit! {
        #graph {
            pipeline: #name,
            file: ::core::file!(),
            sources: &[#(#sources),*],
            sinks: &[#(#sinks),*],
            lookups: &[#(#lookups),*],
            chains: &[#(#chains),*],
        }
    }
}

fn stage(pipeline: &Pipeline, chain: &Chain, node: &Node, paths: &Paths) -> TokenStream {
    let [stage_node, stage_kind, policy] =
        ["StageNode", "StageKind", "Policy"].map(|name| paths.rt(name));
    let Node { label, operator, cfgs, .. } = node;
    let kind = match &node.kind {
        NodeKind::Stage(Kind::Decode | Kind::DecodeWith) => emit!(Decode),
        NodeKind::Stage(Kind::Raw) => emit!(Raw),
        NodeKind::Stage(Kind::Filter) => emit!(Filter),
        NodeKind::Stage(Kind::Map) => emit!(Map),
        NodeKind::Stage(Kind::FilterMap) => emit!(FilterMap),
        NodeKind::Stage(Kind::FlatMap) => emit!(FlatMap),
        NodeKind::Stage(Kind::Inspect) => emit!(Inspect),
        NodeKind::Stage(Kind::Apply) => emit!(Apply),
        NodeKind::Stage(Kind::Dedup) => emit!(Dedup),
        NodeKind::Stage(Kind::Sample) => emit!(Sample),
        NodeKind::Stage(Kind::SampleBy) => emit!(SampleBy),
        NodeKind::Split => emit!(Split),
        NodeKind::Arm => emit!(Arm),
        NodeKind::Tee => emit!(Tee),
        NodeKind::Branch => emit!(Branch),
        NodeKind::To(sink) => {
            let index = sink_index(pipeline, *sink);
            emit!(To(#index))
        }
        NodeKind::Discard(reason) => emit!(Discard(#reason)),
    };
    let acts = match node.policy {
        NodePolicy::None => emit!(None),
        NodePolicy::Skip => emit!(Skip),
        NodePolicy::Stop => emit!(Stop),
        NodePolicy::DeadLetter(sink) => {
            let index = sink_index(pipeline, sink);
            emit!(DeadLetter(#index))
        }
    };
    let upstream = match node.upstream {
        None => emit!(::core::option::Option::None),
        Some(upstream) => {
            let index = node_index(chain, upstream);
            emit!(::core::option::Option::Some(#index))
        }
    };
    let line = Literal::usize_unsuffixed(node.line);
    emit! {
        #(#cfgs)*
        #stage_node {
            label: #label,
            kind: #stage_kind::#kind,
            upstream: #upstream,
            policy: #policy::#acts,
            operator: #operator,
            line: #line,
        }
    }
}

/// The number of a node, as an expression where a `cfg` may take an earlier one away.
pub(super) fn node_index(chain: &Chain, node: usize) -> TokenStream {
    index(chain.nodes.iter().take(node).map(|node| &*node.cfgs))
}
