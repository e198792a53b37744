//! Makes an ordinary library of the macro crate: what is in it can only be called by a compiler.
//!
//! The text of `spate-macros/src/lib.rs` with its modules at absolute paths, without what makes a
//! macro of a function. So the target always runs what the compiler runs.

use std::path::Path;

fn main() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spate-macros/src");
    println!("cargo:rerun-if-changed={}", source.display());
    let text = std::fs::read_to_string(source.join("lib.rs")).expect("the macro crate");
    let mut out = String::new();
    for line in text.lines() {
        if line.starts_with("//!") || line.starts_with("#!") || line.starts_with("#[proc_macro") {
            continue;
        }
        if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
            let file = [format!("{name}.rs"), format!("{name}/mod.rs")]
                .map(|file| source.join(file))
                .into_iter()
                .find(|file| file.exists())
                .expect("a module has a file");
            out.push_str(&format!("#[path = {:?}]\n", file));
        }
        out.push_str(&line.replace("proc_macro::TokenStream", "TokenStream"));
        out.push('\n');
    }
    let folder = std::env::var("OUT_DIR").expect("cargo says where");
    std::fs::write(Path::new(&folder).join("macros.rs"), out).expect("the folder is there");
}
