//! The content of `config.toml`.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::choices::{ColourChoice, PagerChoice, ProgressChoice};
use crate::exact::threads::MOST_THREADS;
use crate::tournament::file::Flaw;
use crate::tournament::file::key::{FileKey, keys};
use crate::tournament::file::key_kinds::{AddressAndPort, OneWord, OwnReader, WholeNumber, one_word};
use crate::tournament::file::problem::FileProblems;
use crate::tournament::file::problem_places::KeyReader;
use crate::tournament::file::read_values::Text;
use crate::tournament::file::section::Section;
use crate::tournament::file::top_level::{keep_what_is_sure, not_utf8};

/// The values that the file sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct ConfigFile {
    /// When to use colours.
    pub(in crate::cli) color: Option<ColourChoice>,
    /// How a run shows its progress.
    pub(in crate::cli) progress: Option<ProgressChoice>,
    /// The pager for output that is longer than the screen.
    pub(in crate::cli) pager: Option<PagerChoice>,
    /// The directory in which `run` makes a directory for each tournament.
    pub(in crate::cli) out: Option<PathBuf>,
    /// The address of a live page.
    pub(in crate::cli) web: Option<SocketAddr>,
    /// The number of threads that judge positions.
    pub(in crate::cli) threads: Option<NonZeroUsize>,
}

/// The kind of a key whose value is non-empty text.
const fn text(allowed: &'static str) -> OwnReader {
    OwnReader { allowed, schema: r#"{ "type": "string", "minLength": 1 }"# }
}

keys! {
    /// The keys of the file.
    CONFIG_KEYS;
    COLOR: OneWord<ColourChoice> = FileKey::new("color", one_word!(ColourChoice), "when to use colours, as with `--color`");
    PROGRESS: OneWord<ProgressChoice> =
        FileKey::new("progress", one_word!(ProgressChoice), "how a run shows its progress, as with `--progress`");
    PAGER: OwnReader = FileKey::new(
        "pager",
        text("a command, or `\"never\"`"),
        "the program that shows output longer than the screen",
    );
    OUT: OwnReader = FileKey::new(
        "out",
        text("a directory; `~/` stands for your home directory"),
        "where `run` creates a directory for each tournament, instead of in `results`",
    );
    WEB: AddressAndPort = FileKey::new("web", AddressAndPort, "the address for `--web` if the option names none");
    THREADS: WholeNumber = FileKey::new(
        "threads",
        WholeNumber(1..=MOST_THREADS as u64),
        "the number of threads for commands that judge positions, as with `--threads`",
    );
}

impl ConfigFile {
    /// A file without keys.
    pub(super) const EMPTY: Self =
        Self { color: None, progress: None, pager: None, out: None, web: None, threads: None };

    /// Reads `content`, the content of a user's file. `home` is the user's home directory, if there is one.
    ///
    /// # Errors
    /// Returns all problems with the file, each with its line and column.
    pub(super) fn parse(content: &[u8], home: Option<&Path>) -> Result<Self, FileProblems> {
        let source = str::from_utf8(content).map_err(|error| not_utf8(content, error.valid_up_to()))?;
        let (table, syntax_errors) = DeTable::parse_recoverable(source);
        let mut reader = KeyReader::new(source);
        let section = Section::new(table.get_ref(), CONFIG_KEYS);
        let pager = filled(&mut reader, &section, &PAGER, "a string such as \"less -FRX\", or \"never\"");
        let out = filled(&mut reader, &section, &OUT, "a string such as \"~/tournaments\"");
        let file = Self {
            color: reader.given(&section, &COLOR),
            progress: reader.given(&section, &PROGRESS),
            pager: pager.map(|pager| PagerChoice::of_words(pager.content)),
            out: out.map(|out| beneath_home(out.content, home)),
            web: reader.given(&section, &WEB),
            threads: reader
                .given(&section, &THREADS)
                .and_then(|threads| NonZeroUsize::new(usize::try_from(threads).ok()?)),
        };
        reader.unknown_keys(&section);
        if !syntax_errors.is_empty() {
            keep_what_is_sure(&mut reader, &syntax_errors);
        }
        FileProblems::new(reader.into_problems()).map_or(Ok(file), Err)
    }
}

/// The text at `key`, if it is present and not empty.
fn filled<'t>(
    reader: &mut KeyReader<'_>,
    section: &Section<'t>,
    key: &FileKey<OwnReader>,
    expected: &'static str,
) -> Option<Text<'t>> {
    let text = reader.text(section, key, expected)?;
    if text.content.trim().is_empty() {
        reader.note(text.span.start, Flaw::Empty { key: key.name.to_owned(), example: "" });
        return None;
    }
    Some(text)
}

/// The directory that `text` names, with `~` at its start replaced by `home`.
fn beneath_home(text: &str, home: Option<&Path>) -> PathBuf {
    let rest = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match (rest, home) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ConfigFile, String> {
        let parsed = ConfigFile::parse(text.as_bytes(), Some(Path::new("/home/ada")));
        parsed.map_err(|problems| problems.display(Path::new("config.toml")).to_string())
    }

    #[test]
    fn a_file_may_have_all_keys_or_none() {
        assert_eq!(read(""), Ok(ConfigFile::EMPTY));
        let all = "color = \"never\"\nprogress = \"counter\"\npager = \"more\"\nout = \"~/class\"\nweb = \"[::1]:80\"\nthreads = 4";
        let found = read(all);
        let expected = ConfigFile {
            color: Some(ColourChoice::Never),
            progress: Some(ProgressChoice::Counter),
            pager: Some(PagerChoice::Program("more".to_owned())),
            out: Some(PathBuf::from("/home/ada/class")),
            web: Some("[::1]:80".parse().expect("an address")),
            threads: NonZeroUsize::new(4),
        };
        assert_eq!(found, Ok(expected));
        assert_eq!(all.lines().count(), CONFIG_KEYS.len());
    }

    #[test]
    fn each_mistake_has_its_line_and_column() {
        for (text, told) in [
            ("colour = \"never\"", "config.toml:1:1: unknown key `colour`: did you mean `color`?"),
            ("isolation = \"off\"", "config.toml:1:1: unknown key `isolation`"),
            ("\nthreads = 0", "config.toml:2:11: `threads`: `0` is out of range (1 to 256)"),
            ("out = \" \"", "config.toml:1:7: `out`"),
            ("pager = 1", "config.toml:1:9: `pager`: expected a string"),
            ("web = \"localhost\"", "config.toml:1:7: `web`"),
            ("color = ", "config.toml:1:9: "),
        ] {
            let found = read(text).expect_err(text);
            assert!(found.starts_with(told), "{text}: {found}");
        }
        assert!(ConfigFile::parse(b"out = \"\xff\"", None).is_err());
    }

    #[test]
    fn only_a_tilde_of_its_own_is_the_home_directory() {
        let home = Some(Path::new("/home/ada"));
        for (text, dir) in [("~", "/home/ada"), ("~/a/b", "/home/ada/a/b"), ("~eve/a", "~eve/a"), ("a/~", "a/~")] {
            assert_eq!(beneath_home(text, home), Path::new(dir), "{text}");
        }
        assert_eq!(beneath_home("~/a", None), Path::new("~/a"));
    }
}
