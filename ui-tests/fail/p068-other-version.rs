//! P068: a facade whose runtime is of another release than its macro.

use spate::pipeline;
use ui_tests::*;

pub mod renamed {
    pub use spate::*;

    pub mod __private {
        pub use spate::__private::*;

        pub const VERSION: &str = "0.1.0";
    }
}

#[pipeline(crate = crate::renamed)]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events.decode().or_skip().map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
