//! Signals and closed terminals: the arena never ends without a message.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::harness::arena::{Arena, Ready, assert_gone, is_withheld, program};
use crate::harness::waiting::InTime as _;
use crate::run::tournaments::held;

#[test]
fn signals_that_kill_by_default_end_the_arena_in_order() {
    for (signal, name) in [
        (Signal::TERM, "SIGTERM"),
        (Signal::HUP, "SIGHUP"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::VTALARM, "SIGVTALRM"),
        (Signal::PROF, "SIGPROF"),
        (Signal::XCPU, "SIGXCPU"),
    ] {
        if is_withheld(signal) {
            continue;
        }
        let arena = held("held");
        let ready = Ready::new();
        let mut running = arena.start(Some(&ready));
        let (pid, _bot) = ready.next();
        running.signal(signal);
        running.hear(&format!("gothello-arena: {name}: stopping now"));
        let (code, stderr) = running.end();
        assert_eq!(code, Some(143), "{name}: {stderr}");
        assert_gone(pid);
        assert_eq!(arena.results().len(), 0);
    }
}

#[test]
fn irrelevant_signals_are_reported_once_and_ignored() {
    if is_withheld(Signal::INT) {
        return;
    }
    let arena = held("held");
    let ready = Ready::new();
    let mut running = arena.start(Some(&ready));
    let (_, bot) = ready.next();
    let ignored = [(Signal::USR1, "SIGUSR1"), (Signal::USR2, "SIGUSR2")];
    for (signal, name) in ignored.into_iter().filter(|(signal, _)| !is_withheld(*signal)) {
        running.signal(signal);
        running.hear(&format!("gothello-arena: {name} is ignored; Ctrl-C or SIGTERM ends the program"));
        running.signal(signal);
    }
    running.signal(Signal::INT);
    running.hear("Ctrl-C again");
    drop(bot);
    let (code, stderr) = running.end();
    assert_eq!(code, Some(130), "{stderr}");
    assert!(!stderr.contains("is ignored"), "{stderr}");
    assert_eq!(arena.results().len(), 1, "the game must be played to its end");
}

#[test]
fn closing_the_terminal_ends_the_arena_in_order() {
    if is_withheld(Signal::HUP) {
        return;
    }
    let arena = held("held");
    arena.pass_env([OsStr::new("READY")].into_iter());
    let ready = Ready::new();
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("a terminal");
    let name = ptsname(&terminal, Vec::new()).expect("a name").into_string().expect("text");
    let ours = || File::options().read(true).write(true).open(&name).expect("opened");
    let mut command = Command::new("setsid");
    command.args(["--ctty", program(), "run", "class.toml", "--out", "out"]);
    command.args(["--isolation", "off"]).current_dir(arena.path()).env("READY", ready.port().to_string());
    let mut child = command.stdin(ours()).stdout(ours()).stderr(ours()).start().expect("it starts");
    let (pid, _bot) = ready.next();
    // Nothing else holds the other end of the terminal.
    drop((terminal, command));
    assert_eq!(child.wait().expect("it ends").code(), Some(143));
    assert_gone(pid);
    assert_eq!(arena.results().len(), 0, "the tables must be there but empty");
}

#[test]
fn standings_that_nobody_reads_do_not_delay_sigterm() {
    let arena = Arena::new(
        "rounds = 1\n[[player]]\nname = \"one\"\nbuiltin = \"random\"\n[[player]]\nname = \"two\"\nbuiltin = \"random\"\n",
    );
    let (_reader, mut writer) = std::io::pipe().expect("a pipe");
    let room = rustix::pipe::fcntl_getpipe_size(&writer).expect("a size");
    writer.write_all(&vec![b'.'; room]).expect("written");
    let mut running = arena.start_printing(Stdio::from(writer));
    running.hear("[2/2]");
    running.signal(Signal::TERM);
    running.hear("prints them");
    assert_eq!(running.end().0, Some(143));
    assert_eq!(arena.results().len(), 2);
}
