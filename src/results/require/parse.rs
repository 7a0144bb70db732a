//! The grammar of requirements.

use super::{Claim, Operand, Relation, RelationClaim, Requirement, RequirementError, RequirementProblem, Term, Word};
use crate::tournament::sprt::SprtVerdict;

/// The word for the sequential test. When quoted, it is a player's name.
pub(super) const SPRT: &str = "sprt";

/// The word for the winner of a knockout. When quoted, it is a player's name.
pub(super) const CHAMPION: &str = "champion";

/// The description of what is expected in the position of a name.
const A_NAME: &str = "a player's name";

/// See [`Requirement::parse`].
pub(super) fn requirement(text: &str) -> Result<Requirement, RequirementError> {
    let mut scanner = Scanner { text, rest: text };
    scanner.skip_blanks();
    let claim = if let Some(verdict) = scanner.sprt()? {
        Claim::Sprt(verdict)
    } else if let Some(player) = scanner.champion()? {
        Claim::Champion(player)
    } else {
        Claim::Relation(scanner.relation_claim()?)
    };
    if scanner.rest.is_empty() {
        Ok(Requirement { text: text.to_owned(), claim })
    } else {
        Err(scanner.expected("the end (quote a name with characters other than letters, digits, `_` and `-`)"))
    }
}

/// The part of a requirement that has not been read yet. Reading a part also skips the whitespace after it.
struct Scanner<'t> {
    text: &'t str,
    rest: &'t str,
}

impl<'t> Scanner<'t> {
    /// The number of the next character, counting from 1.
    fn at(&self) -> usize {
        self.text[..self.text.len() - self.rest.len()].chars().count() + 1
    }

    fn expected(&self, expected: &'static str) -> RequirementError {
        RequirementProblem::Expected { expected }.at(self.at())
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn accept(&mut self, token: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(token) else {
            return false;
        };
        self.rest = rest;
        self.skip_blanks();
        true
    }

    /// The next plain word, which may be empty.
    fn peek_word(&self) -> &'t str {
        let end = self.rest.find(|c: char| !is_plain(c)).unwrap_or(self.rest.len());
        &self.rest[..end]
    }

    /// Reads `sprt == H1` or `sprt == H0`, and returns the verdict. `None` if the requirement does not begin like this.
    fn sprt(&mut self) -> Result<Option<SprtVerdict>, RequirementError> {
        if self.peek_word() != SPRT || self.rest[SPRT.len()..].starts_with('.') {
            return Ok(None);
        }
        self.accept(SPRT);
        if !self.accept(Relation::Equal.name()) {
            return Err(self.expected("`==` after `sprt` (a player with that name needs quotes)"));
        }
        for verdict in [SprtVerdict::H0, SprtVerdict::H1] {
            if self.peek_word() == verdict.name() {
                self.accept(verdict.name());
                return Ok(Some(verdict));
            }
        }
        Err(self.expected("`H1` or `H0`"))
    }

    /// Reads `champion == NAME`, and returns the name. `None` if the requirement does not begin like this.
    fn champion(&mut self) -> Result<Option<Word>, RequirementError> {
        let start = self.rest;
        if self.peek_word() != CHAMPION || !self.accept(CHAMPION) || !self.accept(Relation::Equal.name()) {
            self.rest = start;
            return Ok(None);
        }
        let player = self.word(A_NAME)?;
        self.skip_blanks();
        Ok(Some(player))
    }

    fn relation_claim(&mut self) -> Result<RelationClaim, RequirementError> {
        let left = self.term()?;
        let relation = self.relation()?;
        let right = match self.number() {
            Some(number) => Operand::Number(number),
            None => Operand::Term(self.term()?),
        };
        Ok(RelationClaim { left, relation, right })
    }

    fn term(&mut self) -> Result<Term, RequirementError> {
        let player = self.word(A_NAME)?;
        let mut keys = Vec::new();
        while self.rest.starts_with('.') {
            self.rest = &self.rest[1..];
            keys.push(self.word("a figure, such as `score`")?);
        }
        self.skip_blanks();
        Ok(Term { player, keys })
    }

    /// A name or a key. The whitespace after it is not skipped, because a dot may follow.
    fn word(&mut self, expected: &'static str) -> Result<Word, RequirementError> {
        let at = self.at();
        let (text, rest) = match self.rest.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                self.rest[1..].split_once(quote).ok_or_else(|| RequirementProblem::OpenQuote.at(at))?
            }
            _ => self.rest.split_at(self.peek_word().len()),
        };
        if text.is_empty() {
            return Err(self.expected(expected));
        }
        self.rest = rest;
        Ok(Word { text: text.to_owned(), at })
    }

    fn relation(&mut self) -> Result<Relation, RequirementError> {
        let found = Relation::ALL.into_iter().find(|relation| self.accept(relation.name()));
        found.ok_or_else(|| {
            self.expected(
                "`>=`, `>`, `<=`, `<` or `==` (quote a name with characters other than letters, digits, `_` and `-`)",
            )
        })
    }

    /// Reads a number, if the text at this position cannot be anything else.
    fn number(&mut self) -> Option<f64> {
        let is_part = |c: char| is_plain(c) || matches!(c, '.' | '+');
        let end = self.rest.find(|c: char| !is_part(c)).unwrap_or(self.rest.len());
        let text = &self.rest[..end];
        // Words such as `inf` are numbers in Rust, but names here.
        if !text.trim_start_matches(['+', '-', '.']).starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
        self.accept(text);
        Some(number)
    }
}

/// Whether `c` may occur in an unquoted name.
fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}
