//! Per sink a witness trait; over all sinks the trait the loops push into, and the ports.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::{Expr, Type};

use super::Items;
use super::paths::{Paths, at, emit, index, with_lifetime};
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
    field: TokenStream,
    port: TokenStream,
    build: TokenStream,
    attention: TokenStream,
}

/// Generates the witness traits, `Sinks`, `Encoders` and `Ports`.
pub(super) fn generate(pipeline: &Pipeline, items: &Items, paths: &Paths) -> TokenStream {
    let Items { sinks, encoders, ports, declared, files, e, .. } = items;
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
    let (row_trait, letter) = (items.rows.get(number)?, items.letters.get(number)?);
    let Items { r, e, .. } = items;
    let cfgs = &sink.cfgs;
    let name = names::plain(&sink.ident);
    let field = local(&name);
    let push = push(&sink.ident);
    let divert = divert(&sink.ident);
    let kind = format_ident!("{}", names::camel(&name), span = Span::mixed_site());
    let connector = with_lifetime(&sink.connector, "static");
    let [offset, encoder, connector_trait, ndjson, port, sink_id] =
        ["Offset", "RowEncoder", "SinkConnector", "Ndjson", "Port", "SinkId"]
            .map(|name| paths.rt(name));
    let id = sink_index(pipeline, number);
    let by_another_name = is_diverted_to(pipeline, number) && !is_dead_letter(&sink.inner);
    let doc = format!("Takes a row for `{name}`, of the payload at `at`.");
    let (mut method, mut method_impl) = (
        emit! {
            #[doc = #doc]
            #(#cfgs)*
            fn #push<#r: #row_trait>(&mut self, row: &#r, at: #offset);
        },
        emit! {
            #(#cfgs)*
            #[inline]
            fn #push<#r: #row_trait>(&mut self, row: &#r, at: #offset) {
                self.#field.push(row, at, #r::shard_hash);
            }
        },
    );
    if by_another_name {
        method.extend(emit! {
            #(#cfgs)*
            fn #divert<#r: #letter>(&mut self, row: &#r, at: #offset);
        });
        method_impl.extend(emit! {
            #(#cfgs)*
            fn #divert<#r: #letter>(&mut self, row: &#r, at: #offset) {
                self.#field.push(row, at, #r::shard_hash);
            }
        });
    }
    Some(Parts {
        witness: witness(pipeline, sink, row_trait, by_another_name.then_some(letter), paths),
        method,
        method_impl,
        kind: emit!(#(#cfgs)* type #kind: #encoder;),
        kind_declared: emit! {
            #(#cfgs)*
            type #kind = <#connector as #connector_trait>::Encoder;
        },
        kind_files: emit!(#(#cfgs)* type #kind = #ndjson;),
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
            emit!({ #(#cfgs)* { self.#field.attention() } #[cfg(not(all(#(#cfgs),*)))] { false } })
        },
    })
}

/// The trait only the sink's own row type has: what a wrong row is told.
fn witness(
    pipeline: &Pipeline,
    sink: &Declared,
    row_trait: &Ident,
    letter: Option<&Ident>,
    paths: &Paths,
) -> TokenStream {
    let (cfgs, ty) = (&sink.cfgs, &sink.inner);
    let name = names::plain(&sink.ident);
    let text = crate::text::of(ty).replace('{', "{{").replace('}', "}}");
    let message = format!(
        "records of type `{{Self}}` cannot be written to `{name}`, which takes `{text}` [P047]"
    );
    let label = format!("not the row of `{name}`");
    let note = format!("help: add a `.map(..)` that makes a `{text}` of it");
    let doc = format!("The row of `{name}`.");
    let row = paths.rt("Row");
    let (this, hash) = match &sink.key {
        Some(key) => (emit!(self), shard_hash(pipeline, key, paths)),
        None => (emit!(self), emit!(0)),
    };
    let mut tokens = emit! {
        #[doc = #doc]
        #(#cfgs)*
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        trait #row_trait: #row {
            /// What routes the row to its shard.
            fn shard_hash(&self) -> u64;
        }

        #(#cfgs)*
        impl #row_trait for #ty {
            #[inline]
            fn shard_hash(&#this) -> u64 {
                #hash
            }
        }
    };
    if let Some(letter) = letter {
        let message =
            format!("rejects cannot be written to sink `{name}`, which takes `{text}` [P026]");
        let note = "help: its row must be `DeadLetter<'_>`: `#[sink] fn rejects() -> File<DeadLetter<'_>>;`";
        let doc = format!("A dead letter, if `{name}` takes any.");
        tokens.extend(emit! {
            #[doc = #doc]
            #(#cfgs)*
            #[diagnostic::on_unimplemented(message = #message, label = "takes no dead letters", note = #note)]
            trait #letter: #row_trait {}

            #(#cfgs)*
            impl #letter for #ty {}
        });
    }
    tokens
}

/// The hash of a row's key: a field of the row, or a function of it.
fn shard_hash(pipeline: &Pipeline, key: &Expr, paths: &Paths) -> TokenStream {
    let span = at(crate::ast::first_span(key));
    let shard_key = paths.rt("ShardKey");
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
        return quote_spanned!(span=> #shard_key::shard_hash(#key(self)));
    }
    let field = field_of(key);
    quote_spanned!(span=> #shard_key::shard_hash(&#field))
}

/// `a.b` as `self.a.b`.
fn field_of(key: &Expr) -> TokenStream {
    match key {
        Expr::Field(field) => {
            let (base, member) = (field_of(&field.base), &field.member);
            emit!(#base.#member)
        }
        other => emit!(self.#other),
    }
}

/// Whether a policy diverts to this sink.
fn is_diverted_to(pipeline: &Pipeline, number: usize) -> bool {
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

/// The method rows for `sink` are pushed with.
pub(super) fn push(sink: &Ident) -> Ident {
    format_ident!("push_{}", names::plain(sink), span = Span::mixed_site())
}

/// The method dead letters for `sink` are pushed with, where its row is called something else.
pub(super) fn divert(sink: &Ident) -> Ident {
    format_ident!("divert_{}", names::plain(sink), span = Span::mixed_site())
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
