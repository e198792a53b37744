//! [`Value`] for the types of the standard library, and `LowCardinality`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::row::{DataType, EncodeError, Value, ValueEncoder};

macro_rules! scalars {
    ($($t:ty, $data_type:ident, $method:ident, $bound:expr;)*) => {$(
        impl Value for $t {
            const DATA_TYPE: DataType = DataType::$data_type;

            #[inline]
            fn binary_bound(&self) -> usize {
                $bound
            }

            #[inline]
            fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
                encoder.$method(*self)
            }
        }
    )*};
}

scalars! {
    bool, Bool, bool, 1;
    u8, UInt8, u8, 1;
    u16, UInt16, u16, 2;
    u32, UInt32, u32, 4;
    u64, UInt64, u64, 8;
    u128, UInt128, u128, 16;
    i8, Int8, i8, 1;
    i16, Int16, i16, 2;
    i32, Int32, i32, 4;
    i64, Int64, i64, 8;
    i128, Int128, i128, 16;
    f32, Float32, f32, 4;
    f64, Float64, f64, 8;
    Ipv4Addr, Ipv4, ipv4, 4;
    Ipv6Addr, Ipv6, ipv6, 16;
}

/// The longest LEB128 length of a 64-bit size.
pub(super) const LENGTH_BOUND: usize = 10;

impl Value for str {
    const DATA_TYPE: DataType = DataType::String;

    #[inline]
    fn binary_bound(&self) -> usize {
        LENGTH_BOUND + self.len()
    }

    #[inline]
    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        encoder.str(self)
    }
}

impl Value for String {
    const DATA_TYPE: DataType = DataType::String;

    #[inline]
    fn binary_bound(&self) -> usize {
        LENGTH_BOUND + self.len()
    }

    #[inline]
    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        encoder.str(self)
    }
}

impl<T: Value + ?Sized> Value for &T {
    const DATA_TYPE: DataType = T::DATA_TYPE;

    #[inline]
    fn binary_bound(&self) -> usize {
        (**self).binary_bound()
    }

    #[inline]
    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        (**self).encode(encoder)
    }
}

impl<T: Value + ToOwned + ?Sized> Value for Cow<'_, T> {
    const DATA_TYPE: DataType = T::DATA_TYPE;

    #[inline]
    fn binary_bound(&self) -> usize {
        (**self).binary_bound()
    }

    #[inline]
    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        (**self).encode(encoder)
    }
}

impl<T: Value> Value for Option<T> {
    const DATA_TYPE: DataType = DataType::Nullable(&T::DATA_TYPE);

    #[inline]
    fn binary_bound(&self) -> usize {
        1 + self.as_ref().map_or(0, Value::binary_bound)
    }

    #[inline]
    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        match self {
            None => encoder.none(),
            Some(value) => {
                encoder.some()?;
                value.encode(encoder)
            }
        }
    }
}

impl<T: Value> Value for [T] {
    const DATA_TYPE: DataType = DataType::Array(&T::DATA_TYPE);

    fn binary_bound(&self) -> usize {
        LENGTH_BOUND + self.iter().map(Value::binary_bound).sum::<usize>()
    }

    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        encoder.array_begin(self.len())?;
        for value in self {
            encoder.item()?;
            value.encode(encoder)?;
        }
        encoder.array_end()
    }
}

impl<T: Value> Value for Vec<T> {
    const DATA_TYPE: DataType = DataType::Array(&T::DATA_TYPE);

    fn binary_bound(&self) -> usize {
        self.as_slice().binary_bound()
    }

    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        self.as_slice().encode(encoder)
    }
}

impl<T: Value, const N: usize> Value for [T; N] {
    const DATA_TYPE: DataType = DataType::Array(&T::DATA_TYPE);

    fn binary_bound(&self) -> usize {
        self.as_slice().binary_bound()
    }

    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        self.as_slice().encode(encoder)
    }
}

impl<T: Value + ?Sized> Value for Box<T> {
    const DATA_TYPE: DataType = T::DATA_TYPE;

    #[inline]
    fn binary_bound(&self) -> usize {
        (**self).binary_bound()
    }

    #[inline]
    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        (**self).encode(encoder)
    }
}

/// A map in the order of its keys. A `HashMap` is no value: its order changes from run to run, and
/// a replay must give the same bytes.
impl<K: Value + Ord, V: Value> Value for BTreeMap<K, V> {
    const DATA_TYPE: DataType = DataType::Map(&K::DATA_TYPE, &V::DATA_TYPE);

    fn binary_bound(&self) -> usize {
        let bounds = |(key, value): (&K, &V)| key.binary_bound() + value.binary_bound();
        LENGTH_BOUND + self.iter().map(bounds).sum::<usize>()
    }

    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        encoder.map_begin(self.len())?;
        for (key, value) in self {
            encoder.map_key()?;
            key.encode(encoder)?;
            encoder.map_value()?;
            value.encode(encoder)?;
        }
        encoder.map_end()
    }
}

macro_rules! tuples {
    ($(($len:literal: $($t:ident $index:tt),+))*) => {$(
        impl<$($t: Value),+> Value for ($($t,)+) {
            const DATA_TYPE: DataType = DataType::Tuple(&[$($t::DATA_TYPE),+]);

            #[inline]
            fn binary_bound(&self) -> usize {
                0 $(+ self.$index.binary_bound())+
            }

            #[inline]
            fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
                encoder.tuple_begin($len)?;
                $(
                    encoder.item()?;
                    self.$index.encode(encoder)?;
                )+
                encoder.tuple_end()
            }
        }
    )*};
}

tuples! {
    (1: A 0)
    (2: A 0, B 1)
    (3: A 0, B 1, C 2)
    (4: A 0, B 1, C 2, D 3)
    (5: A 0, B 1, C 2, D 3, F 4)
    (6: A 0, B 1, C 2, D 3, F 4, G 5)
    (7: A 0, B 1, C 2, D 3, F 4, G 5, H 6)
    (8: A 0, B 1, C 2, D 3, F 4, G 5, H 6, I 7)
}

/// A value that the warehouse stores with a dictionary (`LowCardinality(T)` in ClickHouse).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct LowCardinality<T>(pub T);

impl<T> From<T> for LowCardinality<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T: Value> Value for LowCardinality<T> {
    const DATA_TYPE: DataType = DataType::LowCardinality(&T::DATA_TYPE);

    #[inline]
    fn binary_bound(&self) -> usize {
        self.0.binary_bound()
    }

    #[inline]
    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        self.0.encode(encoder)
    }
}
