//! The configuration that the module names, as part of the program.
//!
//! Read when the module compiles, and lowered to entries with places. What is wrong with its text
//! is a finding here; whether its keys and values are right is decided by the runtime's
//! `const fn`, over the schemas of the declared connectors: see `codegen/config.rs`.

use spate_yaml::{Node, Vars};
use syn::LitStr;

use crate::file::File;
use crate::report::{Report, Rule};

const P059: Rule = Rule { code: "P059", help: "" };

/// A configuration that was read.
pub(crate) struct ConfigFile {
    /// What names it in the program.
    pub(crate) literal: LitStr,
    /// Its keys and values, in the order of the file.
    pub(crate) nodes: Vec<Node>,
}

impl ConfigFile {
    /// Reads the file that `literal` names; what is wrong with it is a finding at the literal.
    pub(crate) fn read(literal: LitStr, report: &mut Report) -> Option<Self> {
        let file = File::read(&literal, &P059, report)?;
        match spate_yaml::read(&file.text, Vars::Later) {
            Ok(nodes) => Some(Self { literal, nodes }),
            Err(faults) => {
                for fault in faults {
                    let message = format!("{}: {}", file.place(fault.line, fault.col), fault.text);
                    report.push_with(file.span(), &P059, message, fault.help);
                }
                None
            }
        }
    }
}
