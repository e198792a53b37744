//! P066: the attribute on something that is no module.

use spate::prelude::*;

#[pipeline]
fn orders() {}

fn main() {
    orders();
}
