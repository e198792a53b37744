//! A server that answers as a test tells it to, and remembers what it was asked.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

/// What the server does with one request.
pub(crate) enum Act {
    /// Sends these bytes.
    Answer(String),
    /// Sends these bytes, then closes the connection.
    AnswerAndClose(String),
    /// Closes the connection without an answer.
    Close,
    /// Reads the request and then does nothing until the client gives up.
    Hang,
    /// Sends these bytes once it has the headers, and never reads the body.
    AnswerEarly(String),
}

impl Act {
    pub(crate) fn ok() -> Self {
        Self::status(200, "", "")
    }

    /// An answer with a status, further header lines (each ended by CRLF) and a body.
    pub(crate) fn status(status: u16, headers: &str, body: &str) -> Self {
        Self::Answer(format!(
            "HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    /// An exception as a server answers it.
    pub(crate) fn exception(status: u16, code: u32) -> Self {
        let header = format!("X-ClickHouse-Exception-Code: {code}\r\n");
        Self::status(status, &header, &format!("Code: {code}. DB::Exception: told so. (X)\n"))
    }
}

/// One request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) target: String,
    pub(crate) headers: String,
    pub(crate) body: Vec<u8>,
    /// Counts connections, from 0.
    pub(crate) connection: usize,
}

impl Seen {
    /// A parameter of the target, still encoded.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let (_, parameters) = self.target.split_once('?')?;
        parameters
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .find_map(|(known, value)| (known == name).then_some(value))
    }
}

#[derive(Default)]
struct State {
    script: VecDeque<Act>,
    seen: Vec<Seen>,
    /// Connections the server has closed.
    closed: usize,
}

type Shared = Arc<(Mutex<State>, Condvar)>;

pub(crate) struct Server {
    pub(crate) url: String,
    shared: Shared,
}

impl Server {
    /// Starts a server that does as `script` says, one act per request, and then answers `Act::ok`.
    pub(crate) fn start(script: impl IntoIterator<Item = Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = State { script: script.into_iter().collect(), ..State::default() };
        let shared = Arc::new((Mutex::new(state), Condvar::new()));
        let state = Arc::clone(&shared);
        thread::spawn(move || {
            for (connection, socket) in listener.incoming().enumerate() {
                let (socket, state) = (socket.unwrap(), Arc::clone(&state));
                thread::spawn(move || {
                    serve(connection, &socket, &state.0);
                    drop(socket);
                    state.0.lock().unwrap().closed += 1;
                    state.1.notify_all();
                });
            }
        });
        Self { url, shared }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.shared.0.lock().unwrap().seen.clone()
    }

    /// Waits until the server has closed so many connections.
    pub(crate) fn wait_closed(&self, connections: usize) {
        let (state, changed) = &*self.shared;
        let state = state.lock().unwrap();
        let open = |state: &mut State| state.closed < connections;
        drop(changed.wait_while(state, open).unwrap());
    }
}

fn serve(connection: usize, socket: &TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(socket);
    while let Some((mut seen, length)) = read_head(&mut reader, connection) {
        let act = state.lock().unwrap().script.pop_front();
        let act = act.unwrap_or_else(Act::ok);
        if let Act::AnswerEarly(answer) = &act {
            (&*socket).write_all(answer.as_bytes()).unwrap();
            // Nobody unparks it: it ends with the test.
            loop {
                thread::park();
            }
        }
        seen.body.resize(length, 0);
        if reader.read_exact(&mut seen.body).is_err() {
            return;
        }
        state.lock().unwrap().seen.push(seen);
        let (answer, close) = match act {
            Act::Answer(answer) | Act::AnswerEarly(answer) => (answer, false),
            Act::AnswerAndClose(answer) => (answer, true),
            Act::Close => (String::new(), true),
            Act::Hang => {
                // Ends when the client closes.
                drop(reader.read(&mut [0]));
                return;
            }
        };
        if (&*socket).write_all(answer.as_bytes()).is_err() || close {
            return;
        }
    }
}

/// Everything of a request but its body, and how long that is.
fn read_head(reader: &mut BufReader<&TcpStream>, connection: usize) -> Option<(Seen, usize)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let target = line.split(' ').nth(1)?.to_owned();
    let mut headers = String::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        headers.push_str(&line.to_ascii_lowercase());
    }
    let length = headers.split("content-length: ").nth(1)?;
    let length = length.lines().next()?.parse().ok()?;
    Some((Seen { target, headers, body: Vec::new(), connection }, length))
}
