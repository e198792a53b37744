//! P032: a closure that connects.

use spate::prelude::*;
use ui_tests::*;

#[pipeline]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(|_| std::net::TcpStream::connect("limits:80").is_ok())
            .map(line)
            .to(lines);
    });
}

fn main() {
    let _ = orders::main();
}
