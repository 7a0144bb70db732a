//! Every key of a rubric: its name, its possible values and its meaning.
//!
//! The reader, the hints in its messages, the JSON Schema and the tables of docs/teach/grading.md are based on this
//! module.

use std::time::Duration;

use serde_json::{Value, json};

use crate::course::rubric::flaw::RubricFlaw;
use crate::course::rubric::{AccuracyKind, AccuracyPhase, Doubt, GradePoints};
use crate::drill::script::Level;
use crate::referee::result::Termination;
use crate::tournament::file::key::{FileKey, KeyKind, keys};
use crate::tournament::file::key_kinds::{
    GameClock, InnerTable, MAX_SEED, OneWord, OrWord, OwnReader, RealNumber, TimeSpan, TrueOrFalse, WholeNumber,
    one_word, real_json,
};
use crate::tournament::file::problem_places::KeyReader;
use crate::tournament::file::read_values::ReadableKind;
use crate::tournament::file::section::TomlValue;

/// The kind of keys whose values are points.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointsKind;

impl PointsKind {
    fn numbers() -> RealNumber {
        RealNumber(0.0..=GradePoints::MOST.number())
    }
}

impl KeyKind for PointsKind {
    type Value = GradePoints;
    const HAS_BOUNDS: bool = true;

    fn schema(&self) -> Value {
        Self::numbers().schema()
    }

    fn allowed(&self) -> String {
        Self::numbers().allowed()
    }

    fn json(&self, value: &GradePoints) -> Value {
        real_json(value.number())
    }
}

impl ReadableKind for PointsKind {
    fn read(&self, reader: &mut KeyReader<'_>, key: &'static str, value: &TomlValue<'_>) -> Option<GradePoints> {
        let points = GradePoints::new(Self::numbers().read(reader, key, value)?);
        if points.is_none() {
            reader.note(value.span().start, RubricFlaw::TooFine { key }.into());
        }
        points
    }
}

/// The kinds of forfeits that count.
#[derive(Clone, Copy, Debug)]
pub(super) struct CountedForfeits;

impl CountedForfeits {
    /// Every kind of forfeit.
    pub(super) fn all() -> impl Iterator<Item = Termination> {
        Termination::ALL.into_iter().filter(|kind| kind.is_forfeit())
    }
}

impl KeyKind for CountedForfeits {
    type Value = ();

    fn schema(&self) -> Value {
        let kinds: Vec<&str> = Self::all().map(Termination::name).collect();
        json!({ "type": "array", "minItems": 1, "items": { "enum": kinds } })
    }

    fn allowed(&self) -> String {
        Self::all().map(|kind| format!("`\"{}\"`", kind.name())).collect::<Vec<_>>().join(", ")
    }

    fn json(&self, (): &()) -> Value {
        Value::Null
    }
}

/// The maximum length of an id in characters.
pub(super) const LONGEST_ID: usize = 60;

/// The default of `max_games`, unless `games` is greater.
pub(super) const MAX_GAMES_DEFAULT: u32 = 100;

const GAMES_WITH_ONE: WholeNumber = WholeNumber(2..=1_000);
const EVEN: &str = r#"{ "multipleOf": 2 }"#;
const MOVES: WholeNumber = WholeNumber(1..=1_000_000);
const SHARE: RealNumber = RealNumber(0.0..=1.0);
const A_THOUSAND: RealNumber = RealNumber(0.0..=1_000.0);
const FORFEITS_OF_GAMES: RealNumber = RealNumber(0.0..=1e6);
const STONES: RealNumber = RealNumber(0.0..=25.0);

keys! {
    /// The keys at the top of a rubric.
    TOP_KEYS;
    TITLE: OwnReader = FileKey::new(
        "title",
        OwnReader {
            allowed: "up to 200 characters",
            schema: r#"{ "type": "string", "minLength": 1, "maxLength": 200, "pattern": "\\S" }"#,
        },
        "the title of the assignment",
    )
    .needed();
    TOTAL: PointsKind = FileKey::new("total", PointsKind, "the sum of the points of all items without `bonus`")
        .needed()
        .more(". A rubric with a different sum is refused");
    /// The default is half a point.
    ROUNDING: PointsKind = FileKey::new(
        "rounding",
        PointsKind,
        "a number greater than 0; points are rounded to multiples of it",
    )
    .by_default(GradePoints::HALF)
    .more(". Half a step is rounded up, and the points of each item must be a multiple of `rounding`")
    .keywords(r#"{ "exclusiveMinimum": 0 }"#);
    ONE_SIDE: RealNumber = FileKey::new(
        "one_side",
        SHARE,
        "the share of its points that a bot gets if the key `sides` of the tournament file limits it to one side",
    )
    .by_default(1.0)
    .more(". Such a bot is checked and plays only on that side");
    PLAY: InnerTable = FileKey::new(
        "play",
        InnerTable { keys: PLAY_KEYS, example: "[play]" },
        "the games: each student against each opponent that an item names",
    );
    ITEM: OwnReader = FileKey::new(
        "item",
        OwnReader {
            allowed: "a table under each line `[[item]]`",
            schema: r##"{ "type": "array", "minItems": 1, "items": { "$ref": "#/definitions/item" } }"##,
        },
        "what is graded",
    )
    .needed();
}

keys! {
    /// The keys of `[play]`.
    PLAY_KEYS;
    GAMES: WholeNumber = FileKey::new(
        "games",
        GAMES_WITH_ONE,
        "how many games each student plays against each opponent: an even number, half of them as black",
    )
    .by_default(20)
    .keywords(EVEN);
    MAX_GAMES: WholeNumber = FileKey::new(
        "max_games",
        GAMES_WITH_ONE,
        "the maximum number of games against an opponent, if more games can change a mark: an even number, and at \
         least `games`",
    )
    .otherwise("100, or `games` if that is more")
    .keywords(EVEN);
    TIME: GameClock = FileKey::new(
        "time",
        GameClock,
        "each side's time for a game, and for an ordinary game of the check, optionally with an increment or byo-yomi \
         periods; excludes `move_time`",
    )
    .otherwise("the clocks of the tournament file")
    .more(". Without any clocks, an ordinary game of the check has 10 s");
    MOVE_TIME: TimeSpan = FileKey::new(
        "move_time",
        TimeSpan::SECOND_TO_WEEK,
        "each side's time for each move, in games and in the check; excludes `time`",
    )
    .otherwise("the clocks of the tournament file");
    BANK: TimeSpan = FileKey::new(
        "bank",
        TimeSpan::SECOND_TO_WEEK,
        "each side's bank for moves that take longer than `move_time`; it is never refilled",
    )
    .otherwise("no bank")
    .beside("move_time", &[]);
    SEED: WholeNumber = FileKey::new(
        "seed",
        WholeNumber(0..=MAX_SEED),
        "the seed for the opponents, from which each game's own seed is derived",
    )
    .by_default(0);
    /// The default is enough for most moves of the middle game and all moves of the endgame.
    ANALYSIS: OrWord<TimeSpan> = FileKey::new(
        "analysis",
        OrWord {
            kind: TimeSpan(Duration::from_millis(100)..=Duration::from_hours(1)),
            word: "none",
            expected: "a duration such as \"60s\" or \"2m 30s\"",
        },
        "how much search is spent on analyzing a game; with `\"none\"`, no game is analyzed. A second means two \
         million nodes, which a slow core searches in that time: nodes are counted instead of time, so that marks do \
         not depend on how busy the machine is",
    )
    .by_default(Some(Duration::from_secs(5)));
}

keys! {
    /// The keys of an item.
    ITEM_KEYS;
    ID: OwnReader = FileKey::new(
        "id",
        OwnReader {
            allowed: "up to 60 letters, digits, `-` and `_`",
            schema: r#"{ "type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9_-]{0,59}$" }"#,
        },
        "the name of the item, unique in the rubric",
    )
    .needed();
    ITEM_TITLE: OwnReader = FileKey::new(
        "title",
        OwnReader {
            allowed: "up to 200 characters",
            schema: r#"{ "type": "string", "minLength": 1, "maxLength": 200, "pattern": "\\S" }"#,
        },
        "what students read instead of the `id`",
    )
    .otherwise("derived from what the item grades");
    POINTS: PointsKind = FileKey::new("points", PointsKind, "what the item is worth: a multiple of `rounding`").needed();
    BONUS: TrueOrFalse = FileKey::new("bonus", TrueOrFalse, "whether the points are added on top of the total").by_default(false);
    AGAINST: OwnReader = FileKey::new(
        "against",
        OwnReader {
            allowed: "`\"greedy\"`, `\"alphabeta 2\"`, `\"mcts 1000\"`, `\"perfect, error 0.1\"`",
            schema: r#"{
                "type": "string",
                "pattern": "^\\s*(random|greedy|perfect|alphabeta\\s+\\+?0*([1-9]|1[0-9]|2[0-5])|mcts\\s+\\+?0*([1-9][0-9]{0,6}|10000000))\\s*(,\\s*error\\s*\\S+\\s*)?$"
            }"#,
        },
        "the opponent, by its name in the list of built-in bots",
    )
    .beside("score", &[]);
    CHECK: InnerTable = FileKey::new(
        "check",
        InnerTable { keys: CHECK_KEYS, example: "{ level = \"must\" }" },
        "the share of the scenarios of `check --bots` that the bot passes; with `all`, it is all or nothing",
    );
    LEGALITY: InnerTable = FileKey::new(
        "legality",
        InnerTable { keys: LEGALITY_KEYS, example: "{ refused_per_1000 = 0, zero_at = 50 }" },
        "how many moves per thousand are refused",
    );
    FORFEITS: InnerTable = FileKey::new(
        "forfeits",
        InnerTable { keys: FORFEITS_KEYS, example: "{ full = 0, zero = 5 }" },
        "how many games are forfeited",
    );
    SCORE: InnerTable = FileKey::new(
        "score",
        InnerTable { keys: SCORE_KEYS, example: "{ full = 0.5, zero = 0.2 }" },
        "the score against the opponent in `against`",
    );
    ACCURACY: InnerTable = FileKey::new(
        "accuracy",
        InnerTable { keys: ACCURACY_KEYS, example: "{ figure = \"winner_kept\", full = 0.9, zero = 0.7 }" },
        "how well the bot keeps the value of its positions",
    )
    .keywords(
        r#"{
            "if": { "properties": { "figure": { "const": "average_loss" } } },
            "else": { "properties": { "full": { "maximum": 1 }, "zero": { "maximum": 1 } } }
        }"#,
    );
    MANUAL: TrueOrFalse = FileKey::new("manual", TrueOrFalse, "with `true`, the teacher gives the points; leave the key out otherwise").keywords(r#"{ "const": true }"#);
}

/// The keys of an item whose values are tables.
pub(super) const RULE_TABLES: [&FileKey<InnerTable>; 5] = [&CHECK, &LEGALITY, &FORFEITS, &SCORE, &ACCURACY];

keys! {
    /// The keys of `check`.
    CHECK_KEYS;
    LEVEL: OneWord<Level> = FileKey::new(
        "level",
        OneWord { words: || vec![("must", Level::Must), ("should", Level::Should)], meanings: &[] },
        "which scenarios count",
    )
    .needed();
    ALL: TrueOrFalse = FileKey::new("all", TrueOrFalse, "whether a single failure costs all points").by_default(false);
}

keys! {
    /// The keys of `legality`.
    LEGALITY_KEYS;
    REFUSED_PER_1000: RealNumber = FileKey::new("refused_per_1000", A_THOUSAND, "the highest value that earns all points").needed();
    ZERO_AT: RealNumber = FileKey::new("zero_at", A_THOUSAND, "the lowest value that earns no points").needed();
    MIN_MOVES: WholeNumber = FileKey::new(
        "min_moves",
        MOVES,
        "how many moves a bot that forfeits games must have made in the games that it completes and the checks that it \
         passes; with fewer, its points are reduced in proportion",
    )
    .by_default(100);
}

keys! {
    /// The keys of `forfeits`.
    FORFEITS_KEYS;
    FEW: RealNumber = FileKey::new("full", FORFEITS_OF_GAMES, "the highest value that earns all points").needed();
    MANY: RealNumber = FileKey::new("zero", FORFEITS_OF_GAMES, "the lowest value that earns no points").needed();
    KINDS: CountedForfeits = FileKey::new("kinds", CountedForfeits, "which forfeits count").otherwise("all");
}

keys! {
    /// The keys of `score`.
    SCORE_KEYS;
    FULL_SCORE: RealNumber = FileKey::new("full", SHARE, "the lowest value that earns all points").needed();
    ZERO_SCORE: RealNumber = FileKey::new("zero", SHARE, "the highest value that earns no points").needed();
    CONFIDENCE: RealNumber = FileKey::new(
        "confidence",
        RealNumber(0.5..=0.999),
        "the confidence of the one-sided interval",
    )
    .by_default(0.9);
    DOUBT: OneWord<Doubt> = FileKey::new(
        "doubt",
        one_word!(Doubt),
        "who gets the benefit of the doubt: with `student`, the upper end of the interval counts; with `none`, the \
         mean; with `teacher`, the lower end",
    )
    .by_default(Doubt::Student);
}

keys! {
    /// The keys of `accuracy`.
    ACCURACY_KEYS;
    FIGURE: OneWord<AccuracyKind> = FileKey::new("figure", one_word!(AccuracyKind), "what counts").needed();
    PHASE: OneWord<AccuracyPhase> = FileKey::new("phase", one_word!(AccuracyPhase), "which part of the games counts")
        .by_default(AccuracyPhase::All);
    FULL_ACCURACY: RealNumber = FileKey::new(
        "full",
        STONES,
        "the figure that earns all points; a share is at most 1",
    )
    .needed();
    ZERO_ACCURACY: RealNumber = FileKey::new(
        "zero",
        STONES,
        "the figure that earns no points; a share is at most 1",
    )
    .needed();
    MIN_JUDGED: WholeNumber = FileKey::new(
        "min_judged",
        MOVES,
        "how many moves must have been judged; with fewer, the mark is borderline",
    )
    .by_default(100);
}
