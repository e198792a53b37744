//! Reads the YAML of a pipeline's configuration: text to nodes with places, and what is wrong.
//!
//! The macro calls it when the module compiles, the runtime at every start, so that a file means
//! the same to both and is refused in the same words. It knows YAML and variables; which keys
//! there are, and what their values are, is the business of the runtime's `const fn` check.
//!
//! Pure.

mod read;
mod vars;

pub use read::{Node, Value, Vars, read, utf8};

/// One thing that is wrong with a file's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in characters.
    pub col: u32,
    /// What is wrong: a lower-case fragment.
    pub text: String,
    /// What to write instead; may be empty.
    pub help: String,
}
