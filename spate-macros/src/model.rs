//! What the module means: declarations, chains, paths, streams, stages.
//!
//! Pure. Made by `lower`, read by the rules and, when none of them found anything, by `codegen`.
//! A chain is a tree written as a list: paths stand in the order of the source text, a path's end
//! names the streams it makes, and a stream's first use names the path that goes on with it.
//! `Option`s and unused parts are what the rules look for; after them there are none.

use proc_macro2::{Ident, Span};
use syn::{Attribute, Expr, ExprClosure, ExprPath, Pat, Signature, Type};

use crate::ast::Scope;
use crate::ast::args::Alloc;
use crate::ast::chain::Contract;
use crate::ast::item::{Declared, FanOut, Lookup, OpOptions};
use crate::config::ConfigFile;

/// A whole module.
pub(crate) struct Pipeline {
    pub(crate) ident: Ident,
    pub(crate) sources: Vec<Declared>,
    pub(crate) sinks: Vec<Declared>,
    pub(crate) states: Vec<State>,
    pub(crate) lookups: Vec<Lookup>,
    pub(crate) functions: Vec<Function>,
    pub(crate) chains: Vec<Chain>,
    pub(crate) scope: Scope,
    pub(crate) config: Option<ConfigFile>,
    pub(crate) alloc: Alloc,
    /// A declaration could not be read.
    pub(crate) holes: bool,
    /// The types of those that could not.
    pub(crate) unread: Vec<Type>,
}

/// A `#[state]` struct.
pub(crate) struct State {
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) ident: Ident,
    pub(crate) item: syn::ItemStruct,
    pub(crate) init: Option<Expr>,
    /// Whether `allow(shared)` stands on it.
    pub(crate) shared: bool,
    /// Whether the module itself says nothing of its `Default`: it is then made field by field.
    pub(crate) defaults_by_field: bool,
}

/// A function of the module, as an operator would be called.
pub(crate) struct Function {
    pub(crate) ident: Ident,
    pub(crate) sig: Signature,
    /// What the scanning rules look into.
    pub(crate) block: Box<syn::Block>,
    pub(crate) params: Vec<Param>,
    pub(crate) options: OpOptions,
    pub(crate) cfgs: Vec<Attribute>,
}

/// What a parameter of an operator is given.
pub(crate) enum Param {
    /// `&mut S` of the declared state with this index.
    State(usize),
    /// `&Lookup<..>`, of the declared lookup with this index.
    Lookup(usize),
    /// The same, of which of several its name does not say.
    SomeLookup,
    /// `Meta<'_>`.
    Meta,
    /// The record, with the type it is written with.
    Record(Box<Type>),
}

/// One chain.
pub(crate) struct Chain {
    pub(crate) cfgs: Vec<Attribute>,
    /// Where findings about the whole chain point.
    pub(crate) span: Span,
    pub(crate) name: Option<Ident>,
    pub(crate) contract: Option<Contract>,
    /// In the order of the source text.
    pub(crate) paths: Vec<Path>,
    pub(crate) streams: Vec<Stream>,
    /// The nodes of the graph, each behind its upstream; filled in when the tree is whole.
    pub(crate) nodes: Vec<Node>,
    /// A statement could not be read.
    pub(crate) holes: bool,
}

/// A run of stages from a source or a stream to an end.
pub(crate) struct Path {
    /// It exists only under these: those of its chain, and of the arms around it.
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) head: Ident,
    pub(crate) origin: Origin,
    pub(crate) stages: Vec<Stage>,
    pub(crate) end: End,
    /// What was called behind the end.
    pub(crate) behind_end: Vec<Ident>,
    /// Whether it is all that an arm of a split does with its records.
    pub(crate) in_arm: bool,
}

/// Where a path begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Source(usize),
    Stream(usize),
    Unknown,
}

/// Records on their way from one path to the next.
pub(crate) struct Stream {
    pub(crate) name: Ident,
    pub(crate) kind: StreamKind,
    /// The paths that begin with it, in the order of the source text.
    pub(crate) uses: Vec<Use>,
}

/// What made a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamKind {
    Let,
    /// A branch of a tee.
    Branch,
    /// A case of a split.
    Arm,
}

/// A stream in use.
pub(crate) struct Use {
    pub(crate) token: Ident,
    pub(crate) path: usize,
    /// Used inside an arm that it was bound outside of.
    pub(crate) crossed: bool,
}

/// One stage of a path.
pub(crate) struct Stage {
    pub(crate) kind: Kind,
    /// Whether it is the `try_` form, or a decode.
    pub(crate) fallible: bool,
    /// The stage's name as written.
    pub(crate) token: Ident,
    pub(crate) operator: Option<Operator>,
    /// What `apply` runs.
    pub(crate) made: Option<Made>,
    /// How many records its operator gives for one, at most, if that is said anywhere.
    pub(crate) fan_out: Option<FanOut>,
    /// What stands behind the key: the size of a `dedup`, the rate of a sample.
    pub(crate) numbers: Vec<Expr>,
    pub(crate) policy: Option<Policy>,
    /// Whether a `?` stands behind it, in the place of a policy; P024 says so.
    pub(crate) questioned: bool,
    /// Policies behind a stage that cannot fail, or behind another policy.
    pub(crate) idle_policies: Vec<Ident>,
    pub(crate) named: Option<syn::LitStr>,
    pub(crate) node: usize,
}

/// What a stage does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// By the source's format.
    Decode,
    /// By a function of the user.
    DecodeWith,
    Raw,
    Filter,
    Map,
    FilterMap,
    FlatMap,
    Inspect,
    Apply,
    Dedup,
    Sample,
    SampleBy,
}

/// The operator of an `apply`: a type of the user, one for each lane.
pub(crate) struct Made {
    pub(crate) ty: ExprPath,
    /// What makes it; `None` for its `Default`.
    pub(crate) init: Option<Expr>,
    pub(crate) options: OpOptions,
}

/// What a stage calls.
pub(crate) enum Operator {
    /// A function of the module, by index.
    Function(usize, ExprPath),
    /// A path from elsewhere.
    Path(ExprPath),
    Closure(ExprClosure, OpOptions),
}

/// An operator where it is called.
pub(crate) struct Called<'a> {
    /// The call exists only under these.
    pub(crate) cfgs: &'a [Attribute],
    /// The index of its chain.
    pub(crate) chain: usize,
    /// The stage's name.
    pub(crate) stage: &'a Ident,
    /// `None` for the key function of a split.
    pub(crate) kind: Option<Kind>,
    pub(crate) operator: &'a Operator,
}

/// What happens to a record a stage fails on.
pub(crate) struct Policy {
    pub(crate) token: Ident,
    pub(crate) kind: PolicyKind,
}

/// See [`Policy`].
pub(crate) enum PolicyKind {
    Skip,
    Stop,
    /// The sink as written, and its index if it is declared.
    To(Ident, Option<usize>),
}

/// How a path ends.
pub(crate) enum End {
    /// It does not.
    Open,
    To {
        token: Ident,
        sink: Ident,
        index: Option<usize>,
        node: usize,
    },
    Discard {
        token: Ident,
        reason: String,
        node: usize,
    },
    /// `let name = path;`
    Let(usize),
    Tee {
        token: Ident,
        branches: Vec<usize>,
        node: usize,
        branch_nodes: Vec<usize>,
    },
    Split(Box<Split>),
}

/// `match name.split() { .. }`
pub(crate) struct Split {
    pub(crate) match_token: syn::Token![match],
    pub(crate) token: Ident,
    /// The key function of `split_on`.
    pub(crate) by: Option<Operator>,
    pub(crate) arms: Vec<Arm>,
    pub(crate) node: usize,
}

/// A case of a split.
pub(crate) struct Arm {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) pat: Pat,
    pub(crate) guard: Option<Expr>,
    /// The stream its records go on as.
    pub(crate) stream: usize,
    /// The name its pattern binds, in `split()`.
    pub(crate) bound: Option<Ident>,
    /// Names its pattern binds beside that.
    pub(crate) also_bound: Vec<Ident>,
    pub(crate) body_span: Span,
    pub(crate) body_end: Span,
    pub(crate) node: usize,
}

/// A node of the graph.
pub(crate) struct Node {
    pub(crate) label: String,
    /// Where the user gave the label; `None` for one that was numbered to be free.
    pub(crate) given: Option<Span>,
    pub(crate) upstream: Option<usize>,
    pub(crate) kind: NodeKind,
    pub(crate) policy: NodePolicy,
    pub(crate) operator: String,
    /// Whether its operator is a single name from outside of the module.
    pub(crate) foreign: bool,
    pub(crate) line: usize,
    /// It exists only under these.
    pub(crate) cfgs: Vec<Attribute>,
}

/// The node's kind, as `spate_runtime::graph::StageKind` has it.
#[derive(Clone)]
pub(crate) enum NodeKind {
    Stage(Kind),
    Split,
    Arm,
    Tee,
    Branch,
    To(usize),
    Discard(String),
}

/// The node's policy, as `spate_runtime::graph::Policy` has it.
#[derive(Clone, Copy)]
pub(crate) enum NodePolicy {
    None,
    Skip,
    Stop,
    DeadLetter(usize),
}

impl Pipeline {
    /// All paths of all chains.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.chains.iter().flat_map(|chain| &chain.paths)
    }

    /// All stages of all chains.
    pub(crate) fn stages(&self) -> impl Iterator<Item = &Stage> {
        self.paths().flat_map(|path| &path.stages)
    }

    /// All operators of all chains, where they are called.
    pub(crate) fn calls(&self) -> impl Iterator<Item = Called<'_>> {
        let paths = self
            .chains
            .iter()
            .enumerate()
            .flat_map(|(chain, of)| of.paths.iter().map(move |path| (chain, path)));
        paths.flat_map(|(chain, path)| {
            let cfgs = path.cfgs.as_slice();
            let stages = path.stages.iter().filter_map(move |stage| {
                let (operator, kind) = (stage.operator.as_ref()?, Some(stage.kind));
                Some(Called { cfgs, chain, stage: &stage.token, kind, operator })
            });
            let split = match &path.end {
                End::Split(split) => split.by.as_ref().map(|operator| Called {
                    cfgs,
                    chain,
                    stage: &split.token,
                    kind: None,
                    operator,
                }),
                _ => None,
            };
            stages.chain(split)
        })
    }

    /// The function an operator names, if it is one of the module.
    pub(crate) fn function(&self, operator: &Operator) -> Option<&Function> {
        match operator {
            Operator::Function(index, _) => self.functions.get(*index),
            Operator::Path(_) | Operator::Closure(..) => None,
        }
    }

    /// The names of the declared sinks.
    pub(crate) fn sink_names(&self) -> Vec<String> {
        self.sinks
            .iter()
            .map(|sink| sink.ident.to_string())
            .collect()
    }

    /// The chain's name; the pipeline's where the chain has none.
    pub(crate) fn chain_name<'a>(&'a self, chain: &'a Chain) -> &'a Ident {
        chain.name.as_ref().unwrap_or(&self.ident)
    }
}

impl Kind {
    /// The stage's name, without `try_`.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Decode | Self::DecodeWith => "decode",
            Self::Raw => "raw",
            Self::Filter => "filter",
            Self::Map => "map",
            Self::FilterMap => "filter_map",
            Self::FlatMap => "flat_map",
            Self::Inspect => "inspect",
            Self::Apply => "apply",
            Self::Dedup => "dedup",
            Self::Sample => "sample",
            Self::SampleBy => "sample_by",
        }
    }
}

impl Function {
    /// The type its record is taken as, if it takes one.
    pub(crate) fn record(&self) -> Option<&Type> {
        self.params.iter().find_map(|param| match param {
            Param::Record(ty) => Some(&**ty),
            _ => None,
        })
    }

    /// How many records it takes.
    pub(crate) fn records(&self) -> usize {
        self.params
            .iter()
            .filter(|param| matches!(param, Param::Record(_)))
            .count()
    }

    /// What it returns.
    pub(crate) fn returns(&self) -> Option<&Type> {
        match &self.sig.output {
            syn::ReturnType::Default => None,
            syn::ReturnType::Type(_, ty) => Some(ty),
        }
    }
}

impl Stage {
    /// The limit of what it gives for one record, where it gives any number.
    pub(crate) fn limit(&self) -> Option<&FanOut> {
        self.fan_out.as_ref().filter(|_| self.kind.fans_out())
    }

    /// Where findings about it point: its name.
    pub(crate) fn span(&self) -> Span {
        self.token.span()
    }
}

impl quote::ToTokens for Operator {
    fn to_tokens(&self, tokens: &mut proc_macro2::TokenStream) {
        match self {
            Self::Function(_, path) | Self::Path(path) => path.to_tokens(tokens),
            Self::Closure(closure, _) => closure.to_tokens(tokens),
        }
    }
}

impl Kind {
    /// Whether the stage gives any number of records for one.
    pub(crate) const fn fans_out(self) -> bool {
        matches!(self, Self::FlatMap | Self::Apply)
    }

    /// Whether the stage only looks at its record, and passes it on as it is or drops it.
    pub(crate) fn looks(self) -> bool {
        matches!(self, Self::Filter | Self::Inspect | Self::Dedup | Self::Sample | Self::SampleBy)
    }
}

impl Made {
    /// Where findings about it point: the name of its type.
    pub(crate) fn span(&self) -> Span {
        let last = self.ty.path.segments.last();
        last.map_or_else(Span::call_site, |segment| segment.ident.span())
    }
}

impl Operator {
    /// Where findings about it point: its last name, or the closure's first bar.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Function(_, path) | Self::Path(path) => path
                .path
                .segments
                .last()
                .map_or_else(Span::call_site, |segment| segment.ident.span()),
            Self::Closure(closure, _) => closure.inputs_begin.span,
        }
    }

    /// Its name in messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Function(_, path) | Self::Path(path) => crate::text::of(path),
            Self::Closure(..) => "this closure".to_owned(),
        }
    }
}

impl Path {
    /// The last thing the user wrote of it: a stage, or its head.
    pub(crate) fn last_span(&self) -> Span {
        self.stages
            .last()
            .map_or_else(|| self.head.span(), Stage::span)
    }
}
