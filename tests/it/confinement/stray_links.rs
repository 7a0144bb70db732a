//! Links that students hand in, or that their builds create: no bot can reach the teacher's or a rival's files through
//! them.

use std::fs::{self, Permissions};
use std::io::{Cursor, Write as _};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::confinement::probes::Way;
use crate::harness::arena::{Arena, program, text};
use crate::harness::waiting::InTime as _;

const LINE_BOT: &str = include_str!("../../../examples/line_bot.py");

/// The secret that no bot may find out. The file's mode allows every user to read it, so only the confinement protects
/// it from bots.
const SECRET: &str = "the teacher's secret";

fn ways() -> impl Iterator<Item = Way> {
    ["A", "B", "C"].into_iter().flat_map(Way::all)
}

/// Gives `path` and everything below it to the arena's user. Links stay as they are.
fn give_all(way: Way, path: &Path) {
    way.user.give(path);
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("read").flatten() {
            if !entry.file_type().expect("a kind").is_symlink() {
                give_all(way, &entry.path());
            }
        }
    }
}

fn make(path: &Path, content: &str, mode: u32) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("made");
    fs::write(path, content).expect("written");
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("set");
}

/// A teacher's home with a shell in `~/.local/bin`, and the secret next to it.
fn make_home(root: &Path) -> PathBuf {
    let home = root.join("home/t");
    make(&home.join(".local/share/secret.txt"), SECRET, 0o644);
    make(&home.join(".local/bin/nothing"), "", 0o755);
    fs::copy("/bin/bash", home.join(".local/bin/bash")).expect("copied");
    home
}

/// Asserts that the secret is in no file below `dir`.
fn assert_secret_is_nowhere(dir: &Path, way: Way) {
    for entry in fs::read_dir(dir).expect("read").flatten() {
        if entry.file_type().expect("a kind").is_dir() {
            assert_secret_is_nowhere(&entry.path(), way);
        } else {
            let bytes = fs::read(entry.path()).expect("read");
            let found = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
            assert!(!found, "{way:?}: {}", entry.path().display());
        }
    }
}

fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(*name, SimpleFileOptions::default().unix_permissions(0o755)).expect("an entry");
        writer.write_all(content.as_bytes()).expect("written");
    }
    writer.finish().expect("an archive").into_inner()
}

/// A class of two students: an honest one, and one whose ZIP contains the given files and a shell script, `start`, that
/// prints the secret and plays on.
struct ImportedClass {
    root: tempfile::TempDir,
    home: PathBuf,
}

impl ImportedClass {
    /// Creates a class from `files`, in which `HOME` stands for the teacher's home.
    fn new(files: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().expect("a directory");
        let home = make_home(root.path());
        let start = "cat HOME/.local/share/secret.txt >&2; echo tried >&2; exec /usr/bin/python3 line_bot.py\n";
        let own = |text: &str| text.replace("HOME", &home.display().to_string());
        let files: Vec<(&str, String)> = files.iter().map(|(name, content)| (*name, own(content))).collect();
        let start = own(start);
        let mut mallory = vec![("start", start.as_str()), ("line_bot.py", LINE_BOT)];
        mallory.extend(files.iter().map(|(name, content)| (*name, content.as_str())));
        let honest = "command = [\"python3\", \"line_bot.py\"]\ntransport = \"stdio\"\n";
        let honest = [("line_bot.py", LINE_BOT), ("gothello.toml", honest)];
        fs::write(root.path().join("mallory.zip"), zip(&mallory)).expect("written");
        fs::write(root.path().join("honest.zip"), zip(&honest)).expect("written");
        Self { root, home }
    }

    fn path(&self) -> &Path {
        self.root.path()
    }

    /// Runs the arena with `args`, with the teacher's own programs in PATH if `with_own_path`.
    fn arena(&self, way: Way, args: &[&str], with_own_path: bool) -> Output {
        let own = self.home.join(".local/bin").display().to_string();
        let system = "/usr/bin:/bin".to_owned();
        let path = if with_own_path { format!("{own}:{system}") } else { system };
        let mut command = Command::new(program());
        command.args(args).current_dir(self.path()).env("HOME", &self.home).env("PATH", path).stdin(Stdio::null());
        way.act(&mut command, |command| command.output_in_time().expect("the program starts"))
    }

    /// Imports the class, checks it and plays its tournament. Returns the output of `run`, and whatever the
    /// student's bot wrote to stderr.
    fn played(&self, way: Way, with_own_path: bool) -> (String, String) {
        give_all(way, self.path());
        let imported = self.arena(way, &["import", "mallory.zip", "honest.zip", "--out", "class"], with_own_path);
        let told = format!("{}{}", text(&imported.stdout), text(&imported.stderr));
        assert!(imported.status.success() && told.contains("sure"), "{way:?}: {told}");
        let run = ["run", "class/class.toml", "--out", "out", "--isolation", way.isolation()];
        let run = self.arena(way, &run, with_own_path);
        assert_eq!(run.status.code(), Some(0), "{way:?}: {}", text(&run.stderr));
        assert_secret_is_nowhere(&self.path().join("out"), way);
        assert!(!text(&run.stderr).contains(SECRET) && !text(&run.stdout).contains(SECRET));
        let games = fs::read_dir(self.path().join("out/games")).expect("read").flatten();
        let own = games.filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let side = if name.contains("-mallory-") { ".black.stderr" } else { ".white.stderr" };
            name.ends_with(side)
        });
        let said = own.map(|entry| fs::read_to_string(entry.path()).expect("read")).collect::<String>();
        (text(&run.stderr), said)
    }
}

const MAKEFILE: &str = "all:\n\tln -sf HOME/.local/bin/bash bot\n";
const BUILT_LINK: &str = "build = [\"make\"]\ncommand = [\"./bot\", \"start\"]\ntransport = \"stdio\"\n";

#[test]
fn a_link_that_an_imported_build_makes_shows_nothing_of_the_teachers_home() {
    for way in ways() {
        let class = ImportedClass::new(&[("Makefile", MAKEFILE), ("gothello.toml", BUILT_LINK)]);
        let (told, said) = class.played(way, false);
        let link = format!("bot` is a link to `{}/.local/bin/bash`", class.home.display());
        assert!(told.contains("player `mallory` cannot be started") && told.contains(&link), "{way:?}: {told}");
        assert!(!said.contains("tried"), "{way:?}: {said}");
        // The build's leftovers do not change that.
        let checked = class.arena(way, &["check", "class/class.toml"], false);
        assert_eq!(checked.status.code(), Some(3), "{way:?}");
        assert!(text(&checked.stderr).contains(&link), "{way:?}: {}", text(&checked.stderr));
    }
}

#[test]
fn a_link_to_a_program_in_the_teachers_path_shows_that_program_alone() {
    for way in ways() {
        let class = ImportedClass::new(&[("Makefile", MAKEFILE), ("gothello.toml", BUILT_LINK)]);
        let (told, said) = class.played(way, true);
        assert!(!told.contains("cannot be started"), "{way:?}: {told}");
        assert!(said.contains("tried") && said.contains("secret.txt"), "{way:?}: {said}");
    }
}

#[test]
fn a_program_of_the_teachers_home_that_a_submission_names_shows_no_more() {
    for way in ways() {
        let class =
            ImportedClass::new(&[("gothello.toml", "command = [\"bash\", \"start\"]\ntransport = \"stdio\"\n")]);
        let (told, said) = class.played(way, true);
        assert!(!told.contains("cannot be started"), "{way:?}: {told}");
        assert!(said.contains("tried") && said.contains("secret.txt"), "{way:?}: {said}");
    }
}

/// Runs the tournament in `arena` with the confinement of `way`, and returns the output of the run.
fn played(way: Way, arena: &Arena, home: &Path) -> String {
    let args = ["run", "class.toml", "--out", "out", "--isolation", way.isolation()];
    let mut command = arena.command(&args);
    command.env("HOME", home);
    let run = way.act(&mut command, |command| command.output_in_time().expect("the program starts"));
    assert_eq!(run.status.code(), Some(0), "{way:?}: {}", text(&run.stderr));
    text(&run.stderr)
}

const RANDOM: &str = "[[player]]\nname = \"random\"\nbuiltin = \"random\"\n";

#[test]
fn a_link_that_is_handed_in_is_refused_with_its_name_and_never_followed() {
    for way in ways() {
        // The links of the submission, and the command of its player.
        for (links, command) in [
            (&[("bot", "@/home/t/.local/bin/bash")][..], "./bot"),
            (&[("bot", "../../home/t/.local/bin/bash")], "./bot"),
            (&[("bot", "sub/b"), ("sub/b", "../c"), ("c", "@/home/t/.local/bin/bash")], "./bot"),
            (&[("bin", "@/home/t/.local/bin")], "bin/bash"),
            (&[("bot", "../b/bot")], "./bot"),
        ] {
            let arena = Arena::new(&format!(
                "{RANDOM}[[player]]\nname = \"mallory\"\ndir = \"bots/a\"\ncommand = [\"{command}\", \"start\"]\n\
                 transport = \"stdio\"\n"
            ));
            let home = make_home(arena.path());
            let bot = arena.path().join("bots/a");
            fs::create_dir_all(bot.join("sub")).expect("made");
            make(&bot.join("start"), &format!("cat {}/.local/share/secret.txt >&2", home.display()), 0o755);
            make(&arena.path().join("bots/b/bot"), &format!("#!/bin/sh\n# {SECRET}\ncat $0 >&2"), 0o755);
            for (name, target) in links {
                let target = target.replace('@', &arena.path().display().to_string());
                symlink(target, bot.join(name)).expect("linked");
            }
            give_all(way, arena.path());
            let checked = arena.output(&["check", "class.toml"]);
            assert_eq!(checked.status.code(), Some(3), "{way:?}");
            let link = format!("bots/a/{}` is a link to `", links[0].0);
            assert!(text(&checked.stderr).contains(&link), "{way:?}: {}", text(&checked.stderr));
            let said = played(way, &arena, &home);
            assert!(said.contains(&link) && said.contains("name the link's target itself"), "{way:?}: {said}");
            assert!(arena.results().iter().all(|row| row["termination"] == "not started"), "{way:?}");
            assert_secret_is_nowhere(&arena.out(), way);
        }
    }
}

#[test]
fn a_file_that_a_command_names_is_not_a_link_to_a_key_or_a_rivals_source() {
    for way in ways() {
        let elsewhere = tempfile::tempdir().expect("a directory");
        make(&elsewhere.path().join("secret"), SECRET, 0o644);
        give_all(way, elsewhere.path());
        let outside = elsewhere.path().join("secret").display().to_string();
        for target in ["../../secret.key", "../victim/secret.py", &outside, "q.py"] {
            let arena = Arena::new(
                "[[player]]\nname = \"victim\"\ncommand = [\"python3\", \"bots/victim/secret.py\"]\ntransport = \"stdio\"\n\
                 [[player]]\nname = \"mallory\"\ncommand = [\"python3\", \"bots/a/q.py\", \"bots/a/book.bin\"]\n\
                 transport = \"stdio\"\n",
            );
            let bots = arena.path().join("bots");
            make(&arena.path().join("secret.key"), SECRET, 0o644);
            make(&bots.join("victim/secret.py"), &format!("# {SECRET}\n{LINE_BOT}"), 0o644);
            let spy = "import sys; print(open(sys.argv[1]).read(), file=sys.stderr)\n";
            make(&bots.join("a/q.py"), &format!("{spy}{LINE_BOT}"), 0o644);
            symlink(target, bots.join("a/book.bin")).expect("linked");
            give_all(way, arena.path());
            let checked = arena.output(&["check", "class.toml"]);
            let told = text(&checked.stderr);
            let message = "bots/a/book.bin` is a link to `";
            assert_eq!(checked.status.code(), Some(3), "{way:?} {target}: {told}");
            assert!(told.contains(message) && told.contains("must be the file itself"), "{way:?}: {told}");
            let said = played(way, &arena, arena.path());
            assert!(said.contains("player `mallory` cannot be started") && said.contains(message), "{way:?}: {said}");
            assert_secret_is_nowhere(&arena.out(), way);
        }
    }
}

#[test]
fn a_build_copies_and_hands_back_no_file_that_a_link_leads_to() {
    // Without a `dir`, a build gets copies of the files that it names; with a `dir`, the links that it creates come
    // back as links.
    for way in ways() {
        let arena = Arena::new(&format!(
            "{RANDOM}[[player]]\nname = \"named\"\nbuild = [\"sh\", \"bots/a/build.sh\", \"bots/a/book\"]\ncommand = [\"true\"]\n\
             [[player]]\nname = \"linking\"\ndir = \"bots/b\"\nbuild = [\"sh\", \"build.sh\"]\ncommand = [\"sh\", \"start\"]\n\
             transport = \"stdio\"\n"
        ));
        let secret = arena.path().join("secret.key");
        make(&secret, SECRET, 0o644);
        make(&arena.path().join("bots/a/build.sh"), "cat bots/a/book >stolen", 0o755);
        symlink("../../secret.key", arena.path().join("bots/a/book")).expect("linked");
        let linking = format!(
            "ln -s {0} abs; ln -s ../../secret.key rel; ln -s / root; ln {0} hard 2>/dev/null; cp {0} copy 2>/dev/null; true",
            secret.display()
        );
        make(&arena.path().join("bots/b/build.sh"), &linking, 0o755);
        make(
            &arena.path().join("bots/b/start"),
            "cat abs rel hard copy root/etc/../$PWD/../../secret.key >&2; echo tried >&2",
            0o755,
        );
        give_all(way, arena.path());
        let said = played(way, &arena, arena.path());
        let named = said.lines().find(|line| line.contains("player `named` cannot be started")).unwrap_or_default();
        assert!(named.contains("its build: `") && named.contains("bots/a/book` is a link to `"), "{way:?}: {said}");
        assert!(!arena.path().join("stolen").exists(), "{way:?}");
        let bot = arena.path().join("bots/b");
        for name in ["abs", "rel", "root"] {
            assert!(fs::symlink_metadata(bot.join(name)).expect("handed back").is_symlink(), "{way:?}");
        }
        assert!(!bot.join("hard").exists() && !bot.join("copy").exists(), "{way:?}");
        assert_secret_is_nowhere(&arena.out(), way);
        let stderr =
            fs::read_to_string(arena.out().join("games/r1-random-linking.white.stderr")).expect("the bot's stderr");
        assert!(stderr.contains("tried"), "{way:?}: {stderr}");
        // The build also works again where its links already exist.
        make(&bot.join("build.sh"), "for name in abs rel; do echo forged >$name; done 2>/dev/null; true", 0o755);
        let mut command = arena.command(&["run", "class.toml", "--out", "again", "--isolation", way.isolation()]);
        way.act(&mut command, |command| command.output_in_time().expect("the program starts"));
        assert_eq!(fs::read_to_string(&secret).expect("there"), SECRET, "{way:?}");
    }
}

#[test]
fn a_virtual_environment_over_the_systems_python_plays() {
    for way in ways() {
        let arena = Arena::new(&format!(
            "{RANDOM}[[player]]\nname = \"snake\"\ndir = \"bot\"\ncommand = [\"venv/bin/python\", \"bot.py\"]\ntransport = \"stdio\"\n\
             [[player]]\nname = \"alone\"\ncommand = [\"bot/venv/bin/python\", \"bot/bot.py\"]\ntransport = \"stdio\"\n"
        ));
        let bot = arena.path().join("bot");
        let prefix = "import sys; print('prefix', sys.prefix, file=sys.stderr)\n";
        make(&bot.join("bot.py"), &format!("{prefix}{LINE_BOT}"), 0o644);
        let made = Command::new("/usr/bin/python3")
            .args(["-m", "venv", "--without-pip"])
            .arg(bot.join("venv"))
            .status_in_time();
        assert!(made.expect("python3 starts").success());
        assert!(fs::symlink_metadata(bot.join("venv/bin/python")).expect("there").is_symlink());
        give_all(way, arena.path());
        let said = played(way, &arena, arena.path());
        assert!(!said.contains("cannot be started"), "{way:?}: {said}");
        assert!(arena.results().iter().all(|row| row["termination"] == "normal"), "{way:?}: {:?}", arena.results());
        let stderr =
            fs::read_to_string(arena.out().join("games/r1-random-snake.white.stderr")).expect("the bot's stderr");
        let venv = bot.canonicalize().expect("there").join("venv");
        assert!(stderr.contains(&format!("prefix {}", venv.display())), "{way:?}: {stderr}");
    }
}
