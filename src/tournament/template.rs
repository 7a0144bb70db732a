//! Text with placeholders: `{side}` is replaced by the side or seat, `{{` and `}}` by plain braces.

use std::fmt;

use thiserror::Error;

use super::quoted::Quoted;
use crate::base::suggestion::nearest;
use crate::base::word_enum::words;

/// Text with placeholders for values that differ from game to game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<TemplatePart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    Placeholder(Placeholder),
}

/// A value that a game fills into a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placeholder {
    /// `black` or `white`, or the number of the seat in a game with more than two seats.
    Side,
    /// The address to connect to.
    Host,
    /// The port to connect to.
    Port,
    /// The server number: the port minus 29068.
    Server,
    /// The time that the player may use for its first turn, in whole seconds; 0 without a clock.
    Time,
    /// The time added to the player's clock after each of its moves, in seconds; 0 without an increment.
    Increment,
    /// The number of byo-yomi periods; 0 without byo-yomi.
    Periods,
    /// The length of a byo-yomi period, in seconds; 0 without byo-yomi.
    Period,
    /// The player's time for each move, in seconds; 0 if it has none.
    MoveTime,
    /// The bank for moves that take longer than the time for each move, in seconds; 0 without a bank.
    Bank,
    /// The player's time control, as in a log's `TimeControl` tag; `-` without a clock.
    TimeControl,
    /// A number that depends on the tournament's seed, the game and the side or seat.
    Seed,
    /// The player's name.
    Name,
    /// The rule set with its options, as in a log's Ruleset tag.
    Ruleset,
}

// The words between the braces.
words! {
    pub Placeholder;
    Side => "side",
    Host => "host",
    Port => "port",
    Server => "server",
    Time => "time",
    Increment => "increment",
    Periods => "periods",
    Period => "period",
    MoveTime => "move_time",
    Bank => "bank",
    TimeControl => "time_control",
    Seed => "seed",
    Name => "name",
    Ruleset => "ruleset",
}

impl Placeholder {
    /// The environment variable with the same value, which is set for every program.
    pub const fn variable(self) -> &'static str {
        match self {
            Self::Side => "GOTHELLO_SIDE",
            Self::Host => "GOTHELLO_HOST",
            Self::Port => "GOTHELLO_PORT",
            Self::Server => "GOTHELLO_SERVER",
            Self::Time => "GOTHELLO_TIME",
            Self::Increment => "GOTHELLO_INCREMENT",
            Self::Periods => "GOTHELLO_PERIODS",
            Self::Period => "GOTHELLO_PERIOD",
            Self::MoveTime => "GOTHELLO_MOVE_TIME",
            Self::Bank => "GOTHELLO_BANK",
            Self::TimeControl => "GOTHELLO_TIME_CONTROL",
            Self::Seed => "GOTHELLO_SEED",
            Self::Name => "GOTHELLO_NAME",
            Self::Ruleset => "GOTHELLO_RULESET",
        }
    }

    /// Whether the placeholder is part of the address to connect to. A program that communicates over stdin and stdout
    /// has no use for it.
    pub const fn is_address(self) -> bool {
        matches!(self, Self::Host | Self::Port | Self::Server)
    }
}

/// A mistake in a template.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TemplateFlaw {
    /// The word in braces is not a placeholder.
    #[error("unknown placeholder `{{{}}}`{}", .name.as_str(), Hint(*.near))]
    Unknown {
        /// The word between the braces.
        name: Quoted,
        /// The placeholder that was probably meant.
        near: Option<&'static str>,
    },
    /// A `{` has no `}`.
    #[error("`{{` without a matching `}}` (write `{{{{` for a plain brace)")]
    Unclosed,
    /// A `}` has no `{`.
    #[error("`}}` without a matching `{{` (write `}}}}` for a plain brace)")]
    Unopened,
}

/// The end of a message about an unknown placeholder.
struct Hint(Option<&'static str>);

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(near) = self.0 {
            return write!(f, ": did you mean `{{{near}}}`?");
        }
        let known = Placeholder::ALL.map(|placeholder| format!("{{{}}}", placeholder.name()));
        write!(f, " (known: {}; write `{{{{` for a plain brace)", known.join(" "))
    }
}

impl Template {
    /// Parses `text`.
    ///
    /// # Errors
    /// Returns all mistakes in `text`, each with its position in bytes.
    pub fn parse(text: &str) -> Result<Self, Vec<(usize, TemplateFlaw)>> {
        let (mut parts, mut flaws) = (Vec::new(), Vec::new());
        for (offset, part) in pieces(text) {
            match (part, parts.last_mut()) {
                (Ok(TemplatePart::Text(text)), Some(TemplatePart::Text(before))) => before.push_str(&text),
                (Ok(part), _) => parts.push(part),
                (Err(flaw), _) => flaws.push((offset, flaw)),
            }
        }
        if flaws.is_empty() { Ok(Self { parts }) } else { Err(flaws) }
    }

    /// The text with each placeholder replaced by the result of `value` for it.
    pub fn fill(&self, value: impl Fn(Placeholder) -> String) -> String {
        self.parts
            .iter()
            .map(|part| match part {
                TemplatePart::Text(text) => text.clone(),
                TemplatePart::Placeholder(placeholder) => value(*placeholder),
            })
            .collect()
    }

    /// Whether the template contains `placeholder`.
    pub fn mentions(&self, placeholder: Placeholder) -> bool {
        self.parts.contains(&TemplatePart::Placeholder(placeholder))
    }

    /// Whether the template contains no placeholders.
    pub fn is_literal(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, TemplatePart::Text(_)))
    }

    /// The position in bytes of `placeholder` in `text`, if the template in `text` contains it.
    pub(super) fn find(text: &str, placeholder: Placeholder) -> Option<usize> {
        pieces(text).find(|(_, part)| *part == Ok(TemplatePart::Placeholder(placeholder))).map(|(offset, _)| offset)
    }
}

/// Writes the template in a canonical form. Parsing it again yields an equal template.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| match part {
            TemplatePart::Text(text) => f.write_str(&text.replace('{', "{{").replace('}', "}}")),
            TemplatePart::Placeholder(placeholder) => write!(f, "{{{}}}", placeholder.name()),
        })
    }
}

/// The pieces of `text`, each with the position in bytes at which it starts.
fn pieces(text: &str) -> impl Iterator<Item = (usize, Result<TemplatePart, TemplateFlaw>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let (length, piece) = piece(rest);
        let start = at;
        at += length;
        Some((start, piece))
    })
}

/// The first piece of the non-empty text `rest`, and the piece's length in bytes.
fn piece(rest: &str) -> (usize, Result<TemplatePart, TemplateFlaw>) {
    for plain in ["{", "}"] {
        if rest.starts_with(plain) && rest[1..].starts_with(plain) {
            return (2, Ok(TemplatePart::Text(plain.to_owned())));
        }
    }
    if rest.starts_with('}') {
        return (1, Err(TemplateFlaw::Unopened));
    }
    let Some(inner) = rest.strip_prefix('{') else {
        let length = rest.find(['{', '}']).unwrap_or(rest.len());
        return (length, Ok(TemplatePart::Text(rest[..length].to_owned())));
    };
    // Another `{` before the `}` shows that the first one was never closed.
    match inner.find(['{', '}']) {
        Some(end) if inner[end..].starts_with('}') => (end + 2, placeholder(&inner[..end])),
        _ => (1, Err(TemplateFlaw::Unclosed)),
    }
}

fn placeholder(name: &str) -> Result<TemplatePart, TemplateFlaw> {
    let known = Placeholder::ALL.into_iter().find(|placeholder| placeholder.name() == name);
    known.map(TemplatePart::Placeholder).ok_or_else(|| TemplateFlaw::Unknown {
        name: Quoted::new(name),
        near: nearest(name, Placeholder::ALL.map(Placeholder::name)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn filled(text: &str) -> String {
        Template::parse(text).unwrap().fill(|placeholder| placeholder.name().to_uppercase())
    }

    #[test]
    fn placeholders_are_filled_and_doubled_braces_are_plain() {
        assert_eq!(filled("--{side}={host}:{port}"), "--SIDE=HOST:PORT");
        assert_eq!(filled("{{side}} {{{side}}}"), "{side} {SIDE}");
        assert_eq!(filled(""), "");
    }

    #[test]
    fn every_flaw_is_reported_at_its_position() {
        let unknown = |name: &str, near| TemplateFlaw::Unknown { name: Quoted::new(name), near };
        assert_eq!(
            Template::parse("ä {sied} } {x{port} {").unwrap_err(),
            [
                (3, unknown("sied", Some("side"))),
                (10, TemplateFlaw::Unopened),
                (12, TemplateFlaw::Unclosed),
                (21, TemplateFlaw::Unclosed)
            ]
        );
        assert_eq!(Template::parse("{}").unwrap_err(), [(0, unknown("", None))]);
    }

    #[test]
    fn what_is_mentioned_is_known() {
        let template = Template::parse("{{host}} {port}").unwrap();
        assert!(template.mentions(Placeholder::Port) && !template.mentions(Placeholder::Host));
        assert!(!template.is_literal() && Template::parse("{{host}}").unwrap().is_literal());
    }

    #[test]
    fn names_and_variables_agree() {
        for placeholder in Placeholder::ALL {
            assert_eq!(placeholder.variable(), format!("GOTHELLO_{}", placeholder.name().to_uppercase()));
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_written_with_doubled_braces(text in ".*") {
            let doubled = text.replace('{', "{{").replace('}', "}}");
            prop_assert_eq!(filled(&doubled), text);
        }

        #[test]
        fn what_is_read_is_written_alike(text in "([{}]|\\{side\\}|\\{port\\}|[a-z ä]){0,12}") {
            if let Ok(template) = Template::parse(&text) {
                prop_assert_eq!(Template::parse(&template.to_string()), Ok(template));
            }
        }
    }
}
