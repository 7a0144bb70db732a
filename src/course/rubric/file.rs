//! The rubric file as checked values.

mod item_keys;

use std::collections::HashMap;
use std::time::Duration;

use toml::de::{DeTable, DeValue};

use super::flaw::RubricFlaw;
use super::{GradePoints, ItemRule, Rubric, RubricItem, RubricPlay};
use crate::tournament::file::problem::FileProblems;
use crate::tournament::file::problem_places::KeyReader;
use crate::tournament::file::section::{Section, TomlValue};
use crate::tournament::file::top_level::{keep_what_is_sure, not_utf8, sanitised_name};

/// The JSON Schema (draft 7) of rubric files, for editors. tests/it/course/rubric.rs holds it to the reader.
pub const RUBRIC_SCHEMA: &str = include_str!("../../../tournaments/rubric.schema.json");

/// The rubric of docs/teach/grading.md.
pub const RUBRIC_TOML: &str = include_str!("../../../tournaments/rubric.toml");

/// Every half point counts, unless the file says otherwise.
const ROUNDING: f64 = 0.5;
const GAMES: u64 = 20;
const MOST_GAMES: u64 = 1000;
const MAX_GAMES: u64 = 100;
const SECOND: Duration = Duration::from_secs(1);
const WEEK: Duration = Duration::from_hours(168);
/// Enough for most moves of the middle and all of the end.
const ANALYSIS: Duration = Duration::from_secs(5);
const LONGEST_ANALYSIS: Duration = Duration::from_hours(1);
/// The word for no analysis.
const NONE: &str = "none";

impl Rubric {
    /// Reads a rubric file.
    ///
    /// # Errors
    /// Everything that is wrong with the file, each problem with line and column. An error in the TOML itself may hide others
    /// until it is fixed.
    pub fn parse(text: &str) -> Result<Self, FileProblems> {
        let (table, syntax_errors) = DeTable::parse_recoverable(text);
        let mut reader = KeyReader::new(text);
        let read = top(&mut reader, &mut Section::new(table.get_ref()));
        if !syntax_errors.is_empty() {
            keep_what_is_sure(&mut reader, &syntax_errors);
        }
        match (read, FileProblems::new(reader.into_problems())) {
            (Some(rubric), None) => Ok(rubric),
            (_, Some(problems)) => Err(problems),
            (None, None) => unreachable!("a rubric is missing only where a problem was noted"),
        }
    }

    /// Like [`Rubric::parse`], from the bytes of a file.
    ///
    /// # Errors
    /// When `content` is not UTF-8, and as [`Rubric::parse`].
    pub fn parse_bytes(content: &[u8]) -> Result<Self, FileProblems> {
        match str::from_utf8(content) {
            Ok(text) => Self::parse(text),
            Err(error) => Err(not_utf8(content, error.valid_up_to())),
        }
    }
}

/// An item as far as it could be read, with the places of what must hold between items.
struct ItemDraft {
    id: Option<String>,
    points: Option<GradePoints>,
    bonus: bool,
    rule: Option<ItemRule>,
    id_at: usize,
    points_at: usize,
    rule_at: usize,
}

impl ItemDraft {
    /// The item; `None` if a problem has been noted.
    fn item(self) -> Option<RubricItem> {
        Some(RubricItem { id: self.id?, points: self.points?, bonus: self.bonus, rule: self.rule? })
    }
}

fn top(reader: &mut KeyReader<'_>, section: &mut Section<'_>) -> Option<Rubric> {
    let title = sanitised_name(reader, section, "title");
    if !section.has("title") {
        reader.note(
            0,
            RubricFlaw::Missing { what: "rubric", key: "title", example: "`title = \"CS 441 final\"`" }.into(),
        );
    }
    let total = points(reader, section, "total");
    if !section.has("total") {
        reader.note(0, RubricFlaw::Missing { what: "rubric", key: "total", example: "`total = 100`" }.into());
    }
    let given = points(reader, section, "rounding");
    let rounding = if section.has("rounding") { given } else { GradePoints::new(ROUNDING) };
    if rounding == Some(GradePoints::ZERO) {
        reader.note(section.key_offset("rounding"), RubricFlaw::NoRounding.into());
    }
    let one_side = reader.number(section, "one_side", 0.0..=1.0, 1.0);
    let play = section.get("play").map(|play| table(reader, play, "play", "a table `[play]`"));
    let empty = DeTable::new();
    let mut play_section = Section::new(play.flatten().unwrap_or(&empty));
    let play = play_of(reader, &mut play_section);
    reader.unknown_keys(&play_section);
    let items = items(reader, section);
    reader.unknown_keys(section);
    let rounding = rounding.filter(|&rounding| rounding > GradePoints::ZERO);
    if let Some(items) = &items {
        between_items(reader, items, rounding);
        needs_of_items(reader, items, play.as_ref());
        let counted: Option<Vec<GradePoints>> =
            items.iter().filter(|item| !item.bonus).map(|item| item.points).collect();
        if let (Some(total), Some(sum)) = (total, counted.map(|points| points.into_iter().sum::<GradePoints>()))
            && sum != total
        {
            reader.note(section.key_offset("total"), RubricFlaw::OtherSum { total, sum }.into());
        }
    }
    let items = items?.into_iter().map(ItemDraft::item).collect::<Option<Vec<_>>>();
    Some(Rubric { title: title?, total: total?, rounding: rounding?, one_side: one_side?, play: play?, items: items? })
}

/// The table in `value`.
fn table<'t>(
    reader: &mut KeyReader<'_>,
    value: &'t TomlValue<'t>,
    key: &'static str,
    expected: &'static str,
) -> Option<&'t DeTable<'t>> {
    if let DeValue::Table(table) = value.get_ref() {
        return Some(table);
    }
    reader.wrong_type(key, value, expected);
    None
}

/// The points at `key`, if the key is there and its value is points.
fn points(reader: &mut KeyReader<'_>, section: &mut Section<'_>, key: &'static str) -> Option<GradePoints> {
    let most = GradePoints::MOST.number();
    let number = reader.number(section, key, 0.0..=most, f64::NAN).filter(|number| !number.is_nan())?;
    let points = GradePoints::new(number);
    if points.is_none() {
        let offset = section.peek(key).map_or(0, |value| value.span().start);
        reader.note(offset, RubricFlaw::TooFine { key }.into());
    }
    points
}

/// The table `[play]`.
fn play_of(reader: &mut KeyReader<'_>, section: &mut Section<'_>) -> Option<RubricPlay> {
    let games = even(reader, section, "games", GAMES);
    let max_games = even(reader, section, "max_games", MAX_GAMES.max(games.map_or(0, u64::from)));
    let time = reader.duration(section, "time", SECOND..=WEEK);
    let seed = reader.seed(section).unwrap_or(0);
    let wants_none =
        matches!(section.peek("analysis").map(toml::Spanned::get_ref), Some(DeValue::String(word)) if word == NONE);
    let analysis = if wants_none {
        section.get("analysis");
        Duration::ZERO
    } else {
        reader.duration(section, "analysis", Duration::from_millis(100)..=LONGEST_ANALYSIS).unwrap_or(ANALYSIS)
    };
    let (games, max_games) = (games?, max_games?);
    if max_games < games {
        reader.note(section.key_offset("max_games"), RubricFlaw::FewerGames { games, max_games }.into());
    }
    Some(RubricPlay { games, max_games, time, seed, analysis })
}

/// The even number of games at `key`; `default` if the key is not there, and `None` if its value is wrong.
fn even(reader: &mut KeyReader<'_>, section: &mut Section<'_>, key: &'static str, default: u64) -> Option<u32> {
    let games = if section.has(key) {
        reader.integer(section, key, 2..=MOST_GAMES)?
    } else {
        section.get(key);
        default
    };
    if !games.is_multiple_of(2) {
        reader.note(section.key_offset(key), RubricFlaw::OddGames { key, games }.into());
        return None;
    }
    u32::try_from(games).ok()
}

fn items(reader: &mut KeyReader<'_>, section: &mut Section<'_>) -> Option<Vec<ItemDraft>> {
    let Some(value) = section.get("item") else {
        reader.note(0, RubricFlaw::NoItems.into());
        return None;
    };
    let DeValue::Array(entries) = value.get_ref() else {
        let flaw = if matches!(value.get_ref(), DeValue::Table(_)) { Some(RubricFlaw::SingleBrackets) } else { None };
        match flaw {
            Some(flaw) => reader.note(section.key_offset("item"), flaw.into()),
            None => reader.wrong_type("item", value, "an item under each line `[[item]]`"),
        }
        return None;
    };
    if entries.is_empty() {
        reader.note(value.span().start, RubricFlaw::NoItems.into());
    }
    let mut items = Vec::with_capacity(entries.len());
    for entry in entries {
        let of_table = table(reader, entry, "item", "a table").map(|table| item(reader, table, entry.span().start));
        items.push(of_table);
    }
    // What is no table may hold anything.
    items.into_iter().collect()
}

/// One item, whose table begins at byte `start`.
fn item<'t>(reader: &mut KeyReader<'_>, table: &'t DeTable<'t>, start: usize) -> ItemDraft {
    let mut section = Section::new(table);
    let id = item_id(reader, &mut section, start);
    let points = points(reader, &mut section, "points");
    if !section.has("points") {
        reader.note(start, RubricFlaw::Missing { what: "item", key: "points", example: "`points = 20`" }.into());
    }
    let bonus = reader.boolean(&mut section, "bonus").unwrap_or(false);
    let (rule, rule_at) = item_keys::rule(reader, &mut section, start);
    reader.unknown_keys(&section);
    let at = |key: &str| section.peek(key).map_or(start, |value| value.span().start);
    ItemDraft { id, points, bonus, rule, id_at: at("id"), points_at: at("points"), rule_at }
}

/// The most characters of an id.
const LONGEST_ID: usize = 60;

fn item_id(reader: &mut KeyReader<'_>, section: &mut Section<'_>, start: usize) -> Option<String> {
    let Some(id) = reader.text(section, "id", "a string such as \"beats-greedy\"") else {
        if !section.has("id") {
            reader.note(
                start,
                RubricFlaw::Missing { what: "item", key: "id", example: "`id = \"beats-greedy\"`" }.into(),
            );
        }
        return None;
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if id.content.is_empty()
        || id.content.len() > LONGEST_ID
        || !id.content.chars().all(is_plain)
        || id.content.starts_with('-')
    {
        reader.note(id.span.start, RubricFlaw::BadId.into());
        return None;
    }
    Some(id.content.to_owned())
}

/// Notes ids that occur twice and points that rounding would change.
fn between_items(reader: &mut KeyReader<'_>, items: &[ItemDraft], rounding: Option<GradePoints>) {
    let mut first: HashMap<&str, usize> = HashMap::new();
    for item in items {
        if let Some(id) = item.id.as_deref() {
            if let Some(&at) = first.get(id) {
                let first_line = reader.line(at);
                reader.note(item.id_at, RubricFlaw::SameId { id: id.to_owned(), first_line }.into());
            } else {
                first.insert(id, item.id_at);
            }
        }
        if let (Some(points), Some(rounding)) = (item.points, rounding)
            && !points.is_multiple_of(rounding)
        {
            reader.note(item.points_at, RubricFlaw::NotRounded { points, rounding }.into());
        }
    }
}

/// Notes items that need games or analyses where there are none.
fn needs_of_items(reader: &mut KeyReader<'_>, items: &[ItemDraft], play: Option<&RubricPlay>) {
    // What could not be read may be about a score.
    let has_games = items.iter().any(|item| matches!(item.rule, None | Some(ItemRule::Score(_))));
    let is_never_analyzed = play.is_some_and(|play| play.analysis.is_zero());
    for item in items {
        let Some(rule) = &item.rule else { continue };
        if matches!(rule, ItemRule::Forfeits { .. } | ItemRule::Accuracy(_)) && !has_games {
            reader.note(item.rule_at, RubricFlaw::NoGames { key: rule.kind() }.into());
        }
        if matches!(rule, ItemRule::Accuracy(_)) && is_never_analyzed {
            reader.note(item.rule_at, RubricFlaw::NoAnalysis.into());
        }
    }
}

#[cfg(test)]
mod tests;
