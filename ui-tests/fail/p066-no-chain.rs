//! P066: a pipeline without a chain.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;
}

fn main() {
    let _ = orders::main();
}
