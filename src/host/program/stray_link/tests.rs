use std::os::unix::fs::symlink;

use super::*;
use crate::host::program::tests::{program, write};

/// A home directory with programs, one of which is in the PATH, and a class directory with the bot `bots/a` and a
/// rival.
struct Scene {
    _root: tempfile::TempDir,
    root: PathBuf,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for program in
            ["home/.local/bin/tool", "home/.cargo/bin/other", "opt/x/bin/x", "home/secret", "class/bots/b/bot"]
        {
            fs::create_dir_all(root.join(program).parent().unwrap()).unwrap();
            write(&root.join(program), "", 0o755);
        }
        fs::create_dir_all(root.join("class/bots/a/sub")).unwrap();
        write(&root.join("class/bots/a/real"), "", 0o755);
        write(&root.join("class/secret.key"), "", 0o644);
        // A tool that is itself a link, as in many installations.
        symlink("tool", root.join("home/.local/bin/alias")).unwrap();
        symlink(root.join("opt/x/bin/x"), root.join("home/.local/bin/y")).unwrap();
        Self { _root: dir, root }
    }

    fn base(&self) -> PathBuf {
        self.root.join("class")
    }

    /// Creates the `links`, each at a path below `bots/a`. In targets, `@` is replaced by the root.
    fn link(&self, links: &[(&str, &str)]) {
        for (name, target) in links {
            let link = self.base().join("bots/a").join(name);
            let _ = fs::remove_file(&link);
            symlink(target.replace('@', &self.root.display().to_string()), link).unwrap();
        }
    }

    /// Identifies the program `command` of a player with these `keys`, with `home/.local/bin` in the PATH.
    fn identified(&self, keys: &str, command: &str) -> Result<Identified, StrayLink> {
        let player = program(&format!("command = [\"{command}\"]\n{keys}"));
        let executable = player.working_dir(&self.base()).join(command);
        let path = env::join_paths([self.root.join("home/.local/bin"), PathBuf::from("/usr/bin")]).unwrap();
        identify(&executable, &player, &self.base(), &path)
    }
}

const DIR: &str = "dir = \"bots/a\"";

/// The links of a submission, the link that it runs as its program, and the kind or the target of that link.
type Shape = (&'static [(&'static str, &'static str)], &'static str, &'static str);

#[test]
fn a_program_may_be_a_link_only_to_what_the_bot_sees_anyway_or_to_a_tool_of_the_path() {
    let scene = Scene::new();
    let allowed: [Shape; 12] = [
        (&[], "real", "named"),
        (&[("bot", "real")], "bot", "linked"),
        (&[("bot", "./sub/../real")], "bot", "linked"),
        (&[("bot", "@/class/bots/a/real")], "bot", "linked"),
        (&[("bot", "/usr/bin/env")], "bot", "linked"),
        (&[("bot", "/bin/sh")], "bot", "linked"),
        (&[("bot", "@/home/.local/bin/tool")], "bot", "tool"),
        (&[("bot", "../../../home/.local/bin/tool")], "bot", "tool"),
        (&[("bot", "@/home/.local/bin/alias")], "bot", "tool"),
        // The link leads to a tool in the PATH that is itself a link into an installation.
        (&[("bot", "@/home/.local/bin/y")], "bot", "tool"),
        (&[("bot", "sub/one"), ("sub/one", "../two"), ("two", "/usr/bin/env")], "bot", "linked"),
        (&[("dir", "/usr/bin")], "dir/env", "linked"),
    ];
    for (links, command, expected) in allowed {
        scene.link(links);
        let found = match scene.identified(DIR, command) {
            Ok(Identified::Named { .. }) => "named",
            Ok(Identified::Linked { .. }) => "linked",
            Ok(Identified::LinkedTool { .. }) => "tool",
            Err(stray) => panic!("{links:?}: {stray}"),
        };
        assert_eq!(found, expected, "{links:?}");
    }
    let astray: [Shape; 12] = [
        (&[("bot", "@/home/.cargo/bin/other")], "bot", "home/.cargo/bin/other"),
        (&[("bot", "@/home/secret")], "bot", "home/secret"),
        (&[("bot", "../../../home/secret")], "bot", "home/secret"),
        (&[("bot", "../b/bot")], "bot", "class/bots/b/bot"),
        // The name of the target is not found in the PATH.
        (&[("bot", "@/opt/x/bin/x")], "bot", "opt/x/bin/x"),
        (&[("bot", "one"), ("one", "sub/two"), ("sub/two", "@/home/secret")], "bot", "home/secret"),
        (&[("dir", "@/home/.cargo")], "dir/bin/other", "home/.cargo/bin/other"),
        (&[("dir", "..")], "dir/b/bot", "class/bots/b/bot"),
        (&[("up", "../.."), ("bot", "up/bots/b/bot")], "bot", "class/bots/b/bot"),
        // The path leads through a directory of the system.
        (&[("bot", "/usr/../@/home/secret")], "bot", "home/secret"),
        (&[("bot", "/proc/self/root/usr/bin/env")], "bot", "usr/bin/env"),
        (&[("bot", "/proc/self/exe")], "bot", ""),
    ];
    for (links, command, end) in astray {
        scene.link(links);
        let stray = scene.identified(DIR, command).expect_err(command);
        assert!(stray.end.ends_with(end), "{links:?}: {stray}");
        assert_eq!(stray.rule, LinkRule::ProgramInDir);
        assert!(stray.link.starts_with(scene.base().join("bots/a")), "{links:?}: {stray}");
    }
    // None of these programs can be run, so none of their links counts.
    for links in [&[("bot", "bot")][..], &[("bot", "none")], &[("bot", "one"), ("one", "bot")]] {
        scene.link(links);
        assert_eq!(scene.identified(DIR, "bot"), Ok(Identified::Named { end: None }));
    }
}

#[test]
fn the_path_of_the_user_is_not_what_a_player_can_shape() {
    let scene = Scene::new();
    scene.link(&[("sub/tool", "@/home/secret"), ("bot", "sub/tool")]);
    let player = program(&format!("command = [\"./bot\"]\n{DIR}"));
    let executable = scene.base().join("bots/a/bot");
    for dir in [scene.base().join("bots/a/sub"), PathBuf::from("sub")] {
        let path = env::join_paths([dir]).unwrap();
        assert!(identify(&executable, &player, &scene.base(), &path).is_err());
    }
}

#[test]
fn what_the_player_may_read_is_not_stray_and_the_users_own_links_are_followed() {
    let scene = Scene::new();
    let readable = format!("{DIR}\nreadable = [\"{}\"]", scene.root.join("home/.cargo").display());
    scene.link(&[("bot", "@/home/.cargo/bin/other")]);
    assert!(matches!(scene.identified(&readable, "bot"), Ok(Identified::Linked { .. })));
    // Both the player's directory and a program outside it are links.
    symlink(scene.base().join("bots"), scene.base().join("handed-in")).unwrap();
    let named = |end: &str| Ok(Identified::Named { end: Some(scene.root.join(end)) });
    assert_eq!(scene.identified("dir = \"handed-in/a\"", "real"), named("class/bots/a/real"));
    scene.identified("dir = \"handed-in/a\"", "bot").expect_err("the program is a link in that directory");
    assert_eq!(scene.identified(DIR, "../../../home/.local/bin/y"), named("opt/x/bin/x"));
}

#[test]
fn without_a_directory_any_link_below_the_tournament_file_is_a_players() {
    let scene = Scene::new();
    scene.link(&[("bot", "real"), ("env", "/usr/bin/env"), ("secret", "@/home/secret"), ("dir", "../b")]);
    for (command, is_allowed) in [
        ("bots/a/real", true),
        ("bots/a/env", true),
        ("bots/a/bot", false),
        ("bots/a/secret", false),
        ("bots/a/dir/bot", false),
        ("../class/bots/a/secret", false),
        ("../home/.local/bin/tool", true),
    ] {
        let found = scene.identified("", command);
        assert_eq!(found.is_ok(), is_allowed, "{command}: {found:?}");
    }
    let path = env::join_paths([scene.base().join("bots/a")]).unwrap();
    let (player, executable) = (program("command = [\"secret\"]"), scene.base().join("bots/a/secret"));
    let found = identify(&executable, &player, &scene.base(), &path);
    let named = Ok(Identified::Named { end: Some(scene.root.join("home/secret")) });
    assert_eq!(found, named, "the user has put it into the PATH");
}

#[test]
fn a_file_that_a_command_names_must_be_the_file_itself() {
    let scene = Scene::new();
    let root = scene.root.display().to_string();
    scene.link(&[
        ("key", "../../secret.key"),
        ("rival", "../b/bot"),
        ("beside", "real"),
        ("dir", "../.."),
        ("none", "nowhere"),
        ("proc", "/proc/self/environ"),
        ("abs", "@/home/secret"),
    ]);
    let named = |word: &str, keys: &str| {
        named_file(word, &program(&format!("command = [\"env\"]\n{keys}")), &scene.base())
            .map(|named| named.map(|named| named.file.strip_prefix(&scene.root).unwrap().display().to_string()))
    };
    for (word, file) in [
        ("bots/a/real", Some("class/bots/a/real")),
        ("./bots/a/../b/bot", Some("class/bots/b/bot")),
        ("../home/secret", Some("home/secret")),
        ("bots/a/none", None),
        ("bots/a", None),
        ("black", None),
    ] {
        assert_eq!(named(word, ""), Ok(file.map(str::to_owned)), "{word}");
    }
    for word in ["key", "rival", "beside", "dir/secret.key", "dir/bots/b/bot", "proc", "abs"] {
        for word in [format!("bots/a/{word}"), format!("../class/bots/a/{word}"), format!("{root}/class/bots/a/{word}")]
        {
            let stray = named(&word, "").expect_err(&word);
            assert_eq!(stray.rule, LinkRule::NamedFile);
            assert!(stray.link.starts_with(scene.base().join("bots/a")), "{stray}");
        }
    }
    assert_eq!(named("bots/a/abs", "readable = [\"../home\"]"), Ok(Some("home/secret".to_owned())));
    // An absolute path elsewhere is the user's own choice.
    assert_eq!(named(&format!("{root}/home/.local/bin/alias"), ""), Ok(Some("home/.local/bin/tool".to_owned())));
}
