//! Port 29068, on which the course's own server also listens. A run needs this port only for bots that cannot use any
//! other port.
//!
//! Each test has its own network, so that no other process holds or needs the port there.

use std::process::{Command, Stdio};

use crate::harness::arena::{Arena, Running, text};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;
use crate::run::side_by_side::Keeper;

/// A network with only a loopback interface. It belongs to a process that lives until this value is dropped.
struct Network(Keeper);

impl Network {
    /// Creates a network. If this user may not do this, or if the machine has no `ip`, reports that the test is skipped
    /// and returns `None`.
    fn new() -> Option<Self> {
        let has_ip = Command::new("ip").arg("-V").output_in_time().is_ok_and(|output| output.status.success());
        if !rustix::process::geteuid().is_root() || !has_ip {
            skipped(Need::Root, "it takes root and the program `ip` to make a network");
            return None;
        }
        let script = "ip link set lo up && echo ready && read end";
        Some(Self(Keeper::start(Command::new("unshare").args(["--net", "sh", "-c", script]))))
    }

    /// Like `command`, but run in this network. The process keeps its id.
    fn command(&self, command: &Command) -> Command {
        let mut there = Command::new("nsenter");
        there.arg(format!("--net=/proc/{}/ns/net", self.0.0.id())).arg(command.get_program()).args(command.get_args());
        there.stdin(Stdio::null());
        if let Some(dir) = command.get_current_dir() {
            there.current_dir(dir);
        }
        there.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        there
    }

    /// Starts the tournament of `arena` in this network, with `args` appended.
    fn run(&self, arena: &Arena, args: &[&str]) -> Command {
        let words = ["run", "class.toml", "--out", "out", "--isolation", "off"];
        self.command(&arena.command(&[&words[..], args].concat()))
    }

    /// A process called `name` that, like a Java program, listens on port 29068 of all addresses in this network,
    /// including IPv6.
    fn holder(&self, name: &str) -> Keeper {
        let code = "import socket, sys\nopen('/proc/self/comm', 'w').write(sys.argv[1])\n\
                    held = socket.create_server(('::', 29068), family=socket.AF_INET6, dualstack_ipv6=True)\n\
                    print('ready', flush=True)\nsys.stdin.read()\n";
        Keeper::start(&mut self.command(Command::new("python3").args(["-c", code, name])))
    }
}

/// A player that always passes. The words `words` follow the side in its command. It runs `first` and then connects to
/// `host` and `port`; all three are pieces of its shell script.
fn player(name: &str, first: &str, host: &str, port: &str, words: &str) -> String {
    let script = format!("{first} exec python3 @bots/misbehave.py pass $1 {host} {port}");
    format!("[[player]]\nname = \"{name}\"\ncommand = [\"sh\", \"-c\", \"{script}\", \"sh\", \"{{side}}\", {words}]\n")
}

/// Bots of every kind that can use a port other than 29068. Each one runs `first` before it connects.
fn tellable(first: &str) -> String {
    let server = "$((29068 + $2))";
    let bots = [
        player("port", first, "localhost", "$2", r#""{port}""#),
        player("host and port", first, "$2", "$3", r#""{host}", "{port}""#),
        player("server", first, "localhost", server, r#""{server}""#),
        player("host and server", first, "$3", server, r#""{server}", "{host}""#),
    ];
    format!("concurrency = 2\n{}[[player]]\nname = \"ours\"\nbuiltin = \"random\"\n", bots.concat())
}

#[test]
fn another_program_on_port_29068_is_in_the_way_of_no_bot_that_can_be_told_another_port() {
    let Some(network) = Network::new() else { return };
    let _holder = network.holder("Gthd");
    let arena = Arena::new(&tellable(""));
    let output = network.run(&arena, &["--strict"]).output_in_time().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(arena.results().len(), 20);
}

#[test]
fn a_run_whose_bots_can_all_be_told_another_port_leaves_29068_to_others() {
    let Some(network) = Network::new() else { return };
    // Each bot listens on port 29068, as the other program would, while its seat listens. The two bots of a game, or of
    // two games, take turns.
    let listen = "flock class.toml python3 -c 'import socket; socket.create_server((str(), 29068))' || exit 9;";
    let arena = Arena::new(&tellable(listen));
    let output = network.run(&arena, &["--strict"]).output_in_time().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(arena.results().len(), 20);
}

/// The bots that need port 29068: on localhost, or on their own host.
fn untellable() -> [String; 2] {
    [player("needs it", "", "localhost", "29068", r#""""#), player("needs it", "", "$2", "29068", r#""{host}""#)]
}

#[test]
fn games_that_need_the_port_wait_for_it_while_others_go_on() {
    for needs in untellable() {
        let Some(network) = Network::new() else { return };
        let holder = network.holder("Gthd");
        let arena = Arena::new(&format!(
            "concurrency = 2\nrounds = 2\nhello_timeout = \"10m\"\n{needs}{}",
            "[[player]]\nname = \"one\"\nbuiltin = \"random\"\n[[player]]\nname = \"two\"\nbuiltin = \"random\"\n"
        ));
        let mut running: Running = Arena::started(network.run(&arena, &["--strict"]).stdout(Stdio::null()));
        // In the schedule, most of the bot's games come before the games of the other two players, but none of the
        // bot's games is over yet.
        let mut left = vec!["r1-one-two", "r1-two-one", "r2-one-two", "r2-two-one"];
        while !left.is_empty() {
            let line = running.hear("r");
            assert!(!line.contains("needs_it"), "{line}");
            left.retain(|game| !line.contains(game));
        }
        drop(holder);
        let (code, stderr) = running.end();
        assert_eq!(code, Some(0), "{stderr}");
        assert_eq!(arena.results().len(), 12);
    }
}

#[test]
fn a_void_game_says_who_holds_the_port_and_what_to_do() {
    let Some(network) = Network::new() else { return };
    let _holder = network.holder("\u{1b}[2J`x`");
    for needs in untellable() {
        let other = needs.replace("needs it", "so does this");
        let arena = Arena::new(&format!("void_retries = 0\nhello_timeout = \"100ms\"\n{needs}{other}"));
        let output = network.run(&arena, &[]).output_in_time().expect("it runs");
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{stderr}");
        if needs.contains("localhost") {
            // The reason that both games share is reported once.
            let stdout = text(&output.stdout);
            assert!(stdout.contains(" (each void: no address for a seat: 127.0.0.1:29068 "), "{stdout}");
            assert_eq!(stdout.matches("no address").count(), 1, "{stdout}");
        }
        assert!(
            stderr.contains("; it will not be played again in this run; repeat the command to play it again\n"),
            "{stderr}"
        );
        let Err(void) = arena.record("r1-needs_it-so_does_this").result else { panic!("{stderr}") };
        let (address, rest) =
            void.reason.strip_prefix("no address for a seat: ").and_then(|rest| rest.split_once(' ')).expect("parts");
        assert!(address.starts_with("127.") && address.ends_with(":29068"), "{address}");
        let (holder, rest) = rest.split_once(" was not free ").expect("parts");
        assert!(holder.starts_with("(taken by \"\\u{1b}[2J`x`\", process "), "{holder}");
        assert_eq!(
            rest,
            "within 100ms (key `hello_timeout`), and the bot's command names neither `{port}` nor `{server}`; end \
             the program that is using it, or name one of them in the command"
        );
    }
}
