//! The files that tell who is who: rosters, and the made-up names of a page. A file that is accepted is written as one
//! that reads back the same, and its players cannot be confused or lead out of their directory.

#![no_main]

use std::collections::BTreeSet;

use gothello_arena::course::roster::{ClassRoll, Roster};
use gothello_arena::page::shown::aliases::Aliases;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    match Roster::parse(data) {
        Ok(roster) => {
            let written = roster.json();
            assert_eq!(Roster::parse(written.as_bytes()).expect("its own text"), roster, "{written}");
            let mut slugs = BTreeSet::new();
            for entry in &roster.submissions {
                let is_plain = |letter: char| letter.is_alphanumeric() || letter == '_';
                assert!(!entry.slug.is_empty() && entry.slug.chars().all(is_plain), "{:?}", entry.slug);
                assert!(slugs.insert(&entry.slug), "{:?} is there twice", entry.slug);
                assert_eq!(roster.of_player(&entry.player), Some(entry));
                assert!(entry.team.is_some() || entry.students().len() == 1);
            }
            let (submissions, absent) = (roster.submissions.len(), roster.absent.len());
            let roll = ClassRoll::new(roster, &[]);
            assert_eq!(roll.missing.len(), submissions + absent, "nobody has a player");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    match Aliases::parse(data) {
        Ok(aliases) => {
            let written = aliases.json();
            assert_eq!(Aliases::parse(written.as_bytes()).expect("its own text"), aliases, "{written}");
            let more = aliases.clone().with(["ann", "bob"], "seed");
            assert_eq!(Aliases::parse(more.json().as_bytes()).expect("aliases of all players differ"), more);
            assert_ne!(more.of("ann"), more.of("bob"));
            let text = String::from_utf8_lossy(data);
            let _ = more.in_text(&text[..text.floor_char_boundary(200)]);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
