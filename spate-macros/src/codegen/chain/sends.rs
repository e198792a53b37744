//! What the user's types keep for a lane is `Send`: asked for at the user's token.
//!
//! A state moves with its lane. That its struct is not `Send` would be told at the generated
//! struct, from the inside out; a coercion of each field tells it at the field's type. It stands
//! in a constant that the generated struct's type depends on, so that rustc, having told it once,
//! says no more of the struct.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};

use crate::ast::{cfgs, first_span};
use crate::codegen::paths::{Paths, emit, without_self};
use crate::model::State;

/// The type of a state in its chain's struct; its fields are looked at one by one.
pub(super) fn state(state: &State, paths: &Paths) -> TokenStream {
    let name = state.ident.to_token_stream();
    let fields = state.item.fields.iter().map(|field| {
        let ty = without_self(field.ty.to_token_stream(), &name);
        (cfgs(&field.attrs), asked(&ty, paths))
    });
    let asked: TokenStream = fields
        .map(|(cfgs, asked)| emit!(#(#cfgs)* #asked))
        .collect();
    if asked.is_empty() { name } else { known(&name, &asked, paths) }
}

/// The type of an `apply`'s operator in its chain's struct.
pub(super) fn operator(ty: &impl ToTokens, paths: &Paths) -> TokenStream {
    let ty = ty.to_token_stream();
    known(&ty, &asked(&ty, paths), paths)
}

/// `ty`, once what was `asked` is true.
fn known(ty: &TokenStream, asked: &TokenStream, paths: &Paths) -> TokenStream {
    let [moved, moves] = ["Moved", "Moves"].map(|name| paths.rt(name));
    emit!(<#moved<#ty, { #asked true }> as #moves>::State)
}

fn asked(ty: &TokenStream, paths: &Paths) -> TokenStream {
    let (as_send, same) = (paths.rt("AsSend"), quote_spanned!(first_span(ty)=> same));
    emit!(let _: #as_send<'_, #ty> = |#same| #same;)
}
