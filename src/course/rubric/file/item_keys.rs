//! What an item grades.

use toml::de::{DeTable, DeValue};

use super::table;
use crate::course::rubric::flaw::RubricFlaw;
use crate::course::rubric::{
    AccuracyKind, AccuracyPhase, AccuracyRule, Baseline, Doubt, ItemRule, LegalityRule, PointScale, ScoreRule,
};
use crate::drill::script::Level;
use crate::referee::result::Termination;
use crate::tournament::Quoted;
use crate::tournament::file::problem_places::KeyReader;
use crate::tournament::file::section::{Section, TomlValue};

/// The keys of which an item has one.
const RULES: [&str; 6] = ["check", "legality", "forfeits", "score", "accuracy", "manual"];

const CONFIDENCE: f64 = 0.9;
const MOST_CONFIDENCE: f64 = 0.999;
const MIN_MOVES: u64 = 100;
const MOST_MOVES: u64 = 1_000_000;
const MIN_JUDGED: u64 = 100;
const MOST_JUDGED: u64 = 1_000_000;
const MOST_FORFEITS: f64 = 1e6;
const MOST_STONES: f64 = 25.0;

/// What the item in `section` grades, and the byte where that stands. The item begins at byte `start`.
pub(super) fn rule(reader: &mut KeyReader<'_>, section: &mut Section<'_>, start: usize) -> (Option<ItemRule>, usize) {
    let against = against(reader, section);
    let mut found: Option<(&'static str, usize)> = None;
    let mut rule = None;
    for key in RULES {
        let Some(value) = section.get(key) else { continue };
        let at = section.key_offset(key);
        if let Some((other, _)) = found {
            reader.note(at, RubricFlaw::TwoRules { key, other }.into());
            continue;
        }
        found = Some((key, at));
        rule = match key {
            "manual" => manual(reader, section),
            _ => table(reader, value, key, "a table in braces")
                .and_then(|inner| of_table(reader, (key, value, inner), against.as_ref())),
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

/// The opponent, if the key is there and its value right.
fn against(reader: &mut KeyReader<'_>, section: &mut Section<'_>) -> Option<Baseline> {
    let text = reader.text(section, "against", "a built-in bot such as \"alphabeta 2\"")?;
    let noted =
        |why| reader.note(text.span.start, RubricFlaw::NotABaseline { text: Quoted::new(text.content), why }.into());
    text.content.parse().map_err(noted).ok()
}

fn manual(reader: &mut KeyReader<'_>, section: &mut Section<'_>) -> Option<ItemRule> {
    let is_manual = reader.boolean(section, "manual")?;
    if !is_manual {
        reader.note(section.key_offset("manual"), RubricFlaw::NotManual.into());
    }
    is_manual.then_some(ItemRule::Manual)
}

/// The rule in the table at a key other than `manual`.
fn of_table<'t>(
    reader: &mut KeyReader<'_>,
    (key, value, inner): (&'static str, &'t TomlValue<'t>, &'t DeTable<'t>),
    against: Option<&Baseline>,
) -> Option<ItemRule> {
    let mut section = Section::new(inner);
    let mut inside = ItemTable { key, start: value.span().start, reader };
    let rule = match key {
        "check" => inside.check(&mut section),
        "legality" => inside.legality(&mut section),
        "forfeits" => inside.forfeits(&mut section),
        "score" => inside.score(&mut section, against),
        _ => inside.accuracy(&mut section),
    };
    reader.unknown_keys(&section);
    rule
}

/// Reads the keys of one table.
struct ItemTable<'r, 's> {
    key: &'static str,
    /// Where the table begins.
    start: usize,
    reader: &'r mut KeyReader<'s>,
}

/// The two ends of a scale: their keys, the least and the most of both, and which way the scale goes.
#[derive(Clone, Copy)]
struct ScaleKeys {
    full: &'static str,
    zero: &'static str,
    most: f64,
    wanted: &'static str,
}

impl ScaleKeys {
    const MORE: &'static str = "more";
    const LESS: &'static str = "less";
}

impl ItemTable<'_, '_> {
    fn check(&mut self, section: &mut Section<'_>) -> Option<ItemRule> {
        let level = self.reader.word(section, "level", &[("must", Level::Must), ("should", Level::Should)]);
        let all = self.reader.boolean(section, "all").unwrap_or(false);
        self.need(section, "level", "{ level = \"must\" }");
        Some(ItemRule::Check { level: level?, all })
    }

    fn legality(&mut self, section: &mut Section<'_>) -> Option<ItemRule> {
        let keys = ScaleKeys { full: "refused_per_1000", zero: "zero_at", most: 1000.0, wanted: ScaleKeys::LESS };
        let scale = self.scale(section, keys, "{ refused_per_1000 = 0, zero_at = 50 }");
        let has_least = section.has("min_moves");
        let least = self.reader.integer(section, "min_moves", 1..=MOST_MOVES);
        let min_moves = if has_least { least? } else { MIN_MOVES };
        Some(ItemRule::Legality(LegalityRule { scale: scale?, min_moves }))
    }

    fn forfeits(&mut self, section: &mut Section<'_>) -> Option<ItemRule> {
        let keys = ScaleKeys { full: "full", zero: "zero", most: MOST_FORFEITS, wanted: ScaleKeys::LESS };
        let scale = self.scale(section, keys, "{ full = 0, zero = 5 }");
        let kinds = self.kinds(section);
        Some(ItemRule::Forfeits { scale: scale?, kinds: kinds? })
    }

    /// The kinds of forfeits that count: all without the key.
    fn kinds(&mut self, section: &mut Section<'_>) -> Option<Vec<Termination>> {
        let all = || Termination::ALL.into_iter().filter(|kind| kind.is_forfeit());
        let Some(value) = section.get("kinds") else { return Some(all().collect()) };
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

    fn score(&mut self, section: &mut Section<'_>, against: Option<&Baseline>) -> Option<ItemRule> {
        let keys = ScaleKeys { full: "full", zero: "zero", most: 1.0, wanted: ScaleKeys::MORE };
        let scale = self.scale(section, keys, "{ full = 0.5, zero = 0.2 }");
        let confidence = self.reader.number(section, "confidence", 0.5..=MOST_CONFIDENCE, CONFIDENCE);
        let has_doubt = section.has("doubt");
        let doubt = self.reader.word(section, "doubt", &Doubt::ALL.map(|doubt| (doubt.name(), doubt)));
        let doubt = if has_doubt { doubt? } else { Doubt::Student };
        Some(ItemRule::Score(ScoreRule { against: *against?, scale: scale?, confidence: confidence?, doubt }))
    }

    fn accuracy(&mut self, section: &mut Section<'_>) -> Option<ItemRule> {
        const EXAMPLE: &str = "{ figure = \"winner_kept\", full = 0.9, zero = 0.7 }";
        let figure = self.reader.word(section, "figure", &AccuracyKind::ALL.map(|kind| (kind.name(), kind)));
        self.need(section, "figure", EXAMPLE);
        let has_phase = section.has("phase");
        let phase = self.reader.word(section, "phase", &AccuracyPhase::ALL.map(|phase| (phase.name(), phase)));
        let keys = match figure {
            Some(AccuracyKind::AverageLoss) => {
                ScaleKeys { full: "full", zero: "zero", most: MOST_STONES, wanted: ScaleKeys::LESS }
            }
            _ => ScaleKeys { full: "full", zero: "zero", most: 1.0, wanted: ScaleKeys::MORE },
        };
        let scale = self.scale(section, keys, EXAMPLE);
        if let (Some(figure), Some(phase)) = (figure, phase)
            && figure != AccuracyKind::WinnerKept
            && !phase.has_margins()
        {
            self.reader.note(section.key_offset("figure"), RubricFlaw::NoMargins { figure, phase }.into());
        }
        let has_least = section.has("min_judged");
        let least = self.reader.integer(section, "min_judged", 1..=MOST_JUDGED);
        let phase = if has_phase { phase? } else { AccuracyPhase::All };
        let min_judged = if has_least { least? } else { MIN_JUDGED };
        Some(ItemRule::Accuracy(AccuracyRule { figure: figure?, phase, scale: scale?, min_judged }))
    }

    /// Notes that `key` is missing, if it is.
    fn need(&mut self, section: &Section<'_>, key: &'static str, example: &'static str) {
        if !section.has(key) {
            self.reader.note(self.start, RubricFlaw::MissingInside { table: self.key, key, example }.into());
        }
    }

    fn scale(&mut self, section: &mut Section<'_>, keys: ScaleKeys, example: &'static str) -> Option<PointScale> {
        let ScaleKeys { full, zero, most, wanted } = keys;
        let mut end = |key: &'static str| {
            let end = self.reader.number(section, key, 0.0..=most, f64::NAN).filter(|end| !end.is_nan());
            self.need(section, key, example);
            end
        };
        let (full_at, zero_at) = (end(full), end(zero));
        let (full_at, zero_at) = (full_at?, zero_at?);
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
