//! Files that the program names: found beside the manifest, read when it compiles, tracked.
//!
//! What is wrong with a file is a finding at the literal that names it, and its first words are
//! `name:line:col`. [`File::tracked`] makes cargo build anew when the file changes.

use std::fmt::Display;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::LitStr;

use crate::codegen::paths::{at, emit};
use crate::names;
use crate::report::{Report, Rule};

/// A file that was read.
pub(crate) struct File {
    /// As it is named in the program, relative to the manifest.
    pub(crate) name: String,
    /// What is in it, without a byte order mark.
    pub(crate) text: String,
    span: Span,
}

impl File {
    /// Reads the file `name` names; what is wrong with it is a finding under `rule`.
    ///
    /// `None` without a finding where the build says of no manifest (an editor may not).
    pub(crate) fn read(name: &LitStr, rule: &Rule, report: &mut Report) -> Option<Self> {
        let (written, span) = (name.value(), name.span());
        match read(&written, &manifest()?.join(&written)) {
            Ok(text) => Some(Self { name: written, text, span }),
            Err((message, help)) => {
                report.push_with(span, rule, message, help);
                None
            }
        }
    }

    /// A place in the file as messages begin: `name:line:col`, both from 1, in characters.
    pub(crate) fn place(&self, line: impl Display, col: impl Display) -> String {
        format!("{}:{line}:{col}", self.name)
    }

    /// Where findings about it point: the literal that names it.
    pub(crate) const fn span(&self) -> Span {
        self.span
    }

    /// An anonymous constant that makes cargo build anew when the file changes; nothing of the
    /// file reaches the program.
    pub(crate) fn tracked(&self) -> TokenStream {
        let (name, span) = (&self.name, at(self.span));
        let bytes = quote_spanned! {span=>
            ::core::include_bytes!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/", #name))
        };
        emit!(const _: &[::core::primitive::u8] = #bytes;)
    }
}

/// Where names begin; for tests, where the examples are.
fn manifest() -> Option<PathBuf> {
    if cfg!(test) {
        return Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"));
    }
    std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from)
}

/// The text of the file at `path`, or a message and its help.
fn read(name: &str, path: &Path) -> Result<String, (String, String)> {
    let begins = format!("{name}:1:1");
    if Path::new(name).is_absolute() {
        let help = "name it from the folder of `Cargo.toml` on";
        return Err((format!("{begins}: an absolute path"), help.to_owned()));
    }
    if path.is_dir() {
        let help = "name the file in it";
        return Err((format!("{begins}: a folder, not a file"), help.to_owned()));
    }
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => (format!("{begins}: there is no such file"), missing(name, path)),
        _ => (format!("{begins}: it could not be read: {error}"), String::new()),
    })?;
    spate_yaml::utf8(bytes).map_err(|fault| {
        (format!("{name}:{}:{}: {}", fault.line, fault.col, fault.text), fault.help)
    })
}

/// The file that may have been meant, or where names begin.
fn missing(name: &str, path: &Path) -> String {
    let folder = path.parent().and_then(|folder| folder.read_dir().ok());
    let others: Vec<String> = folder
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let wanted = path.file_name().and_then(|name| name.to_str());
    let near = wanted.and_then(|wanted| names::nearest(wanted, others.iter().map(String::as_str)));
    match (near, wanted) {
        (Some(near), Some(wanted)) => {
            format!("did you mean `{}{near}`?", name.strip_suffix(wanted).unwrap_or_default())
        }
        _ => "names begin at the folder of `Cargo.toml`".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("spate-file-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn what_cannot_be_read_says_where_and_what() {
        let folder = folder("bad");
        std::fs::write(folder.join("orders.yaml"), b"a: b\n  c: \xff\n").unwrap();
        for (name, message, help) in [
            ("orders.yaml", "orders.yaml:2:6: not UTF-8", "save it as UTF-8"),
            ("ordes.yaml", "ordes.yaml:1:1: there is no such file", "did you mean `orders.yaml`?"),
            (
                "other/x.yaml",
                "other/x.yaml:1:1: there is no such file",
                "names begin at the folder of `Cargo.toml`",
            ),
            (".", ".:1:1: a folder, not a file", "name the file in it"),
            (
                "/orders.yaml",
                "/orders.yaml:1:1: an absolute path",
                "name it from the folder of `Cargo.toml` on",
            ),
        ] {
            let found = read(name, &folder.join(name)).unwrap_err();
            assert_eq!(found, (message.to_owned(), help.to_owned()));
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_text() {
        let folder = folder("mark");
        std::fs::write(folder.join("orders.yaml"), "\u{feff}a: b\r\n").unwrap();
        assert_eq!(read("orders.yaml", &folder.join("orders.yaml")).unwrap(), "a: b\r\n");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
