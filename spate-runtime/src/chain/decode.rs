//! [`DecodeValue`] for every type that is a column: the inverse of its `Value`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::captured::{DecodeError, DecodeValue, RowReader, Token};
use super::decimal::Decimal;
use super::int256::{Int256, UInt256};
use super::time::{Date, Date32, DateTime, DateTime64};
use super::types::{Bytes, FixedBytes, Map, Uuid};
use super::value::LowCardinality;

macro_rules! decoded {
    ($($t:ty, $name:literal, $token:pat => $value:expr;)*) => {$(
        impl<'de> DecodeValue<'de> for $t {
            fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
                match reader.token()? {
                    $token => Ok($value),
                    other => Err(DecodeError::wanted($name, &other)),
                }
            }
        }
    )*};
}

decoded! {
    bool, "a bool", Token::Bool(v) => v;
    u8, "a u8", Token::U8(v) => v;
    u16, "a u16", Token::U16(v) => v;
    u32, "a u32", Token::U32(v) => v;
    u64, "a u64", Token::U64(v) => v;
    u128, "a u128", Token::U128(v) => v;
    i8, "an i8", Token::I8(v) => v;
    i16, "an i16", Token::I16(v) => v;
    i32, "an i32", Token::I32(v) => v;
    i64, "an i64", Token::I64(v) => v;
    i128, "an i128", Token::I128(v) => v;
    f32, "an f32", Token::F32(v) => v;
    f64, "an f64", Token::F64(v) => v;
    Int256, "an Int256", Token::I256(v) => v;
    UInt256, "a UInt256", Token::U256(v) => v;
    String, "a text", Token::Str(v) => v.to_owned();
    Box<str>, "a text", Token::Str(v) => v.into();
    Uuid, "a Uuid", Token::Uuid(v) => Self(v);
    Ipv4Addr, "an Ipv4Addr", Token::Ipv4(v) => v;
    Ipv6Addr, "an Ipv6Addr", Token::Ipv6(v) => v;
    Date, "a Date", Token::Date(v) => Self::from_days(v);
    Date32, "a Date32", Token::Date32(v) => Self::from_days(v);
    DateTime, "a DateTime", Token::DateTime(v) => Self::from_unix_seconds(v);
}

impl<'de: 'a, 'a> DecodeValue<'de> for &'a str {
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        match reader.token()? {
            Token::Str(v) => Ok(v),
            other => Err(DecodeError::wanted("a text", &other)),
        }
    }
}

impl<'de: 'a, 'a> DecodeValue<'de> for Bytes<'a> {
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        match reader.token()? {
            Token::Bytes(v) => Ok(Self(v)),
            other => Err(DecodeError::wanted("bytes", &other)),
        }
    }
}

impl<'de: 'a, 'a> DecodeValue<'de> for Cow<'a, str> {
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        <&str>::decode(reader).map(Cow::Borrowed)
    }
}

impl<'de, T: DecodeValue<'de> + Clone> DecodeValue<'de> for Cow<'_, [T]> {
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        Vec::decode(reader).map(Cow::Owned)
    }
}

impl<'de, const N: usize> DecodeValue<'de> for FixedBytes<N> {
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        match reader.token()? {
            Token::Fixed(v) if v.len() == N => {
                let mut bytes = [0; N];
                bytes.copy_from_slice(v);
                Ok(Self(bytes))
            }
            other => Err(DecodeError::wanted("fixed bytes", &other)),
        }
    }
}

impl<'de, const S: u8> DecodeValue<'de> for DateTime64<S> {
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        match reader.token()? {
            Token::DateTime64(ticks, scale) if scale == S => Ok(Self::from_ticks(ticks)),
            other => Err(DecodeError::wanted("a DateTime64 of its scale", &other)),
        }
    }
}

impl<'de, const P: u8, const S: u8> DecodeValue<'de> for Decimal<P, S> {
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        match reader.token()? {
            Token::Decimal(unscaled, _, scale) if scale == S => Ok(Self::from_unscaled(unscaled)),
            other => Err(DecodeError::wanted("a Decimal of its scale", &other)),
        }
    }
}

impl<'de, T: DecodeValue<'de>> DecodeValue<'de> for Option<T> {
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        match reader.token()? {
            Token::None => Ok(None),
            Token::Some => T::decode(reader).map(Some),
            other => Err(DecodeError::wanted("a nullable value", &other)),
        }
    }
}

impl<'de, T: DecodeValue<'de>> DecodeValue<'de> for Box<T> {
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        T::decode(reader).map(Self::new)
    }
}

impl<'de, T: DecodeValue<'de>> DecodeValue<'de> for LowCardinality<T> {
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        T::decode(reader).map(Self)
    }
}

impl<'de, T: DecodeValue<'de>> DecodeValue<'de> for Vec<T> {
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        match reader.token()? {
            Token::Array(len) => (0..len).map(|_| T::decode(reader)).collect(),
            other => Err(DecodeError::wanted("an array", &other)),
        }
    }
}

impl<'de, T: DecodeValue<'de>, const N: usize> DecodeValue<'de> for [T; N] {
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        let values = Vec::decode(reader)?;
        let len = Token::Array(values.len());
        let wrong = |_: Vec<T>| DecodeError::wanted("an array of its length", &len);
        values.try_into().map_err(wrong)
    }
}

fn pairs<'de, K, V, C>(reader: &mut RowReader<'de>) -> Result<C, DecodeError>
where
    K: DecodeValue<'de>,
    V: DecodeValue<'de>,
    C: FromIterator<(K, V)>,
{
    match reader.token()? {
        Token::Map(len) => (0..len)
            .map(|_| Ok((K::decode(reader)?, V::decode(reader)?)))
            .collect(),
        other => Err(DecodeError::wanted("a map", &other)),
    }
}

impl<'de, K: DecodeValue<'de> + Ord, V: DecodeValue<'de>> DecodeValue<'de> for BTreeMap<K, V> {
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        pairs(reader)
    }
}

impl<'de, K: DecodeValue<'de>, V: DecodeValue<'de>> DecodeValue<'de> for Map<Vec<(K, V)>> {
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        pairs(reader).map(Map)
    }
}

macro_rules! tuples {
    ($(($len:literal: $($t:ident),+))*) => {$(
        impl<'de, $($t: DecodeValue<'de>),+> DecodeValue<'de> for ($($t,)+) {
            fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
                match reader.token()? {
                    Token::Tuple($len) => Ok(($($t::decode(reader)?,)+)),
                    other => Err(DecodeError::wanted("a tuple of its length", &other)),
                }
            }
        }
    )*};
}

tuples! {
    (1: A)
    (2: A, B)
    (3: A, B, C)
    (4: A, B, C, D)
    (5: A, B, C, D, E)
    (6: A, B, C, D, E, F)
    (7: A, B, C, D, E, F, G)
    (8: A, B, C, D, E, F, G, H)
}
