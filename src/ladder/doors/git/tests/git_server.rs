//! Servers of repositories on loopback: `git` itself, or a hostile one.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

/// How a server answers.
#[derive(Clone)]
pub(super) enum ServerAnswers {
    /// It serves the repositories below this directory.
    Repositories(PathBuf),
    /// It sends this to every client.
    Text(String),
    /// It never answers.
    Silence,
    /// It sends an endless list of references.
    Flood,
}

/// A server on loopback, and the heads of the requests that it has received.
pub(super) struct GitServer {
    pub(super) address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
    named: Named,
}

/// A commit, and another commit that the next answer names in its place.
type Named = Arc<Mutex<Option<(String, String)>>>;

impl GitServer {
    pub(super) fn start(answers: ServerAnswers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let (address, heads) = (listener.local_addr().expect("an address"), Arc::new(Mutex::new(Vec::new())));
        let (own, named) = (Arc::clone(&heads), Named::default());
        let own_named = Arc::clone(&named);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answers, heads, named) = (answers.clone(), Arc::clone(&own), Arc::clone(&own_named));
                // The client may disconnect at any time.
                std::thread::spawn(move || answer(stream, &answers, &heads, &named).unwrap_or_default());
            }
        });
        Self { address, heads, named }
    }

    /// Serves the repositories below the directory `root`.
    pub(super) fn of(root: &Path) -> Self {
        Self::start(ServerAnswers::Repositories(root.to_owned()))
    }

    /// Sends `text` to every client.
    pub(super) fn saying(text: impl Into<String>) -> Self {
        Self::start(ServerAnswers::Text(text.into()))
    }

    /// Names the commit `other` in place of `commit` once.
    pub(super) fn name_once(&self, commit: &str, other: &str) {
        *self.named.lock().expect("no panic") = Some((commit.to_owned(), other.to_owned()));
    }

    /// The heads of the requests so far.
    pub(super) fn heads(&self) -> Vec<String> {
        self.heads.lock().expect("no panic").clone()
    }
}

fn answer(
    mut stream: TcpStream,
    answers: &ServerAnswers,
    heads: &Mutex<Vec<String>>,
    named: &Mutex<Option<(String, String)>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head)? > 0 {}
    heads.lock().expect("no panic").push(head.clone());
    match answers {
        ServerAnswers::Text(text) => stream.write_all(text.as_bytes()),
        ServerAnswers::Silence => reader.read_to_end(&mut Vec::new()).map(drop),
        ServerAnswers::Flood => {
            let start = "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\n\r\n\
                         001e# service=git-upload-pack\n0000";
            stream.write_all(start.as_bytes())?;
            for number in 0_u64.. {
                let line = format!("{number:040x} refs/heads/{number}\n");
                stream.write_all(format!("{:04x}{line}", line.len() + 4).as_bytes())?;
            }
            Ok(())
        }
        ServerAnswers::Repositories(root) => {
            let field = |name: &str| {
                let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with(&format!("{name}:")));
                line.and_then(|line| line.split_once(": ")).map_or("", |(_, value)| value).to_owned()
            };
            let mut words = head.split(' ');
            let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let (path, query) = target.split_once('?').unwrap_or((target, ""));
            let mut body = vec![0; field("content-length").parse().unwrap_or(0)];
            reader.read_exact(&mut body)?;
            let mut command = Command::new("git");
            command.arg("http-backend").env("GIT_PROJECT_ROOT", root).env("GIT_HTTP_EXPORT_ALL", "1");
            command.env("PATH_INFO", path).env("QUERY_STRING", query).env("REQUEST_METHOD", method);
            command.env("CONTENT_TYPE", field("content-type")).env("CONTENT_LENGTH", body.len().to_string());
            command.env("HTTP_GIT_PROTOCOL", field("git-protocol"));
            command.env("HTTP_CONTENT_ENCODING", field("content-encoding"));
            command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
            child.stdin.take().expect("piped").write_all(&body)?;
            let mut output = child.wait_with_output()?.stdout;
            let place = |commit: &str| output.windows(commit.len()).position(|bytes| bytes == commit.as_bytes());
            let mut named = named.lock().expect("no panic");
            if let Some((start, other)) = named.as_ref().and_then(|(commit, other)| Some((place(commit)?, other))) {
                output[start..start + other.len()].copy_from_slice(other.as_bytes());
                *named = None;
            }
            drop(named);
            let status = output.strip_prefix(b"Status: ").map_or(&b"200 OK"[..], |rest| &rest[..3]);
            stream.write_all(&[b"HTTP/1.1 ", status, b"\r\nConnection: close\r\n", &output[..]].concat())
        }
    }
}
