//! The JSON decoder: straight through the record in declared order, then key by key.
//!
//! Nothing that could be a function of `spate_json::scan` is written out here; what is generated
//! is the order of calls, and the constants they compare with.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote_spanned};
use syn::{GenericParam, Generics, WherePredicate, parse_quote};

use super::attrs::{Fallback, Reader};
use super::model::{Body, Field, Fields, Kind, Tag, Type, Variant};
use crate::codegen::paths::{Paths, at, emit, for_good};
use crate::names::{self, Names};

/// `generics` with `'de`, which outlives what they borrow.
pub(super) fn with_de(generics: &Generics) -> Generics {
    let mut with_de = generics.clone();
    let outlived = generics.lifetimes().map(|param| &param.lifetime);
    let de: GenericParam = parse_quote!('de: #(#outlived)+*);
    with_de.params.insert(0, de);
    with_de
}

/// What generated code calls, and what it is written for.
struct Json<'a> {
    paths: &'a Paths,
    ty: &'a Type,
}

/// Implements `Scan`, and `Fields` for a struct with named ones.
pub(super) fn implement(ty: &Type, paths: &Paths) -> TokenStream {
    let json = Json { paths, ty };
    let ident = &ty.ident;
    let generics = with_de(&ty.generics);
    let (impl_generics, ..) = generics.split_for_impl();
    let (_, type_generics, where_clause) = ty.generics.split_for_impl();
    let [scan, scanned] = ["Scan", "Scanned"].map(|name| json.item(name));
    let parts = if ty.opaque {
        Parts::surprise()
    } else {
        match &ty.body {
            Body::Struct(fields) if fields.kind == Kind::Named => json.named_struct(fields),
            Body::Struct(fields) => json.tuple_struct(fields),
            Body::Inside { fields, transparent } => json.inside(fields, *transparent),
            Body::Enum { tag, variants } => json.of_enum(tag, variants),
        }
    };
    let Parts { plan, buffered, scan: body, missing, fields } = parts;
    let plan = json.plan_type(&plan);
    let (plan_ident, plan_generics) = (&plan.ident, &plan.generics);
    let fields = fields.map(|beside_tag| {
        let fields = json.item("Fields");
        emit! {
            #[automatically_derived]
            impl #impl_generics #fields<'de> for #ident #type_generics #where_clause {
                #[inline]
                fn beside_tag(
                    tag: &str,
                    rest: &'de str,
                    plan: &mut Self::Plan,
                ) -> #scanned<'de, Self> {
                    let plan = &mut plan.0;
                    #beside_tag
                }
            }
        }
    });
    let declared = &plan.declared;
    emit! {
        const _: () = {
            #declared

            #[automatically_derived]
            impl #impl_generics #scan<'de> for #ident #type_generics #where_clause {
                type Plan = #plan_ident #plan_generics;
                const BUFFERED: bool = #buffered;

                #[inline]
                fn scan(rest: &'de str, plan: &mut Self::Plan) -> #scanned<'de, Self> {
                    let plan = &mut plan.0;
                    #body
                }

                #missing
            }
            #fields
        };
    }
}

/// The plan as a type of its own.
struct PlanType {
    ident: Ident,
    generics: TokenStream,
    declared: TokenStream,
}

/// What an implementation is put together of.
struct Parts {
    plan: TokenStream,
    buffered: TokenStream,
    scan: TokenStream,
    missing: Option<TokenStream>,
    fields: Option<TokenStream>,
}

impl Parts {
    /// Everything is left to serde.
    fn surprise() -> Self {
        Self {
            plan: emit!(()),
            buffered: emit!(false),
            scan: emit! {
                let _ = (rest, plan);
                ::core::option::Option::None
            },
            missing: None,
            fields: None,
        }
    }
}

/// The plans of several parts: a tree of tuples, since long tuples have no `Default`.
struct Plans {
    ty: TokenStream,
    /// Behind `plan`, to each part's.
    paths: Vec<TokenStream>,
}

const BRANCHES: usize = 8;

impl Plans {
    fn of(mut parts: Vec<TokenStream>) -> Self {
        let mut paths = vec![TokenStream::new(); parts.len()];
        let mut width = 1;
        while width == 1 || parts.len() > 1 {
            for (index, path) in paths.iter_mut().enumerate() {
                let branch = Literal::usize_unsuffixed(index / width % BRANCHES);
                *path = emit!(. #branch #path);
            }
            parts = parts
                .chunks(BRANCHES)
                .map(|parts| emit!((#(#parts,)*)))
                .collect();
            width *= BRANCHES;
        }
        let ty = parts.pop().unwrap_or_else(|| emit!(()));
        Self { ty, paths }
    }
}

impl Json<'_> {
    /// An item of `spate_json::scan`.
    fn item(&self, name: &str) -> TokenStream {
        let (krate, name) = (&self.paths.krate, format_ident!("{}", name));
        emit!(#krate::__private::json::#name)
    }

    /// The plan as a type that shows nothing of what it is made of: the fields' types may be less
    /// public than the record is.
    fn plan_type(&self, plan: &TokenStream) -> PlanType {
        let mut generics = Generics::default();
        let params = self.ty.generics.params.iter();
        generics.params = params
            .filter(|param| matches!(param, GenericParam::Const(_)))
            .cloned()
            .collect();
        if let Some(clause) = &self.ty.generics.where_clause {
            let types = clause.predicates.iter();
            let types = types.filter(|predicate| matches!(predicate, WherePredicate::Type(_)));
            generics.make_where_clause().predicates = types.cloned().collect();
        }
        let mut taken = BTreeSet::new();
        names::collect(self.ty.tokens.clone(), &mut taken);
        let ident = Names::beside(taken).ident("Plan");
        let plan = for_good(plan.clone());
        let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
        let where_clause = for_good(where_clause.to_token_stream());
        let declared = emit! {
            /// What is remembered from record to record.
            pub struct #ident #impl_generics (#plan, ()) #where_clause;

            #[automatically_derived]
            impl #impl_generics ::core::default::Default for #ident #type_generics #where_clause {
                fn default() -> Self {
                    Self(::core::default::Default::default(), ())
                }
            }
        };
        PlanType { declared, generics: type_generics.to_token_stream(), ident }
    }

    fn plan_of(&self, field: &Field) -> TokenStream {
        match field.reader {
            Reader::Scanner => {
                let (ty, scan) = (&field.ty, self.item("Scan"));
                let span = at(crate::ast::first_span(ty));
                quote_spanned!(span=> <#ty as #scan<'de>>::Plan)
            }
            Reader::Serde | Reader::Function(_) => emit!(()),
        }
    }

    fn buffered(&self, fields: &Fields) -> TokenStream {
        let scan = self.item("Scan");
        let each = fields.read().map(|field| match field.reader {
            Reader::Scanner => {
                let ty = &field.ty;
                let span = at(crate::ast::first_span(ty));
                quote_spanned!(span=> <#ty as #scan<'de>>::BUFFERED)
            }
            Reader::Serde | Reader::Function(_) => emit!(false),
        });
        emit!(true #(&& #each)*)
    }

    /// Reads a field's value at `rest`; `plan` is an expression for the place of its plan.
    fn value(&self, field: &Field, rest: &TokenStream, plan: &TokenStream) -> TokenStream {
        let ty = &field.ty;
        match &field.reader {
            Reader::Scanner => {
                let scan = self.item("Scan");
                let span = at(crate::ast::first_span(ty));
                quote_spanned!(span=> <#ty as #scan<'de>>::scan(#rest, &mut #plan))
            }
            Reader::Serde => {
                let serde = self.item("serde");
                emit!(#serde::<#ty>(#rest))
            }
            Reader::Function(function) => {
                let by = self.item("by");
                emit!(#by(#rest, |decoder| #function(decoder)))
            }
        }
    }

    fn named_struct(&self, fields: &Fields) -> Parts {
        let ident = &self.ty.ident;
        let path = emit!(#ident);
        let (_, type_generics, _) = self.ty.generics.split_for_impl();
        let of = emit!(#ident #type_generics);
        let plans = Plans::of(fields.read().map(|field| self.plan_of(field)).collect());
        let plan = self.plan(fields, &plans);
        let buffered = self.buffered(fields);
        let keyed = self.keyed(fields, &plans, &path, &of);
        let scan = self.object(fields, &plans, &path);
        Parts {
            plan,
            buffered,
            scan: emit!(#keyed #scan),
            missing: None,
            fields: Some(self.beside(&keyed, &self.buffered(fields))),
        }
    }

    /// The plan of named fields.
    fn plan(&self, fields: &Fields, plans: &Plans) -> TokenStream {
        let (keys, ty) = (self.item("Keys"), &plans.ty);
        let places = Literal::usize_unsuffixed(fields.read().count() + 1);
        emit!((#keys<#places>, #ty))
    }

    /// Reads an object with these fields: straight, if that may do, else by `keyed`.
    fn object(&self, fields: &Fields, plans: &Plans, path: &TokenStream) -> TokenStream {
        let [open, keys] = ["open", "Keys"].map(|name| self.item(name));
        let keyed = emit! {
            |rest, plan| {
                let (another, rest) = #open(rest, ['{', '}'])?;
                keyed(rest, another, plan, ::core::option::Option::None)
            }
        };
        if fields.read().any(|field| is_escaped(&field.names.name)) {
            return emit!((#keyed)(rest, plan));
        }
        let straight = self.straight(fields, plans, path);
        emit!(#keys::read(plan, rest, |rest, plan| { #straight }, #keyed))
    }

    /// Declared order, no blanks, every key.
    fn straight(&self, fields: &Fields, plans: &Plans, path: &TokenStream) -> TokenStream {
        let literal = self.item("literal");
        let mut steps = TokenStream::new();
        let mut before = "{".to_owned();
        let mut locals = Vec::new();
        for (number, (field, plan)) in fields.read().zip(&plans.paths).enumerate() {
            let key = format!("{before}\"{}\":", field.names.name);
            let local = local(number);
            let value = self.value(field, &emit!(rest), &emit!(plan #plan));
            steps.extend(emit! {
                let rest = #literal(rest, #key)?;
                let (#local, rest) = #value?;
            });
            before = ",".to_owned();
            locals.push(emit!(#local));
        }
        let end = if locals.is_empty() { "{}" } else { "}" };
        let made = make(fields, path, &locals);
        emit! {
            #steps
            let rest = #literal(rest, #end)?;
            ::core::option::Option::Some((#made, rest))
        }
    }

    /// The function `keyed`: any order, blanks, unknown keys, keys left out.
    ///
    /// It begins behind the opening brace; with a tag it is beside one, and unknown keys are a
    /// surprise.
    fn keyed(
        &self,
        fields: &Fields,
        plans: &Plans,
        path: &TokenStream,
        of: &TokenStream,
    ) -> TokenStream {
        let [scanned, skip, more, unknown, scan, absent] =
            ["Scanned", "skip", "more", "UNKNOWN", "Scan", "absent"].map(|name| self.item(name));
        let generics = with_de(&self.ty.generics);
        let (generics, ..) = generics.split_for_impl();
        let where_clause = &self.ty.generics.where_clause;
        let plan_type = for_good(self.plan(fields, plans));
        let mut names = TokenStream::new();
        for (number, field) in fields.read().enumerate() {
            let number = Literal::usize_unsuffixed(number);
            names.extend(name(&field.names.name, &number));
        }
        for (number, field) in fields.read().enumerate() {
            let number = Literal::usize_unsuffixed(number);
            names.extend(field.names.aliases.iter().map(|alias| name(alias, &number)));
        }
        let locals: Vec<Ident> = (0..fields.read().count()).map(local).collect();
        let types = fields.read().map(|field| &field.ty);
        let arms = fields
            .read()
            .zip(&plans.paths)
            .enumerate()
            .map(|(number, (field, plan))| {
                let (local, number) = (local(number), Literal::usize_unsuffixed(number));
                let value = self.value(field, &emit!(value), &emit!(plan.1 #plan));
                emit! {
                    #number => {
                        if #local.is_some() {
                            return ::core::option::Option::None;
                        }
                        let (value, after) = #value?;
                        #local = ::core::option::Option::Some(value);
                        after
                    }
                }
            });
        let deny = fields.deny_unknown;
        let values: Vec<TokenStream> = fields
            .read()
            .enumerate()
            .map(|(number, field)| {
                let (local, member, ty) = (local(number), &field.member, &field.ty);
                let instead = match (&field.default, &fields.default, &field.reader) {
                    (Some(fallback), ..) => call(fallback),
                    (None, Some(_), _) => emit!(base.#member),
                    (None, None, Reader::Scanner) => emit!(<#ty as #scan<'de>>::missing()?),
                    (None, None, Reader::Serde) => emit!(#absent::<#ty>()?),
                    (None, None, Reader::Function(_)) => emit!(return ::core::option::Option::None),
                };
                emit! {
                    match #local {
                        ::core::option::Option::Some(value) => value,
                        ::core::option::Option::None => #instead,
                    }
                }
            })
            .collect();
        let made = make(fields, path, &values);
        let places = if locals.is_empty() { emit!() } else { emit!(place = field + 1;) };
        emit! {
            #[inline(never)]
            fn keyed #generics (
                mut rest: &'de str,
                mut another: bool,
                plan: &mut #plan_type,
                tag: ::core::option::Option<&str>,
            ) -> #scanned<'de, #of> #where_clause {
                const NAMES: &[(&str, usize)] = &[#names];
                if let ::core::option::Option::Some(tag) = tag {
                    if NAMES.iter().any(|(name, _)| *name == tag) {
                        return ::core::option::Option::None;
                    }
                }
                #(let mut #locals: ::core::option::Option<#types> = ::core::option::Option::None;)*
                let mut place = 0_usize;
                while another {
                    let (field, value) = plan.0.find(place, rest, NAMES)?;
                    let after = match field {
                        #(#arms)*
                        _ if #deny || tag.is_some() => return ::core::option::Option::None,
                        _ => #skip(value)?,
                    };
                    if field != #unknown {
                        #places
                    }
                    (another, rest) = #more(after, '}')?;
                }
                let _ = place;
                ::core::option::Option::Some((#made, rest))
            }
        }
    }

    /// The body of `beside_tag`.
    fn beside(&self, keyed: &TokenStream, buffered: &TokenStream) -> TokenStream {
        let more = self.item("more");
        emit! {
            #keyed
            if !(#buffered) {
                return ::core::option::Option::None;
            }
            let (another, rest) = #more(rest, '}')?;
            keyed(rest, another, plan, ::core::option::Option::Some(tag))
        }
    }

    /// Fields without names, in brackets, read into `path`; behind the last one `rest` goes on.
    fn tuple(&self, fields: &Fields, plans: &Plans, path: &TokenStream) -> TokenStream {
        let [blanks, literal, item, close] =
            ["blanks", "literal", "item", "close"].map(|name| self.item(name));
        let mut steps = TokenStream::new();
        let mut locals = Vec::new();
        for (number, (field, plan)) in fields.read().zip(&plans.paths).enumerate() {
            let (local, number) = (local(number), Literal::usize_unsuffixed(number));
            let value = self.value(field, &emit!(#item(rest, #number)?), &emit!(plan #plan));
            steps.extend(emit!(let (#local, rest) = #value?;));
            locals.push(emit!(#local));
        }
        let made = make(fields, path, &locals);
        emit! {
            let rest = #blanks(#literal(rest, "[")?);
            #steps
            let rest = #close(rest, ']')?;
            (#made, rest)
        }
    }

    fn tuple_struct(&self, fields: &Fields) -> Parts {
        let ident = &self.ty.ident;
        if fields.kind == Kind::Unit {
            let literal = self.item("literal");
            return Parts {
                plan: emit!(()),
                buffered: emit!(true),
                scan: emit! {
                    let () = plan;
                    ::core::option::Option::Some((#ident, #literal(rest, "null")?))
                },
                missing: None,
                fields: None,
            };
        }
        let plans = Plans::of(fields.read().map(|field| self.plan_of(field)).collect());
        let tuple = self.tuple(fields, &plans, &emit!(#ident));
        Parts {
            plan: plans.ty,
            buffered: self.buffered(fields),
            scan: emit!(::core::option::Option::Some({ #tuple })),
            missing: None,
            fields: None,
        }
    }

    /// A struct that is what its field is.
    fn inside(&self, fields: &Fields, transparent: bool) -> Parts {
        let ident = &self.ty.ident;
        let Some(field) = fields.read().next() else { return Parts::surprise() };
        let value = self.value(field, &emit!(rest), &emit!(*plan));
        let made = make(fields, &emit!(#ident), &[emit!(value)]);
        let (ty, scan) = (&field.ty, self.item("Scan"));
        let missing = (transparent && matches!(field.reader, Reader::Scanner)).then(|| {
            let made = make(fields, &emit!(#ident), &[emit!(<#ty as #scan<'de>>::missing()?)]);
            emit! {
                fn missing() -> ::core::option::Option<Self> {
                    ::core::option::Option::Some(#made)
                }
            }
        });
        Parts {
            plan: self.plan_of(field),
            buffered: self.buffered(fields),
            scan: emit! {
                let (value, rest) = #value?;
                ::core::option::Option::Some((#made, rest))
            },
            missing,
            fields: None,
        }
    }

    fn of_enum(&self, tag: &Tag, variants: &[Variant]) -> Parts {
        let plans = Plans::of(
            variants
                .iter()
                .map(|variant| self.plan_of_variant(variant))
                .collect(),
        );
        let buffered: Vec<TokenStream> = variants
            .iter()
            .map(|variant| self.buffered(&variant.fields))
            .collect();
        let scan = match tag {
            Tag::Outside => self.tagged_outside(variants, &plans),
            Tag::Inside(tag) => self.tagged_inside(tag, variants, &plans),
            Tag::Beside(tag, content) => self.tagged_beside(tag, content, variants, &plans),
        };
        Parts {
            plan: plans.ty,
            buffered: emit!(true #(&& (#buffered))*),
            scan,
            missing: None,
            fields: None,
        }
    }

    fn plan_of_variant(&self, variant: &Variant) -> TokenStream {
        let fields = &variant.fields;
        let plans = Plans::of(fields.read().map(|field| self.plan_of(field)).collect());
        match fields.kind {
            Kind::Unit => emit!(()),
            Kind::Tuple => plans.ty,
            Kind::Named => self.plan(fields, &plans),
        }
    }

    /// The arm of a variant's names, with `body` behind it.
    fn arm(&self, variant: &Variant, body: &TokenStream) -> TokenStream {
        let (name, aliases) = (&variant.names.name, &variant.names.aliases);
        emit!(#name #(| #aliases)* => #body,)
    }

    /// Units by their names; the last arm is `other`, or nothing.
    fn units(&self, variants: &[Variant], tail: &TokenStream) -> TokenStream {
        let arms = variants
            .iter()
            .filter(|variant| variant.fields.kind == Kind::Unit && !variant.other)
            .map(|variant| {
                let ident = &variant.ident;
                self.arm(variant, &emit!(::core::option::Option::Some((Self::#ident, rest))))
            });
        let other = variants
            .iter()
            .find(|variant| variant.other)
            .map(|variant| {
                let ident = &variant.ident;
                emit!(_ => ::core::option::Option::Some((Self::#ident, rest)),)
            });
        let last = other.unwrap_or_else(|| emit!(_ => ::core::option::Option::None,));
        emit! {
            match name {
                #(#arms)*
                #tail
                #last
            }
        }
    }

    /// What stands with a variant, at `rest`: an expression of `Option<(Self, &str)>`.
    fn content(&self, variant: &Variant, plan: &TokenStream) -> TokenStream {
        let (fields, ident) = (&variant.fields, &variant.ident);
        let path = emit!(Self::#ident);
        let plans = Plans::of(fields.read().map(|field| self.plan_of(field)).collect());
        match (fields.kind, fields.all.as_slice()) {
            (Kind::Tuple, [field]) if !field.skip => {
                let to = plans.paths.first().cloned().unwrap_or_default();
                let value = self.value(field, &emit!(rest), &emit!(plan #plan #to));
                emit!(#value.map(|(value, rest)| (#path(value), rest)))
            }
            (Kind::Tuple, _) => {
                let tuple = self.tuple(fields, &plans, &path);
                emit! {{
                    let plan = &mut plan #plan;
                    ::core::option::Option::Some({ #tuple })
                }}
            }
            (Kind::Named, _) => {
                let ty = &self.ty.ident;
                let (_, type_generics, _) = self.ty.generics.split_for_impl();
                let of = emit!(#ty #type_generics);
                let keyed = self.keyed(fields, &plans, &emit!(#ty::#ident), &of);
                let object = self.object(fields, &plans, &path);
                emit! {{
                    #keyed
                    let plan = &mut plan #plan;
                    #object
                }}
            }
            (Kind::Unit, _) => emit!(::core::option::Option::None),
        }
    }

    fn tagged_outside(&self, variants: &[Variant], plans: &Plans) -> TokenStream {
        let [text, enter, key, close] =
            ["text", "enter", "key", "close"].map(|name| self.item(name));
        let units = self.units(variants, &emit!());
        let arms = variants
            .iter()
            .zip(&plans.paths)
            .filter(|(variant, _)| variant.fields.kind != Kind::Unit)
            .map(|(variant, plan)| {
                let content = self.content(variant, plan);
                self.arm(variant, &emit!({ #content }))
            });
        emit! {
            let _ = &plan;
            if let ::core::option::Option::Some((name, rest)) = #text(rest) {
                return #units;
            }
            let rest = #enter(rest, ['{', '}'])?;
            let (name, rest) = #key(rest)?;
            let read: ::core::option::Option<(Self, &'de str)> = match name {
                #(#arms)*
                _ => ::core::option::Option::None,
            };
            let (value, rest) = read?;
            ::core::option::Option::Some((value, #close(rest, '}')?))
        }
    }

    fn tagged_inside(&self, tag: &str, variants: &[Variant], plans: &Plans) -> TokenStream {
        let [text, enter, key_is, close, fields] =
            ["text", "enter", "key_is", "close", "Fields"].map(|name| self.item(name));
        let arms = variants
            .iter()
            .zip(&plans.paths)
            .filter(|(variant, _)| variant.fields.kind != Kind::Unit)
            .map(|(variant, plan)| {
                let ident = &variant.ident;
                let own = Plans::of(
                    variant
                        .fields
                        .read()
                        .map(|field| self.plan_of(field))
                        .collect(),
                );
                let body = match (variant.fields.kind, variant.fields.all.as_slice()) {
                    (Kind::Tuple, [field]) if matches!(field.reader, Reader::Scanner) => {
                        let ty = &field.ty;
                        let to = own.paths.first().cloned().unwrap_or_default();
                        let span = at(crate::ast::first_span(ty));
                        let read = quote_spanned! {span=>
                            <#ty as #fields<'de>>::beside_tag(#tag, rest, &mut plan #plan #to)
                        };
                        emit!(#read.map(|(value, rest)| (Self::#ident(value), rest)))
                    }
                    (Kind::Named, _) => {
                        let ty = &self.ty.ident;
                        let (_, type_generics, _) = self.ty.generics.split_for_impl();
                        let path = emit!(#ty::#ident);
                        let of = emit!(#ty #type_generics);
                        let keyed = self.keyed(&variant.fields, &own, &path, &of);
                        let buffered = self.buffered(&variant.fields);
                        let beside = self.beside(&keyed, &buffered);
                        emit! {{
                            let (plan, tag) = (&mut plan #plan, #tag);
                            #beside
                        }}
                    }
                    _ => emit!(::core::option::Option::None),
                };
                self.arm(variant, &emit!({ return #body; }))
            });
        let units = self.units(variants, &emit!(#(#arms)*));
        emit! {
            let _ = &plan;
            let rest = #enter(rest, ['{', '}'])?;
            let (name, rest) = #text(#key_is(rest, #tag)?)?;
            let (value, rest): (Self, _) = #units?;
            ::core::option::Option::Some((value, #close(rest, '}')?))
        }
    }

    fn tagged_beside(
        &self,
        tag: &str,
        content: &str,
        variants: &[Variant],
        plans: &Plans,
    ) -> TokenStream {
        let [text, enter, key_is, close, blanks, literal] =
            ["text", "enter", "key_is", "close", "blanks", "literal"].map(|name| self.item(name));
        let arms = variants
            .iter()
            .zip(&plans.paths)
            .filter(|(variant, _)| variant.fields.kind != Kind::Unit)
            .map(|(variant, plan)| {
                let inside = self.content(variant, plan);
                self.arm(
                    variant,
                    &emit! {{
                        let rest = #blanks(#literal(#blanks(rest), ",")?);
                        let rest = #key_is(rest, #content)?;
                        #inside
                    }},
                )
            });
        let units = self.units(variants, &emit!(#(#arms)*));
        emit! {
            let _ = &plan;
            let rest = #enter(rest, ['{', '}'])?;
            let (name, rest) = #text(#key_is(rest, #tag)?)?;
            let (value, rest): (Self, _) = #units?;
            ::core::option::Option::Some((value, #close(rest, '}')?))
        }
    }
}

/// The variable of a field's value.
fn local(number: usize) -> Ident {
    Ident::new(&format!("value_{number}"), Span::mixed_site())
}

/// Whether JSON must escape a key.
fn is_escaped(key: &str) -> bool {
    key.chars()
        .any(|char| matches!(char, '"' | '\\' | ..='\x1f'))
}

/// An entry in the table of names; a key with escapes is a surprise wherever it is met.
fn name(name: &str, field: &Literal) -> TokenStream {
    if is_escaped(name) { TokenStream::new() } else { emit!((#name, #field),) }
}

fn call(fallback: &Fallback) -> TokenStream {
    match fallback {
        Fallback::Default => emit!(::core::default::Default::default()),
        Fallback::Call(path) => emit!(#path()),
    }
}

/// The whole of `fields`, of `values` for those the input has.
fn make(fields: &Fields, path: &TokenStream, values: &[TokenStream]) -> TokenStream {
    let mut values = values.iter();
    let mut needs_base = fields.default.is_some() && fields.all.iter().any(|field| field.skip);
    let each: Vec<TokenStream> = fields
        .all
        .iter()
        .map(|field| {
            let member = &field.member;
            let value = match (field.skip, &field.default, &fields.default) {
                (false, ..) => values.next().cloned().unwrap_or_default(),
                (true, Some(fallback), _) => call(fallback),
                (true, None, Some(_)) => emit!(base.#member),
                (true, None, None) => emit!(::core::default::Default::default()),
            };
            emit!(#member: #value)
        })
        .collect();
    needs_base |= each
        .iter()
        .any(|value| crate::text::of(value).contains("base."));
    let base = fields
        .default
        .as_ref()
        .filter(|_| needs_base)
        .map(|fallback| {
            let call = call(fallback);
            emit!(let base: #path = #call;)
        });
    if fields.kind == Kind::Unit {
        return emit!(#path);
    }
    emit!({ #base #path { #(#each),* } })
}
