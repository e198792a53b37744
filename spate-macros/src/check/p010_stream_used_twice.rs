//! P010: a stream is used once; after a split it lives in the arms.

use crate::model::{Chain, End, Pipeline, StreamKind};
use crate::report::{Report, Rule};

const USED_TWICE: Rule = Rule { code: "P010", help: "" };

/// Reports each use behind the first, and each use inside an arm of what was bound outside of it.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for chain in &pipeline.chains {
        report.under(&chain.cfgs, |report| {
            for stream in &chain.streams {
                let name = &stream.name;
                let mut uses = stream.uses.iter();
                let Some(first) = uses.next() else { continue };
                if first.crossed {
                    report.push_with(
                        first.token.span(),
                        &USED_TWICE,
                        format!("stream `{name}` is bound outside of this arm"),
                        "use it outside of the `match`: an arm goes on with its own records only",
                    );
                }
                let went = went(chain, first.path);
                for again in uses {
                    let split = matches!(went, Went::Split) && stream.kind != StreamKind::Arm;
                    let (message, help) = if split || again.crossed {
                        (
                            format!("stream `{name}` was split, it lives in the arms only"),
                            "move this into the arms, or split a branch of a tee".to_owned(),
                        )
                    } else {
                        (
                            format!("stream `{name}` already went {went}"),
                            format!("write `let (x, y) = {name}.tee();` and use each once"),
                        )
                    };
                    report.push_with(again.token.span(), &USED_TWICE, message, help);
                }
            }
        });
    }
}

/// Where a stream's records went first.
enum Went {
    Sink(String),
    Discarded,
    Stream(String),
    Tee,
    Split,
    Nowhere,
}

impl std::fmt::Display for Went {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sink(name) | Self::Stream(name) => write!(f, "to `{name}`"),
            Self::Discarded => f.write_str("to `.discard(..)`"),
            Self::Tee => f.write_str("into a tee"),
            Self::Split => f.write_str("into a split"),
            Self::Nowhere => f.write_str("into another path"),
        }
    }
}

fn went(chain: &Chain, path: usize) -> Went {
    match chain.paths.get(path).map(|path| &path.end) {
        Some(End::To { sink, .. }) => Went::Sink(sink.to_string()),
        Some(End::Discard { .. }) => Went::Discarded,
        Some(End::Let(stream)) => chain
            .streams
            .get(*stream)
            .map_or(Went::Nowhere, |stream| Went::Stream(stream.name.to_string())),
        Some(End::Tee { .. }) => Went::Tee,
        Some(End::Split(_)) => Went::Split,
        Some(End::Open) | None => Went::Nowhere,
    }
}
