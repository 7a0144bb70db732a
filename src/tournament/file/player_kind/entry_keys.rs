//! The keys of a player that hands in versions for a ladder.

use std::path::{Component, Path, PathBuf};

use toml::de::DeValue;

use super::KindKey;
use crate::tournament::Quoted;
use crate::tournament::file::flaw::Flaw;
use crate::tournament::file::key::FileKey;
use crate::tournament::file::key_kinds::OwnReader;
use crate::tournament::file::keys::player;
use crate::tournament::file::problem_places::KeyReader;
use crate::tournament::file::program_keys::{ProgramDefaults, entry_program};
use crate::tournament::file::section::Section;
use crate::tournament::ladder::{EntryProgram, GitSource, LadderDoor};

/// How the versions of a player arrive, and how they are built and started.
#[derive(Clone, Debug)]
pub(in crate::tournament::file) struct EntryKeys {
    pub(in crate::tournament::file) door: LadderDoor,
    pub(in crate::tournament::file) program: EntryProgram,
}

/// Reads the keys of a player whose versions arrive by the door `kind`.
pub(super) fn entry(
    reader: &mut KeyReader<'_>,
    section: &Section<'_>,
    (kind, defaults): (KindKey, &ProgramDefaults),
) -> Option<EntryKeys> {
    let door = match kind {
        KindKey::Folder => folder(reader, section).map(LadderDoor::Folder),
        KindKey::Git => git(reader, section).map(|source| LadderDoor::Git(Box::new(source))),
        _ => submit(reader, section).then_some(LadderDoor::Submit),
    };
    let program = entry_program(reader, section, defaults);
    Some(EntryKeys { door: door?, program })
}

fn folder(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<PathBuf> {
    path(reader, section, &player::FOLDER, "a directory such as \"handed-in/alice\", relative to this file")
}

/// Whether the section contains `submit = true`.
fn submit(reader: &mut KeyReader<'_>, section: &Section<'_>) -> bool {
    let Some(value) = section.get(player::SUBMIT.name) else { return false };
    match value.get_ref() {
        DeValue::Boolean(true) => return true,
        DeValue::Boolean(false) => reader.note(value.span().start, Flaw::NotSubmitted),
        _ => reader.wrong_type("submit", value, "`true`, without quotes"),
    }
    false
}

fn git(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<GitSource> {
    let url = url(reader, section);
    let branch = branch(reader, section);
    let subdirectory = path(reader, section, &player::SUBDIRECTORY, "a directory in the repository, such as \"bot\"");
    if let Some(path) = subdirectory.as_deref().filter(|path| !is_below(path)) {
        let text = Quoted::new(&path.to_string_lossy());
        reader.note(section.key_offset(player::SUBDIRECTORY.name), Flaw::OutsideRepository { text });
    }
    let key = path(reader, section, &player::GIT_KEY, "a file such as \"keys/alice\", relative to this file");
    let token_file =
        path(reader, section, &player::GIT_TOKEN_FILE, "a file such as \"keys/alice.token\", relative to this file");
    if key.is_some() && token_file.is_some() {
        let flaw = Flaw::Excluding { key: player::GIT_TOKEN_FILE.name, other: player::GIT_KEY.name };
        reader.note(section.key_offset(player::GIT_TOKEN_FILE.name), flaw);
    }
    let url = url?;
    for (key, scheme, is_given) in
        [(player::GIT_KEY.name, "ssh", key.is_some()), (player::GIT_TOKEN_FILE.name, "http", token_file.is_some())]
    {
        if is_given && !url.starts_with(scheme) {
            reader.note(section.key_offset(key), Flaw::ForAnotherScheme { key, scheme });
        }
    }
    Some(GitSource { url, branch, subdirectory, key, token_file })
}

/// Whether `path` stays below the directory that it is relative to.
fn is_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// The URL at `git`. Only schemes whose transport is encrypted are allowed, and plain HTTP within this machine.
fn url(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<String> {
    let text = reader.text(section, &player::GIT, "a URL such as \"https://git.example/alice/bot.git\"")?;
    if is_allowed(text.content) {
        return Some(text.content.to_owned());
    }
    let flaw = if text.content.contains(|c: char| c.is_control() || c.is_whitespace()) {
        Flaw::ControlCharacter { key: "git".to_owned() }
    } else if has_password(text.content) {
        Flaw::PasswordInUrl
    } else {
        Flaw::NotARepository { text: Quoted::new(text.content) }
    };
    reader.note(text.span.start, flaw);
    None
}

/// The part of `url` between the scheme and the path.
fn authority(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    Some((scheme, &rest[..end]))
}

/// Whether `url` contains a password, which does not belong in a file that is copied and shown.
fn has_password(url: &str) -> bool {
    let user = authority(url).and_then(|(_, authority)| authority.rsplit_once('@')).map(|(user, _)| user);
    user.is_some_and(|user| user.contains(':'))
}

/// Whether `url` names a repository that may be fetched.
fn is_allowed(url: &str) -> bool {
    let Some((scheme, authority)) = authority(url) else { return false };
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let is_clean = url.chars().all(|c| c.is_ascii_graphic() && !['"', '\\', '`', '<', '>', '#', '?'].contains(&c));
    // The program that connects would mistake a host that begins with `-` for an option.
    let is_host = !host.is_empty() && !host.starts_with('-') && !authority.starts_with('-');
    let is_scheme = match scheme {
        "https" => !authority.contains('@'),
        "ssh" => true,
        "http" => is_loopback(host) && !authority.contains('@'),
        _ => false,
    };
    is_clean && is_host && is_scheme && !has_password(url)
}

/// Whether `host`, with or without a port, is this machine.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or("", |(name, _)| name),
        None => host.split_once(':').map_or(host, |(name, _)| name),
    };
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The name at `branch`, which `git` must not mistake for an option or a pattern.
fn branch(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<String> {
    let text = reader.text(section, &player::BRANCH, "a name such as \"main\"")?;
    let name = text.content;
    let is_fit = |c: char| c.is_alphanumeric() || "/._-+@".contains(c);
    let is_ref = !name.is_empty()
        && name.chars().all(is_fit)
        && !name.starts_with(['-', '/', '.'])
        && !name.ends_with(['/', '.'])
        && !["..", "//", "/.", "@{"].iter().any(|part| name.contains(part))
        && name.strip_suffix(".lock").is_none()
        && name.len() <= 200;
    if !is_ref {
        reader.note(text.span.start, Flaw::NotABranch { text: Quoted::new(name) });
        return None;
    }
    Some(name.to_owned())
}

/// The path at `key`, if the key is present.
fn path(
    reader: &mut KeyReader<'_>,
    section: &Section<'_>,
    key: &FileKey<OwnReader>,
    expected: &'static str,
) -> Option<PathBuf> {
    let text = reader.text(section, key, expected)?;
    let flaw = if text.content.is_empty() {
        Flaw::Empty { key: key.name.to_owned(), example: "" }
    } else if text.content.contains('\0') {
        Flaw::ControlCharacter { key: key.name.to_owned() }
    } else {
        return Some(PathBuf::from(text.content));
    };
    reader.note(text.span.start, flaw);
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Tournament;

    /// The problems of a ladder with a player that has these keys.
    fn problems(keys: &str) -> Vec<String> {
        let text = format!(
            "format = \"ladder\"\n[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"ada\"\n{keys}"
        );
        let found = Tournament::parse(&text, "test").err();
        found.map(|problems| problems.iter().map(ToString::to_string).collect()).unwrap_or_default()
    }

    #[test]
    fn only_repositories_behind_an_encrypted_transport_or_on_this_machine_are_allowed() {
        for url in [
            "https://git.example/alice/bot.git",
            "https://git.example:8443/alice/bot",
            "ssh://git@git.example/alice/bot.git",
            "ssh://git.example:22/~alice/bot",
            "http://127.0.0.1:8080/bot.git",
            "http://localhost/bot.git",
            "http://[::1]:8080/bot.git",
        ] {
            assert!(is_allowed(url), "{url}");
            assert_eq!(problems(&format!("git = \"{url}\"")), [""; 0], "{url}");
        }
        for url in [
            "http://git.example/bot.git",
            "http://127.0.0.1.example/bot.git",
            "http://localhost@git.example/bot.git",
            "git://git.example/bot.git",
            "file:///etc",
            "/etc",
            "../bot",
            "ext::sh -c true",
            "git@git.example:alice/bot.git",
            "--upload-pack=true",
            "ssh://-oProxyCommand=true/bot",
            "ssh://-oProxyCommand=true@git.example/bot",
            "https://",
            "https:///bot.git",
            "https://user:word@git.example/bot.git",
            "https://token@git.example/bot.git",
            "ssh://git:word@git.example/bot.git",
            "https://git.example/bot.git\\n",
            "HTTPS://git.example/bot.git",
            "",
        ] {
            assert!(!is_allowed(url), "{url}");
            assert_eq!(problems(&format!("git = \"{url}\"")).len(), 1, "{url}");
        }
    }

    #[test]
    fn a_door_has_its_own_keys() {
        for (keys, expected) in [
            ("folder = \"a\"\nbuild = [\"make\"]\nmemory = \"1 GiB\"", None),
            ("folder = \"a\"\ncommand = [\"./bot\", \"{side}\"]\ntransport = \"stdio\"", None),
            ("submit = true\nopenings = true\ntell_clock = false", None),
            ("git = \"https://git.example/a\"\nbranch = \"main\"\nsubdirectory = \"bot\"", None),
            ("git = \"ssh://git@git.example/a\"\ngit_key = \"keys/a\"", None),
            (
                "folder = \"a\"\nbranch = \"main\"",
                Some("`branch` is for a player with `git`, but this one has `folder`"),
            ),
            ("folder = \"a\"\ndir = \"b\"", Some("`dir` is for a player with `command`, but this one has `folder`")),
            (
                "folder = \"a\"\nwritable = true",
                Some("`writable` is for a player with `command`, but this one has `folder`"),
            ),
            (
                "folder = \"a\"\nsubmit = true",
                Some("`submit` and `folder` cannot be used together (remove one of them)"),
            ),
            ("folder = \"a\"\nbuiltin = \"greedy\"", Some("`builtin` and `folder` cannot be used together")),
            ("folder = \"\"", Some("`folder` is empty")),
            ("folder = \"..\"", Some("`folder`: the bot could read everything in `..`")),
            ("submit = false", Some("`submit`: `false` has no effect (write `submit = true`, or leave it out)")),
            (
                "git = \"https://a.example/b\"\nsubdirectory = \"../c\"",
                Some("`subdirectory`: `../c` is outside the repository"),
            ),
            (
                "git = \"https://a.example/b\"\nbranch = \"--all\"",
                Some("`branch`: `--all` cannot be the name of a branch"),
            ),
            ("git = \"https://a.example/b\"\ngit_key = \"k\"", Some("`git_key` is for repositories with `ssh://`")),
            (
                "git = \"ssh://a.example/b\"\ngit_token_file = \"k\"",
                Some("`git_token_file` is for repositories with `http"),
            ),
            ("git = \"https://u:p@a.example/b\"", Some("`git` contains a password")),
            (
                "remote = true\nlisten = \"127.0.0.1:29070\"",
                Some("`format = \"ladder\"` is for programs that the arena starts"),
            ),
            ("folder = \"a\"\nsides = [\"black\"]", Some("`sides`: a tournament with `format = \"ladder\"`")),
        ] {
            let found = problems(keys);
            match expected {
                None => assert_eq!(found, [""; 0], "{keys}"),
                Some(expected) => assert!(found.len() == 1 && found[0].contains(expected), "{keys}: {found:#?}"),
            }
        }
    }

    #[test]
    fn doors_are_for_ladders_only() {
        let text =
            "[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"ada\"\nfolder = \"ada\"\n";
        let found = Tournament::parse(text, "test").expect_err("no ladder");
        assert_eq!(
            found.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["6:1: `folder` is for `format = \"ladder\"`, but this tournament has `format = \"round-robin\"`"]
        );
    }

    #[test]
    fn versions_cannot_be_mistaken_for_other_players() {
        let text = |other: &str| {
            format!(
                "format = \"ladder\"\n[[player]]\nname = \"{other}\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"ada\"\nfolder = \"ada\"\n"
            )
        };
        assert!(Tournament::parse(&text("ada two"), "test").is_ok());
        for other in ["ada.7", "Ada 12", "ada_3"] {
            let found = Tournament::parse(&text(other), "test").expect_err("alike");
            assert!(found.to_string().contains("would be mistaken for a version of player `ada`"), "{found}");
        }
        let long = "a".repeat(60);
        let found = Tournament::parse(&text("b").replace("\"ada\"\nf", &format!("\"{long}\"\nf")), "test");
        let found = found.expect_err("too long");
        assert!(found.to_string().contains("may have at most 56 characters"), "{found}");
    }
}
