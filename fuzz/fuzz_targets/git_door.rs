//! What the owner of a repository can influence: its address and branch, the objects of a commit, and the messages of
//! `git`. No address or branch becomes an option of `git`, and a commit stays within its bounds.

#![no_main]

use std::io::Seek as _;

use gothello_arena::fuzzing::{git_commit, git_explanation, git_words};
use gothello_arena_fuzz::{MemoryDir, assert_message, kind};
use libfuzzer_sys::fuzz_target;

const MOST: (u64, usize) = (4096, 8);

fuzz_target!(|data: &[u8]| {
    let (kind, data) = kind(data, 3);
    match kind {
        0 => {
            let text = String::from_utf8_lossy(data);
            let (address, branch) = text.split_once('\n').unwrap_or((&text, "main"));
            if let Some(words) = git_words(address, branch) {
                are_no_options(&words, address, branch);
            }
        }
        1 => {
            // The list ends with two NULs, and the objects follow.
            let end = data.windows(2).position(|pair| pair == [0, 0]).map_or(data.len(), |end| end + 1);
            let (listing, objects) = data.split_at(end);
            MemoryDir::with(|memory| {
                let objects = objects.strip_prefix(&[0]).unwrap_or(objects);
                let (_, mut contents) = memory.file("objects", objects, objects.len() as u64);
                contents.rewind().expect("a file");
                let (bytes, files, refusal) = git_commit(listing, &mut contents, MOST);
                assert!(bytes <= MOST.0 && files <= MOST.1);
                assert!(bytes <= objects.len() as u64, "more was read than is there");
                refusal.as_deref().map(assert_message);
            });
        }
        _ => {
            let told = git_explanation(&String::from_utf8_lossy(data));
            assert_message(&told);
            assert!(told.len() < 2000, "{told}");
        }
    }
});

/// The words are those of `git ls-remote` and then of `git fetch`.
fn are_no_options(words: &[String], address: &str, branch: &str) {
    assert!(["https://", "ssh://", "http://"].iter().any(|scheme| address.starts_with(scheme)), "{address}");
    assert!(address.bytes().all(|byte| byte.is_ascii_graphic()), "{address:?}");
    let fetch = words.iter().position(|word| word == "fetch").expect("two commands");
    for (command, reference) in [(&words[..fetch], format!("refs/heads/{branch}")), (&words[fetch..], String::new())] {
        let end = command.iter().position(|word| word == "--").expect("the end of the options");
        let [own, last] = &command[end + 1..] else { panic!("{command:?}") };
        assert_eq!(own, address);
        assert!(last == &reference || last.starts_with(&format!("+refs/heads/{branch}:refs/heads/")), "{last}");
        assert!(!last.contains(char::is_whitespace) && !last.contains("..") && !last[1..].contains(['*', '+']) || branch.contains('+'));
    }
    // Everything else is the same for all repositories.
    let (_, rest) = address.split_once("://").expect("a scheme");
    let host = rest.split('/').next().expect("a host");
    assert!(!host.starts_with('-') && !rest[host.len()..].starts_with("/-"), "{address}");
}
