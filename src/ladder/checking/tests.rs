//! Where sources are placed, and how reports begin.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

#[test]
fn sources_are_copied_to_their_place_as_often_as_a_check_needs_them() {
    let dir = tempfile::tempdir().expect("a directory");
    let from = dir.path().join("inbox/trees/0/raw");
    fs::create_dir_all(from.join("bin")).expect("made");
    fs::create_dir(from.join("empty")).expect("made");
    for name in ["bin/run", "bot.py"] {
        fs::write(from.join(name), name).expect("written");
    }
    fs::set_permissions(from.join("bin/run"), fs::Permissions::from_mode(0o755)).expect("changed");
    let files = ["bin/run", "bot.py"].map(str::to_owned).to_vec();
    let sources = HandedInSources { dir: from.clone(), files: files.clone(), warnings: Vec::new() };
    for _ in 0..2 {
        let place = place_sources(&sources, "ada.1", dir.path()).expect("copied");
        let digest = |dir| crate::ladder::sources_digest::sources_digest(dir, &files).expect("readable");
        assert!(place.join("empty").is_dir() && place.starts_with(dir.path().join("versions")));
        assert_eq!(digest(&place), digest(&from));
        // The check was interrupted.
        fs::write(place.join("half"), "built").expect("written");
    }
    let place = place_sources(&sources, "ada.1", dir.path()).expect("copied");
    assert!(!place.join("half").exists());
}

#[test]
fn warnings_are_at_the_head_of_every_report_and_cannot_pretend_to_be_more() {
    let warnings = ["`outer.py` was left out".to_owned(), "a\nb\u{1b}".to_owned()];
    let head = "warning: `outer.py` was left out\nwarning: a\\nb\\u{1b}\n\n";
    let refused = CheckVerdict::Refused(CheckFeedback::of_reason("it fails"));
    match refused.with_warnings(&warnings) {
        CheckVerdict::Refused(feedback) => {
            assert_eq!((feedback.reason.as_str(), feedback.report), ("it fails", format!("{head}it fails\n")));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(headed(&[], "it plays\n"), "it plays\n");
}
