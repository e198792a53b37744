//! One chain: its state, and the fused loop over a batch.
//!
//! The tree of paths becomes nested blocks. Records leave early through labelled blocks, so a
//! failure inside a branch or behind a `flat_map` ends that branch or that item only:
//!
//! ```text
//! for payload                    one turn per payload
//!   for record                   one per decoded item
//!     'record: {
//!       filter, map, ..          straight line; `break 'record` drops the record
//!       for item: 'item: { .. }  flat_map
//!       'branch: { .. } ..       tee: every branch but the last; the last goes on in place
//!       match .. { .. }          split: the arms go on in place
//!     }
//! ```

mod memory;
mod sends;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote_spanned};
use syn::{Lifetime, Pat};

use memory::Memory;

use super::Items;
use super::lane::node_index;
use super::paths::{Paths, at, behind_reference, bracketed, emit, placed, with_lifetime};
use super::sink::{is_dead_letter, local, marker, push};
use crate::ast::item::Declared;
use crate::check::p007_contract as contract;
use crate::model::{
    Arm, Chain, End, Kind, Operator, Origin, Param, Path, Pipeline, PolicyKind, Split, Stage, State,
};
use crate::names::{self, Names};

/// Names the loop uses for itself.
const OURS: [&str; 16] = [
    "decoder", "tally", "sinks", "cx", "batch", "payload", "at", "value", "item", "err", "any",
    "given", "items", "record", "row", "self",
];

/// Generates the chain's struct and its loop.
pub(super) fn generate(
    pipeline: &Pipeline,
    index: usize,
    items: &Items,
    paths: &Paths,
) -> Option<TokenStream> {
    let chain = pipeline.chains.get(index)?;
    let this = items.chains.get(index)?;
    let root = chain
        .paths
        .iter()
        .position(|path| matches!(path.origin, Origin::Source(_)))?;
    let Origin::Source(source) = chain.paths.get(root)?.origin else { return None };
    let source = pipeline.sources.get(source)?;
    let chain_format = items.formats.get(index)?;
    let mut body = Loop::new(pipeline, chain, paths);
    body.fan_outs = fan_outs(index, items);
    body.format = chain_format.to_token_stream();
    let turn = body.turn(root);

    let Items { sinks, s, .. } = items;
    let (cfgs, states) = (&chain.cfgs, &body.states);
    let decodes = chain
        .paths
        .get(root)
        .and_then(|path| path.stages.first())
        .is_some_and(|stage| stage.kind == Kind::Decode);
    let [chain_trait, batch, cx, progress, tally, counters, format] =
        ["Chain", "Batch", "LaneCx", "Progress", "Tally", "ChainCounters", "Format"]
            .map(|name| paths.rt(name));
    let (decoder, new_decoder, use_decoder) = if decodes {
        (
            emit!(decoder: <#chain_format<'static> as #format<'static>>::Decoder,),
            emit!(decoder: ::core::default::Default::default(),),
            emit!(decoder,),
        )
    } else {
        (TokenStream::new(), TokenStream::new(), TokenStream::new())
    };
    let alias = decodes.then(|| chosen_format(chain, chain_format, source, paths));
    let state_fields = states.iter().map(|(state, local)| {
        let ty = sends::state(state, paths);
        emit!(#local: #ty,)
    });
    let state_inits = states.iter().map(|(state, local)| {
        let ident = &state.ident;
        let span = at(ident.span());
        let init = match &state.init {
            Some(init) => quote_spanned!(span=> #init()),
            None => quote_spanned!(span=> <#ident as ::core::default::Default>::default()),
        };
        emit!(#local: #init,)
    });
    let use_states = states.iter().map(|(_, local)| emit!(#local,));
    let memories = &body.memories;
    let (memory_fields, made_memories, use_memories) = (
        memories.iter().map(Memory::field),
        memories.iter().map(Memory::made),
        memories.iter().map(Memory::used),
    );
    let (checks, take_lookups) = (&body.checks, body.take_lookups());
    let uses_seed = memories.iter().any(|memory| memory.from_seed);
    let seed = if uses_seed { emit!(seed) } else { emit!(_) };
    let seed_type = paths.rt("LaneSeed");
    let stages = node_index(chain, chain.nodes.len());
    let constants = body
        .constants
        .iter()
        .enumerate()
        .filter_map(|(number, name)| {
            let node = chain.nodes.get(number)?;
            let used = body.used.get(number).copied().unwrap_or_default();
            let (cfgs, value) = (&node.cfgs, node_index(chain, number));
            used.then(|| emit!(#(#cfgs)* const #name: usize = #value;))
        });
    let name = names::plain(pipeline.chain_name(chain));
    let doc = format!("The chain `{name}` of one lane.");
    let contract = contract_check(pipeline, chain, source, paths);
    let limits = limits(chain, &body.fan_outs, paths);
    Some(emit! {
        #alias

        #limits

        #[doc = #doc]
        #(#cfgs)*
        struct #this {
            #decoder
            #(#state_fields)*
            #(#memory_fields)*
            tally: #tally<{ #stages }>,
        }

        #(#cfgs)*
        impl<#s: #sinks> #chain_trait<#s> for #this {
            fn new(#seed: &#seed_type<'_>) -> Self {
                Self {
                    #new_decoder
                    #(#state_inits)*
                    #(#made_memories)*
                    tally: ::core::default::Default::default(),
                }
            }

            fn run<'buf>(
                &mut self,
                batch: #batch<'buf>,
                sinks: &mut #s,
                cx: &mut #cx,
            ) -> #progress {
                #(#constants)*
                #(#checks)*

                let Self { #use_decoder #(#use_states)* #(#use_memories)* tally } = self;
                #(#take_lookups)*
                for payload in cx.rest(batch) {
                    let at = cx.take(payload);
                    #turn
                    if sinks.end_of_payload() {
                        return cx.blocked();
                    }
                }
                cx.done()
            }

            fn flush_tally(&mut self, counters: &#counters) {
                self.tally.flush(counters);
            }
        }

        #contract
    })
}

/// The names of the chain's limits, by node.
fn fan_outs(chain: usize, items: &Items) -> BTreeMap<usize, Ident> {
    let of_chain = items.fan_outs.range((chain, 0)..(chain + 1, 0));
    of_chain
        .map(|((_, node), name)| (*node, name.clone()))
        .collect()
}

/// How many records its operators give for one, where that is limited.
fn limits(chain: &Chain, names: &BTreeMap<usize, Ident>, paths: &Paths) -> TokenStream {
    let mut limits = TokenStream::new();
    for path in &chain.paths {
        for stage in &path.stages {
            let (Some(fan_out), Some(name)) = (stage.limit(), names.get(&stage.node)) else {
                continue;
            };
            let (cfgs, limit) = (&path.cfgs, &fan_out.limit);
            let span = at(crate::ast::first_span(limit));
            let checked = paths.op_at("checked_fan_out", span);
            let checked = quote_spanned!(span=> #(#cfgs)* const _: usize = #checked(#name););
            let label = chain.nodes.get(stage.node).map(|node| node.label.as_str());
            let doc =
                format!("How many records `{}` gives for one, at most.", label.unwrap_or_default());
            // Held against what makes sense beside it: what uses it is then not in error as well.
            limits.extend(emit!(#[doc = #doc] #(#cfgs)* const #name: usize = #limit; #checked));
        }
    }
    limits
}

/// Names what the chain decodes with: the format as declared, or the one derived for its record.
fn chosen_format(chain: &Chain, name: &Ident, source: &Declared, paths: &Paths) -> TokenStream {
    let [choose, chosen, probe, not_derived] =
        ["Choose", "Chosen", "Probe", "NotDerived"].map(|name| paths.rt(name));
    let cfgs = &chain.cfgs;
    let (ty, probed) =
        (with_lifetime(&source.inner, "buf"), with_lifetime(&source.inner, "static"));
    let doc =
        format!("What `{}` decodes with; derived, if its record is.", names::plain(&source.ident));
    emit! {
        #[doc = #doc]
        #(#cfgs)*
        type #name<'buf> = <#choose<
            #ty,
            {
                use #not_derived as _;
                <#probe<#probed>>::DERIVED
            },
        > as #chosen>::Format;
    }
}

/// Holds the contract's types against those of the source and the sinks: rustc's E0308, at the
/// contract's types.
fn contract_check(
    pipeline: &Pipeline,
    chain: &Chain,
    source: &Declared,
    paths: &Paths,
) -> TokenStream {
    let Some(contract) = &chain.contract else { return TokenStream::new() };
    let cfgs = &chain.cfgs;
    let root = chain
        .paths
        .iter()
        .find(|path| matches!(path.origin, Origin::Source(_)));
    let first = root
        .and_then(|path| path.stages.first())
        .map(|stage| stage.kind);
    let record = match first {
        Some(Kind::Decode) => {
            let (format, ty) = (paths.rt("Format"), with_lifetime(&source.inner, "buf"));
            Some(emit!(<#ty as #format<'buf>>::Record))
        }
        Some(Kind::Raw) => {
            let meta = paths.rt("Meta");
            Some(emit!(#meta<'buf>))
        }
        _ => None,
    };
    let same = |given: &TokenStream, wanted: &syn::Type| {
        let span = at(crate::ast::first_span(wanted));
        let wanted = with_lifetime(wanted, "buf");
        quote_spanned!(span=> let _: fn(#given) -> #wanted = |same| same;)
    };
    let takes = record.map(|record| same(&record, &contract.takes));
    let gives = contract::rows(&contract.gives)
        .into_iter()
        .zip(contract::sinks(chain))
        .filter_map(|(wanted, sink)| {
            let row = with_lifetime(&pipeline.sinks.get(sink)?.inner, "buf");
            Some(same(&row, wanted))
        });
    let doc = format!("The contract of `{}`.", names::plain(pipeline.chain_name(chain)));
    emit! {
        #[doc = #doc]
        #(#cfgs)*
        const _: () = {
            fn contract<'buf>() {
                #takes
                #(#gives)*
            }
            let _: fn() = contract;
        };
    }
}

/// A record in a local variable.
#[derive(Clone)]
struct Value {
    ident: Ident,
    /// Whether the variable holds a reference to the record.
    by_ref: bool,
}

/// The labelled block around the statements that are being written.
struct Exit {
    label: Lifetime,
    used: bool,
}

impl Exit {
    fn new(label: &str) -> Self {
        Self { label: Lifetime::new(&format!("'{label}"), Span::mixed_site()), used: false }
    }

    fn leave(&mut self) -> TokenStream {
        self.used = true;
        let label = &self.label;
        emit!(break #label;)
    }

    /// `body` in the block, if anything leaves it.
    fn around(&self, body: &TokenStream) -> TokenStream {
        let label = &self.label;
        if self.used { emit!(#label: { #body }) } else { emit!({ #body }) }
    }
}

/// Writes the statements of one turn of the loop.
struct Loop<'a> {
    pipeline: &'a Pipeline,
    chain: &'a Chain,
    paths: &'a Paths,
    /// Shape `[node]`: the stage's constant.
    constants: Vec<Ident>,
    used: Vec<bool>,
    /// The states the chain uses, and the locals that hold them.
    states: Vec<(&'a State, Ident)>,
    state_of: Vec<Option<Ident>>,
    /// Shape `[lookup]`: the local that holds it, if the chain reads it.
    lookup_of: Vec<Option<Ident>>,
    /// What limits the stage at a node, by node.
    fan_outs: BTreeMap<usize, Ident>,
    /// What the lane keeps for stages with a memory of their own.
    memories: Vec<Memory>,
    /// Held against constants of the user, before anything runs.
    checks: Vec<TokenStream>,
    locals: Vec<String>,
    /// Every word of the user's that stands inside of the loop.
    words: BTreeSet<String>,
    labels: Names,
    /// The index of the item within the payload.
    item: TokenStream,
    /// What the source's payloads are decoded with.
    format: TokenStream,
}

impl<'a> Loop<'a> {
    fn new(pipeline: &'a Pipeline, chain: &'a Chain, paths: &'a Paths) -> Self {
        let mut free = Names::beside(pipeline.scope.tokens.clone());
        let constants = chain
            .nodes
            .iter()
            .map(|node| {
                // A name that rustc may not know is not to be "similar" to one of ours.
                let stage = if node.foreign { "_STAGE" } else { "" };
                free.ident(&format!("{}{stage}", names::constant(&node.label)))
            })
            .collect();
        let mut looped = Self {
            pipeline,
            chain,
            paths,
            constants,
            used: vec![false; chain.nodes.len()],
            states: Vec::new(),
            state_of: vec![None; pipeline.states.len()],
            lookup_of: vec![None; pipeline.lookups.len()],
            fan_outs: BTreeMap::new(),
            memories: Vec::new(),
            checks: Vec::new(),
            locals: OURS.iter().map(|&name| name.to_owned()).collect(),
            words: words(chain),
            labels: Names::default(),
            item: emit!(0),
            format: TokenStream::new(),
        };
        looped.find_states();
        looped
    }

    fn find_states(&mut self) {
        let of_splits = self.chain.paths.iter().filter_map(|path| match &path.end {
            End::Split(split) => split.by.as_ref(),
            _ => None,
        });
        let of_stages = self
            .chain
            .paths
            .iter()
            .flat_map(|path| &path.stages)
            .filter_map(|stage| stage.operator.as_ref());
        for operator in of_stages.chain(of_splits) {
            let Some(function) = self.pipeline.function(operator) else { continue };
            for param in &function.params {
                if let Param::Lookup(index) = param {
                    self.find_lookup(*index);
                }
                let Param::State(index) = param else { continue };
                let Some(state) = self.pipeline.states.get(*index) else { continue };
                let Some(slot @ None) = self.state_of.get_mut(*index) else { continue };
                let mut name = names::snake(&names::plain(&state.ident));
                while self.locals.contains(&name) || syn::parse_str::<Ident>(&name).is_err() {
                    name.push('_');
                }
                let ident = format_ident!("{}", name, span = Span::mixed_site());
                self.locals.push(name);
                *slot = Some(ident.clone());
                self.states.push((state, ident));
            }
        }
    }

    /// The constant of a node, which is emitted because it is used.
    fn constant(&mut self, node: usize) -> TokenStream {
        if let Some(used) = self.used.get_mut(node) {
            *used = true;
        }
        let constant = self.constants.get(node);
        emit!(#constant)
    }

    /// One turn: what is done with one payload.
    fn turn(&mut self, root: usize) -> TokenStream {
        let Some(path) = self.chain.paths.get(root) else { return TokenStream::new() };
        let Some(stage) = path.stages.first() else { return TokenStream::new() };
        let mut exit = Exit::new(&self.labels.fresh("record"));
        let name = self.name_behind(path, 0);
        let value = Value { ident: name.clone(), by_ref: false };
        if stage.kind == Kind::Raw {
            let rest = self.stages(path, 1, value, &mut exit);
            let body = emit!(let #name = batch.meta(payload); #rest);
            return exit.around(&body);
        }
        let decode = self.constant(stage.node);
        if stage.kind == Kind::DecodeWith {
            let Some(operator) = &stage.operator else { return TokenStream::new() };
            let call = self.call(operator, &emit!(batch.meta(payload)), "map");
            let fail = self.fail(stage, operator_error(self.paths, stage, operator), &mut exit);
            let same = self.chain.contract.as_ref().map(|contract| {
                let span = at(crate::ast::first_span(&contract.takes));
                let ty = with_lifetime(&contract.takes, "buf");
                quote_spanned!(span=> let #name: #ty = #name;)
            });
            let rest = self.stages(path, 1, value, &mut exit);
            let decoded = matched(&call, &emit!(#name), &fail, stage.token.span());
            let body = emit! {
                cx.enter(#decode);
                let #name = #decoded;
                #same
                #rest
            };
            return exit.around(&body);
        }
        self.item = emit!(item);
        let (format, ty) = (self.paths.rt("Format"), self.format.clone());
        let fail = self.fail(stage, emit!(&err), &mut exit);
        let rest = self.stages(path, 1, value, &mut exit);
        let decoded = matched(&emit!(record), &emit!(#name), &fail, Span::call_site());
        let body = exit.around(&emit! {
            let #name = #decoded;
            #rest
        });
        emit! {
            if let ::core::option::Option::Some(value) = payload.value {
                let mut item = 0_u32;
                cx.enter(#decode);
                for record in <#ty<'buf> as #format<'buf>>::records(decoder, value) {
                    if item > 0 {
                        tally.made[#decode] += 1;
                    }
                    #body
                    item += 1;
                    cx.enter(#decode);
                }
            } else {
                tally.dropped[#decode] += 1;
            }
        }
    }

    /// The stages of `path` from `from` on, then its end.
    fn stages(
        &mut self,
        path: &'a Path,
        from: usize,
        value: Value,
        exit: &mut Exit,
    ) -> TokenStream {
        let Some(stage) = path.stages.get(from) else { return self.end(path, value, exit) };
        match stage.kind {
            Kind::Apply => return self.apply(path, from, &value),
            Kind::Dedup | Kind::Sample | Kind::SampleBy => {
                return self.keep(path, from, value, exit);
            }
            _ => {}
        }
        let Some(operator) = &stage.operator else { return TokenStream::new() };
        let constant = self.constant(stage.node);
        let enter = emit!(cx.enter(#constant););
        let Value { ident, by_ref } = &value;
        let (span, here) = (at(operator.span()), operator.span());
        let moves = placed(ident, here);
        // What rustc would propose for the borrow of a record is no change to the user's line; where
        // the operator borrows too it proposes nothing.
        let borrows = self
            .pipeline
            .function(operator)
            .and_then(|function| function.record())
            .is_some_and(|ty| matches!(ty, syn::Type::Reference(_)));
        let borrow = if borrows { here } else { span };
        let looks = if *by_ref { moves.clone() } else { quote_spanned!(borrow=> &#moves) };
        let drop = emit!(tally.dropped[#constant] += 1;);
        match (stage.kind, stage.fallible) {
            (Kind::Filter, false) => {
                let call = self.call(operator, &looks, "filter");
                let leave = exit.leave();
                let rest = self.stages(path, from + 1, value, exit);
                let not = quote_spanned!(span=> !#call);
                emit! {
                    #enter
                    if #not {
                        #drop
                        #leave
                    }
                    #rest
                }
            }
            (Kind::Inspect, _) => {
                let call = self.call(operator, &looks, "look");
                let rest = self.stages(path, from + 1, value, exit);
                emit!(#enter #call; #rest)
            }
            (Kind::Filter, true) => {
                let call = self.call(operator, &looks, "look");
                let fail = self.fail(stage, operator_error(self.paths, stage, operator), exit);
                let leave = exit.leave();
                let rest = self.stages(path, from + 1, value, exit);
                quote_spanned! {span=>
                    #enter
                    match #call {
                        ::core::result::Result::Ok(true) => {}
                        ::core::result::Result::Ok(false) => { #drop #leave }
                        ::core::result::Result::Err(err) => { #fail }
                    }
                    #rest
                }
            }
            (Kind::Map, fallible) => {
                let call = self.call(operator, &moves, "map");
                let made = self.name_behind(path, from);
                let made_by = if fallible {
                    let fail = self.fail(stage, operator_error(self.paths, stage, operator), exit);
                    matched(&call, &emit!(#made), &fail, operator.span())
                } else {
                    call
                };
                let value = Value { ident: made.clone(), by_ref: false };
                let rest = self.stages(path, from + 1, value, exit);
                emit!(#enter let #made = #made_by; #rest)
            }
            (Kind::FilterMap, false) => {
                let call = self.call(operator, &moves, "map");
                let leave = exit.leave();
                let made = self.name_behind(path, from);
                let value = Value { ident: made.clone(), by_ref: false };
                let rest = self.stages(path, from + 1, value, exit);
                quote_spanned! {span=>
                    #enter
                    let ::core::option::Option::Some(#made) = #call else { #drop #leave };
                    #rest
                }
            }
            (Kind::FilterMap, true) => {
                let call = self.call(operator, &moves, "map");
                let fail = self.fail(stage, operator_error(self.paths, stage, operator), exit);
                let leave = exit.leave();
                let made = self.name_behind(path, from);
                let value = Value { ident: made.clone(), by_ref: false };
                let rest = self.stages(path, from + 1, value, exit);
                quote_spanned! {span=>
                    #enter
                    let #made = match #call {
                        ::core::result::Result::Ok(::core::option::Option::Some(#made)) => #made,
                        ::core::result::Result::Ok(::core::option::Option::None) => { #drop #leave }
                        ::core::result::Result::Err(err) => { #fail }
                    };
                    #rest
                }
            }
            (Kind::FlatMap, fallible) => {
                let call = self.call(operator, &moves, "map");
                let items = if fallible {
                    let fail = self.fail(stage, operator_error(self.paths, stage, operator), exit);
                    matched(&call, &emit!(items), &fail, operator.span())
                } else {
                    call
                };
                self.each(path, from, stage, &items)
            }
            // Decoding stands first in a path from a source and nowhere else (P005).
            (Kind::Decode | Kind::DecodeWith | Kind::Raw, _) => TokenStream::new(),
            // Written above, with their memories.
            (Kind::Apply | Kind::Dedup | Kind::Sample | Kind::SampleBy, _) => TokenStream::new(),
        }
    }

    /// Goes on with each of `items`, which stage `from` made of one record.
    fn each(
        &mut self,
        path: &'a Path,
        from: usize,
        stage: &Stage,
        items: &TokenStream,
    ) -> TokenStream {
        let constant = self.constant(stage.node);
        let made = self.name_behind(path, from);
        let value = Value { ident: made.clone(), by_ref: false };
        let mut inner = Exit::new(&self.labels.fresh("item"));
        let rest = self.stages(path, from + 1, value, &mut inner);
        let body = inner.around(&rest);
        if let Some(limit) = self.fan_outs.get(&stage.node) {
            return emit! {
                cx.enter(#constant);
                let mut given = 0_usize;
                for #made in #items {
                    if given == #limit {
                        return cx.over_fan_out(#constant, &batch.meta(payload), #limit);
                    }
                    if given > 0 {
                        tally.made[#constant] += 1;
                    }
                    given += 1;
                    #body
                    cx.enter(#constant);
                }
                if given == 0 {
                    tally.dropped[#constant] += 1;
                }
            };
        }
        emit! {
            cx.enter(#constant);
            let mut any = false;
            // An `Option` is any number of items, too.
            #[allow(for_loops_over_fallibles)]
            for #made in #items {
                if any {
                    tally.made[#constant] += 1;
                }
                any = true;
                #body
                cx.enter(#constant);
            }
            if !any {
                tally.dropped[#constant] += 1;
            }
        }
    }

    fn end(&mut self, path: &'a Path, value: Value, exit: &mut Exit) -> TokenStream {
        let Value { ident, by_ref } = &value;
        match &path.end {
            End::Open => TokenStream::new(),
            End::To { sink, index, node, .. } => {
                let constant = self.constant(*node);
                let (span, here) = (at(sink.span()), sink.span());
                let (push, row) = (placed(push(sink), span), placed(ident, here));
                let row = if *by_ref { row } else { quote_spanned!(here=> &#row) };
                let row = self.row_of("row", sink, *index, &row);
                let pushed = quote_spanned!(span=> sinks.#push(#row, at));
                emit! {
                    cx.enter(#constant);
                    #pushed;
                }
            }
            End::Discard { .. } => {
                let discard = self.paths.op("discard");
                emit!(#discard(#ident);)
            }
            End::Let(stream) => self.stream(*stream, value, exit),
            End::Tee { branches, .. } => self.tee(branches, &value, exit),
            End::Split(split) => self.split(split, &value, exit),
        }
    }

    /// Goes on with the path that begins with `stream`.
    fn stream(&mut self, stream: usize, value: Value, exit: &mut Exit) -> TokenStream {
        let path = self
            .chain
            .streams
            .get(stream)
            .and_then(|stream| stream.uses.first())
            .and_then(|first| self.chain.paths.get(first.path));
        path.map_or_else(TokenStream::new, |path| self.stages(path, 0, value, exit))
    }

    fn tee(&mut self, branches: &[usize], value: &Value, exit: &mut Exit) -> TokenStream {
        let mut tokens = TokenStream::new();
        for (number, &branch) in branches.iter().enumerate() {
            let Some(stream) = self.chain.streams.get(branch) else { continue };
            let name = self.local(&stream.name);
            let Value { ident, by_ref } = value;
            if number + 1 == branches.len() {
                let rest =
                    self.stream(branch, Value { ident: name.clone(), by_ref: *by_ref }, exit);
                tokens.extend(emit!(let #name = #ident; #rest));
                continue;
            }
            let mut inner = Exit::new(&self.labels.fresh(&name.to_string()));
            let rest = self.stream(branch, Value { ident: name.clone(), by_ref: true }, &mut inner);
            let borrow = if *by_ref { emit!(#ident) } else { emit!(&#ident) };
            tokens.extend(inner.around(&emit!(let #name = #borrow; #rest)));
        }
        tokens
    }

    fn split(&mut self, split: &'a Split, value: &Value, exit: &mut Exit) -> TokenStream {
        let Value { ident, by_ref } = value;
        let here = split.token.span();
        let record = placed(ident, here);
        let on = match &split.by {
            None => record,
            Some(operator) => {
                let looks = if *by_ref { record } else { quote_spanned!(here=> &#record) };
                let key = self.call(operator, &looks, "look");
                quote_spanned!(operator.span()=> (#key,))
            }
        };
        let enter = split.by.is_some().then(|| {
            let constant = self.constant(split.node);
            emit!(cx.enter(#constant);)
        });
        let arms: Vec<TokenStream> = split
            .arms
            .iter()
            .enumerate()
            .map(|(number, arm)| {
                let last = number + 1 == split.arms.len();
                self.arm(arm, value, split.by.is_some(), last, exit)
            })
            .collect();
        let keyword = &split.match_token;
        emit! {
            #enter
            #keyword #on {
                #(#arms)*
            }
        }
    }

    /// A key stands in a tuple of its own: a missing case is then told without the whole enum. What
    /// rustc would propose to add is no arm of a chain; it proposes nothing where the last arm does
    /// not seem to be of one piece with the others.
    fn arm(
        &mut self,
        arm: &'a Arm,
        value: &Value,
        keyed: bool,
        last: bool,
        exit: &mut Exit,
    ) -> TokenStream {
        let constant = self.constant(arm.node);
        let Arm { attrs, pat, guard, bound, .. } = arm;
        let mut tokens = pat.to_token_stream();
        let value = match bound {
            None => value.clone(),
            Some(bound) => {
                // The binding becomes one of ours, so that it hides no function of the same name;
                // a guard has to see it, and then it stays the user's.
                let name = names::plain(bound);
                let ours =
                    guard.is_none() && !self.locals.contains(&name) && self.words.contains(&name);
                if ours {
                    tokens = of_macro(tokens, bound);
                }
                let span = if ours { at(bound.span()) } else { bound.span() };
                let mut ident = bound.clone();
                ident.set_span(span);
                Value { ident, by_ref: binds_reference(pat, value.by_ref) }
            }
        };
        let guard = guard.as_ref().map(|guard| emit!(if #guard));
        let rest = self.stream(arm.stream, value, exit);
        let span = if last { arm.body_end } else { at(arm.body_end) };
        if keyed {
            tokens = quote_spanned!(span=> (#tokens,));
        }
        let body = emit! {
            tally.made[#constant] += 1;
            #rest
        };
        let mut block = Group::new(Delimiter::Brace, body);
        block.set_span(span);
        quote_spanned!(span=> #(#attrs)* #tokens #guard => #block)
    }

    /// What a stage does with a record it failed on.
    fn fail(&mut self, stage: &Stage, error: TokenStream, exit: &mut Exit) -> TokenStream {
        let Some(policy) = &stage.policy else { return TokenStream::new() };
        let constant = self.constant(stage.node);
        let count = emit!(tally.failed[#constant] += 1;);
        let item = &self.item;
        match &policy.kind {
            PolicyKind::Skip => {
                let leave = exit.leave();
                emit! {
                    #count
                    cx.skipped(#constant, &batch.meta(payload), #error);
                    #leave
                }
            }
            PolicyKind::Stop => emit! {
                #count
                return cx.stop(#constant, &batch.meta(payload), #error);
            },
            PolicyKind::To(sink, index) => {
                let leave = exit.leave();
                let row = index
                    .and_then(|index| self.pipeline.sinks.get(index))
                    .map(|declared| &declared.inner);
                let span = at(sink.span());
                let (push, stage) = (placed(push(sink), span), placed(constant, span));
                let letter = quote_spanned! {span=>
                    cx.dead_letter(#stage, &batch.meta(payload), #item, #error)
                };
                // An alias of `DeadLetter` is let through by the types.
                let letter = if row.is_some_and(is_dead_letter) {
                    quote_spanned!(span=> &#letter)
                } else {
                    let letter = bracketed(letter, sink.span());
                    self.row_of("letter", sink, *index, &quote_spanned!(sink.span()=> &#letter))
                };
                let pushed = quote_spanned!(span=> sinks.#push(#letter, at));
                emit! {
                    #count
                    #pushed;
                    #leave
                }
            }
        }
    }

    /// Calls an operator: a name directly, a closure through `helper`.
    fn call(&self, operator: &Operator, record: &TokenStream, helper: &str) -> TokenStream {
        let span = at(operator.span());
        match operator {
            Operator::Path(path) => quote_spanned!(span=> #path(#record)),
            Operator::Function(index, path) => {
                let function = self.pipeline.functions.get(*index);
                let params = function.map(|function| function.params.as_slice());
                let args = params.unwrap_or_default().iter().map(|param| match param {
                    Param::State(state) => {
                        let local = self.state_of.get(*state).and_then(Option::as_ref);
                        quote_spanned!(span=> #local)
                    }
                    Param::Lookup(lookup) => {
                        let local = self.lookup_of.get(*lookup).and_then(Option::as_ref);
                        quote_spanned!(span=> #local)
                    }
                    Param::SomeLookup => TokenStream::new(),
                    Param::Meta => quote_spanned!(span=> batch.meta(payload)),
                    Param::Record(_) => record.clone(),
                });
                quote_spanned!(span=> #path(#(#args),*))
            }
            Operator::Closure(closure, _) => {
                if closure.inputs.len() == 2 {
                    let helper = self.paths.op_at(&format!("{helper}_meta"), operator.span());
                    let args = emit!(#record, batch.meta(payload), #closure);
                    let args = bracketed(args, operator.span());
                    emit!(#helper #args)
                } else {
                    let helper = self.paths.op_at(helper, operator.span());
                    let args = bracketed(emit!(#record, #closure), operator.span());
                    emit!(#helper #args)
                }
            }
        }
    }

    /// `row` as the row that `sink` is declared with, or the finding that it is not.
    fn row_of(
        &self,
        helper: &str,
        sink: &Ident,
        index: Option<usize>,
        row: &TokenStream,
    ) -> TokenStream {
        let declared = index.and_then(|index| self.pipeline.sinks.get(index));
        let Some(declared) = declared else { return row.clone() };
        let helper = placed(self.paths.op(helper), sink.span());
        let (marker, taken) = (marker(&declared.ident), behind_reference(&declared.inner));
        quote_spanned!(sink.span()=> #helper::<#marker, #taken, _>(#row))
    }

    /// The variable for what stage `index` of `path` makes.
    ///
    /// The stream's name where the path is a `let`; `row` on the way to a sink.
    fn name_behind(&self, path: &Path, index: usize) -> Ident {
        let transforms = |stage: &Stage| {
            matches!(stage.kind, Kind::Map | Kind::FilterMap | Kind::FlatMap | Kind::Apply)
        };
        let last = !path.stages.iter().skip(index + 1).any(transforms);
        match &path.end {
            End::Let(stream) => match self.chain.streams.get(*stream) {
                Some(stream) => self.local(&stream.name),
                None => local("record"),
            },
            End::To { .. } if last => self.own("row", path.head.span()),
            _ => self.own("record", path.head.span()),
        }
    }

    /// A stream's name as a local that hides nothing of the loop's own.
    fn local(&self, name: &Ident) -> Ident {
        let mut text = names::plain(name);
        while self.locals.contains(&text) {
            text.push('_');
        }
        self.own(&text, name.span())
    }

    /// A local for records.
    ///
    /// It is written as if the user had, so that rustc speaks of the user's line alone; where a
    /// word of the user's is the same, it has the hygiene of the macro.
    fn own(&self, text: &str, span: Span) -> Ident {
        let mut ident = local(text);
        if !self.words.contains(text) {
            ident.set_span(span);
        }
        ident
    }
}

/// Every word in the operators and the guards of a chain.
fn words(chain: &Chain) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for path in &chain.paths {
        for stage in &path.stages {
            names::collect(stage.operator.to_token_stream(), &mut words);
            for number in &stage.numbers {
                names::collect(number.to_token_stream(), &mut words);
            }
        }
        let End::Split(split) = &path.end else { continue };
        names::collect(split.by.to_token_stream(), &mut words);
        for arm in &split.arms {
            names::collect(arm.guard.to_token_stream(), &mut words);
        }
    }
    words
}

/// `match call { Ok(made) => made, Err(err) => { fail } }`
fn matched(call: &TokenStream, made: &TokenStream, fail: &TokenStream, span: Span) -> TokenStream {
    let span = at(span);
    quote_spanned! {span=>
        match #call {
            ::core::result::Result::Ok(#made) => #made,
            ::core::result::Result::Err(err) => { #fail }
        }
    }
}

/// The error of a user's operator: whether it can be reported is said at the operator (P025).
fn operator_error(paths: &Paths, stage: &Stage, operator: &Operator) -> TokenStream {
    let span = operator.span();
    let (error, err) = (paths.op_at("error", stage.span()), bracketed(emit!(err), span));
    quote_spanned!(span=> #error(&#err))
}

/// `tokens` with the hygiene of the macro for every `name` among them.
fn of_macro(tokens: TokenStream, name: &Ident) -> TokenStream {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Ident(mut ident) if ident == *name => {
                ident.set_span(at(ident.span()));
                TokenTree::Ident(ident)
            }
            TokenTree::Group(group) => {
                let inside = of_macro(group.stream(), name);
                let mut same = Group::new(group.delimiter(), inside);
                same.set_span(group.span());
                TokenTree::Group(same)
            }
            other => other,
        })
        .collect()
}

/// Whether a pattern's binding is a reference to what it matched.
fn binds_reference(pat: &Pat, matched_by_ref: bool) -> bool {
    let mut tokens = BTreeSet::new();
    names::collect(emit!(#pat), &mut tokens);
    if tokens.contains("ref") {
        return true;
    }
    matched_by_ref && !matches!(pat, Pat::Reference(_))
}
