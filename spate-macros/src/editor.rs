//! A chain as an editor reads it: token for token, as an expression over typed stages.
//!
//! Pure, but for the question who asks. Written only when a language server expands the macro: a
//! build never sees it, so it costs a build nothing and needs no `cfg` in the user's crate.
//! What is not a plain chain of calls becomes one:
//!
//! ```text
//! chain                                    what is written
//! let (a, b) = placed.tee();               let (a, b) = { let tee = placed.tee(); (tee.branch(), tee) };
//! match placed.split() { V::A(a) => .. }   match placed.split() { V::A(a) => { let a = placed.arm(a); .. } }
//! .filter(first_time)                      .filter(|record| first_time(given(), record))
//! .filter(|e, meta| ..)                    .filter(|record| look_meta(record, given(), |e, meta| ..))
//! ```
//!
//! The types are those of `spate::editor`, whose documentation is what hovering a stage shows.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unreachable
)]

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens as _;
use syn::Expr;

use crate::ast::chain::{ArmAst, Body, Call, ChainAst, MatchAst, PathAst, Statement};
use crate::ast::tolerant::MISSING;
use crate::codegen::paths::{Paths, emit, with_lifetime};
use crate::lower::bindings;
use crate::model::{Param, Pipeline};

/// Whether it is a language server that expands.
pub(crate) fn asks() -> bool {
    let program = std::env::current_exe().ok();
    let name = program.as_ref().and_then(|program| program.file_stem());
    let name = name.map(|name| name.to_string_lossy().into_owned());
    name.is_some_and(|name| name.starts_with("rust-analyzer") || name.starts_with("intellij-rust"))
}

/// The chains of `pipeline`, whose declarations and functions are known.
pub(crate) fn chains(chains: &[ChainAst], pipeline: &Pipeline, paths: &Paths) -> TokenStream {
    chains
        .iter()
        .map(|one| chain(one, chains, pipeline, paths))
        .collect()
}

fn chain(chain: &ChainAst, chains: &[ChainAst], pipeline: &Pipeline, paths: &Paths) -> TokenStream {
    let mut streams = Vec::new();
    bound(&chain.body, &mut streams);
    let view = View { pipeline, paths, editor: paths.rt("editor"), streams };
    let editor = &view.editor;
    let format = paths.rt("Format");
    let sources = pipeline.sources.iter().map(|source| {
        let (cfgs, name) = (&source.cfgs, &source.ident);
        let inner = with_lifetime(&source.inner, "buf");
        let record = if chains.iter().all(|chain| is_decoded(&chain.body, name)) {
            emit!(<#inner as #format<'buf>>::Record)
        } else {
            emit!(())
        };
        emit! {
            #(#cfgs)* let #name = #editor::source::<#record>();
            #(#cfgs)* let _ = &#name;
        }
    });
    let sinks = pipeline.sinks.iter().map(|sink| {
        let (cfgs, name, inner) = (&sink.cfgs, &sink.ident, with_lifetime(&sink.inner, "buf"));
        emit! {
            #(#cfgs)* let #name = #editor::sink::<#inner>();
            #(#cfgs)* let _ = &#name;
        }
    });
    let (cfgs, body) = (&chain.cfgs, view.body(&chain.body));
    emit! {
        #(#cfgs)*
        const _: fn() = {
            fn chain<'buf>() {
                #(#sources)*
                #(#sinks)*
                #body
            }
            chain
        };
    }
}

/// Whether the format of `source` decodes what the chain takes from it, as far as it is written.
fn is_decoded(body: &Body, source: &Ident) -> bool {
    let is_other = |path: &PathAst| {
        let own =
            |call: &Call| call.name == "raw" || call.name == "decode" && !call.args.is_empty();
        path.head == *source && path.calls.first().is_some_and(own)
    };
    !body.statements.iter().any(|statement| match statement {
        Statement::Let { path, .. } | Statement::Tuple { path, .. } | Statement::Path(path) => {
            is_other(path)
        }
        Statement::Match(split) => is_other(&split.path),
        Statement::Unread { .. } | Statement::Broken => false,
    })
}

/// What writing a chain needs to know.
struct View<'a> {
    pipeline: &'a Pipeline,
    paths: &'a Paths,
    editor: TokenStream,
    /// The names the chain binds.
    streams: Vec<Ident>,
}

/// The names that the statements of `body` bind.
fn bound(body: &Body, into: &mut Vec<Ident>) {
    for statement in &body.statements {
        match statement {
            Statement::Let { name, .. } => into.push(name.clone()),
            Statement::Tuple { names, .. } | Statement::Unread { names } => {
                into.extend_from_slice(names);
            }
            Statement::Match(split) => {
                for arm in &split.arms {
                    bindings(&arm.pat, into);
                    bound(&arm.body, into);
                }
            }
            Statement::Path(_) | Statement::Broken => {}
        }
    }
}

impl View<'_> {
    fn body(&self, body: &Body) -> TokenStream {
        body.statements
            .iter()
            .map(|statement| self.statement(statement))
            .collect()
    }

    fn statement(&self, statement: &Statement) -> TokenStream {
        match statement {
            Statement::Let { name, path } => {
                let path = self.path(path);
                emit!(let #name = #path;)
            }
            Statement::Tuple { names, path, .. } => {
                let path = self.path(path);
                let branches = names.iter().skip(1).map(|_| emit!(tee.branch(),));
                emit!(let (#(#names,)*) = { let tee = #path; (#(#branches)* tee,) };)
            }
            Statement::Path(path) => {
                let path = self.path(path);
                emit!(#path;)
            }
            Statement::Match(split) => self.split(split),
            Statement::Unread { names } => {
                let editor = &self.editor;
                emit!(#(let #names = #editor::given();)*)
            }
            Statement::Broken => TokenStream::new(),
        }
    }

    fn path(&self, path: &PathAst) -> TokenStream {
        self.calls(&path.head, &path.calls)
    }

    fn calls(&self, head: &Ident, calls: &[Call]) -> TokenStream {
        let calls = calls.iter().map(|call| self.call(call));
        emit!(#head #(#calls)*)
    }

    fn call(&self, call: &Call) -> TokenStream {
        let Call { name, args, bare, .. } = call;
        if name == MISSING {
            return TokenStream::new();
        }
        if *bare {
            return emit!(.#name);
        }
        let decodes = name == "decode" && !args.is_empty();
        let name = if decodes { &Ident::new("decode_with", name.span()) } else { name };
        if name == "apply"
            && let [Expr::Path(ty)] = args.as_slice()
        {
            // A type is named where one is made of it by `Default`.
            let (editor, ty) = (&self.editor, &ty.path);
            return emit!(.#name(#editor::given::<#ty>()));
        }
        let looks = ["filter", "inspect", "try_filter", "split_on", "dedup", "sample_by"];
        let by_value = !looks.iter().any(|stage| name == stage);
        let args = args.iter().map(|arg| self.operator(arg, by_value));
        emit!(.#name(#(#args),*))
    }

    /// An operator as a function of the record alone.
    fn operator(&self, arg: &Expr, by_value: bool) -> TokenStream {
        let editor = &self.editor;
        match arg {
            Expr::Path(path) if path.path.is_ident(MISSING) => TokenStream::new(),
            Expr::Path(path) => {
                let mut path = path.clone();
                path.attrs.clear();
                let function = path.path.get_ident().and_then(|ident| {
                    let mut functions = self.pipeline.functions.iter();
                    functions.find(|function| function.ident == *ident)
                });
                // A stream has the operator's name; what the module brings into scope is meant.
                let hidden = path
                    .path
                    .get_ident()
                    .filter(|ident| self.streams.contains(ident));
                let within = hidden.map(|_| emit!(self::));
                let params = function.map_or(&[][..], |function| &function.params);
                if params.iter().all(|param| matches!(param, Param::Record(_))) {
                    return emit!(#within #path);
                }
                let params = params.iter().map(|param| match param {
                    Param::Record(_) => emit!(record),
                    _ => emit!(#editor::given()),
                });
                emit!(|record| #within #path(#(#params),*))
            }
            Expr::Closure(closure) => {
                let mut closure = closure.clone();
                closure.attrs.clear();
                if closure.inputs.len() < 2 {
                    return closure.to_token_stream();
                }
                let op = self.paths.rt("op");
                let with = if by_value { emit!(map_meta) } else { emit!(look_meta) };
                emit!(|record| #op::#with(record, #editor::given(), #closure))
            }
            Expr::Call(call) => {
                let mut call = call.clone();
                call.attrs.clear();
                call.to_token_stream()
            }
            Expr::Struct(made) => {
                let mut made = made.clone();
                made.attrs.clear();
                made.to_token_stream()
            }
            other => other.to_token_stream(),
        }
    }

    fn split(&self, split: &MatchAst) -> TokenStream {
        let MatchAst { token, path: PathAst { head, calls }, arms } = split;
        let before = calls.len().saturating_sub(1);
        let (calls, by) = calls.split_at(before);
        let by = by.iter().map(|call| self.call(call));
        let arms = arms.iter().map(|arm| self.arm(arm, head));
        // The arms go on under the split's name; a stage before the split changes what it is.
        let renamed = (!calls.is_empty()).then(|| {
            let path = self.calls(head, calls);
            emit!(let #head = #path;)
        });
        emit!({ #renamed #token #head #(#by)* { #(#arms)* } })
    }

    fn arm(&self, arm: &ArmAst, head: &Ident) -> TokenStream {
        let ArmAst { attrs, pat, guard, body, .. } = arm;
        let guard = guard.as_ref().map(|guard| emit!(if #guard));
        let mut bound = Vec::new();
        bindings(pat, &mut bound);
        let bound = bound
            .first()
            .map(|name| emit!(let #name = #head.arm(#name);));
        let body = self.body(body);
        emit!(#(#attrs)* #pat #guard => { #bound #body })
    }
}

#[cfg(test)]
mod tests;
