//! The rubric file as checked values.

mod item_keys;
mod keys;
mod schema;

use std::collections::HashMap;
use std::time::Duration;

use toml::de::{DeTable, DeValue};

pub use schema::{rubric_schema, rubric_tables};

use super::flaw::RubricFlaw;
use super::{GradePoints, ItemRule, Rubric, RubricItem, RubricPlay};
use crate::tournament::file::clocks::ClockKeys;
use crate::tournament::file::key::FileKey;
use crate::tournament::file::key_kinds::WholeNumber;
use crate::tournament::file::problem::FileProblems;
use crate::tournament::file::problem_places::KeyReader;
use crate::tournament::file::section::Section;
use crate::tournament::file::top_level::{keep_what_is_sure, not_utf8, sanitised_name};

/// The JSON Schema (draft 7) of rubric files, for editors: the text of [`rubric_schema`].
pub const RUBRIC_SCHEMA: &str = include_str!("../../../tournaments/rubric.schema.json");

/// The rubric of docs/teach/grading.md.
pub const RUBRIC_TOML: &str = include_str!("../../../tournaments/rubric.toml");

impl Rubric {
    /// Reads a rubric file.
    ///
    /// # Errors
    /// Returns everything that is wrong with the file, each problem with line and column. An error in the TOML
    /// itself may hide others until it is fixed.
    pub fn parse(text: &str) -> Result<Self, FileProblems> {
        let (table, syntax_errors) = DeTable::parse_recoverable(text);
        let mut reader = KeyReader::new(text);
        let read = top(&mut reader, &Section::new(table.get_ref(), keys::TOP_KEYS));
        if !syntax_errors.is_empty() {
            keep_what_is_sure(&mut reader, &syntax_errors);
        }
        match (read, FileProblems::new(reader.into_problems())) {
            (Some(rubric), None) => Ok(rubric),
            (_, Some(problems)) => Err(problems),
            (None, None) => unreachable!("a rubric is missing only if a problem was noted"),
        }
    }

    /// Like [`Rubric::parse`], from the bytes of a file.
    ///
    /// # Errors
    /// Returns an error if `content` is not UTF-8, and in the same cases as [`Rubric::parse`].
    pub fn parse_bytes(content: &[u8]) -> Result<Self, FileProblems> {
        match str::from_utf8(content) {
            Ok(text) => Self::parse(text),
            Err(error) => Err(not_utf8(content, error.valid_up_to())),
        }
    }
}

/// The parts of an item that could be read, with the positions of the parts that are checked against other items.
struct ItemDraft {
    id: Option<String>,
    title: Option<String>,
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
        let Self { title, bonus, .. } = self;
        Some(RubricItem { id: self.id?, title, points: self.points?, bonus, rule: self.rule? })
    }
}

fn top(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<Rubric> {
    let title = sanitised_name(reader, section, &keys::TITLE);
    if !section.has("title") {
        reader.note(
            0,
            RubricFlaw::Missing { what: "rubric", key: "title", example: "`title = \"CS 441 final\"`" }.into(),
        );
    }
    let total = reader.read(section, &keys::TOTAL);
    if !section.has("total") {
        reader.note(0, RubricFlaw::Missing { what: "rubric", key: "total", example: "`total = 100`" }.into());
    }
    let rounding = reader.read(section, &keys::ROUNDING);
    if rounding == Some(GradePoints::ZERO) {
        reader.note(section.key_offset("rounding"), RubricFlaw::NoRounding.into());
    }
    let one_side = reader.read(section, &keys::ONE_SIDE);
    let empty = DeTable::new();
    let play = reader.table(section, &keys::PLAY, "a table `[play]`").map(|(play, _)| play);
    let play_section = play.unwrap_or_else(|| Section::new(&empty, keys::PLAY_KEYS));
    let play = play_of(reader, &play_section);
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

/// The keys that give both sides a clock.
const CLOCK_KEYS: ClockKeys = ClockKeys { time: &keys::TIME, move_time: &keys::MOVE_TIME, bank: &keys::BANK };

/// The table `[play]`.
fn play_of(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<RubricPlay> {
    let games = even(reader, section, &keys::GAMES);
    let default = keys::MAX_GAMES_DEFAULT.max(games.unwrap_or(0));
    let max_games = if section.has("max_games") { even(reader, section, &keys::MAX_GAMES) } else { Some(default) };
    let control = CLOCK_KEYS.control(reader, section);
    let seed = reader.read(section, &keys::SEED).unwrap_or_default();
    // A wrong value has already been noted, and does not mean that nothing is analyzed.
    let analysis = reader.read(section, &keys::ANALYSIS).map_or(Duration::MAX, Option::unwrap_or_default);
    let (games, max_games) = (games?, max_games?);
    if max_games < games {
        reader.note(section.key_offset("max_games"), RubricFlaw::FewerGames { games, max_games }.into());
    }
    Some(RubricPlay { games, max_games, control, seed, analysis })
}

/// The even number of games at `key`, or its default; `None` if the value is wrong.
fn even(reader: &mut KeyReader<'_>, section: &Section<'_>, key: &FileKey<WholeNumber>) -> Option<u32> {
    let games = reader.read(section, key)?;
    if !games.is_multiple_of(2) {
        reader.note(section.key_offset(key.name), RubricFlaw::OddGames { key: key.name, games }.into());
        return None;
    }
    u32::try_from(games).ok()
}

fn items(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<Vec<ItemDraft>> {
    let Some(value) = section.get(keys::ITEM.name) else {
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
        let of_table = reader.table_of("item", entry, "a table").map(|table| item(reader, table, entry.span().start));
        items.push(of_table);
    }
    // If one value is not a table, the items are not compared, since that value could be any item.
    items.into_iter().collect()
}

/// One item, whose table begins at byte `start`.
fn item<'t>(reader: &mut KeyReader<'_>, table: &'t DeTable<'t>, start: usize) -> ItemDraft {
    let section = Section::new(table, keys::ITEM_KEYS);
    let id = item_id(reader, &section, start);
    let title = sanitised_name(reader, &section, &keys::ITEM_TITLE);
    let points = reader.read(&section, &keys::POINTS);
    if !section.has("points") {
        reader.note(start, RubricFlaw::Missing { what: "item", key: "points", example: "`points = 20`" }.into());
    }
    let bonus = reader.read(&section, &keys::BONUS).unwrap_or_default();
    let (rule, rule_at) = item_keys::rule(reader, &section, start);
    reader.unknown_keys(&section);
    let at = |key: &str| section.get(key).map_or(start, |value| value.span().start);
    ItemDraft { id, title, points, bonus, rule, id_at: at("id"), points_at: at("points"), rule_at }
}

fn item_id(reader: &mut KeyReader<'_>, section: &Section<'_>, start: usize) -> Option<String> {
    let Some(id) = reader.text(section, &keys::ID, "a string such as \"beats-greedy\"") else {
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
        || id.content.len() > keys::LONGEST_ID
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

/// Notes the items that need games or analyses, if the rubric has none.
fn needs_of_items(reader: &mut KeyReader<'_>, items: &[ItemDraft], play: Option<&RubricPlay>) {
    // An item that could not be read may be about a score.
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
