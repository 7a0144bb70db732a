//! The DevTools protocol over its websocket: calls with answers, and events between the two.

use std::collections::VecDeque;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::harness::waiting::connected;

/// How long to wait for anything. Only a failing test waits this long, even on a busy machine.
pub(super) const TIMEOUT: Duration = Duration::from_mins(3);

/// An event sent by a tab.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) session: String,
    pub(super) method: String,
    pub(super) params: Value,
}

/// The connection to a browser. Each tab has a session.
pub(super) struct DevTools {
    socket: WebSocket<TcpStream>,
    calls: u64,
    /// The events that have not been consumed yet.
    told: VecDeque<Told>,
}

impl DevTools {
    /// Connects to `address`, such as `ws://127.0.0.1:1234/devtools/browser/...`.
    pub(super) fn connect(address: &str) -> Self {
        let host = address.trim_start_matches("ws://").split('/').next().unwrap_or_default();
        let stream = connected(host);
        stream.set_nodelay(true).expect("set");
        stream.set_read_timeout(Some(TIMEOUT)).expect("set");
        let (mut socket, _) = tungstenite::client(address, stream).expect("a websocket");
        socket.set_config(|config| {
            config.max_message_size = None;
            config.max_frame_size = None;
        });
        Self { socket, calls: 0, told: VecDeque::new() }
    }

    /// Calls `method` in the tab `session`, or in the browser if `session` is empty. Returns the answer.
    ///
    /// # Errors
    ///
    /// Returns the browser's message if it refuses the call.
    pub(super) fn call(&mut self, session: &str, method: &str, params: &Value) -> Result<Value, String> {
        self.calls += 1;
        let id = self.calls;
        let mut call = json!({ "id": id, "method": method, "params": params });
        if !session.is_empty() {
            call["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(call.to_string())).expect("the browser reads");
        let deadline = Instant::now() + TIMEOUT;
        loop {
            assert!(Instant::now() < deadline, "{method}: no answer to {call}");
            let mut message = self.next(method);
            if message["id"] == id {
                return match message.get("error") {
                    Some(error) => Err(format!("{method}: {error}")),
                    None => Ok(message["result"].take()),
                };
            }
            self.told.extend(event(message));
        }
    }

    /// Waits for the event `method` of the tab `session`, unless it has already arrived.
    pub(super) fn wait_for(&mut self, session: &str, method: &str) -> Value {
        let is_it = |told: &Told| told.session == session && told.method == method;
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Some(at) = self.told.iter().position(is_it) {
                return self.told.remove(at).expect("found").params;
            }
            assert!(Instant::now() < deadline, "{method} did not happen");
            let message = self.next(method);
            self.told.extend(event(message));
        }
    }

    /// The events named `method` that the tab `session` has sent so far.
    pub(super) fn told(&self, session: &str, method: &str) -> Vec<Value> {
        let its = self.told.iter().filter(|told| told.session == session && told.method == method);
        its.map(|told| told.params.clone()).collect()
    }

    /// Forgets the events of the tab `session`.
    pub(super) fn forget(&mut self, session: &str) {
        self.told.retain(|told| told.session != session);
    }

    /// The next message; `why` states the reason for waiting.
    fn next(&mut self, why: &str) -> Value {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return serde_json::from_str(text.as_str()).expect("JSON"),
                Ok(Message::Close(_)) => panic!("{why}: the browser has closed the connection"),
                Ok(_) => {}
                // A signal, such as that of an ended child of another test, interrupts a read that has a time limit.
                Err(tungstenite::Error::Io(error)) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => panic!("{why}: the browser does not answer: {error}"),
            }
        }
    }
}

/// Converts `message` to an event; `None` if it is a late answer.
fn event(mut message: Value) -> Option<Told> {
    let method = message["method"].as_str()?.to_owned();
    let session = message["sessionId"].as_str().unwrap_or_default().to_owned();
    Some(Told { session, method, params: message["params"].take() })
}
