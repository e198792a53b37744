//! The items of a pipeline module: which of them are ours, and what they declare.
//!
//! ```text
//! source   := "#[source" options? "]" "fn" name "(" arg? ")" "->" type (";" | body)
//! sink     := "#[sink" options? "]" "fn" name "(" arg? ")" "->" type (";" | body)
//! state    := "#[state" options? "]" "struct" name fields
//! operator := ("#[op(" options ")]")? function
//! chain    := "chain!(" .. ")" ";"
//! ```

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, Block, Expr, GenericArgument, Item, ItemFn, ItemStruct, Lit, LitStr, PathArguments,
    ReturnType, Signature, Token, Type, Visibility,
};

use super::chain::ChainAst;
use super::options::{self, Opt, Value};
use crate::check::{P066, p056_unit};
use crate::names;
use crate::report::Report;

/// A source or a sink.
pub(crate) struct Declared {
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) ident: Ident,
    /// The connector, such as `Kafka<Json<OrderEvent<'_>>>`.
    pub(crate) connector: Type,
    /// What the connector is given: a source's format, a sink's row.
    pub(crate) inner: Type,
    /// `partition_key` of a source, `key` of a sink.
    pub(crate) key: Option<Expr>,
    /// The function, if it has a body that builds the connector.
    pub(crate) built_by: Option<BuiltBy>,
}

/// A declaration with a body.
pub(crate) struct BuiltBy {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    pub(crate) block: Block,
}

/// A `#[state]` struct.
pub(crate) struct StateAst {
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) item: ItemStruct,
    /// What makes it, where that is not `Default`.
    pub(crate) init: Option<Expr>,
    /// Whether it may hold what others hold too.
    pub(crate) shared: bool,
    /// Whether it derives `Default`.
    pub(crate) derives_default: bool,
}

/// A `#[lookup]` function.
pub(crate) struct Lookup {
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) ident: Ident,
    /// What it returns: a `Lookup<K, V>`, or a `Result` of one.
    pub(crate) returns: Type,
    pub(crate) is_async: bool,
    pub(crate) takes_config: bool,
    pub(crate) refresh_ms: u64,
}

/// A function of the module: an operator, or a helper of one.
pub(crate) struct FunctionAst {
    pub(crate) item: ItemFn,
    pub(crate) options: OpOptions,
}

/// The options of `#[op(..)]`.
#[derive(Default)]
pub(crate) struct OpOptions {
    pub(crate) label: Option<LitStr>,
    pub(crate) fan_out: Option<Box<FanOut>>,
    pub(crate) allow: Allow,
}

/// `fan_out = 64`: how many records an operator gives for one, at most.
#[derive(Clone)]
pub(crate) struct FanOut {
    /// Where findings about it point.
    pub(crate) key: Ident,
    pub(crate) limit: Expr,
}

/// What `allow(..)` lets through: the hatches of the scanning rules.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one per word that a user can write")]
pub(crate) struct Allow {
    pub(crate) alloc: bool,
    pub(crate) panic: bool,
    pub(crate) blocking: bool,
    pub(crate) nondeterministic: bool,
    pub(crate) shared: bool,
}

/// What an item is to the pipeline.
pub(crate) enum Role {
    Source(Declared),
    Sink(Declared),
    State(StateAst),
    Lookup(Lookup, ItemFn),
    Function(FunctionAst),
    Chain(Box<ChainAst>),
    Other(TokenStream),
    /// One of ours that could not be read; a finding says why.
    ///
    /// With the type it declares, if it says one.
    Broken(Option<Type>),
}

/// What `#[op(allow(..))]` takes.
const SCANS: [&str; 5] = ["alloc", "panic", "blocking", "nondeterministic", "shared"];

/// Our attributes within a module.
const OURS: [&str; 5] = ["source", "sink", "state", "op", "lookup"];

/// Types of the standard library that one might return as a lookup; an alias may be anything.
const NO_LOOKUPS: [&str; 11] = [
    "Vec", "HashMap", "BTreeMap", "HashSet", "BTreeSet", "VecDeque", "Option", "String", "Box",
    "Rc", "Arc",
];

/// Whether `ty` as it is written is not what a lookup returns.
fn is_no_lookup(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| NO_LOOKUPS.iter().any(|name| last.ident == name)),
        Type::Paren(_) | Type::Group(_) | Type::Macro(_) | Type::Verbatim(_) => false,
        _ => true,
    }
}

/// A function without a body.
struct Bodyless {
    attrs: Vec<Attribute>,
    sig: Signature,
}

impl Parse for Bodyless {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        let sig = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok(Self { attrs, sig })
    }
}

/// Says what `item` is.
pub(crate) fn role(item: Item, report: &mut Report) -> Role {
    match item {
        Item::Verbatim(tokens) => match syn::parse2::<Bodyless>(tokens.clone()) {
            Ok(function) => bodyless(function, report),
            Err(_) => Role::Other(tokens),
        },
        Item::Fn(function) => with_body(function, report),
        Item::Struct(item) => structure(item, report),
        Item::Macro(item) if item.mac.path.is_ident("chain") => {
            match ChainAst::read(&item, report) {
                Some(chain) => Role::Chain(Box::new(chain)),
                None => Role::Broken(None),
            }
        }
        other => {
            if let Some(attribute) = attributes(&other).iter().find_map(ours) {
                misplaced(&attribute, report);
            }
            Role::Other(stripped(other))
        }
    }
}

fn bodyless(function: Bodyless, report: &mut Report) -> Role {
    let name = function.sig.ident.clone();
    let Some(ours) = only_one(&function.attrs, report) else {
        let near = function.attrs.iter().find_map(|attribute| {
            let written = attribute.path().get_ident()?;
            let near = names::nearest(&written.to_string(), ["source", "sink", "lookup"])?;
            Some((written.clone(), near))
        });
        match near {
            Some((written, near)) => report.push_with(
                written.span(),
                &P066,
                format!("there is no attribute `{written}`"),
                format!("did you mean `#[{near}]`?"),
            ),
            None => report.push_with(
                name.span(),
                &P066,
                format!("`{name}` has no body and is neither a source nor a sink"),
                "put `#[source]` or `#[sink]` on it, or give it a body",
            ),
        }
        return Role::Broken(declared_type(&function.sig));
    };
    match ours.to_string().as_str() {
        "source" => declared(&function.attrs, &ours, &function.sig, None, report)
            .map_or(Role::Broken(None), Role::Source),
        "sink" => declared(&function.attrs, &ours, &function.sig, None, report)
            .map_or(Role::Broken(None), Role::Sink),
        "lookup" => {
            report.push_with(
                name.span(),
                &P066,
                format!("lookup `{name}` has no body, nothing says how it is loaded"),
                format!(
                    "write `async fn {name}() -> Result<Lookup<K, V>, E> {{ .. }}`, \
                     or a plain `fn`, which may block"
                ),
            );
            Role::Broken(declared_type(&function.sig))
        }
        _ => {
            misplaced(&ours, report);
            Role::Broken(declared_type(&function.sig))
        }
    }
}

fn with_body(mut function: ItemFn, report: &mut Report) -> Role {
    let ours = only_one(&function.attrs, report);
    let name = ours.as_ref().map(ToString::to_string);
    match (name.as_deref(), ours) {
        (Some(kind @ ("source" | "sink")), Some(ours)) => {
            let is_empty = function.block.stmts.is_empty();
            if is_empty {
                let (name, brace) = (&function.sig.ident, function.block.brace_token.span.open());
                report.push_with(
                    brace,
                    &P066,
                    format!("the body of {kind} `{name}` is empty, it makes nothing"),
                    format!("write `;` for it, to make it of the section `{name}`"),
                );
            }
            let built_by = BuiltBy {
                attrs: without_ours(function.attrs.clone()),
                vis: function.vis.clone(),
                sig: function.sig.clone(),
                block: (*function.block).clone(),
            };
            let attrs = function.attrs.clone();
            let built_by = (!is_empty).then_some(built_by);
            match declared(&attrs, &ours, &function.sig, built_by, report) {
                Some(declared) if ours == "source" => Role::Source(declared),
                Some(declared) => Role::Sink(declared),
                None => Role::Broken(None),
            }
        }
        (Some("lookup"), Some(ours)) => {
            let declared = lookup(&function, &ours, report);
            function.attrs = without_ours(function.attrs);
            match declared {
                Some(declared) => Role::Lookup(declared, function),
                None => Role::Other(function.to_token_stream()),
            }
        }
        (Some("state"), Some(ours)) => {
            misplaced(&ours, report);
            function.attrs = without_ours(function.attrs);
            Role::Other(function.to_token_stream())
        }
        _ => {
            let options = OpOptions::read(&function.attrs, report);
            function.attrs = without_ours(function.attrs);
            Role::Function(FunctionAst { item: function, options })
        }
    }
}

fn lookup(function: &ItemFn, ours: &Ident, report: &mut Report) -> Option<Lookup> {
    let attribute = function
        .attrs
        .iter()
        .find(|attribute| attribute.path().is_ident("lookup"))?;
    let (sig, before) = (&function.sig, report.len());
    let options = options::of_attribute(attribute, "lookup", &["refresh"], report);
    let refresh = options.first().and_then(|option| option.text(report));
    if options.is_empty() && report.len() == before {
        report.push_with(
            ours.span(),
            &P066,
            format!("lookup `{}` does not say when it is loaded again", sig.ident),
            "write `#[lookup(refresh = \"5s\")]`",
        );
    }
    let refresh_ms = refresh.and_then(|text| p056_unit::millis(&text, "refresh", report));
    let returns = declared_type(sig);
    if returns.is_none() {
        report.push_with(
            sig.ident.span(),
            &P066,
            format!("lookup `{}` returns nothing", sig.ident),
            "return `Lookup<K, V>`, or `Result<Lookup<K, V>, E>`",
        );
    }
    if let Some(ty) = returns.as_ref().filter(|ty| is_no_lookup(ty)) {
        report.push_with(
            super::first_span(ty),
            &P066,
            format!("a lookup returns `{}`, which is no `Lookup<K, V>`", crate::text::of(ty)),
            "return `Lookup<K, V>`, or `Result<Lookup<K, V>, E>`; both are made from an iterator of pairs",
        );
    }
    if sig.inputs.len() > 1 || !sig.generics.params.is_empty() {
        report.push_with(
            sig.ident.span(),
            &P066,
            format!("lookup `{}` takes nothing but the configuration", sig.ident),
            format!("write `fn {}()`, or `fn {}(config: &Config)`", sig.ident, sig.ident),
        );
    }
    if report.len() > before {
        return None;
    }
    Some(Lookup {
        cfgs: super::cfgs(&function.attrs),
        ident: sig.ident.clone(),
        returns: returns?,
        is_async: sig.asyncness.is_some(),
        takes_config: !sig.inputs.is_empty(),
        refresh_ms: refresh_ms?,
    })
}

fn structure(mut item: ItemStruct, report: &mut Report) -> Role {
    let Some(ours) = only_one(&item.attrs, report) else {
        return Role::Other(item.to_token_stream());
    };
    let options = item
        .attrs
        .iter()
        .find(|attribute| attribute.path().is_ident("state"))
        .map(|attribute| {
            options::of_attribute(attribute, "state", &["init", "on_replay", "allow"], report)
        });
    item.attrs = without_ours(item.attrs);
    let Some(options) = options else {
        misplaced(&ours, report);
        return Role::Other(item.to_token_stream());
    };
    let (mut init, mut shared) = (None, false);
    for option in options {
        if option.key == "init" {
            init = option.expr("Seen::for_lane", report);
        } else if option.key == "allow" {
            shared = Allow::read(&option, &["shared"], report).shared;
        } else if let Some(text) = option.text(report)
            && text.value() != "forget"
        {
            report.push_with(
                text.span(),
                &P066,
                format!("`on_replay` has no choice `{}`", text.value()),
                "write `on_replay = \"forget\"`, or leave it out",
            );
        }
    }
    let derives_default = item.attrs.iter().any(|attribute| {
        let mut tokens = BTreeSet::new();
        names::collect(attribute.meta.to_token_stream(), &mut tokens);
        tokens.contains("derive") && tokens.contains("Default")
    });
    Role::State(StateAst { cfgs: super::cfgs(&item.attrs), item, init, shared, derives_default })
}

fn declared(
    attrs: &[Attribute],
    ours: &Ident,
    sig: &Signature,
    built_by: Option<BuiltBy>,
    report: &mut Report,
) -> Option<Declared> {
    let kind = ours.to_string();
    let known: &[&str] = if kind == "source" { &["partition_key"] } else { &["key"] };
    let attribute = attrs
        .iter()
        .find(|attribute| attribute.path().is_ident(&kind))?;
    let options = options::of_attribute(attribute, &kind, known, report);
    let key = options.first().and_then(|option| key_of(option, report));
    let example = if kind == "source" { "Kafka<Json<Record<'_>>>" } else { "ClickHouse<Line<'_>>" };
    let ReturnType::Type(_, connector) = &sig.output else {
        report.push_with(
            sig.ident.span(),
            &P066,
            format!("{kind} `{}` does not say what it is", sig.ident),
            format!("write `fn {}() -> {example};`", sig.ident),
        );
        return None;
    };
    let Some(inner) = inner_type(connector) else {
        report.push_with(
            super::first_span(connector),
            &P066,
            format!("{kind} `{}` names no {}", sig.ident, carried(&kind)),
            format!("write connector and {} in one type: `{example}`", carried(&kind)),
        );
        return None;
    };
    Some(Declared {
        cfgs: super::cfgs(attrs),
        ident: sig.ident.clone(),
        connector: (**connector).clone(),
        inner,
        key,
        built_by,
    })
}

fn declared_type(sig: &Signature) -> Option<Type> {
    match &sig.output {
        ReturnType::Type(_, ty) => Some((**ty).clone()),
        ReturnType::Default => None,
    }
}

fn carried(kind: &str) -> &'static str {
    if kind == "source" { "format" } else { "row" }
}

fn key_of(option: &Opt, report: &mut Report) -> Option<Expr> {
    let key = option.expr("order_id", report)?;
    if matches!(&key, Expr::Path(_) | Expr::Field(_)) {
        return Some(key);
    }
    report.push_with(
        super::first_span(&key),
        &P066,
        format!("`{}` takes a field or a path", option.key),
        format!("write `{} = order_id`", option.key),
    );
    None
}

/// The first type among the arguments of the type's last segment.
pub(crate) fn inner_type(ty: &Type) -> Option<Type> {
    let Type::Path(path) = ty else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    })
}

impl OpOptions {
    /// Reads `#[op(..)]` among `attrs`.
    pub(crate) fn read(attrs: &[Attribute], report: &mut Report) -> Self {
        let mut read = Self::default();
        let known = ["label", "fan_out", "allow"];
        for attribute in attrs
            .iter()
            .filter(|attribute| attribute.path().is_ident("op"))
        {
            for option in options::of_attribute(attribute, "op", &known, report) {
                if option.key == "label" {
                    read.label = option.text(report);
                } else if option.key == "fan_out" {
                    read.fan_out = FanOut::read(&option, report).map(Box::new);
                } else {
                    read.allow = Allow::read(&option, &SCANS, report);
                }
            }
        }
        read
    }
}

impl FanOut {
    /// Reads the only option of `#[op(..)]` before a path.
    pub(crate) fn before_path(attribute: &Attribute, report: &mut Report) -> Option<Self> {
        let options = options::of_attribute(attribute, "op", &["fan_out"], report);
        Self::read(options.first()?, report)
    }

    /// Reads the limit, a whole number or a constant.
    fn read(option: &Opt, report: &mut Report) -> Option<Self> {
        let limit = option.expr("64", report)?;
        let is_number = match &limit {
            Expr::Lit(lit) => matches!(lit.lit, Lit::Int(_)),
            Expr::Closure(_) | Expr::Unary(_) => false,
            _ => true,
        };
        if !is_number {
            report.push_with(
                super::first_span(&limit),
                &P066,
                "`fan_out` takes a whole number",
                "write `fan_out = 64`, or the name of a constant",
            );
            return None;
        }
        Some(Self { key: option.key.clone(), limit })
    }
}

impl Allow {
    /// Reads the words of `allow(..)`, of which an operator has these and a state has `shared`.
    fn read(option: &Opt, words: &[&str], report: &mut Report) -> Self {
        let mut allow = Self::default();
        let Value::List(list) = &option.value else {
            let all: Vec<String> = words
                .iter()
                .map(|word| format!("`allow({word})`"))
                .collect();
            report.push_with(
                option.key.span(),
                &P066,
                "`allow` says nothing",
                format!("write {}", all.join(" or ")),
            );
            return allow;
        };
        for option in options::read(list.clone(), "op(allow", words, report) {
            if !matches!(option.value, Value::Flag) {
                let message = format!("`{}` takes no value", option.key);
                report.push_with(option.key.span(), &P066, message, "write its name alone");
            }
            match option.key.to_string().as_str() {
                "alloc" => allow.alloc = true,
                "panic" => allow.panic = true,
                "blocking" => allow.blocking = true,
                "nondeterministic" => allow.nondeterministic = true,
                _ => allow.shared = true,
            }
        }
        allow
    }
}

/// The only one of our attributes among `attrs`; a second one is a finding.
fn only_one(attrs: &[Attribute], report: &mut Report) -> Option<Ident> {
    let mut found = attrs.iter().filter_map(ours);
    let first = found.next()?;
    for other in found {
        report.push_with(
            other.span(),
            &P066,
            format!("`#[{other}]` stands beside `#[{first}]`"),
            "keep the one that is meant",
        );
    }
    Some(first)
}

fn ours(attribute: &Attribute) -> Option<Ident> {
    let ident = attribute.path().get_ident()?;
    OURS.iter().any(|name| ident == name).then(|| ident.clone())
}

fn misplaced(attribute: &Ident, report: &mut Report) {
    let help = match attribute.to_string().as_str() {
        "source" => "it belongs on `fn name() -> Connector<Format>;`",
        "sink" => "it belongs on `fn name() -> Connector<Row>;`",
        "state" => "it belongs on a struct",
        "lookup" => "it belongs on `async fn name() -> Result<Lookup<K, V>, E> { .. }`",
        _ => "it belongs on a function",
    };
    let message = format!("`#[{attribute}]` cannot stand here");
    report.push_with(attribute.span(), &P066, message, help);
}

fn without_ours(attrs: Vec<Attribute>) -> Vec<Attribute> {
    attrs
        .into_iter()
        .filter(|attribute| ours(attribute).is_none())
        .collect()
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn stripped(mut item: Item) -> TokenStream {
    let attrs = match &mut item {
        Item::Const(item) => &mut item.attrs,
        Item::Enum(item) => &mut item.attrs,
        Item::Impl(item) => &mut item.attrs,
        Item::Mod(item) => &mut item.attrs,
        Item::Static(item) => &mut item.attrs,
        Item::Trait(item) => &mut item.attrs,
        Item::Type(item) => &mut item.attrs,
        Item::Union(item) => &mut item.attrs,
        Item::Use(item) => &mut item.attrs,
        _ => return item.to_token_stream(),
    };
    *attrs = without_ours(std::mem::take(attrs));
    item.to_token_stream()
}
