use super::*;
use crate::base::work_count::WorkCount;

#[test]
fn stray_files_are_named_by_where_they_lie() {
    let mut strays = StrayFiles::default();
    assert_eq!(strays.told(), None);
    strays.add("by mail/bot.py");
    assert_eq!(strays.told().as_deref(), Some("left out 1 file that belongs to no submission: `by mail`"));
    for name in ["by mail/a.py", "/late\u{1b}.zip"] {
        strays.add(name);
    }
    let told = "left out 3 files that belong to no submission: `by mail`, `late\\u{1b}.zip`";
    assert_eq!(strays.told().as_deref(), Some(told));
    (0..9).for_each(|number| strays.add(&format!("x{number}")));
    let told =
        "left out 12 files that belong to no submission: `by mail`, `late\\u{1b}.zip`, `x0`, `x1`, `x2` and others";
    assert_eq!(strays.told().as_deref(), Some(told));
}

fn here() -> Source {
    Source::open(Path::new(".")).expect("a directory")
}

fn plan(layout: SubmissionLayout, wrapper: Option<&str>) -> SourcePlan {
    SourcePlan { layout, wrapper: wrapper.map(str::to_owned), is_one: false, files: 0 }
}

#[test]
fn an_entry_belongs_where_the_layout_says() {
    use EntryKind::{Directory, File};
    use SubmissionLayout::{Canvas, Gradescope, MoodleFolders, Plain};
    for (layout, wrapper, path, kind, expected) in [
        (Gradescope, None, STUDENTS, File, "the list of students"),
        (Gradescope, None, "submission_5/bot.py", File, "submission 5: bot.py"),
        (Gradescope, None, "submission_5/submission_metadata.yml", File, "submission 5: submission_metadata.yml"),
        (Gradescope, None, "other/bot.py", File, "nowhere"),
        (MoodleFolders, None, STUDENTS, File, "nowhere"),
        (MoodleFolders, None, "Ada King_7_assignsubmission_file/bot.py", File, "Ada King: bot.py"),
        (Canvas, None, "kingada_12_345_bot.zip", File, "kingada: bot.zip"),
        (Canvas, None, "README", File, "nowhere"),
        (Plain, None, STUDENTS, File, "submission_metadata.yml: submission_metadata.yml"),
        (Plain, None, "ada/src/bot.py", File, "ada: src/bot.py"),
        (Plain, None, "ada.zip", File, "ada: ada.zip"),
        (Plain, None, "ada", Directory, "ada: itself"),
        (Plain, None, "__MACOSX/ada/bot.py", File, "left out"),
        (Plain, Some("class"), "class/ada/bot.py", File, "ada: bot.py"),
        (Plain, Some("class"), "other/ada/bot.py", File, "nowhere"),
        (Plain, Some("class"), "class", Directory, "nowhere"),
    ] {
        let route = plan(layout, wrapper).route(&here(), EntryPath::parse(path).expect("a path"), kind);
        let told = match route {
            Route::To(name, path) => {
                format!("{}: {}", name.full_name, path.as_ref().map_or("itself", EntryPath::as_str))
            }
            Route::Students => "the list of students".to_owned(),
            Route::LeftOut => "left out".to_owned(),
            Route::Nowhere => "nowhere".to_owned(),
        };
        assert_eq!(told, expected, "{layout:?} {path}");
    }
}

#[test]
fn an_entry_with_a_rejected_name_belongs_to_the_submission_that_the_name_begins_with() {
    use SubmissionLayout::{Gradescope, MoodleFolders, Plain};
    for (layout, wrapper, name, expected) in [
        (Plain, None, "ada/../../bob/bot.py", Some("ada")),
        (Plain, None, "ada\\..\\bot.py", Some("ada")),
        (Plain, None, "../ada/bot.py", None),
        (Plain, None, "ada", None),
        (Plain, Some("class"), "class/ada/../bot.py", Some("ada")),
        (MoodleFolders, None, "Ada King_7_assignsubmission_file/../bot.py", Some("Ada King")),
        (Gradescope, None, "other/../bot.py", None),
    ] {
        let owner = plan(layout, wrapper).owner(&here(), name).map(|owner| owner.full_name);
        assert_eq!(owner.as_deref(), expected, "{layout:?} {name}");
    }
}

#[test]
fn a_damaged_source_is_refused_among_others_and_an_error_alone() {
    let dir = tempfile::tempdir().expect("a directory");
    let (damaged, whole) = (dir.path().join("ada.zip"), dir.path().join("bob.py"));
    std::fs::write(&damaged, "PK\u{3}\u{4}").expect("written");
    std::fs::write(&whole, "main()").expect("written");
    let sources = [damaged, whole].map(|path| Source::open(&path).expect("a file"));
    let class = ClassAccount::default();
    let gathering = Gathering {
        layout: LayoutWish::Auto,
        latest: false,
        bounds: SubmissionBounds { bytes: 1 << 10, files: 1 },
        class: &class,
        staging: &dir.path().join("staging"),
        work: &WorkCount::default(),
    };
    let all = gathering.run(&sources).expect("one of them is whole");
    let refused: Vec<(&str, bool)> =
        all.groups.iter().map(|group| (group.name.full_name.as_str(), group.refusal.is_some())).collect();
    assert_eq!(refused, [("ada", true), ("bob", false)]);
    let alone = gathering.run(&sources[..1]).map(|all| all.groups.len());
    assert!(matches!(alone, Err(GatherError::Source { .. })), "{alone:?}");
}
