//! The configuration held against the schemas of the declared connectors, in constants.
//!
//! `SECTIONS` says what each declared name takes; a build asks the runtime's `const fn` about the
//! file that the module names, a start about whatever file is given then. Nothing of it is in the
//! program: constants that are only evaluated leave nothing behind.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote_spanned;
use spate_yaml::{Node, Value};

use super::Items;
use super::paths::{Paths, at, emit, placed, with_lifetime};
use super::sink::is_diverted_to;
use crate::config::ConfigFile;
use crate::model::{NodeKind, NodePolicy, Pipeline};
use crate::names;

/// The sections of the configuration, as an expression.
pub(super) fn sections(pipeline: &Pipeline, items: &Items, paths: &Paths) -> TokenStream {
    let [expected, role, pipeline_keys, sink_keys] =
        ["Expected", "Role", "PIPELINE_KEYS", "SINK_KEYS"].map(|name| paths.rt(name));
    let [source_own, sink_own] = ["source_keys", "sink_keys"].map(|name| paths.rt(name));
    let none = emit!(::core::option::Option::None);
    let sources = pipeline.sources.iter().map(|source| {
        let (cfgs, name) = (&source.cfgs, names::plain(&source.ident));
        let connector = with_lifetime(&source.connector, "static");
        match source.built_by {
            Some(_) => emit! {
                #(#cfgs)*
                #expected { name: #name, keys: &[], role: #role::Own }
            },
            None => emit! {
                #(#cfgs)*
                #expected {
                    name: #name,
                    keys: &[#source_own::<#connector>()],
                    role: #role::Source { session: #none },
                }
            },
        }
    });
    let sinks = pipeline.sinks.iter().enumerate().map(|(number, sink)| {
        let (cfgs, name) = (&sink.cfgs, names::plain(&sink.ident));
        let connector = with_lifetime(&sink.connector, "static");
        let own = sink
            .built_by
            .is_none()
            .then(|| emit!(#sink_own::<#connector>(),));
        let (keyed, rejects) = (sink.key.is_some(), is_diverted_to(pipeline, number));
        let fan_out = fan_out(pipeline, items, number, paths);
        emit! {
            #(#cfgs)*
            #expected {
                name: #name,
                keys: &[#own #sink_keys],
                role: #role::Sink {
                    keyed: #keyed,
                    takes_rejects: #rejects,
                    layout: #none,
                    fan_out: #fan_out,
                },
            }
        }
    });
    emit! {
        &[
            #(#sources,)*
            #(#sinks,)*
            #expected {
                name: "pipeline",
                keys: &[#pipeline_keys],
                role: #role::Pipeline { threads: #none },
            },
        ]
    }
}

/// What the limits on the ways to a sink let one record make of its rows.
fn fan_out(pipeline: &Pipeline, items: &Items, sink: usize, paths: &Paths) -> TokenStream {
    let mut ways = TokenStream::new();
    for (index, chain) in pipeline.chains.iter().enumerate() {
        for node in &chain.nodes {
            let ends = matches!(node.kind, NodeKind::To(to) if to == sink);
            let diverts = matches!(node.policy, NodePolicy::DeadLetter(to) if to == sink);
            if !ends && !diverts {
                continue;
            }
            let mut limits = Vec::new();
            let mut above = node.upstream;
            while let Some(at) = above {
                limits.extend(items.fan_outs.get(&(index, at)));
                above = chain.nodes.get(at).and_then(|node| node.upstream);
            }
            if !limits.is_empty() {
                limits.reverse();
                let cfgs = &node.cfgs;
                ways.extend(emit!(#(#cfgs)* &[#(#limits),*],));
            }
        }
    }
    let Some(sink) = pipeline.sinks.get(sink).filter(|_| !ways.is_empty()) else {
        return emit!(::core::option::Option::None);
    };
    let connector = with_lifetime(&sink.connector, "static");
    let [fan_out, least_row] = ["FanOut", "least_row"].map(|name| paths.rt(name));
    emit!(::core::option::Option::Some(#fan_out::of(&[#ways], #least_row::<#connector>())))
}

/// The check of the file, at the literal that names it.
pub(super) fn check(
    config: &ConfigFile,
    pipeline: &Pipeline,
    definition: &Ident,
    paths: &Paths,
) -> TokenStream {
    let ConfigFile { literal, nodes } = config;
    let span = at(literal.span());
    let definition_trait = paths.rt("Definition");
    let [entry, value, assert, is_plain_secret] =
        ["Entry", "ConfigValue", "assert_config", "is_plain_secret"].map(|name| paths.rt(name));
    let expected = paths.rt("Expected");
    let entries = nodes.iter().map(lowered);
    let (mut notes, mut asked) = (TokenStream::new(), Vec::new());
    for (index, node, section) in secrets(pipeline, nodes) {
        let (line, col) = node.value_at;
        let note = format!(
            "{}:{line}:{col}: secret `{section}.{}` is written in plain text [P059]\n\
             help: write `${{NAME}}` and set the variable, so that the file can be shown",
            literal.value(),
            node.key,
        );
        let index = Literal::usize_unsuffixed(index);
        notes.extend(emit! {
            impl _Secret<#index, true> {
                #[deprecated(note = #note)]
                const _FINDING: () = ();
            }
        });
        asked.push(quote_spanned! {span=>
            _Secret::<#index, { #is_plain_secret(SECTIONS, ENTRIES, #index) }>::_FINDING
        });
    }
    let count = Literal::usize_unsuffixed(asked.len());
    // The only warning a stable macro can give: the use of something deprecated, chosen by type.
    let secrets = (!asked.is_empty()).then(|| {
        emit! {
            struct _Secret<const AT: usize, const PLAIN: bool>;
            impl<const AT: usize> _Secret<AT, false> {
                const _FINDING: () = ();
            }
            #notes
            const _: [(); #count] = [#(#asked),*];
        }
    });
    let assert = placed(assert, literal.span());
    let asserted = quote_spanned!(span=> #assert(#literal, SECTIONS, ENTRIES));
    emit! {
        const _: () = {
            use #entry as E;
            use #value as V;
            use ::core::option::Option::None as N;
            const SECTIONS: &[#expected<'static>] = <#definition as #definition_trait>::SECTIONS;
            const ENTRIES: &[E<'static>] = &[#(#entries),*];
            #secrets
            #asserted
        };
    }
}

/// Each value that would be a secret if its key is one: the macro knows no schema.
fn secrets<'a>(
    pipeline: &'a Pipeline,
    nodes: &'a [Node],
) -> impl Iterator<Item = (usize, &'a Node, &'a str)> {
    let declared = pipeline.sources.iter().chain(&pipeline.sinks);
    let declared: Vec<String> = declared
        .filter(|declared| declared.built_by.is_none() && declared.cfgs.is_empty())
        .map(|declared| names::plain(&declared.ident))
        .collect();
    let mut section = "";
    nodes.iter().enumerate().filter_map(move |(index, node)| {
        if node.depth == 0 {
            section = &node.key;
        }
        let asks =
            node.depth == 1 && node.is_literal() && declared.iter().any(|name| name == section);
        asks.then_some((index, node, section))
    })
}

fn lowered(node: &Node) -> TokenStream {
    let Node { depth, key, value, shown, key_at, value_at, twin } = node;
    let number = |number: u32| Literal::u32_unsuffixed(number);
    let places = [key_at.0, key_at.1, value_at.0, value_at.1].map(number);
    let depth = Literal::usize_unsuffixed(*depth);
    let value = match value {
        Value::Empty => emit!(V::Empty),
        Value::Text(text) => emit!(V::Text(#text)),
        Value::Later | Value::Unset(_) => emit!(V::Later),
        Value::Map => emit!(V::Map),
        Value::List => emit!(V::List),
    };
    let twin = match twin {
        None => emit!(N),
        Some(first) => {
            let first = number(*first);
            emit!(::core::option::Option::Some(#first))
        }
    };
    emit!(E::new(#depth, #key, #value, #shown, [#(#places),*], #twin))
}
