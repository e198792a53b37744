//! Makes an ordinary library of the macro crate: what is in it can only be called by a compiler.
//!
//! A copy of `spate-macros/src`, and the text of its `lib.rs` with the modules at absolute paths,
//! without what makes a macro of a function. So the target always runs what the compiler runs.

use std::fs;
use std::path::Path;

fn main() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spate-macros/src");
    println!("cargo:rerun-if-changed={}", source.display());
    let folder = std::env::var("OUT_DIR").expect("cargo says where");
    let copy = Path::new(&folder).join("macros");
    if copy.exists() {
        fs::remove_dir_all(&copy).expect("the folder is ours");
    }
    copy_into(&source, &copy);

    let text = fs::read_to_string(source.join("lib.rs")).expect("the macro crate");
    let mut out = String::new();
    for line in text.lines() {
        if line.starts_with("//!") || line.starts_with("#!") || line.starts_with("#[proc_macro") {
            continue;
        }
        if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
            out.push_str(&format!("#[path = {:?}]\n", module(&copy, name)));
        }
        out.push_str(&line.replace("proc_macro::TokenStream", "TokenStream"));
        out.push('\n');
    }
    fs::write(Path::new(&folder).join("macros.rs"), out).expect("the folder is there");
}

fn copy_into(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the folder is ours");
    for entry in fs::read_dir(from).expect("a folder of the macro crate") {
        let entry = entry.expect("an entry of it");
        let to = to.join(entry.file_name());
        if entry.file_type().expect("it has one").is_dir() {
            copy_into(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("the folder is ours");
        }
    }
}

/// The file of a module. One with modules of its own stands in their folder: a module whose path is
/// given looks for them beside itself.
fn module(copy: &Path, name: &str) -> std::path::PathBuf {
    let (alone, folder) = (copy.join(format!("{name}.rs")), copy.join(name).join("mod.rs"));
    if alone.exists() && copy.join(name).is_dir() {
        fs::rename(&alone, &folder).expect("the folder is ours");
    }
    if folder.exists() { folder } else { alone }
}
