//! What a record is, independent of any format: names, types, and what may be absent.
//!
//! `derive(Record)` implements [`Record`]; a field is a [`FieldType`]. It is to input what the
//! columns of a row are to output: a format that knows the writer's schema before it sees the
//! record compares the two once.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::net::{Ipv4Addr, Ipv6Addr};

use super::row::DataType;

/// What a record or a part of one is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// One value.
    Scalar(DataType),
    /// One character.
    Char,
    /// Fields by name.
    Struct(&'static [Field]),
    /// One of several cases.
    Enum(Tag, &'static [Variant]),
    /// May be null, and absent where it is a field.
    Optional(&'static Self),
    /// Any number of the same; exactly so many, if a number is there.
    List(&'static Self, Option<usize>),
    /// Several, one behind the other.
    Tuple(&'static [Self]),
    /// Values by key.
    Map(&'static Self, &'static Self),
    /// What serde makes of it.
    Opaque,
}

/// A field of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// The name in the input.
    pub name: &'static str,
    /// Other names it may have there.
    pub aliases: &'static [&'static str],
    /// The field's type as written in the source text.
    pub rust_type: &'static str,
    /// What it is.
    pub shape: Shape,
    /// Whether it has a value of its own where the input has none.
    pub default: bool,
}

impl Field {
    /// Whether the value may be null.
    #[must_use]
    pub const fn nullable(&self) -> bool {
        matches!(self.shape, Shape::Optional(_))
    }
}

/// A case of an enum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variant {
    /// The name in the input.
    pub name: &'static str,
    /// Other names it may have there.
    pub aliases: &'static [&'static str],
    /// What stands with it; `None` is the name alone.
    pub shape: Option<Shape>,
}

/// Where the name of an enum's case stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tag {
    /// It is the key of what stands with it, or the value itself.
    Outside,
    /// Under this key, among the fields.
    Inside(&'static str),
    /// Under the first key, beside the second with what stands with it.
    Beside(&'static str, &'static str),
}

/// What a source's format decodes into. Implemented by `#[derive(Record)]`.
pub trait Record: FieldType {
    /// The record type's name, for messages.
    const NAME: &'static str;
}

/// A record, or a part of one.
#[diagnostic::on_unimplemented(
    message = "a record cannot hold `{Self}`",
    label = "this is no record, and no type that records are made of",
    note = "derive it, `#[derive(Deserialize, Record)]`, or leave the field to serde: `#[record(serde)]`"
)]
pub trait FieldType {
    /// What it is.
    const SHAPE: Shape;
}

macro_rules! shapes {
    ($([$($generics:tt)*] $t:ty, $shape:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> FieldType for $t {
            const SHAPE: Shape = $shape;
        }
    )*};
}

shapes! {
    [] bool, Shape::Scalar(DataType::Bool);
    [] u8, Shape::Scalar(DataType::UInt8);
    [] u16, Shape::Scalar(DataType::UInt16);
    [] u32, Shape::Scalar(DataType::UInt32);
    [] u64, Shape::Scalar(DataType::UInt64);
    [] usize, Shape::Scalar(DataType::UInt64);
    [] u128, Shape::Scalar(DataType::UInt128);
    [] i8, Shape::Scalar(DataType::Int8);
    [] i16, Shape::Scalar(DataType::Int16);
    [] i32, Shape::Scalar(DataType::Int32);
    [] i64, Shape::Scalar(DataType::Int64);
    [] isize, Shape::Scalar(DataType::Int64);
    [] i128, Shape::Scalar(DataType::Int128);
    [] f32, Shape::Scalar(DataType::Float32);
    [] f64, Shape::Scalar(DataType::Float64);
    [] char, Shape::Char;
    [] str, Shape::Scalar(DataType::String);
    [] String, Shape::Scalar(DataType::String);
    [] Ipv4Addr, Shape::Scalar(DataType::Ipv4);
    [] Ipv6Addr, Shape::Scalar(DataType::Ipv6);
    [T: FieldType + ?Sized] &T, T::SHAPE;
    [T: FieldType + ToOwned + ?Sized] Cow<'_, T>, T::SHAPE;
    [T: FieldType + ?Sized] Box<T>, T::SHAPE;
    [T: FieldType] Option<T>, Shape::Optional(&T::SHAPE);
    [T: FieldType] [T], Shape::List(&T::SHAPE, None);
    [T: FieldType] Vec<T>, Shape::List(&T::SHAPE, None);
    [T: FieldType] VecDeque<T>, Shape::List(&T::SHAPE, None);
    [T: FieldType] BTreeSet<T>, Shape::List(&T::SHAPE, None);
    [T: FieldType, S] HashSet<T, S>, Shape::List(&T::SHAPE, None);
    [T: FieldType, const N: usize] [T; N], Shape::List(&T::SHAPE, Some(N));
    [K: FieldType, V: FieldType] BTreeMap<K, V>, Shape::Map(&K::SHAPE, &V::SHAPE);
    [K: FieldType, V: FieldType, S] HashMap<K, V, S>, Shape::Map(&K::SHAPE, &V::SHAPE);
    [A: FieldType] (A,), Shape::Tuple(&[A::SHAPE]);
    [A: FieldType, B: FieldType] (A, B), Shape::Tuple(&[A::SHAPE, B::SHAPE]);
    [A: FieldType, B: FieldType, C: FieldType] (A, B, C),
        Shape::Tuple(&[A::SHAPE, B::SHAPE, C::SHAPE]);
    [A: FieldType, B: FieldType, C: FieldType, D: FieldType] (A, B, C, D),
        Shape::Tuple(&[A::SHAPE, B::SHAPE, C::SHAPE, D::SHAPE]);
}
