//! Row types without the derive, which the facade has.

/// Declares a row type: `row! { Name { field: Type = "column", .. } }`.
macro_rules! row {
    ($name:ident { $($field:ident: $t:ty = $column:literal),+ $(,)? }) => {
        #[derive(Clone)]
        pub(crate) struct $name { $(pub(crate) $field: $t),+ }

        impl spate_runtime::chain::row::Row for $name {
            const NAME: &'static str = stringify!($name);
            const COLUMNS: &'static [spate_runtime::chain::row::Column] = &[$(
                spate_runtime::chain::row::Column {
                    name: $column,
                    rust_type: stringify!($t),
                    data_type: <$t as spate_runtime::chain::row::Value>::DATA_TYPE,
                },
            )+];

            fn binary_bound(&self) -> usize {
                0 $(+ spate_runtime::chain::row::Value::binary_bound(&self.$field))+
            }

            fn encode<E: spate_runtime::chain::row::ValueEncoder>(
                &self,
                e: &mut E,
            ) -> Result<(), spate_runtime::chain::row::EncodeError> {
                let mut columns = Self::COLUMNS.iter();
                $(
                    e.field(columns.next().expect("one column per field"))?;
                    spate_runtime::chain::row::Value::encode(&self.$field, e)?;
                )+
                Ok(())
            }
        }
    };
}
pub(crate) use row;
