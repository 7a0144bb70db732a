//! Message brokers for runs on several machines.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::harness::arena::{Arena, Running};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::{InTime as _, Owned, until};

/// A dedicated broker for a test, with its files.
pub(crate) struct Broker {
    pub(crate) dir: TempDir,
    pub(crate) server: Owned,
    pub(crate) port: u16,
}

/// The broker's program, if it is installed.
pub(crate) fn nats_server() -> Option<PathBuf> {
    let names = ["nats-server", "/usr/sbin/nats-server"];
    let found = names.into_iter().find(|name| Command::new(name).arg("--version").output_in_time().is_ok());
    if found.is_none() {
        skipped(Need::Nats, "nats-server is not installed");
    }
    found.map(PathBuf::from)
}

impl Broker {
    /// Starts a broker on a free port; `None` if no broker is installed.
    pub(crate) fn start() -> Option<Self> {
        let program = nats_server()?;
        let dir = TempDir::new().expect("a directory");
        let server = Self::serve(&program, dir.path(), -1);
        Some(Self::listening(server, dir))
    }

    /// Starts a broker on a free port, with the configuration that `configure` writes into `dir`.
    pub(crate) fn start_as(dir: TempDir, configure: impl FnOnce(&Path)) -> Option<Self> {
        configure(dir.path());
        Self::start_configured(dir)
    }

    /// Starts a broker on a free port, with the configuration file `nats.conf` in `dir`.
    pub(crate) fn start_configured(dir: TempDir) -> Option<Self> {
        let mut server = Command::new(nats_server()?);
        let server = Self::spawned(server.args(["-c", "nats.conf", "--ports_file_dir", "."]), dir.path());
        Some(Self::listening(server, dir))
    }

    /// The broker whose server has just been started in `dir`.
    fn listening(mut server: Owned, dir: TempDir) -> Self {
        let port = Self::port_of(&mut server, dir.path()).unwrap_or_else(|why| panic!("{why}"));
        Self { dir, server, port }
    }

    fn serve(program: &Path, dir: &Path, port: i32) -> Owned {
        let mut server = Command::new(program);
        server.args(["-a", "127.0.0.1", "-js", "-sd", "files", "--ports_file_dir", ".", "-p", &port.to_string()]);
        Self::spawned(&mut server, dir)
    }

    pub(crate) fn spawned(server: &mut Command, dir: &Path) -> Owned {
        let log = fs::File::create(dir.join("log")).expect("created");
        server.current_dir(dir).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        server.start().expect("it starts")
    }

    /// Waits until the broker has written its port to a file, which it does once it listens. If the broker ends first,
    /// the error says so and includes its output.
    pub(crate) fn port_of(server: &mut Owned, dir: &Path) -> Result<u16, String> {
        let file = dir.join(format!("nats-server_{}.ports", server.id()));
        until("the port of nats-server", || {
            if let Some(status) = server.try_wait().expect("asked") {
                let log = fs::read_to_string(dir.join("log")).unwrap_or_default();
                return Some(Err(format!("nats-server does not listen, but has ended ({status}):\n{log}")));
            }
            let ports: Option<serde_json::Value> =
                fs::read_to_string(&file).ok().and_then(|text| serde_json::from_str(&text).ok());
            let address =
                ports.as_ref().and_then(|ports| ports["nats"][0].as_str().or_else(|| ports["tls"][0].as_str()));
            address.and_then(|address| address.rsplit(':').next()?.parse().ok()).map(Ok)
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Kills the broker and starts it again, with or without its files.
    pub(crate) fn restart(&mut self, with_files: bool) {
        self.kill();
        if !with_files {
            fs::remove_dir_all(self.dir.path().join("files")).expect("removed");
        }
        self.start_again(|why| eprintln!("once more: {why}"));
    }

    pub(crate) fn kill(&mut self) {
        self.server.kill().expect("it runs");
        self.server.wait().expect("it ends");
    }

    /// Starts the killed broker at its previous port. Another program may have taken the port in the meantime; each
    /// time the broker fails to start, `failed` is called with the reason.
    pub(crate) fn start_again(&mut self, mut failed: impl FnMut(&str)) {
        let program = nats_server().expect("nats-server");
        self.server = until("nats-server at its previous port", || {
            let mut server = Self::serve(&program, self.dir.path(), i32::from(self.port));
            Self::port_of(&mut server, self.dir.path()).inspect_err(|why| failed(why)).ok().map(|_| server)
        });
    }

    /// Starts the run of `arena`; the coordinator itself plays no games.
    pub(crate) fn coordinate(&self, arena: &Arena) -> Running {
        self.coordinate_with(arena, &["--slots", "0", "--worker-timeout", "1s"])
    }

    /// Starts the run of `arena` with the arguments `args`.
    pub(crate) fn coordinate_with(&self, arena: &Arena, args: &[&str]) -> Running {
        let url = self.url();
        let words = ["run", "class.toml", "--out", "out", "--nats", &url, "--isolation", "off"];
        Arena::started(arena.command(&words).args(args).stdout(Stdio::piped()))
    }

    pub(crate) fn worker(&self, arena: &Arena, name: &str) -> Running {
        Arena::started(&mut self.worker_command(arena, name))
    }

    /// The command for a worker that keeps players' files in `arena`.
    pub(crate) fn worker_command(&self, arena: &Arena, name: &str) -> Command {
        Self::worker_command_at(self.port, arena, name)
    }

    /// The command for a worker that reaches the broker at `port`.
    pub(crate) fn worker_command_at(port: u16, arena: &Arena, name: &str) -> Command {
        let url = format!("nats://127.0.0.1:{port}");
        let mut command = arena.command(&["worker", "--nats", &url, "--slots", "1", "--name", name]);
        command.env("XDG_CACHE_HOME", arena.path().join("cache"));
        command
    }

    /// A connection for the test itself, and the runtime that drives it.
    pub(crate) fn client(&self) -> (tokio::runtime::Runtime, async_nats::Client) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let client = runtime.block_on(async_nats::connect(self.url())).expect("connected");
        (runtime, client)
    }
}
