//! The keys that determine what an item grades.

use toml::de::DeValue;

use super::keys::{self, CountedForfeits};
use crate::course::rubric::flaw::RubricFlaw;
use crate::course::rubric::{AccuracyKind, AccuracyRule, Baseline, ItemRule, LegalityRule, PointScale, ScoreRule};
use crate::referee::result::Termination;
use crate::tournament::Quoted;
use crate::tournament::file::key::FileKey;
use crate::tournament::file::key_kinds::RealNumber;
use crate::tournament::file::problem_places::KeyReader;
use crate::tournament::file::section::Section;

/// The keys that determine what an item grades. Each item has exactly one of them.
const RULES: [&str; 6] = ["check", "legality", "forfeits", "score", "accuracy", "manual"];

/// The rule of the item in `section`, and the byte position of the key that defines the rule. The item begins at byte
/// `start`.
pub(super) fn rule(reader: &mut KeyReader<'_>, section: &Section<'_>, start: usize) -> (Option<ItemRule>, usize) {
    let against = against(reader, section);
    let mut found: Option<(&'static str, usize)> = None;
    let mut rule = None;
    for key in RULES {
        if !section.has(key) {
            continue;
        }
        let at = section.key_offset(key);
        if let Some((other, _)) = found {
            reader.note(at, RubricFlaw::TwoRules { key, other }.into());
            continue;
        }
        found = Some((key, at));
        rule = match key {
            "manual" => manual(reader, section),
            _ => of_table(reader, section, key, against.as_ref()),
        };
    }
    let Some((key, at)) = found else {
        reader.note(start, RubricFlaw::NoRule.into());
        return (None, start);
    };
    match (key, section.has("against")) {
        ("score", false) => reader.note(at, RubricFlaw::NoOpponent.into()),
        ("score", true) | (_, false) => {}
        (_, true) => reader.note(section.key_offset("against"), RubricFlaw::NoScore.into()),
    }
    (rule, at)
}

/// The opponent, if the key `against` exists and its value is valid.
fn against(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<Baseline> {
    let text = reader.text(section, &keys::AGAINST, "a built-in bot such as \"alphabeta 2\"")?;
    let noted =
        |why| reader.note(text.span.start, RubricFlaw::NotABaseline { text: Quoted::new(text.content), why }.into());
    text.content.parse().map_err(noted).ok()
}

fn manual(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<ItemRule> {
    let is_manual = reader.given(section, &keys::MANUAL)?;
    if !is_manual {
        reader.note(section.key_offset("manual"), RubricFlaw::NotManual.into());
    }
    is_manual.then_some(ItemRule::Manual)
}

/// The rule in the table at a key other than `manual`.
fn of_table(
    reader: &mut KeyReader<'_>,
    item: &Section<'_>,
    key: &'static str,
    against: Option<&Baseline>,
) -> Option<ItemRule> {
    let table = keys::RULE_TABLES.into_iter().find(|table| table.name == key)?;
    let (section, start) = reader.table(item, table, "a table in braces")?;
    let mut inside = ItemTable { key, start, reader };
    let rule = match key {
        "check" => inside.check(&section),
        "legality" => inside.legality(&section),
        "forfeits" => inside.forfeits(&section),
        "score" => inside.score(&section, against),
        _ => inside.accuracy(&section),
    };
    reader.unknown_keys(&section);
    rule
}

/// Reads the keys of one table.
struct ItemTable<'r, 's> {
    key: &'static str,
    /// The byte position at which the table begins.
    start: usize,
    reader: &'r mut KeyReader<'s>,
}

/// The keys of the two ends of a scale, and its direction.
#[derive(Clone, Copy)]
struct ScaleKeys {
    full: &'static FileKey<RealNumber>,
    zero: &'static FileKey<RealNumber>,
    wanted: &'static str,
}

impl ScaleKeys {
    const MORE: &'static str = "more";
    const LESS: &'static str = "less";
}

impl ItemTable<'_, '_> {
    fn check(&mut self, section: &Section<'_>) -> Option<ItemRule> {
        let level = self.reader.given(section, &keys::LEVEL);
        let all = self.reader.read(section, &keys::ALL).unwrap_or_default();
        self.need(section, "level", "{ level = \"must\" }");
        Some(ItemRule::Check { level: level?, all })
    }

    fn legality(&mut self, section: &Section<'_>) -> Option<ItemRule> {
        let keys = ScaleKeys { full: &keys::REFUSED_PER_1000, zero: &keys::ZERO_AT, wanted: ScaleKeys::LESS };
        let scale = self.scale(section, keys, "{ refused_per_1000 = 0, zero_at = 50 }");
        let min_moves = self.reader.read(section, &keys::MIN_MOVES);
        Some(ItemRule::Legality(LegalityRule { scale: scale?, min_moves: min_moves? }))
    }

    fn forfeits(&mut self, section: &Section<'_>) -> Option<ItemRule> {
        let keys = ScaleKeys { full: &keys::FEW, zero: &keys::MANY, wanted: ScaleKeys::LESS };
        let scale = self.scale(section, keys, "{ full = 0, zero = 5 }");
        let kinds = self.kinds(section);
        Some(ItemRule::Forfeits { scale: scale?, kinds: kinds? })
    }

    /// The kinds of forfeits that count; all of them if the key is missing.
    fn kinds(&mut self, section: &Section<'_>) -> Option<Vec<Termination>> {
        let all = CountedForfeits::all;
        let Some(value) = section.get(keys::KINDS.name) else { return Some(all().collect()) };
        let DeValue::Array(words) = value.get_ref() else {
            self.reader.wrong_type("kinds", value, "words such as [\"time\", \"crash\"]");
            return None;
        };
        if words.is_empty() {
            self.reader.note(value.span().start, RubricFlaw::NoKinds.into());
            return None;
        }
        let mut named = Vec::with_capacity(words.len());
        for word in words {
            let DeValue::String(text) = word.get_ref() else {
                self.reader.wrong_type("kinds", word, "a word in quotes");
                continue;
            };
            match all().find(|kind| kind.name() == text) {
                Some(kind) => named.push(kind),
                None => {
                    let known: Vec<&str> = all().map(Termination::name).collect();
                    let flaw = RubricFlaw::NotAForfeit { text: Quoted::new(text), known: known.join(", ") };
                    self.reader.note(word.span().start, flaw.into());
                }
            }
        }
        (named.len() == words.len()).then(|| all().filter(|kind| named.contains(kind)).collect())
    }

    fn score(&mut self, section: &Section<'_>, against: Option<&Baseline>) -> Option<ItemRule> {
        let keys = ScaleKeys { full: &keys::FULL_SCORE, zero: &keys::ZERO_SCORE, wanted: ScaleKeys::MORE };
        let scale = self.scale(section, keys, "{ full = 0.5, zero = 0.2 }");
        let confidence = self.reader.read(section, &keys::CONFIDENCE);
        let doubt = self.reader.read(section, &keys::DOUBT);
        Some(ItemRule::Score(ScoreRule { against: *against?, scale: scale?, confidence: confidence?, doubt: doubt? }))
    }

    fn accuracy(&mut self, section: &Section<'_>) -> Option<ItemRule> {
        const EXAMPLE: &str = "{ figure = \"winner_kept\", full = 0.9, zero = 0.7 }";
        let figure = self.reader.given(section, &keys::FIGURE);
        self.need(section, "figure", EXAMPLE);
        let phase = self.reader.read(section, &keys::PHASE);
        let keys = match figure {
            Some(AccuracyKind::AverageLoss) => {
                ScaleKeys { full: &keys::FULL_ACCURACY, zero: &keys::ZERO_ACCURACY, wanted: ScaleKeys::LESS }
            }
            // The other figures are shares, like a score.
            _ => ScaleKeys { full: &keys::FULL_SCORE, zero: &keys::ZERO_SCORE, wanted: ScaleKeys::MORE },
        };
        let scale = self.scale(section, keys, EXAMPLE);
        let min_judged = self.reader.read(section, &keys::MIN_JUDGED);
        Some(ItemRule::Accuracy(AccuracyRule {
            figure: figure?,
            phase: phase?,
            scale: scale?,
            min_judged: min_judged?,
        }))
    }

    /// Notes that `key` is missing, if it is.
    fn need(&mut self, section: &Section<'_>, key: &'static str, example: &'static str) {
        if !section.has(key) {
            self.reader.note(self.start, RubricFlaw::MissingInside { table: self.key, key, example }.into());
        }
    }

    fn scale(&mut self, section: &Section<'_>, keys: ScaleKeys, example: &'static str) -> Option<PointScale> {
        let ScaleKeys { full, zero, wanted } = keys;
        let mut end = |key: &FileKey<RealNumber>| {
            let end = self.reader.given(section, key);
            self.need(section, key.name, example);
            end
        };
        let (full_at, zero_at) = (end(full), end(zero));
        let (full_at, zero_at) = (full_at?, zero_at?);
        let (full, zero) = (full.name, zero.name);
        let at = section.key_offset(full);
        let Some(scale) = PointScale::new(full_at, zero_at) else {
            self.reader.note(at, RubricFlaw::SameEnds { full, zero }.into());
            return None;
        };
        if (full_at > zero_at) != (wanted == ScaleKeys::MORE) {
            let (full_at, zero_at) = (full_at.to_string(), zero_at.to_string());
            let flaw = RubricFlaw::WrongWay { table: self.key, wanted, full, full_at, zero, zero_at };
            self.reader.note(at, flaw.into());
            return None;
        }
        Some(scale)
    }
}
