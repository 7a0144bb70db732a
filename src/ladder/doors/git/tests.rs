//! Repositories that are served over HTTP on loopback, by `git` itself or by a hostile server.

mod git_server;
mod repository;

use std::fs::Permissions;
use std::num::NonZeroUsize;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::rc::Rc;

use git_server::{GitServer, ServerAnswers};
use repository::Repository;
use tempfile::TempDir;
use tokio::sync::mpsc;

use super::*;
use crate::course::unpacking::SubmissionBounds;
use crate::ladder::doors::day_limit::DayLimit;
use crate::ladder::doors::intake::Intake;
use crate::ladder::doors::{DoorNews, DoorPlaces, Doors, DoorsPlan, Entrance, PlayerDoor};
use crate::ladder::hand_in::HandIn;
use crate::ladder::tokens::TokenStore;

/// The door to the only repository of `server`.
fn door_of(server: &GitServer) -> GitDoor {
    GitDoor {
        address: format!("http://{}/bot.git", server.address).parse().expect("an address"),
        branch: None,
        subdirectory: None,
        credential: GitCredential::None,
    }
}

const BOUNDS: SubmissionBounds = SubmissionBounds { bytes: 4 << 20, files: 20 };

/// A desk in a new directory, and the receiver of its news.
fn desk() -> (TempDir, Rc<DoorDesk>, mpsc::Receiver<DoorNews>) {
    let dir = tempfile::tempdir().expect("a directory");
    let inbox = dir.path().to_owned();
    let intake = Intake::in_dir(inbox.join("trees")).expect("made");
    let day = DayLimit::new(NonZeroUsize::new(3).expect("not zero"));
    let (news, told) = mpsc::channel(100);
    let desk = DoorDesk::new((intake, inbox), None, (BOUNDS, Duration::from_mins(1)), day, news);
    (dir, Rc::new(desk), told)
}

fn bo() -> PlayerName {
    PlayerName::new("bo").expect("a name")
}

/// A door that stays open.
fn open() -> DoorTerms {
    DoorTerms::new(None)
}

/// The files that a poll of `door` finds, each with its contents; otherwise, the refusal or the trouble.
async fn files(door: &GitDoor) -> Result<Vec<(String, String)>, String> {
    let (_dir, desk, mut news) = desk();
    poll(&desk, &bo(), (door, &open()), wall_clock(), &mut None).await;
    match news.try_recv().expect("news") {
        DoorNews::HandIn(HandIn { sources, .. }) => {
            let sources = sources?;
            let read = |name: &String| std::fs::read_to_string(sources.dir.join(name)).expect("readable");
            Ok(sources.files.iter().map(|name| (name.clone(), read(name))).collect())
        }
        DoorNews::Trouble { trouble, .. } => Err(trouble),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn files_are_those_that_were_committed_whatever_attributes_and_links_say() {
    let repository = Repository::new();
    repository.write(
        ".gitattributes",
        "subst.py export-subst\nhidden.py export-ignore\nlf.py text eol=crlf\nid.py ident\nfiltered.py filter=evil\n",
    );
    for (name, text) in [
        ("subst.py", "$Format:%H$\n"),
        ("hidden.py", "hidden\n"),
        ("lf.py", "a\nb\n"),
        ("id.py", "$Id$\n"),
        ("filtered.py", "plain\n"),
        ("bot/main.py", "main\n"),
        (".gitmodules", "[submodule \"evil\"]\n\tpath = evil\n\turl = ext::sh -c touch% /tmp/evil\n"),
    ] {
        repository.write(name, text);
    }
    std::fs::set_permissions(repository.work().join("hidden.py"), Permissions::from_mode(0o755)).expect("changed");
    for (target, link) in
        [("bot/main.py", "inner.py"), ("/etc/passwd", "outer.py"), ("../../x", "upward.py"), ("bot", "dir")]
    {
        symlink(target, repository.work().join(link)).expect("linked");
    }
    repository.git(&["add", "--all", "--force"]);
    let commit = "1".repeat(40);
    repository.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},evil")]);
    repository.commit();
    let server = GitServer::of(repository.dir.path());
    let (_dir, desk, mut news) = desk();
    poll(&desk, &bo(), (&door_of(&server), &open()), wall_clock(), &mut None).await;
    let Ok(DoorNews::HandIn(hand_in)) = news.try_recv() else { panic!("nothing was handed in") };
    let sources = hand_in.sources.as_ref().expect("sources");
    let text = |name: &str| std::fs::read_to_string(sources.dir.join(name)).expect(name);
    for (name, expected) in [
        ("subst.py", "$Format:%H$\n"),
        ("lf.py", "a\nb\n"),
        ("id.py", "$Id$\n"),
        ("filtered.py", "plain\n"),
        ("inner.py", "main\n"),
        ("dir/main.py", "main\n"),
    ] {
        assert_eq!(text(name), expected);
    }
    assert_eq!(sources.files.len(), 10, "{:?}", sources.files);
    let mode = |name: &str| std::fs::symlink_metadata(sources.dir.join(name)).expect("there").permissions().mode();
    assert_eq!((mode("hidden.py") & 0o777, mode("id.py") & 0o777), (0o755, 0o644));
    let warnings = sources.warnings.join("\n");
    for words in ["`evil` was left out", "`outer.py` was left out", "`upward.py` was left out"] {
        assert!(warnings.contains(words), "{warnings}");
    }
    hand_in.settle().expect("removed");
    assert_eq!(std::fs::read_dir(desk.inbox.join("trees")).expect("readable").count(), 0);
}

#[tokio::test]
async fn only_a_new_commit_is_fetched_and_only_new_sources_are_handed_in() {
    let repository = Repository::new();
    let server = GitServer::of(repository.dir.path());
    let (_dir, desk, mut news) = desk();
    let (door, mut seen) = (door_of(&server), None);
    let door_of_branch = GitDoor { branch: "main".parse().ok(), ..door.clone() };
    for door in [&door, &door_of_branch] {
        poll(&desk, &bo(), (door, &open()), wall_clock(), &mut seen).await;
        let Ok(DoorNews::Trouble { trouble, .. }) = news.try_recv() else { panic!("an empty repository") };
        assert!(trouble.contains("it is empty") || trouble.contains("branch `main` does not exist"), "{trouble}");
    }
    repository.write("bot.py", "1");
    let first = repository.push();
    poll(&desk, &bo(), (&door, &open()), wall_clock(), &mut seen).await;
    assert!(matches!(news.try_recv(), Ok(DoorNews::Mended { .. })));
    assert!(matches!(news.try_recv(), Ok(DoorNews::HandIn(_))));
    assert_eq!(seen.as_ref(), Some(&first));
    let before = server.heads().len();
    poll(&desk, &bo(), (&door, &open()), wall_clock(), &mut seen).await;
    assert!(news.try_recv().is_err());
    assert!(server.heads()[before..].iter().all(|head| !head.contains("fetch")));
    // Another commit with the same files is not a new version.
    repository.git(&["commit", "--quiet", "--allow-empty", "--message", "y"]);
    let second = repository.git(&["push", "--quiet", "../bot.git", "HEAD:main"]);
    assert!(second.is_empty());
    poll(&desk, &bo(), (&door, &open()), wall_clock(), &mut seen).await;
    assert!(news.try_recv().is_err() && seen.as_ref() != Some(&first));
    repository.write("bot.py", "2");
    repository.push();
    poll(&desk, &bo(), (&door, &open()), wall_clock(), &mut seen).await;
    assert!(matches!(news.try_recv(), Ok(DoorNews::HandIn(_))));
}

#[tokio::test]
async fn the_last_poll_takes_the_commit_that_it_has_seen_and_not_one_that_was_pushed_later() {
    let repository = Repository::new();
    repository.write("bot.py", "1");
    let first = repository.push();
    let server = GitServer::of(repository.dir.path());
    let (_dir, desk, mut news) = desk();
    let door = door_of(&server);
    let closes = wall_clock();
    // The server names the first commit during the poll, and the second one during the fetch.
    repository.write("bot.py", "2");
    let second = repository.push();
    server.name_once(&second, &first);
    let mut seen = None;
    assert!(poll(&desk, &bo(), (&door, &DoorTerms::new(Some(closes))), closes, &mut seen).await);
    let Ok(DoorNews::HandIn(hand_in)) = news.try_recv() else { panic!("nothing was handed in") };
    assert_eq!((seen.as_ref(), hand_in.arrived), (Some(&first), closes));
    let sources = hand_in.sources.as_ref().expect("sources");
    assert_eq!(std::fs::read_to_string(sources.dir.join("bot.py")).expect("readable"), "1");
    // A poll that is not the last one accepts the newer commit.
    server.name_once(&second, &first);
    assert!(poll(&desk, &bo(), (&door, &open()), wall_clock(), &mut None).await);
    let Ok(DoorNews::HandIn(hand_in)) = news.try_recv() else { panic!("nothing was handed in") };
    assert!(hand_in.origin.contains(&second[..12]), "{}", hand_in.origin);
}

#[tokio::test]
async fn a_poll_that_is_too_slow_for_the_end_of_the_door_gives_way_to_the_last_one() {
    let server = GitServer::start(ServerAnswers::Silence);
    let (_dir, desk, _news) = desk();
    let began = wall_clock();
    let terms = DoorTerms::new(Some(wall_clock() + Duration::from_millis(1)));
    assert!(poll(&desk, &bo(), (&door_of(&server), &terms), began, &mut None).await);
}

#[tokio::test]
async fn a_subdirectory_is_handed_in_alone_and_a_missing_one_is_named() {
    let repository = Repository::new();
    repository.write("bots/go/bot.py", "bot");
    repository.write("other.py", "other");
    repository.push();
    let server = GitServer::of(repository.dir.path());
    let door = |dir| GitDoor { subdirectory: Some(EntryPath::parse(dir).expect("a path")), ..door_of(&server) };
    assert_eq!(files(&door("bots/go")).await, Ok(vec![("bot.py".to_owned(), "bot".to_owned())]));
    for missing in ["bots/chess", "other.py"] {
        let trouble = files(&door(missing)).await.expect_err("nothing there");
        assert!(trouble.contains(&format!("directory `{missing}` does not exist (`subdirectory`)")), "{trouble}");
    }
    let trouble = files(&GitDoor { branch: "dev".parse().ok(), ..door_of(&server) }).await.expect_err("no branch");
    assert!(trouble.contains("branch `dev` does not exist"), "{trouble}");
}

#[tokio::test]
async fn too_large_commits_are_refused_before_their_files_are_read() {
    let repository = Repository::new();
    repository.write("bot.py", "1");
    // The file consists of spaces, so the pack is small, but its contents are not.
    repository.write("huge", vec![b' '; 5 << 20]);
    repository.push();
    let server = GitServer::of(repository.dir.path());
    let refusal = files(&door_of(&server)).await.expect_err("too large");
    assert!(refusal.contains("more than 4.0 MiB"), "{refusal}");
    std::fs::remove_file(repository.work().join("huge")).expect("removed");
    for number in 0..20 {
        repository.write(&format!("{number}"), "");
    }
    repository.push();
    let refusal = files(&door_of(&server)).await.expect_err("too many");
    assert!(refusal.contains("more than 20 files"), "{refusal}");
}

#[tokio::test]
async fn a_store_that_grows_too_large_ends_git() {
    let repository = Repository::new();
    let mut random = crate::base::random::SplitMix64::new(7);
    let noise: Vec<u8> = (0..200_000).flat_map(|_| random.next_u64().to_le_bytes()).collect();
    repository.write("noise", noise);
    repository.push();
    let (server, program) = (GitServer::of(repository.dir.path()), git_program().expect("git"));
    let (door, secret) = (door_of(&server), GitSecret::read(&GitCredential::None).expect("nothing"));
    let work = GitStore::new(&secret, None).expect("made");
    let setting = GitSetting { address: &door.address, secret: &secret };
    let run = GitRun {
        program: &program,
        store: work.store(),
        cage: None,
        args: setting.fetch("HEAD"),
        env: setting.environment(&program),
        timeout: FETCH_TIMEOUT,
        most_bytes: 1 << 20,
    };
    assert_eq!(run.network().await, Err(GitFailure::TooLarge));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let repository = Repository::new();
    repository.write("bot.py", "1");
    repository.push();
    let other = GitServer::of(repository.dir.path());
    for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect"] {
        let location = format!("http://{}/bot.git/info/refs?service=git-upload-pack", other.address);
        let server = GitServer::saying(format!(
            "HTTP/1.1 {status}\r\nLocation: {location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ));
        let trouble = files(&door_of(&server)).await.expect_err("a redirect");
        assert!(trouble.contains("redirects"), "{trouble}");
    }
    assert!(other.heads().is_empty());
}

#[tokio::test]
async fn a_token_goes_to_its_server_and_is_never_shown() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("token");
    std::fs::write(&path, "s3cret-token\n").expect("written");
    let server = GitServer::saying(
        "HTTP/1.1 500 s3cret-token\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\ntoken: s3cret-token\n",
    );
    let door = GitDoor { credential: GitCredential::TokenFile(path.clone()), ..door_of(&server) };
    std::fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("changed");
    let trouble = files(&door).await.expect_err("others can read it");
    assert!(trouble.contains("chmod 600") && server.heads().is_empty(), "{trouble}");
    std::fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("changed");
    let trouble = files(&door).await.expect_err("an error of the server");
    assert!(trouble.contains("`git` says") && !trouble.contains("s3cret"), "{trouble}");
    assert!(trouble.contains("***"), "{trouble}");
    let encoded = "Authorization: Basic eC1hY2Nlc3MtdG9rZW46czNjcmV0LXRva2Vu";
    assert!(server.heads().iter().all(|head| head.contains(encoded)), "{:?}", server.heads());
    let denied = GitServer::saying(
        "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    );
    let door = GitDoor { address: door_of(&denied).address, ..door };
    assert!(files(&door).await.expect_err("denied").contains("refuses the token"));
    let door = GitDoor { credential: GitCredential::None, ..door };
    assert!(files(&door).await.expect_err("denied").contains("`git_token_file`"));
}

#[tokio::test]
async fn servers_that_are_none_give_a_trouble_that_is_printable() {
    for text in
        ["", "SSH-2.0-x\r\n", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\u{1b}[31mhello", "HTTP/1.1 404 No\r\n\r\n"]
    {
        let trouble = files(&door_of(&GitServer::saying(text))).await.expect_err("no repository");
        assert!(trouble.contains("its repository http://127.0.0.1:") && !trouble.contains('\u{1b}'), "{trouble}");
    }
}

#[test]
fn a_server_that_hangs_or_floods_delays_nobody_else() {
    let repository = Repository::new();
    repository.write("bot.py", "1");
    repository.push();
    let servers = [
        GitServer::start(ServerAnswers::Silence),
        GitServer::start(ServerAnswers::Flood),
        GitServer::of(repository.dir.path()),
    ];
    let dir = tempfile::tempdir().expect("a directory");
    let players = servers.iter().zip(["ada", "bo", "cy"]).map(|(server, name)| PlayerDoor {
        name: PlayerName::new(name).expect("a name"),
        entrance: Entrance::Git(door_of(server)),
        closes: None,
        last_digest: None,
        recent: Vec::new(),
    });
    let plan = DoorsPlan {
        players: players.collect(),
        bounds: BOUNDS,
        poll: Duration::from_mins(1),
        versions_per_day: NonZeroUsize::MIN,
    };
    let places = DoorPlaces {
        inbox: dir.path().join("inbox"),
        tokens: TokenStore::in_dir(dir.path().join("tokens")),
        cage: None,
        submit: None,
    };
    let (tell, mut news) = mpsc::channel(10);
    let doors = Doors::open(plan, places, tell).expect("open");
    let Some(DoorNews::HandIn(hand_in)) = news.blocking_recv() else { panic!("nothing was handed in") };
    assert_eq!(hand_in.player.as_str(), "cy");
    // Closing the doors ends the two polls that are still waiting.
    drop(doors);
}

#[test]
fn git_has_no_environment_but_its_own() {
    let (address, secret) =
        ("https://git.example/bo/bot.git".parse().expect("one"), GitSecret::read(&GitCredential::None).expect("none"));
    let setting = GitSetting { address: &address, secret: &secret };
    let env = setting.environment(Path::new("/opt/git/bin/git"));
    let value =
        |name: &str| env.iter().find(|(known, _)| known == name).map(|(_, value)| value.to_string_lossy().into_owned());
    assert_eq!(value("PATH").as_deref(), Some("/opt/git/bin:/usr/local/bin:/usr/bin:/bin"));
    assert_eq!(value("GIT_TERMINAL_PROMPT").as_deref(), Some("0"));
    let count: usize = value("GIT_CONFIG_COUNT").and_then(|count| count.parse().ok()).expect("a number");
    let option =
        |number| Some((value(&format!("GIT_CONFIG_KEY_{number}"))?, value(&format!("GIT_CONFIG_VALUE_{number}"))?));
    let options: Vec<(String, String)> = (0..count).map(|number| option(number).expect("both")).collect();
    let has = |key: &str, value: &str| options.contains(&(key.to_owned(), value.to_owned()));
    assert!(
        has("protocol.allow", "never") && has("protocol.https.allow", "always") && has("http.followRedirects", "false")
    );
    assert!(!has("protocol.http.allow", "always") && !has("protocol.ssh.allow", "always"));
    for name in ["HOME", "http_proxy", "SSH_AUTH_SOCK", "XDG_CONFIG_HOME"] {
        assert_eq!(value(name), None);
    }
    assert!(value("GIT_SSH_COMMAND").is_some_and(|ssh| ssh.contains("BatchMode=yes") && ssh.contains("-F none")));
}
