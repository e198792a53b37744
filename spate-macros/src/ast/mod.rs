//! What was written: one type per grammar rule, its grammar in the doc comment.
//!
//! Pure. Reading reports what is not of the grammar and goes on with the rest, so that one typo
//! does not hide the next.
//!
//! ```text
//! pipeline := "#[pipeline(" args ")]" vis "mod" name "{" item* "}"
//! item     := source | sink | state | operator | chain | any other item, passed through
//! ```

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unreachable
)]

pub(crate) mod args;
pub(crate) mod chain;
pub(crate) mod item;
pub(crate) mod options;
pub(crate) mod tolerant;

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens as _;
use syn::{Attribute, Item, ItemMod, UseTree, Visibility};

use crate::check::{P065, P066};
use crate::names;
use crate::report::Report;
use args::Args;
use chain::ChainAst;
use item::{Declared, FunctionAst, Role, StateAst};

/// A pipeline module as written.
pub(crate) struct Ast {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) ident: Ident,
    pub(crate) args: Args,
    pub(crate) sources: Vec<Declared>,
    pub(crate) sinks: Vec<Declared>,
    pub(crate) states: Vec<StateAst>,
    pub(crate) lookups: Vec<item::Lookup>,
    pub(crate) functions: Vec<FunctionAst>,
    pub(crate) chains: Vec<ChainAst>,
    /// The user's items, to be emitted as they are; our attributes are off.
    pub(crate) kept: Vec<TokenStream>,
    pub(crate) scope: Scope,
    /// Whether a declaration could not be read: what seems to be missing may be that one.
    pub(crate) holes: bool,
    /// The types of those that could not be read.
    pub(crate) unread: Vec<syn::Type>,
}

/// Which names the module brings into scope.
#[derive(Default)]
pub(crate) struct Scope {
    /// Names of its items and of what it imports by name.
    pub(crate) names: Vec<Ident>,
    /// Whether it imports names that cannot be seen here (`use super::*`).
    pub(crate) globs: bool,
    /// The paths it imports by name, without `cfg`.
    pub(crate) imports: Vec<String>,
    /// The types it implements `Default` for.
    pub(crate) defaults: Vec<String>,
    /// Every identifier in the module.
    pub(crate) tokens: BTreeSet<String>,
    /// Every function and every macro that is written in it, at any depth.
    pub(crate) functions: BTreeSet<String>,
    /// Its statics.
    pub(crate) statics: Vec<syn::ItemStatic>,
}

impl Scope {
    /// Whether a function, a method or a macro called `name` is written in the module.
    pub(crate) fn has_function(&self, name: &str) -> bool {
        self.functions.contains(name)
    }

    /// Whether the module itself says what `name` is.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.names.iter().any(|ident| ident == name)
    }
}

/// Reads the module; `Err` holds what to emit when there is no module to read.
pub(crate) fn read(
    args: TokenStream,
    item: &TokenStream,
    report: &mut Report,
) -> Result<Ast, TokenStream> {
    let args = Args::read(args, report);
    let module = match syn::parse2::<ItemMod>(item.clone()) {
        Ok(module) => module,
        Err(error) => {
            // Where the tokens are a module at all, the mistake is inside of it.
            let inside = syn::parse2::<ModuleHead>(item.clone()).is_ok();
            let (message, help) = if inside {
                (format!("the module cannot be read: {error}"), "")
            } else {
                (
                    "`#[pipeline]` stands on an inline module".to_owned(),
                    "write `#[pipeline] pub mod orders { .. }`",
                )
            };
            report.push_with(error.span(), &P066, message, help);
            return Err(item.clone());
        }
    };
    let Some((_, items)) = module.content else {
        let message = format!("the body of `{}` is not here", module.ident);
        report.push(module.ident.span(), &P065, message);
        return Err(TokenStream::new());
    };
    let mut ast = Ast {
        attrs: module.attrs,
        vis: module.vis,
        ident: module.ident,
        args,
        sources: Vec::new(),
        sinks: Vec::new(),
        states: Vec::new(),
        lookups: Vec::new(),
        functions: Vec::new(),
        chains: Vec::new(),
        kept: Vec::new(),
        scope: Scope::default(),
        holes: false,
        unread: Vec::new(),
    };
    names::collect(item.clone(), &mut ast.scope.tokens);
    names::functions(item.clone(), &mut ast.scope.functions);
    for item in items {
        ast.scope.see(&item);
        ast.place(item, report);
    }
    Ok(ast)
}

/// `attributes vis "mod" name`, whatever follows.
struct ModuleHead;

impl syn::parse::Parse for ModuleHead {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
        input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        input.parse::<syn::Token![mod]>()?;
        input.parse::<Ident>()?;
        input.parse::<TokenStream>()?;
        Ok(Self)
    }
}

impl Ast {
    fn place(&mut self, item: Item, report: &mut Report) {
        match item::role(item, report) {
            Role::Source(source) => self.sources.push(source),
            Role::Sink(sink) => self.sinks.push(sink),
            Role::State(state) => {
                self.kept.push(state.item.to_token_stream());
                self.states.push(state);
            }
            Role::Lookup(lookup, function) => {
                self.kept.push(function.to_token_stream());
                self.lookups.push(lookup);
            }
            Role::Function(function) => {
                self.kept.push(function.item.to_token_stream());
                self.functions.push(function);
            }
            Role::Chain(chain) => self.chains.push(*chain),
            Role::Other(tokens) => self.kept.push(tokens),
            Role::Broken(ty) => {
                self.holes = true;
                self.unread.extend(ty);
            }
        }
    }
}

impl Scope {
    fn see(&mut self, item: &Item) {
        let ident = match item {
            Item::Const(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            Item::ExternCrate(item) => &item.ident,
            Item::Fn(item) => &item.sig.ident,
            Item::Mod(item) => &item.ident,
            Item::Static(item) => {
                self.statics.push(item.clone());
                &item.ident
            }
            Item::Struct(item) => &item.ident,
            Item::Trait(item) => &item.ident,
            Item::Type(item) => &item.ident,
            Item::Union(item) => &item.ident,
            Item::Use(item) => {
                self.see_import(&item.tree, "", cfgs(&item.attrs).is_empty());
                return;
            }
            Item::Impl(item) => {
                let of = item.trait_.as_ref().and_then(|(of, _)| of.segments.last());
                if of.is_some_and(|of| of.ident == "Default")
                    && let syn::Type::Path(ty) = &*item.self_ty
                    && let Some(last) = ty.path.segments.last()
                {
                    self.defaults.push(last.ident.to_string());
                }
                return;
            }
            Item::Macro(item) => {
                // A macro other than ours may bring any name.
                self.globs |= !item.mac.path.is_ident("chain");
                return;
            }
            _ => return,
        };
        self.names.push(ident.clone());
    }

    fn see_import(&mut self, tree: &UseTree, path: &str, always: bool) {
        match tree {
            UseTree::Path(part) => {
                self.see_import(&part.tree, &format!("{path}{}::", part.ident), always);
            }
            UseTree::Name(name) => {
                self.names.push(name.ident.clone());
                if always {
                    self.imports.push(format!("{path}{}", name.ident));
                }
            }
            UseTree::Rename(rename) => self.names.push(rename.rename.clone()),
            UseTree::Glob(_) => self.globs = true,
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.see_import(tree, path, always);
                }
            }
        }
    }
}

/// The `#[cfg(..)]` among `attrs`: what is derived from an item exists when the item does.
pub(crate) fn cfgs(attrs: &[Attribute]) -> Vec<Attribute> {
    attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .cloned()
        .collect()
}

/// Where an expression or a type begins: on stable the span of several tokens is the first one's.
pub(crate) fn first_span(tokens: impl quote::ToTokens) -> Span {
    tokens
        .into_token_stream()
        .into_iter()
        .next()
        .map_or_else(Span::call_site, |token| token.span())
}

/// Where an expression ends.
pub(crate) fn last_span(tokens: impl quote::ToTokens) -> Span {
    tokens
        .into_token_stream()
        .into_iter()
        .last()
        .map_or_else(Span::call_site, |token| token.span())
}
