//! P045: a sink with several shards has a key, or says that it needs none.
//!
//! Seen here where the YAML named in the module says so plainly; the start checks whatever file
//! is given then. A list that is written with anchors, variables or over several lines in
//! brackets is left to the start.

use crate::file::File;
use crate::model::Pipeline;
use crate::report::{Report, Rule};

const KEYED_SINK: Rule = Rule { code: "P045", help: "" };
const CONFIG: Rule = Rule { code: "P059", help: "" };

/// Reports each sink without a key whose section lists two shards or more, at the file's name.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    let Some(file) = &pipeline.config else { return };
    let Some(file) = File::read(file, &CONFIG, report) else { return };
    for sink in pipeline.sinks.iter().filter(|sink| sink.key.is_none()) {
        let name = sink.ident.to_string();
        let Some(found) = Shards::of_section(&file.text, &name) else { continue };
        if found.count < 2 || found.round_robin {
            continue;
        }
        let span = file.span();
        report.under(&sink.cfgs, |report| {
            report.push_with(
                span,
                &KEYED_SINK,
                format!(
                    "{}: sink `{name}` has {} shards but no `key`",
                    file.place(found.line, found.column),
                    found.count
                ),
                format!(
                    "write `#[sink(key = ..)]` on `{name}`, or `route: round_robin` in the file"
                ),
            );
        });
    }
}

/// What the section of a sink says of its shards.
struct Shards {
    count: usize,
    round_robin: bool,
    line: usize,
    column: usize,
}

impl Shards {
    fn of_section(text: &str, name: &str) -> Option<Self> {
        let mut lines = text.lines().enumerate().peekable();
        let header = format!("{name}:");
        lines.find(|(_, line)| line.trim_end() == header)?;
        let mut shards = None;
        let mut round_robin = false;
        while let Some((number, line)) = lines.next() {
            let content = without_comment(line);
            if content.trim().is_empty() {
                continue;
            }
            let indent = content.len() - content.trim_start().len();
            if indent == 0 {
                break;
            }
            let trimmed = content.trim();
            if let Some(value) = trimmed.strip_prefix("route:") {
                round_robin = value.trim().trim_matches(['"', '\'']) == "round_robin";
            }
            let Some(value) = trimmed.strip_prefix("shards:") else { continue };
            let count = if value.trim().is_empty() {
                let mut count = 0;
                while let Some((_, next)) = lines.peek() {
                    let item = without_comment(next);
                    let deeper = item.len() - item.trim_start().len();
                    if item.trim().is_empty()
                        || (item.trim_start().starts_with('-') && deeper >= indent)
                    {
                        count += usize::from(!item.trim().is_empty());
                        lines.next();
                    } else {
                        break;
                    }
                }
                count
            } else {
                in_brackets(value.trim())?
            };
            shards = Some((count, number + 1, indent + 1));
        }
        let (count, line, column) = shards?;
        Some(Self { count, round_robin, line, column })
    }
}

fn without_comment(line: &str) -> &str {
    line.split_once(" #").map_or(line, |(content, _)| content)
}

/// The items of `[a, [b, c]]`, if it is whole and plain.
fn in_brackets(value: &str) -> Option<usize> {
    let inner = value.strip_prefix('[')?.strip_suffix(']')?;
    if inner.contains(['$', '&', '*', '{', '"', '\'']) || inner.trim().is_empty() {
        return None;
    }
    let mut depth = 0_i32;
    let mut items = 1;
    for letter in inner.trim().trim_end_matches(',').chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => items += 1,
            _ => {}
        }
    }
    (depth == 0).then_some(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_lists_of_shards_are_counted_and_others_left_alone() {
        for (section, count) in [
            ("lines:\n  shards: [a, b]\n", Some(2)),
            ("lines:\n  shards: [[a, b], [c]]\n  table: x\n", Some(2)),
            ("lines:\n  shards:\n    - a\n    - b\n    - c\n  table: x\n", Some(3)),
            ("lines:\n  shards:\n  - a\n", Some(1)),
            ("lines:\n  shards: [${HOSTS}]\n", None),
            ("lines:\n  table: x\nother:\n  shards: [a, b]\n", None),
            ("other:\n  shards: [a, b]\n", None),
        ] {
            let found = Shards::of_section(section, "lines").map(|shards| shards.count);
            assert_eq!(found, count, "in {section:?}");
        }
    }
}
