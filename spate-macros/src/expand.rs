//! `SPATE_EXPAND=orders cargo build` writes the expansion of `orders` to `target/spate/orders.rs`.
//!
//! Formatting is left to the toolchain's `rustfmt`, run as a program: a formatter as a dependency
//! would be built by every user for what few ask for. Without `rustfmt` the text is written as it
//! is. Nothing here can fail a build.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proc_macro2::TokenStream;

/// Writes the expansion of `name` if the environment asks for it.
pub(crate) fn write_if_asked(name: &str, tokens: &TokenStream) {
    let asked = std::env::var("SPATE_EXPAND")
        .is_ok_and(|asked| asked == "1" || asked.split(',').any(|word| word.trim() == name));
    if !asked {
        return;
    }
    let Some(folder) = target().map(|target| target.join("spate")) else { return };
    let written = std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(folder.join(format!("{name}.rs")), format(tokens)));
    // The build does not depend on it; the file is there or it is not.
    drop(written);
}

/// The tokens as a person would lay them out.
pub(crate) fn format(tokens: &TokenStream) -> String {
    let text = tokens.to_string();
    rustfmt(&text).map_or(text, |text| readable(&text))
}

/// The target folder: where cargo says, or that of the workspace the package stands in.
fn target() -> Option<PathBuf> {
    if let Some(target) = std::env::var_os("CARGO_TARGET_DIR") {
        return Some(PathBuf::from(target));
    }
    let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
    let workspace = manifest
        .ancestors()
        .find(|folder| folder.join("Cargo.lock").exists())
        .map(Path::to_path_buf);
    Some(workspace.unwrap_or(manifest).join("target"))
}

fn rustfmt(text: &str) -> Option<String> {
    let mut child = Command::new(std::env::var_os("RUSTFMT").unwrap_or_else(|| "rustfmt".into()))
        .args(["--edition", "2024", "--emit", "stdout", "--quiet"])
        .args(["--config", "use_small_heuristics=Max"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let text = text.to_owned();
    // A thread writes, or both ends could wait for the other with full pipes.
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().ok()?;
    let written = writer.join().is_ok_and(|written| written.is_ok());
    (written && output.status.success())
        .then(|| String::from_utf8(output.stdout).ok())
        .flatten()
}

/// Doc attributes as doc comments, and a blank line between items.
fn readable(text: &str) -> String {
    let mut out = String::new();
    let mut closed = false;
    for line in text.lines() {
        let content = line.trim_start();
        let indent = &line[..line.len() - content.len()];
        let begins_item = ["fn ", "impl", "pub ", "struct ", "trait ", "const _", "#[", "///"];
        if closed && begins_item.iter().any(|word| content.starts_with(word)) {
            out.push('\n');
        }
        let doc = content
            .strip_prefix("#[doc = r\"")
            .or_else(|| content.strip_prefix("#[doc = \""))
            .and_then(|doc| doc.strip_suffix("\"]"));
        match doc {
            Some(doc) => {
                let doc = doc.replace("\\\"", "\"");
                out.push_str(format!("{indent}/// {}", doc.trim()).trim_end());
                out.push('\n');
            }
            None => {
                out.push_str(line);
                out.push('\n');
            }
        }
        closed = content == "}" || (content.ends_with(';') && indent.len() == 4);
    }
    out
}
