//! The file `submission_metadata.yml` of a Gradescope export: who handed in which submission.
//!
//! The file is YAML as written by Ruby. Only the lines that name students are read, by their indentation: a
//! submission's key at the left edge, and below its `:submitters:` a list of maps with `:name:` and `:email:`.

use std::collections::BTreeMap;

use crate::course::roster::RosterStudent;

/// The students of each submission, by the name of its folder, such as `submission_12345`.
pub fn submitters(text: &str) -> BTreeMap<String, Vec<RosterStudent>> {
    let mut found: BTreeMap<String, Vec<RosterStudent>> = BTreeMap::new();
    let (mut submission, mut in_submitters) = (None, false);
    for line in text.lines() {
        let inner = line.trim_start();
        let indent = line.len() - inner.len();
        if indent == 0 && !inner.starts_with(['-', '#', ':']) {
            let key = inner.trim_end().strip_suffix(':').map(unquoted);
            submission = key.filter(|key| key.starts_with("submission_"));
            in_submitters = false;
        } else if let Some(submission) = &submission {
            let item = inner.strip_prefix("- ");
            let field = item.unwrap_or(inner).trim_start_matches(':');
            let Some((key, value)) = field.split_once(':') else { continue };
            if item.is_none() && indent <= 2 {
                in_submitters = key == "submitters";
                continue;
            }
            if !in_submitters {
                continue;
            }
            let students = found.entry(submission.clone()).or_default();
            if item.is_some() {
                students.push(RosterStudent { name: String::new(), participant: None, email: None });
            }
            match (key, students.last_mut()) {
                ("name", Some(student)) => student.name = unquoted(value),
                ("email", Some(student)) => student.email = Some(unquoted(value)).filter(|email| !email.is_empty()),
                _ => {}
            }
        }
    }
    found
}

/// The value of a plain or quoted scalar.
fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    match (inner('\''), inner('"')) {
        (Some(inner), _) => inner.replace("''", "'"),
        (_, Some(inner)) => inner.replace("\\\"", "\"").replace("\\\\", "\\"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_are_read_with_their_addresses() {
        let text = "---\nsubmission_12:\n  :submitters:\n  - :name: Ada King\n    :sid: '1'\n    :email: ada@example.edu\n  - :name: 'Bob O''Neil'\n    :email: ''\n  :created_at: 2026-11-01 10:00:00 Z\n  :results:\n    :tests:\n    - :name: not a student\nsubmission_13:\n  :submitters:\n  - :name: \"Größe: 5\"\n";
        let found = submitters(text);
        let names = |key: &str| found[key].iter().map(|student| student.name.as_str()).collect::<Vec<_>>();
        assert_eq!(names("submission_12"), ["Ada King", "Bob O'Neil"]);
        assert_eq!(names("submission_13"), ["Größe: 5"]);
        assert_eq!(found["submission_12"][0].email.as_deref(), Some("ada@example.edu"));
        assert_eq!(found["submission_12"][1].email, None);
    }

    #[test]
    fn other_texts_name_nobody() {
        for text in ["", "\u{0}", "- a\n- b", "x:\n  :submitters:\n  - :name: a\n", "submission_1:\n  - :name: a\n"] {
            assert!(submitters(text).is_empty(), "{text}");
        }
    }
}
