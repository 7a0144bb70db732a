//! The keys of the table `rules`: the options of each rule set.

use crate::game::quantum::{CountRule, Handicap, KoRule, RowRule, ScoringRule, StartRule, StuckRule};
use crate::game::seegover::{BackRule, CaptureRule, CycleRule};
use crate::tournament::file::key::{FileKey, keys};
use crate::tournament::file::key_kinds::{InnerTable, OneWord, OwnReader, TrueOrFalse, WholeNumber, one_word};

keys! {
    /// The options of Seegover, in the order of [`crate::game::seegover::Options::KEYS`].
    SEEGOVER_KEYS;
    CYCLE: OneWord<CycleRule> = FileKey::new(
        "cycle",
        one_word!(CycleRule),
        "what happens when a position occurs a second time: the game is drawn, or the turn is illegal",
    )
    .by_default(CycleRule::Draw)
    .identifies()
    .example("\"superko\"");
    DROP: WholeNumber = FileKey::new("drop", WholeNumber(1..=2), "how many stones a turn drops in the first phase of the game")
        .by_default(1)
        .identifies()
        .example("2");
    CAPTURE: OneWord<CaptureRule> = FileKey::new(
        "capture",
        one_word!(CaptureRule),
        "what a stone captures: a whole line of enclosed stones, or only a single enclosed stone",
    )
    .by_default(CaptureRule::Line)
    .identifies()
    .example("\"single\"");
    BACK: OneWord<BackRule> = FileKey::new(
        "back",
        one_word!(BackRule),
        "when a stone may return after a step that captured: always, or only if the return captures as well",
    )
    .by_default(BackRule::Free)
    .identifies()
    .example("\"capture\"");
}

keys! {
    /// The keys of `handicap`.
    HANDICAP_KEYS;
    SEAT: OwnReader = FileKey::new(
        "seat",
        OwnReader {
            allowed: "`\"black\"`, `\"white\"`; with more than two seats, the number of a seat",
            schema: r#"{ "enum": ["black", "white", 1, 2, 3, 4, 5, 6] }"#,
        },
        "the seat that gets the stones; excludes `player`",
    )
    .identifies();
    PLAYER: OwnReader = FileKey::new(
        "player",
        OwnReader { allowed: "the name of a player", schema: r#"{ "type": "string" }"# },
        "the player that gets the stones in all its games, regardless of its seat; excludes `seat`",
    )
    .identifies();
    STONES: WholeNumber = FileKey::new(
        "stones",
        WholeNumber(Handicap::LEAST as u64..=Handicap::MOST as u64),
        "the number of stones (up to 4 if the number of points per side is even)",
    )
    .needed()
    .identifies();
}

keys! {
    /// The keys of `compensation`, if it belongs to a player.
    COMPENSATION_KEYS;
    COMPENSATION_PLAYER: OwnReader = FileKey::new(
        "player",
        PLAYER.kind,
        "the player that gets the points in all its games, regardless of its seat, in addition to the seat's own points",
    )
    .needed()
    .identifies();
    POINTS: OwnReader = FileKey::new(
        "points",
        OwnReader {
            allowed: "a multiple of 1/N in a game with N seats, as a number or as a string such as `\"1/2\"`",
            schema: r#"{
                "anyOf": [
                    { "type": "number", "minimum": 0, "maximum": 999 },
                    { "type": "string", "pattern": "^[0-9]+(\\.[0-9]+|/[0-9]*[1-9][0-9]*)?$" }
                ]
            }"#,
        },
        "the number of points",
    )
    .needed()
    .identifies();
}

keys! {
    /// The options of Quantum Gothello and the games in it, in the order of
    /// [`crate::game::quantum::QuantumRules::KEYS`].
    QUANTUM_KEYS;
    START: OneWord<StartRule> = FileKey::new(
        "start",
        one_word!(StartRule),
        "how the squares are occupied at the start: four stones in the middle, or none, in which case the first four turns place \
         stones there. The last two values are for four and six seats",
    )
    .by_default(StartRule::Middle)
    .identifies()
    .example("\"open\"");
    ROWS: OneWord<RowRule> = FileKey::new(
        "rows",
        one_word!(RowRule),
        "which rows a stone turns over in Reverse: all that it encloses, or only the one that the move names",
    )
    .by_default(RowRule::All)
    .identifies()
    .example("\"one\"");
    STUCK: OneWord<StuckRule> = FileKey::new(
        "stuck",
        one_word!(StuckRule),
        "what a seat does if it cannot enclose anything: pass, or place next to another stone. The latter is for more than two seats",
    )
    .by_default(StuckRule::Pass)
    .identifies()
    .example("\"beside\"");
    KO: OneWord<KoRule> = FileKey::new(
        "ko",
        one_word!(KoRule),
        "which arrangement may not be repeated in Go: the one before the opponent's turn; any earlier one; any that \
         arose after a turn by the same seat; or any such arrangement with the same difference in prisoners",
    )
    .by_default(KoRule::Positional)
    .identifies()
    .example("\"simple\"");
    SUICIDE: TrueOrFalse = FileKey::new(
        "suicide",
        TrueOrFalse,
        "whether a stone in Go may take its own chain's last liberty, which makes the chain the opponent's prisoners",
    )
    .by_default(false)
    .identifies()
    .example("true");
    COUNT: OneWord<CountRule> = FileKey::new(
        "count",
        one_word!(CountRule),
        "what counts in Go: empty points and prisoners, once it has been proven which stones are dead; or empty points and stones. With \
         `go-9`, `go-13` and `go-19`, the default is `\"area\"`",
    )
    .by_default(CountRule::Territory)
    .identifies()
    .example("\"area\"");
    SCORING: OneWord<ScoringRule> = FileKey::new(
        "scoring",
        one_word!(ScoringRule),
        "what decides the game: the sum of all counts, or first the number of modes won",
    )
    .by_default(ScoringRule::Sum)
    .identifies()
    .example("\"modes\"");
    COMPENSATION: OwnReader = FileKey::new(
        "compensation",
        OwnReader {
            allowed: "a list with a multiple of 1/N for each of the N seats, from 0 to 999, each a number or a string \
                      such as `\"1/2\"`; or `{ player = \"bo\", points = 6.5 }`",
            schema: r##"{
                "anyOf": [
                    {
                        "type": "array",
                        "minItems": 2,
                        "maxItems": 6,
                        "items": {
                            "anyOf": [
                                { "type": "number", "minimum": 0, "maximum": 999 },
                                { "type": "string", "pattern": "^[0-9]+(\\.[0-9]+|/[0-9]*[1-9][0-9]*)?$" }
                            ]
                        }
                    },
                    { "$ref": "#/definitions/compensation_of_player" }
                ]
            }"##,
        },
        "the points that the seats get in addition to their counts. With four seats, the default is `[0, 0.25, 0.5, 0.75]`; with \
         six, it is the multiples of 1/6 from 0 to 5/6. With `go-9`, `go-13` and `go-19`, the default is `[0, 7.5]`; \
         in games without Go, it is `[0, 0]`",
    )
    .by_default("[0, 0.5]")
    .identifies()
    .example("[0, 6.5]");
    HANDICAP: InnerTable = FileKey::new(
        "handicap",
        InnerTable { keys: HANDICAP_KEYS, example: "{ seat = \"white\", stones = 4 }" },
        "stones that are on the points before the first turn of Go",
    )
    .keywords(r#"{ "oneOf": [{ "required": ["seat"] }, { "required": ["player"] }] }"#)
    .identifies()
    .more("; see [below](#handicap-and-compensation)")
    .example("{ seat = \"white\", stones = 4 }");
}
