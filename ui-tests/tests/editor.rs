//! What an editor gets of a chain, asked over LSP from a real rust-analyzer.
//!
//! ```sh
//! RUST_ANALYZER=/path/to/rust-analyzer cargo test -p ui-tests --test editor -- --ignored
//! ```
//!
//! Opens the text of `examples/src/bin/orders.rs` with one change a probe, as if typed. What the
//! macro writes for editors is tested without one: `spate-macros/src/editor/tests.rs`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// What is typed (`from` becomes `to`, with the cursor at `^`), what is asked, and what the answer
/// must contain.
const PROBES: [(&str, &str, &str, &str, &[&str]); 7] = [
    (
        "complete after a dot",
        ".filter(first_time);",
        ".filter(first_time).^;",
        "textDocument/completion",
        &["filter", "try_map", "tee", "to", "discard"],
    ),
    (
        "complete half a stage's name",
        ".filter(first_time);",
        ".filter(first_time).fil^;",
        "textDocument/completion",
        &["filter", "filter_map"],
    ),
    (
        "complete an operator",
        ".filter(in_stock)",
        ".filter(in_^)",
        "textDocument/completion",
        &["in_stock"],
    ),
    (
        "complete a closure's field",
        "|e| e.kind)",
        "|e| e.ki^)",
        "textDocument/completion",
        &["kind"],
    ),
    (
        "complete a sink",
        ".or_skip().to(lines)",
        ".or_skip().to(lin^)",
        "textDocument/completion",
        &["lines"],
    ),
    (
        "go to the definition of a stage",
        ".filter(in_stock)",
        ".fil^ter(in_stock)",
        "textDocument/definition",
        &["spate/src/editor.rs"],
    ),
    (
        "hover an operator",
        ".filter(in_stock)",
        ".filter(in_st^ock)",
        "textDocument/hover",
        &["fn in_stock"],
    ),
];

/// A language server, and the number of the last request.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Server {
    fn start(program: &Path, root: &Path) -> Self {
        let mut child = Command::new(program)
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("RUST_ANALYZER names a program");
        let input = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut server = Self { child, input, output, last: 0 };
        server.ask(
            "initialize",
            &json!({
                "processId": null,
                "rootUri": uri(root),
                "workspaceFolders": [{ "uri": uri(root), "name": "spate" }],
                "capabilities": {
                    "experimental": { "serverStatusNotification": true },
                    "textDocument": { "hover": { "contentFormat": ["plaintext"] } },
                },
                "initializationOptions": {
                    "checkOnSave": false,
                    "cachePriming": { "enable": false },
                    "procMacro": { "enable": true },
                    "cargo": {
                        "buildScripts": {
                            "overrideCommand": [
                                "cargo", "check", "-p", "spate-examples", "--bin", "orders",
                                "--message-format=json",
                            ],
                        },
                    },
                },
            }),
        );
        server.tell("initialized", &json!({}));
        server
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it listens");
        self.input.flush().expect("it listens");
    }

    fn tell(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and waits for its answer.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.until(|message| message["id"] == id && message.get("method").is_none())
    }

    /// Waits until everything is loaded and built.
    fn wait_until_quiet(&mut self) {
        self.until(|message| {
            message["method"] == "experimental/serverStatus"
                && message["params"]["quiescent"] == true
        });
    }

    /// Reads messages, answering what the server asks, until one is as wanted.
    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.receive();
            if wanted(&message) {
                return message;
            }
            if let (Some(id), Some(_)) = (message.get("id"), message.get("method")) {
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": null }));
            }
        }
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).expect("it answers");
            assert!(read > 0, "the server has ended");
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.trim().parse().expect("a length is a number");
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("it answers");
        serde_json::from_slice(&body).expect("it speaks JSON")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let ended = self.child.kill().and_then(|()| self.child.wait());
        assert!(ended.is_ok(), "the server can be ended: {ended:?}");
    }
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// Line and column, both from 0, of byte `at`; the example is ASCII where it is probed.
fn position(text: &str, at: usize) -> Value {
    let before = &text[..at];
    let line = before.matches('\n').count();
    let column = at - before.rfind('\n').map_or(0, |newline| newline + 1);
    json!({ "line": line, "character": column })
}

#[test]
#[ignore = "needs a rust-analyzer: RUST_ANALYZER=/path/to/rust-analyzer"]
fn an_editor_completes_finds_and_explains_what_stands_in_a_chain() {
    let program =
        std::env::var_os("RUST_ANALYZER").map_or_else(|| "rust-analyzer".into(), PathBuf::from);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("it is in a workspace");
    let file = root.join("examples/src/bin/orders.rs");
    let written = std::fs::read_to_string(&file).expect("the example is there");
    let document = uri(&file);

    let mut server = Server::start(&program, root);
    server.tell(
        "textDocument/didOpen",
        &json!({ "textDocument": {
            "uri": document, "languageId": "rust", "version": 0, "text": written,
        } }),
    );
    server.wait_until_quiet();

    let mut wrong = Vec::new();
    for (version, (what, from, to, method, wanted)) in PROBES.into_iter().enumerate() {
        assert!(written.contains(from), "the example has no `{from}`");
        let chain = written.find("chain!(").expect("the example has a chain");
        let begin = chain + written[chain..].find(from).expect("it stands in the chain");
        let cursor = begin + to.find('^').expect("the cursor is marked");
        let mut text = written.clone();
        text.replace_range(begin..begin + from.len(), &to.replace('^', ""));
        server.tell(
            "textDocument/didChange",
            &json!({
                "textDocument": { "uri": document, "version": version + 1 },
                "contentChanges": [{ "text": text }],
            }),
        );
        let answer = server.ask(
            method,
            &json!({ "textDocument": { "uri": document }, "position": position(&text, cursor) }),
        );
        let answer = match &answer["result"] {
            Value::Object(list) if list.contains_key("items") => labels(&list["items"]),
            Value::Array(list) if method.ends_with("completion") => labels(&json!(list)),
            other => other.to_string(),
        };
        let missing: Vec<&&str> = wanted
            .iter()
            .filter(|word| !answer.contains(**word))
            .collect();
        if !missing.is_empty() {
            let answer: String = answer.chars().take(2_000).collect();
            wrong.push(format!("{what}: no {missing:?} in {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The labels of completions, quoted, one a line.
fn labels(items: &Value) -> String {
    let items = items.as_array().into_iter().flatten();
    items.map(|item| format!("{}\n", item["label"])).collect()
}
