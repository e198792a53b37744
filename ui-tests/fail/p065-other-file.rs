//! P065: a module in a file of its own.

use spate::prelude::*;

#[pipeline]
mod elsewhere;

fn main() {}
