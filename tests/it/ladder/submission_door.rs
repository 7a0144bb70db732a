//! The process that receives uploads. The test takes the place of the arena and of the clients.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use landlock::{AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _};
use serde_json::{Value, json};

use crate::harness::arena::{TIMEOUT, program};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::{InTime as _, Owned, connected, until};

/// The process, and the arena's end of the link to it.
pub(super) struct Door {
    pub(super) process: Owned,
    link: BufReader<UnixStream>,
    pub(super) address: SocketAddr,
    /// The parent of the directory to which the process may write.
    dir: tempfile::TempDir,
}

impl Door {
    /// Starts the process, with limits for uploads.
    pub(super) fn start(most_connections: usize, most_bytes: u64, seconds: u64) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        fs::create_dir(dir.path().join("incoming")).expect("made");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (ours, theirs) = UnixStream::pair().expect("a pair");
        ours.set_read_timeout(Some(TIMEOUT)).expect("an option");
        let mut command = Command::new(program());
        command.arg("submission-door").env_clear().current_dir(dir.path().join("incoming"));
        command.stdin(Stdio::from(OwnedFd::from(listener))).stdout(Stdio::from(OwnedFd::from(theirs)));
        let process = command.start().expect("the program starts");
        drop(command);
        let mut door = Self { process, link: BufReader::new(ours), address, dir };
        door.say(&json!({ "most_connections": most_connections, "most_bytes": most_bytes, "seconds": seconds }));
        assert_eq!(door.hear(), json!("ready"));
        door
    }

    pub(super) fn usual() -> Self {
        Self::start(64, 1 << 20, 60)
    }

    pub(super) fn say(&mut self, message: &Value) {
        self.link.get_mut().write_all(format!("{message}\n").as_bytes()).expect("sent");
    }

    pub(super) fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.link.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Receives a request from the process, and returns the request's number.
    pub(super) fn hear_ask(&mut self) -> u64 {
        let said = self.hear();
        said["ask"]["number"].as_u64().unwrap_or_else(|| panic!("{said}"))
    }

    pub(super) fn grant(&mut self, number: u64, ticket: &str) {
        self.say(&json!({ "granted": { "number": number, "ticket": ticket } }));
    }

    pub(super) fn answer(&mut self, number: u64, status: u16, message: &str) {
        let answer = json!({ "status": status, "message": message, "retry_after_s": 7 });
        self.say(&json!({ "answer": { "number": number, "answer": answer } }));
    }

    pub(super) fn incoming(&self) -> PathBuf {
        self.dir.path().join("incoming")
    }

    fn connect(&self) -> TcpStream {
        connected(self.address)
    }

    /// Completes the head `head` with the token `secret`, and sends it, followed by `body`.
    fn send(&self, head: &str, body: impl AsRef<[u8]>) -> TcpStream {
        let mut stream = self.connect();
        let head = format!("{head}\r\nHost: arena.example\r\nAuthorization: Bearer secret\r\n\r\n");
        // The server may answer and close the connection before it has read everything.
        let _ = stream.write_all(&[head.as_bytes(), body.as_ref()].concat());
        stream
    }

    /// Whether the process still answers: it refuses this request with the status 404.
    fn is_alive(&self) -> bool {
        heard(self.send("GET / HTTP/1.1", "")).0 == 404
    }
}

/// The answer on `stream`: its status, its head in lower case, and its body.
fn heard(mut stream: TcpStream) -> (u16, String, Value) {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8(bytes).expect("UTF-8");
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, head.to_lowercase(), serde_json::from_str(body).unwrap_or_default())
}

fn is_empty(dir: &Path) -> bool {
    fs::read_dir(dir).expect("readable").next().is_none()
}

/// The digest of the token `secret`.
const SECRET: &str = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

#[test]
fn an_upload_that_the_arena_grants_arrives_as_it_was_sent() {
    let mut door = Door::usual();
    for (head, body, bytes) in [
        ("PUT /submit/Ada%20L. HTTP/1.1\r\nContent-Length: 7", "archive", json!(7)),
        (
            "PUT /submit/Ada%20L. HTTP/1.1\r\nTransfer-Encoding: chunked",
            "4\r\narch\r\n3\r\nive\r\n0\r\n\r\n",
            Value::Null,
        ),
    ] {
        let stream = door.send(head, body);
        let asked = door.hear();
        let number = asked["ask"]["number"].as_u64().expect("a number");
        let expected =
            json!({ "number": number, "player": "Ada L.", "token": SECRET, "host": "127.0.0.1", "bytes": bytes });
        assert_eq!(asked["ask"], expected);
        assert!(is_empty(&door.incoming()), "nothing is written before it is granted");
        door.grant(number, "1-1");
        assert_eq!(door.hear(), json!({ "done": { "ticket": "1-1" } }));
        assert_eq!(fs::read_to_string(door.incoming().join("1-1")).expect("there"), "archive");
        fs::remove_file(door.incoming().join("1-1")).expect("removed");
        door.answer(number, 202, "received \u{1f44d}");
        let (status, head, body) = heard(stream);
        assert_eq!((status, &body), (202, &json!({ "ok": true, "message": "received \u{1f44d}" })));
        assert!(head.contains("content-type: application/json") && head.contains("x-content-type-options: nosniff"));
    }
}

#[test]
fn what_the_arena_refuses_is_answered_and_not_written() {
    let mut door = Door::usual();
    // Before it reads the answer, the client sends more than the connection can hold.
    let stream = door.send("PUT /submit/ada HTTP/1.1\r\nContent-Length: 300000", vec![b'x'; 300_000]);
    let number = door.hear_ask();
    door.answer(number, 429, "wait");
    let (status, head, body) = heard(stream);
    assert_eq!((status, &body["ok"], &body["message"]), (429, &json!(false), &json!("wait")));
    assert!(head.contains("retry-after: 7") && is_empty(&door.incoming()));
}

#[test]
fn requests_that_cannot_be_uploads_are_refused_without_asking_the_arena() {
    let mut door = Door::usual();
    let ask = |request: &str| {
        let mut stream = door.connect();
        let _ = stream.write_all(request.as_bytes());
        heard(stream)
    };
    let headers = (0..10_000).map(|number| format!("x-{number}: y\r\n")).collect::<Vec<_>>().concat();
    let long = "a".repeat(300);
    for (request, status) in [
        ("PUT /submit/ada HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx".to_owned(), 401),
        ("PUT /submit/ada HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \r\n\r\n".to_owned(), 401),
        ("PUT /submit/ada HTTP/1.1\r\nHost: x\r\nAuthorization: Basic YQ==\r\n\r\n".to_owned(), 401),
        (format!("PUT /submit/ada HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {long}\r\n\r\n"), 401),
        ("PUT /submit/ada HTTP/1.1\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n".to_owned(), 401),
        ("POST /submit/ada HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\n\r\n".to_owned(), 405),
        ("PUT /submit/%00 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\n\r\n".to_owned(), 404),
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(), 404),
        (
            "PUT /submit/ada HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nContent-Length: 1048577\r\n\r\n"
                .to_owned(),
            413,
        ),
        ("PUT /submit/ada HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n".to_owned(), 400),
        ("PUT /submit/ada HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n".to_owned(), 400),
        (format!("PUT /submit/ada HTTP/1.1\r\n{headers}\r\n"), 431),
        (format!("PUT /submit/{} HTTP/1.1\r\n\r\n", "a".repeat(100_000)), 431),
        ("\0\0\0\0\r\n\r\n".to_owned(), 400),
    ] {
        let (answered, head, _) = ask(&request);
        let shown: String = request.chars().take(80).collect();
        // A client that is still sending may lose the answer, but never gets a different one.
        assert!(answered == status || answered == 0 && request.len() > 8192, "{shown}: {head}");
    }
    assert!(door.is_alive() && is_empty(&door.incoming()));
    // The next message that the arena receives is about the next upload.
    let stream = door.send("PUT /submit/ada HTTP/1.1\r\nContent-Length: 1", "x");
    let number = door.hear_ask();
    door.answer(number, 401, "no");
    assert_eq!(heard(stream).0, 401);
}

#[test]
fn uploads_that_are_too_large_or_cut_off_or_slow_leave_nothing_behind() {
    let mut door = Door::start(64, 10, 60);
    let dropped = json!({ "dropped": { "ticket": "1-1" } });
    let chunks = "8\r\n12345678\r\n8\r\n12345678\r\n0\r\n\r\n";
    let stream = door.send("PUT /submit/ada HTTP/1.1\r\nTransfer-Encoding: chunked", chunks);
    let number = door.hear_ask();
    door.grant(number, "1-1");
    assert_eq!(door.hear(), dropped);
    assert_eq!(heard(stream).0, 413);
    assert!(is_empty(&door.incoming()));
    for (head, body) in [
        ("Content-Length: 10", "12345"),
        ("Transfer-Encoding: chunked", "8\r\n1234"),
        ("Transfer-Encoding: chunked", "zz\r\n"),
    ] {
        let stream = door.send(&format!("PUT /submit/ada HTTP/1.1\r\n{head}"), body);
        let number = door.hear_ask();
        door.grant(number, "1-1");
        until("the file", || (!is_empty(&door.incoming()) || body == "zz\r\n").then_some(()));
        drop(stream);
        assert_eq!(door.hear(), dropped);
        assert!(is_empty(&door.incoming()));
    }
    // A client that leaves before the arena has decided.
    let stream = door.send("PUT /submit/ada HTTP/1.1\r\nContent-Length: 10", "");
    let number = door.hear_ask();
    drop(stream);
    until("the client to be gone", || door.is_alive().then_some(()));
    door.grant(number, "1-1");
    assert_eq!(door.hear(), dropped);
    assert!(is_empty(&door.incoming()));

    let mut hasty = Door::start(64, 10, 0);
    let stream = hasty.send("PUT /submit/ada HTTP/1.1\r\nContent-Length: 10", "1");
    let number = hasty.hear_ask();
    hasty.grant(number, "1-1");
    assert_eq!(hasty.hear(), dropped);
    assert!(is_empty(&hasty.incoming()));
    assert_eq!(heard(stream).0, 408);
}

#[test]
fn the_arena_learns_of_a_client_that_leaves_while_it_waits() {
    let mut door = Door::usual();
    let client = door.send("PUT /submit/ada HTTP/1.1\r\nContent-Length: 5", "PK...");
    let number = door.hear_ask();
    drop(client);
    assert_eq!(door.hear(), json!({ "gone": { "number": number } }));
    // A permission that comes too late has no effect.
    door.grant(number, "1-1");
    assert_eq!(door.hear(), json!({ "dropped": { "ticket": "1-1" } }));
}

#[test]
fn connections_are_bounded() {
    let door = Door::start(2, 10, 60);
    let idle = [door.connect(), door.connect()];
    until("a refusal", || (heard(door.connect()).0 == 503).then_some(()));
    drop(idle);
    until("a place", || door.is_alive().then_some(()));
}

#[test]
fn the_process_writes_to_its_directory_alone_and_ends_with_the_arena() {
    let mut door = Door::usual();
    let outside = door.dir.path().join("outside");
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let ruleset = ruleset.handle_access(AccessFs::WriteFile).and_then(Ruleset::create);
    if let Err(error) = ruleset {
        skipped(Need::Landlock, error);
    } else {
        for ticket in ["../outside", &outside.display().to_string(), "/tmp/gothello-arena-outside"] {
            let stream = door.send("PUT /submit/ada HTTP/1.1\r\nContent-Length: 1", "x");
            let number = door.hear_ask();
            door.grant(number, ticket);
            assert_eq!(door.hear(), json!({ "dropped": { "ticket": ticket } }));
            assert_eq!(heard(stream).0, 500);
            assert!(!outside.exists());
        }
    }
    let Door { mut process, link, .. } = door;
    drop(link);
    assert_eq!(process.wait().expect("it ends").code(), Some(0));
}
