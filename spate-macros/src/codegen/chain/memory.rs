//! Stages with a memory of their own, and samples: what the lane keeps for them, and their calls.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote_spanned};
use syn::Attribute;

use super::{Exit, Loop, Value, sends};
use crate::codegen::lane::lookup_index;
use crate::codegen::paths::{at, bracketed, emit, placed, written};
use crate::model::{Kind, Path, Stage};
use crate::names;

/// What the lane keeps for one stage.
pub(super) struct Memory {
    pub(super) local: Ident,
    pub(super) ty: TokenStream,
    pub(super) init: TokenStream,
    pub(super) cfgs: Vec<Attribute>,
    /// Whether `init` needs the lane's seed.
    pub(super) from_seed: bool,
}

impl Memory {
    pub(super) fn field(&self) -> TokenStream {
        let Self { local, ty, cfgs, .. } = self;
        emit!(#(#cfgs)* #local: #ty,)
    }

    pub(super) fn made(&self) -> TokenStream {
        let Self { local, init, cfgs, .. } = self;
        emit!(#(#cfgs)* #local: #init,)
    }

    pub(super) fn used(&self) -> TokenStream {
        let Self { local, cfgs, .. } = self;
        emit!(#(#cfgs)* #local,)
    }
}

impl<'a> Loop<'a> {
    /// A stage that passes some of its records on as they are: by a memory of keys, or a sample.
    pub(super) fn keep(
        &mut self,
        path: &'a Path,
        from: usize,
        value: Value,
        exit: &mut Exit,
    ) -> TokenStream {
        let Some(stage) = path.stages.get(from) else { return TokenStream::new() };
        let constant = self.constant(stage.node);
        let keeps = match stage.kind {
            Kind::Dedup => self.first_time(path, stage, &value),
            _ => self.sampled(path, stage, &value),
        };
        let leave = exit.leave();
        let rest = self.stages(path, from + 1, value, exit);
        emit! {
            cx.enter(#constant);
            if !#keeps {
                tally.dropped[#constant] += 1;
                #leave
            }
            #rest
        }
    }

    fn first_time(&mut self, path: &Path, stage: &Stage, value: &Value) -> TokenStream {
        let (Some(size), Some(operator)) = (stage.numbers.first(), &stage.operator) else {
            return TokenStream::new();
        };
        let dedup = self.paths.op_at("dedup", operator.span());
        let dedup_type = self.paths.rt("Dedup");
        let span = crate::ast::first_span(size);
        let checked = self.paths.op_at("checked_size", span);
        let size_in_brackets = bracketed(size.to_token_stream(), span);
        self.check(path, emit!(const _: usize = #checked #size_in_brackets;));
        let memory = Memory {
            local: self.memory_name(stage),
            ty: emit!(#dedup_type<{ #size }>),
            init: emit!(::core::default::Default::default()),
            cfgs: path.cfgs.clone(),
            from_seed: false,
        };
        let (local, key) = (memory.local.clone(), self.key(stage, value));
        self.memories.push(memory);
        let span = at(operator.span());
        quote_spanned!(span=> #dedup(#local, #key))
    }

    fn sampled(&mut self, path: &Path, stage: &Stage, value: &Value) -> TokenStream {
        let [n, d] = stage.numbers.as_slice() else { return TokenStream::new() };
        let span = crate::ast::first_span(n);
        let checked = self.paths.op_at("checked_rate", span);
        let rate = bracketed(emit!(#n, #d), span);
        self.check(path, emit!(const _: (u64, u64) = #checked #rate;));
        let Some(operator) = &stage.operator else {
            let sample = self.paths.op("sample");
            return emit!(#sample::<{ #n }, { #d }>(at));
        };
        let here = operator.span();
        let (sample, key) = (self.paths.op_at("sample_by", here), self.key(stage, value));
        // In brackets of the macro: such of the user would be said to be needless.
        let (n, d, args) = (emit!({ #n }), emit!({ #d }), bracketed(key, here));
        quote_spanned!(here=> #sample::<_, #n, #d>#args)
    }

    /// The user's operator, one for each lane; driven as what `flat_map` returns.
    pub(super) fn apply(&mut self, path: &'a Path, from: usize, value: &Value) -> TokenStream {
        let Some(stage) = path.stages.get(from) else { return TokenStream::new() };
        let Some(made) = &stage.made else { return TokenStream::new() };
        let (span, ty) = (at(made.span()), &made.ty);
        let init = match &made.init {
            Some(init) => init.to_token_stream(),
            None => quote_spanned!(span=> <#ty as ::core::default::Default>::default()),
        };
        let memory = Memory {
            local: self.memory_name(stage),
            ty: sends::operator(ty, self.paths),
            init,
            cfgs: path.cfgs.clone(),
            from_seed: false,
        };
        let here = made.span();
        // By the name that users have for it: rustc then has one name for it too.
        let krate = &self.paths.krate;
        let take = written(emit!(#krate::prelude::Operator::take), here);
        let local = bracketed(memory.local.to_token_stream(), here);
        self.memories.push(memory);
        let record = placed(&value.ident, span);
        let operator = quote_spanned!(here=> &mut *#local);
        let args = bracketed(emit!(#record, #operator), here);
        let call = emit!(#take #args);
        self.each(path, from, stage, &call)
    }

    /// A lookup that an operator asks for: the lane's reader of it.
    pub(super) fn find_lookup(&mut self, index: usize) {
        let Some(lookup) = self.pipeline.lookups.get(index) else { return };
        let Some(slot @ None) = self.lookup_of.get_mut(index) else { return };
        let mut name = names::snake(&names::plain(&lookup.ident));
        while self.locals.contains(&name) || syn::parse_str::<Ident>(&name).is_err() {
            name.push('_');
        }
        let local = format_ident!("{}", name, span = Span::mixed_site());
        self.locals.push(name);
        *slot = Some(local.clone());
        let [reader, loaded, id] =
            ["LookupReader", "Loaded", "LookupId"].map(|name| self.paths.rt(name));
        let (returns, number) = (&lookup.returns, lookup_index(self.pipeline, index));
        self.memories.push(Memory {
            local,
            ty: emit!(#reader<<#returns as #loaded>::Key, <#returns as #loaded>::Value>),
            init: emit!(seed.lookup(#id(#number))),
            cfgs: lookup.cfgs.clone(),
            from_seed: true,
        });
    }

    /// Takes the newest snapshot of every lookup, for one batch.
    pub(super) fn take_lookups(&self) -> Vec<TokenStream> {
        let lookups = self.pipeline.lookups.iter().zip(&self.lookup_of);
        lookups
            .filter_map(|(lookup, local)| {
                let (cfgs, local) = (&lookup.cfgs, local.as_ref()?);
                Some(emit!(#(#cfgs)* let #local = #local.current();))
            })
            .collect()
    }

    /// The key that a stage's operator makes of its record.
    fn key(&self, stage: &Stage, value: &Value) -> TokenStream {
        let Some(operator) = &stage.operator else { return TokenStream::new() };
        let span = at(operator.span());
        let record = placed(&value.ident, span);
        let looks = if value.by_ref { record } else { quote_spanned!(span=> &#record) };
        self.call(operator, &looks, "look")
    }

    fn check(&mut self, path: &Path, check: TokenStream) {
        let cfgs = &path.cfgs;
        self.checks.push(emit!(#(#cfgs)* #check));
    }

    fn memory_name(&mut self, stage: &Stage) -> Ident {
        let constant = self.constants.get(stage.node);
        let label = constant.map_or_else(String::new, |name| name.to_string().to_lowercase());
        let mut name = format!("{label}_memory");
        while self.locals.contains(&name) {
            name.push('_');
        }
        self.locals.push(name.clone());
        format_ident!("{}", name, span = Span::mixed_site())
    }
}
