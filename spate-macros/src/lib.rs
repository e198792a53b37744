//! The macros of spate: #[pipeline], chain! and derive(Row).
