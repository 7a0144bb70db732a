//! A client for a live page; the tests write its requests themselves.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Instant;

use serde_json::Value;

use crate::harness::arena::TIMEOUT;
use crate::harness::waiting::connected;

/// A page's address.
#[derive(Clone, Copy)]
pub(crate) struct Page(pub(crate) SocketAddr);

/// The server's answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

impl Page {
    /// The page whose address is at the end of `line`.
    pub(crate) fn said(line: &str) -> Self {
        let url = line.trim().rsplit(' ').next().expect("a word");
        let address = url.strip_prefix("http://").and_then(|rest| rest.strip_suffix('/')).expect("an address");
        Self(address.parse().expect("an address"))
    }

    pub(crate) fn connect(self) -> TcpStream {
        connected(self.0)
    }

    /// Sends `request`, and reads the whole answer; `None` if there is none.
    pub(crate) fn ask(self, request: &[u8]) -> Option<Answer> {
        let mut stream = self.connect();
        // The server may answer and close the connection before it has read everything.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8(bytes).expect("UTF-8");
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Some(Answer { status, head: head.to_lowercase(), body: body.to_owned() })
    }

    /// Requests `path` with `method` and the Host `host`.
    pub(crate) fn request(self, method: &str, path: &str, host: &str) -> Answer {
        self.request_once(method, path, host).expect("an answer")
    }

    /// Does the same as [`request`](Self::request); `None` if the server is too busy to answer.
    fn request_once(self, method: &str, path: &str, host: &str) -> Option<Answer> {
        let request = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        self.ask(request.as_bytes())
    }

    /// Requests `path`; `None` if the server is too busy to answer.
    pub(crate) fn try_get(self, path: &str) -> Option<Answer> {
        self.request_once("GET", path, &self.0.to_string())
    }

    pub(crate) fn get(self, path: &str) -> Answer {
        self.request("GET", path, &self.0.to_string())
    }

    pub(crate) fn state(self) -> Value {
        self.get("/state").json()
    }

    /// Listens to the events after the one with the id `last`.
    pub(crate) fn events(self, last: Option<&str>) -> Events {
        let mut stream = self.connect();
        let last = last.map(|last| format!("Last-Event-ID: {last}\r\n")).unwrap_or_default();
        // Answers in this older version of HTTP are not chunked.
        let request = format!("GET /events HTTP/1.0\r\nHost: {}\r\n{last}\r\n", self.0);
        stream.write_all(request.as_bytes()).expect("sent");
        let mut lines = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(lines.read_line(&mut head).expect("read") > 0, "{head}");
        }
        assert!(head.contains("200 OK") && head.contains("text/event-stream"), "{head}");
        Events(lines, Instant::now())
    }
}

/// A stream of events.
pub(crate) struct Events(BufReader<TcpStream>, Instant);

/// A server-sent event.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) data: Value,
}

impl Events {
    /// The next event; `None` after the end of the stream.
    pub(crate) fn next(&mut self) -> Option<Heard> {
        let mut fields: Vec<(String, String)> = Vec::new();
        loop {
            // A stream without events still sends comments, and they never end.
            assert!(self.1.elapsed() < TIMEOUT, "the event has not arrived");
            let mut line = String::new();
            if self.0.read_line(&mut line).expect("read") == 0 {
                return None;
            }
            let line = line.trim_end_matches('\n');
            if line.is_empty() {
                let field = |name: &str| fields.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
                if let (Some(name), Some(id), Some(data)) = (field("event"), field("id"), field("data")) {
                    return Some(Heard { name, id, data: serde_json::from_str(&data).expect("JSON") });
                }
                fields.clear();
            } else if let Some((name, value)) = line.split_once(": ") {
                fields.push((name.to_owned(), value.to_owned()));
            }
        }
    }

    /// The next event for which `is_it` returns true.
    pub(crate) fn until(&mut self, is_it: impl Fn(&Heard) -> bool) -> Heard {
        std::iter::from_fn(|| self.next()).find(is_it).expect("an event before the end")
    }
}
