//! Per sink a type; over all sinks the trait the loops push into, and the ports.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::{Expr, Type};

use super::Items;
use super::paths::{
    Paths, at, behind_reference, bracketed, conditions, emit, index, placed, with_lifetime,
};
use crate::ast::item::Declared;
use crate::model::{Pipeline, PolicyKind};
use crate::names;

/// What one sink contributes to each of the generated items.
struct Parts {
    witness: TokenStream,
    method: TokenStream,
    method_impl: TokenStream,
    kind: TokenStream,
    kind_declared: TokenStream,
    kind_files: TokenStream,
    kind_captured: TokenStream,
    field: TokenStream,
    port: TokenStream,
    build: TokenStream,
    attention: TokenStream,
}

/// Generates the sinks' types, `Sinks`, `Encoders` and `Ports`.
pub(super) fn generate(pipeline: &Pipeline, items: &Items, paths: &Paths) -> TokenStream {
    let Items { sinks, encoders, ports, declared, files, captured, e, .. } = items;
    let parts: Vec<Parts> = (0..pipeline.sinks.len())
        .filter_map(|number| parts(pipeline, number, items, paths))
        .collect();
    let each =
        |part: fn(&Parts) -> &TokenStream| parts.iter().map(part).cloned().collect::<TokenStream>();
    let witnesses = each(|parts| &parts.witness);
    let methods = each(|parts| &parts.method);
    let method_impls = each(|parts| &parts.method_impl);
    let kinds = each(|parts| &parts.kind);
    let kinds_declared = each(|parts| &parts.kind_declared);
    let kinds_files = each(|parts| &parts.kind_files);
    let kinds_captured = each(|parts| &parts.kind_captured);
    let fields = each(|parts| &parts.field);
    let port_arms = each(|parts| &parts.port);
    let builds = each(|parts| &parts.build);
    let attentions = parts.iter().map(|parts| &parts.attention);

    // Without a sink that is always there, something must still name the parameter.
    let bare = pipeline.sinks.iter().all(|sink| !sink.cfgs.is_empty());
    let (marker, make_marker) = if bare {
        (
            emit!(encoders: ::core::marker::PhantomData<#e>,),
            emit!(encoders: ::core::marker::PhantomData,),
        )
    } else {
        (TokenStream::new(), TokenStream::new())
    };
    let attention = if parts.is_empty() { emit!(false) } else { emit!(#(#attentions)|*) };
    let [sink_set, build_ports, port_core, seed, cold] =
        ["SinkSet", "BuildPorts", "PortCore", "LaneSeed", "end_of_payload_cold"]
            .map(|name| paths.rt(name));
    emit! {
        #witnesses

        /// What the chains write to.
        trait #sinks: #sink_set {
            #methods
        }

        /// How the rows of each sink are encoded.
        trait #encoders: ::core::marker::Send + 'static {
            #kinds
        }

        /// Rows go to the sinks as declared.
        struct #declared;
        impl #encoders for #declared {
            #kinds_declared
        }

        /// Rows go to files, one folder per sink.
        struct #files;
        impl #encoders for #files {
            #kinds_files
        }

        /// Rows are kept for a test.
        struct #captured;
        impl #encoders for #captured {
            #kinds_captured
        }

        /// The ways of one lane into its sinks.
        struct #ports<#e: #encoders> {
            #fields
            #marker
        }

        impl<#e: #encoders> #sinks for #ports<#e> {
            #method_impls
        }

        impl<#e: #encoders> #build_ports for #ports<#e> {
            fn build(seed: &#seed<'_>) -> Self {
                Self { #builds #make_marker }
            }
        }

        impl<#e: #encoders> #sink_set for #ports<#e> {
            fn port(&mut self, sink: usize) -> ::core::option::Option<&mut #port_core> {
                #port_arms
                ::core::option::Option::None
            }

            #[inline]
            fn end_of_payload(&mut self) -> bool {
                let attention = #attention;
                attention && #cold(self)
            }
        }
    }
}

fn parts(pipeline: &Pipeline, number: usize, items: &Items, paths: &Paths) -> Option<Parts> {
    let sink = pipeline.sinks.get(number)?;
    let Items { e, .. } = items;
    let cfgs = &sink.cfgs;
    let name = names::plain(&sink.ident);
    let field = local(&name);
    let push = push(&sink.ident);
    let kind = format_ident!("{}", names::camel(&name), span = Span::mixed_site());
    let connector = with_lifetime(&sink.connector, "static");
    let [offset, encoder, connector_trait, ndjson, kept, port, sink_id] =
        ["Offset", "RowEncoder", "SinkConnector", "Ndjson", "Captured", "Port", "SinkId"]
            .map(|name| paths.rt(name));
    let id = sink_index(pipeline, number);
    let taken = behind_reference(&sink.inner);
    let marker = marker(&sink.ident);
    let doc = format!("Takes a row for `{name}`, of the payload at `at`.");
    let signature = quote_spanned! {at(sink.ident.span())=>
        fn #push(&mut self, row: &#taken, at: #offset)
    };
    let method = emit!(#[doc = #doc] #(#cfgs)* #signature;);
    let method_impl = emit! {
        #(#cfgs)*
        #[inline]
        #signature {
            self.#field.push(row, at, #marker::shard_hash);
        }
    };
    Some(Parts {
        witness: witness(pipeline, sink, paths),
        method,
        method_impl,
        kind: emit!(#(#cfgs)* type #kind: #encoder;),
        kind_declared: emit! {
            #(#cfgs)*
            type #kind = <#connector as #connector_trait>::Encoder;
        },
        kind_files: emit!(#(#cfgs)* type #kind = #ndjson;),
        kind_captured: emit!(#(#cfgs)* type #kind = #kept;),
        field: emit!(#(#cfgs)* #field: #port<#e::#kind>,),
        port: emit! {
            #(#cfgs)*
            if sink == #id {
                return ::core::option::Option::Some(self.#field.core_mut());
            }
        },
        build: emit!(#(#cfgs)* #field: seed.port(#sink_id(#id)),),
        attention: if cfgs.is_empty() {
            emit!(self.#field.attention())
        } else {
            let conditions = conditions(cfgs);
            emit!({ #(#cfgs)* { self.#field.attention() } #[cfg(not(all(#(#conditions),*)))] { false } })
        },
    })
}

/// The sink as a type, for the words of rustc, and what routes its rows to their shards.
fn witness(pipeline: &Pipeline, sink: &Declared, paths: &Paths) -> TokenStream {
    let (cfgs, marker) = (&sink.cfgs, marker(&sink.ident));
    let taken = behind_reference(&sink.inner);
    let doc = format!("The sink `{}`.", names::plain(&sink.ident));
    let (row, hash) = match &sink.key {
        Some(key) => (emit!(row), shard_hash(pipeline, key, paths)),
        None => (emit!(_), emit!(0)),
    };
    let placed_marker = placed(&marker, at(sink.ident.span()));
    let sharding = sharding(pipeline, sink, paths);
    emit! {
        #[doc = #doc]
        #(#cfgs)*
        enum #marker {}

        #(#cfgs)*
        impl #placed_marker {
            #[inline]
            fn shard_hash(#row: &#taken) -> u64 {
                #hash
            }
        }

        #sharding
    }
}

/// Holds a key that is a field against what the row's table is sharded by (P048).
fn sharding(pipeline: &Pipeline, sink: &Declared, paths: &Paths) -> Option<TokenStream> {
    let Some(Expr::Path(path)) = &sink.key else { return None };
    let field = path.path.get_ident()?;
    if pipeline
        .functions
        .iter()
        .any(|function| function.ident == *field)
    {
        return None;
    }
    let span = at(field.span());
    let [row_trait, connector_trait] = ["Row", "SinkConnector"].map(|name| paths.rt(name));
    let assert = paths.rt_at("assert_sharding", span);
    let (row, connector) =
        (with_lifetime(&sink.inner, "static"), with_lifetime(&sink.connector, "static"));
    let (cfgs, name, key) = (&sink.cfgs, names::plain(&sink.ident), names::plain(field));
    let sharding = emit!(<#row as #row_trait>::SHARDING);
    let kind = emit!(<#connector as #connector_trait>::SCHEMA.kind);
    Some(quote_spanned!(span=> #(#cfgs)* const _: () = #assert(#sharding, #kind, #name, #key);))
}

/// The hash of a row's key: a field of the row, or a function of it.
fn shard_hash(pipeline: &Pipeline, key: &Expr, paths: &Paths) -> TokenStream {
    let span = crate::ast::first_span(key);
    let shard_key = placed(paths.rt("ShardKey"), span);
    let function = match key {
        Expr::Path(path) => match path.path.get_ident() {
            Some(ident) => pipeline
                .functions
                .iter()
                .any(|function| function.ident == *ident),
            None => true,
        },
        _ => false,
    };
    if function {
        let row = emit!(row);
        return quote_spanned!(span=> #shard_key::shard_hash(#key(#row)));
    }
    let field = bracketed(placed(field_of(key), span), span);
    quote_spanned!(span=> #shard_key::shard_hash(&#field))
}

/// `a.b` as `row.a.b`.
fn field_of(key: &Expr) -> TokenStream {
    match key {
        Expr::Field(field) => {
            let (base, member) = (field_of(&field.base), &field.member);
            emit!(#base.#member)
        }
        other => emit!(row.#other),
    }
}

/// Whether a policy diverts to this sink.
pub(super) fn is_diverted_to(pipeline: &Pipeline, number: usize) -> bool {
    pipeline.stages().any(|stage| {
        stage.policy.as_ref().is_some_and(
            |policy| matches!(policy.kind, PolicyKind::To(_, Some(to)) if to == number),
        )
    })
}

/// Whether a row type is written as `DeadLetter`; an alias of it is let through by the types.
pub(super) fn is_dead_letter(row: &Type) -> bool {
    matches!(row, Type::Path(path)
        if path.path.segments.last().is_some_and(|last| last.ident == "DeadLetter"))
}

/// The type that stands for `sink`, named as it.
pub(super) fn marker(sink: &Ident) -> Ident {
    local(&names::plain(sink))
}

/// The method rows for `sink` are pushed with.
pub(super) fn push(sink: &Ident) -> Ident {
    format_ident!("push_{}", names::plain(sink), span = Span::mixed_site())
}

/// The number of a sink, as an expression where a `cfg` may take an earlier one away.
pub(super) fn sink_index(pipeline: &Pipeline, number: usize) -> TokenStream {
    if pipeline.sinks.iter().all(|sink| sink.cfgs.is_empty()) {
        let number = Literal::usize_unsuffixed(number);
        return emit!(#number);
    }
    index(pipeline.sinks.iter().take(number).map(|sink| &*sink.cfgs))
}

/// A name of the user as a local of ours: no keyword, no `r#`.
pub(super) fn local(name: &str) -> Ident {
    let text =
        if syn::parse_str::<Ident>(name).is_ok() { name.to_owned() } else { format!("{name}_") };
    format_ident!("{}", text, span = Span::mixed_site())
}
