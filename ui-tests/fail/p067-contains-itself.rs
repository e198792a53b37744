//! P067: a record that contains itself.

use spate::prelude::*;

#[derive(Deserialize, Record)]
struct Tree {
    name: String,
    children: Vec<Tree>,
}

fn main() {
    let _ = |tree: Tree| (tree.name, tree.children);
}
