//! The header of a table's file.

use std::fmt::{self, Write as _};

use sha2::{Digest as _, Sha256};

use super::{HEADER, Unusable};
use crate::base::hex::hex;
use crate::exact::seegover::{Census, Tablebase, Worth};
use crate::game::seegover::{CycleRule, MoveRules};

/// The first line: the kind of file, and the version of the format.
const MAGIC: &str = "gothello-arena table of seegover, format ";
const VERSION: &str = "1";

/// The line with the rules of a table, such as `rules cycle=draw capture=line back=free`. The number of stones per turn
/// in the drop phase does not matter after the drops.
fn rules_line(rules: MoveRules) -> String {
    format!("rules cycle={} capture={} back={}", CycleRule::Draw, rules.capture, rules.back)
}

/// The information in a file about its table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeegoverTableHeader {
    rules: MoveRules,
    digest: String,
    census: Census,
}

impl SeegoverTableHeader {
    /// The header of `table`.
    pub fn of(table: &Tablebase) -> Self {
        Self { rules: table.rules(), digest: hex(&Sha256::digest(table.bytes())), census: table.census() }
    }

    /// The header of a table of `rules` with the digest `digest`, or `None` if `digest` is not 64 hexadecimal digits in
    /// lower case.
    pub(super) fn new(rules: MoveRules, digest: String, census: Census) -> Option<Self> {
        let is_digest = digest.len() == 64 && digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_digest.then_some(Self { rules, digest, census })
    }

    /// The rules of the table.
    pub const fn rules(&self) -> MoveRules {
        self.rules
    }

    /// The SHA-256 digest of the table's bytes, as hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// How many positions there are of each worth.
    pub const fn census(&self) -> &Census {
        &self.census
    }

    /// Parses the first bytes of a file.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Unusable> {
        let text = std::str::from_utf8(bytes).map_err(|_| Unusable::Foreign)?;
        let (first, rest) = text.split_once('\n').ok_or(Unusable::Foreign)?;
        let version = first.strip_prefix(MAGIC).ok_or(Unusable::Foreign)?;
        if version != VERSION {
            return Err(Unusable::OtherVersion(version.chars().take(20).collect()));
        }
        // A header has only one form.
        let is_in = |header: &Self| {
            let padding = bytes.strip_prefix(header.to_string().as_bytes());
            padding.is_some_and(|padding| padding.iter().all(|&byte| byte == b'\n'))
        };
        Self::parse_lines(rest).filter(|header| bytes.len() == HEADER && is_in(header)).ok_or(Unusable::Header)
    }

    /// Parses the lines after the first.
    fn parse_lines(text: &str) -> Option<Self> {
        let mut lines = text.trim_end_matches('\n').lines();
        let line = lines.next()?;
        let rules = MoveRules::ALL.into_iter().find(|&rules| rules_line(rules) == line)?;
        let digest = lines.next()?.strip_prefix("sha256 ")?;
        let counts: Option<Vec<(Worth, u64)>> = lines.map(count).collect();
        Self::new(rules, digest.to_owned(), Census::of_counts(counts?)?)
    }

    /// This header as it is stored in a file.
    pub(super) fn padded(&self) -> Vec<u8> {
        let mut bytes = self.to_string().into_bytes();
        // A line for a worth takes about 16 bytes, and there are fewer than 250 worths.
        debug_assert!(bytes.len() < HEADER);
        bytes.resize(HEADER, b'\n');
        bytes
    }
}

/// Parses a line such as `won 3 10927482`.
fn count(line: &str) -> Option<(Worth, u64)> {
    let mut words = line.split(' ');
    let worth = match words.next()? {
        "drawn" => Worth::Drawn,
        "lost" => Worth::Lost(words.next()?.parse().ok().filter(|plies| plies % 2 == 0)?),
        "won" => Worth::Won(words.next()?.parse().ok().filter(|plies| plies % 2 == 1 || *plies == 0)?),
        _ => return None,
    };
    let count = words.next()?.parse().ok()?;
    words.next().is_none().then_some((worth, count))
}

impl fmt::Display for SeegoverTableHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{MAGIC}{VERSION}\n{}\nsha256 {}", rules_line(self.rules), self.digest)?;
        for (worth, count) in self.census.counts() {
            match worth {
                Worth::Drawn => writeln!(f, "drawn {count}")?,
                Worth::Lost(plies) => writeln!(f, "lost {plies} {count}")?,
                Worth::Won(plies) => writeln!(f, "won {plies} {count}")?,
            }
        }
        f.write_char('\n')
    }
}
