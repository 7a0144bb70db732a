//! A dedicated broker for a bench, and the resource usage of processes.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The interval at which to poll for something that a process is about to do.
const LOOK: Duration = Duration::from_millis(2);

/// A `nats-server` with `JetStream` on a free loopback port, and its files.
pub(crate) struct Broker {
    dir: tempfile::TempDir,
    server: Child,
    port: u16,
}

/// The traffic through a broker so far, in both directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traffic {
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
}

impl Broker {
    /// Starts a broker; `None`, with a message, if it is not installed.
    pub(crate) fn start() -> Option<Self> {
        let Some(program) = program() else {
            eprintln!("nothing is measured, because nats-server is not installed");
            return None;
        };
        let dir = tempfile::tempdir().expect("a directory");
        let server = serve(&program, dir.path());
        let port = port_of(&server, dir.path());
        Some(Self { dir, server, port })
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// The process id of the server.
    pub(crate) fn id(&self) -> u32 {
        self.server.id()
    }

    /// The traffic through the server so far, according to its monitoring page.
    pub(crate) fn traffic(&self) -> Traffic {
        let address = &ports_of(&self.server, self.dir.path())["monitoring"][0];
        let address = address.as_str().expect("an address").trim_start_matches("http://").to_owned();
        let mut page = TcpStream::connect(address).expect("it listens");
        page.write_all(b"GET /varz HTTP/1.0\r\n\r\n").expect("sent");
        let mut text = String::new();
        page.read_to_string(&mut text).expect("read");
        let body = text.split_once("\r\n\r\n").expect("a body").1;
        let figures: serde_json::Value = serde_json::from_str(body).expect("an object");
        let both = |what: &str| ["in", "out"].iter().filter_map(|way| figures[format!("{way}_{what}")].as_u64()).sum();
        Traffic { messages: both("msgs"), bytes: both("bytes") }
    }

    /// The streams of runs on the server.
    pub(crate) fn streams_of_runs(&self) -> Vec<String> {
        let streams = fs::read_dir(self.dir.path().join("files/jetstream/$G/streams")).expect("it has some");
        let names = streams.map(|entry| entry.expect("read").file_name().to_string_lossy().into_owned());
        names.filter(|name| name.starts_with("gothello-")).collect()
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The program of the broker, if it is installed.
fn program() -> Option<PathBuf> {
    let names = ["nats-server", "/usr/sbin/nats-server"];
    names.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok()).map(PathBuf::from)
}

fn serve(program: &Path, dir: &Path) -> Child {
    let mut server = Command::new(program);
    server.args(["-a", "127.0.0.1", "-js", "-sd", "files", "--ports_file_dir", ".", "-m", "-1", "-p", "-1"]);
    server.current_dir(dir).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    server.spawn().expect("it starts")
}

/// The addresses that the server has written to its file; null until the server listens.
fn ports_of(server: &Child, dir: &Path) -> serde_json::Value {
    let text = fs::read_to_string(dir.join(format!("nats-server_{}.ports", server.id()))).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Waits until the server has written its port to its file.
fn port_of(server: &Child, dir: &Path) -> u16 {
    loop {
        let ports = ports_of(server, dir);
        let port = ports["nats"][0].as_str().and_then(|address| address.rsplit(':').next()?.parse().ok());
        match port {
            Some(port) => return port,
            None => sleep(LOOK),
        }
    }
}

/// The resource usage of a process so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Used {
    pub(crate) at: Instant,
    /// Its CPU time.
    pub(crate) cpu: Duration,
    /// Its resident memory, current and peak, in MiB.
    pub(crate) memory: [f64; 2],
    /// The files and sockets that it has open.
    pub(crate) files: usize,
}

impl Used {
    /// The usage of the process `id`; all zero if the process has ended.
    pub(crate) fn by(id: u32) -> Self {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The name of the program can contain spaces. After it, the user and system times are the 12th and 13th fields.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |nth: usize| fields.get(nth).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let mib = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            line.split_whitespace().next().and_then(|kib| kib.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
        };
        Self {
            at: Instant::now(),
            cpu: Duration::from_millis((ticks(11) + ticks(12)) * 1000 / rustix::param::clock_ticks_per_second()),
            memory: [mib("VmRSS:"), mib("VmHWM:")],
            files: fs::read_dir(format!("/proc/{id}/fd")).map_or(0, Iterator::count),
        }
    }

    /// The share of a core that the process used from `before` to now.
    pub(crate) fn share_since(&self, before: &Self) -> f64 {
        self.cpu.saturating_sub(before.cpu).as_secs_f64() / (self.at - before.at).as_secs_f64().max(1e-9)
    }
}
