//! The schemas for editors and the tables of keys in docs/ match the descriptors of the keys.
//!
//! With `GOTHELLO_ARENA_WRITE=1`, the test writes these files instead of comparing them.

use std::fs;

use gothello_arena::course::rubric::{rubric_schema, rubric_tables};
use gothello_arena::tournament::file::{tournament_schema, tournament_tables};

/// `page` with each of `tables` inserted between the comments that name the table.
fn with_tables(page: &str, tables: Vec<(&str, String)>) -> String {
    tables.into_iter().fold(page.to_owned(), |page, (name, table)| {
        let (begin, end) = (format!("<!-- begin: {name} -->\n"), format!("<!-- end: {name} -->\n"));
        let place = page.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
        let (before, after) = place.unwrap_or_else(|| panic!("no comments around the {name}"));
        format!("{before}{begin}\n{table}\n{end}{after}")
    })
}

#[test]
fn schemas_and_tables_are_those_of_the_keys() {
    let page = |path: &str, tables| with_tables(&fs::read_to_string(path).expect("a page"), tables);
    let files = [
        ("tournaments/tournament.schema.json", tournament_schema()),
        ("tournaments/rubric.schema.json", rubric_schema()),
        ("docs/reference/tournament-file.md", page("docs/reference/tournament-file.md", tournament_tables())),
        ("docs/teach/grading.md", page("docs/teach/grading.md", rubric_tables())),
    ];
    for (path, text) in files {
        if std::env::var_os("GOTHELLO_ARENA_WRITE").is_some() {
            fs::write(path, text).expect("a file");
        } else {
            let is_same = fs::read_to_string(path).expect("a file") == text;
            assert!(
                is_same,
                "{path} differs (write it with `GOTHELLO_ARENA_WRITE=1 cargo test --test it schema::generated`)"
            );
        }
    }
}
