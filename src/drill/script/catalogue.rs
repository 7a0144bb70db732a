//! The table of all scenarios.

use super::judging::captures::{is_legal_after_captures, places_after_captures};
use super::judging::coming::{asks_for_its_side, comes, connects_once};
use super::judging::costs::{is_understood, keeps_some_time, waits_idly, writes_little};
use super::judging::counts::{compares, refuses_none_of_many};
use super::judging::leaving::{leaves, leaves_well};
use super::judging::passes::{double_pass, goes_on_while_behind, must_pass};
use super::judging::refusals::{sends_another_move, was_tried};
use super::judging::whole_game::{PLAYS, is_not_refused, reaches_the_end};
use super::judging::{Check, worst};
use super::scenario_plans;
use super::{BoutFacts, Judgement, Level, NeededClocks, NeededRules, Scenario};

/// The default values of a scenario. The table contains only the differences.
const USUAL: Scenario = Scenario {
    id: "",
    level: Level::Must,
    does: "",
    about: "",
    rules: NeededRules::Any,
    clocks: NeededClocks::Any,
    needs_moves: true,
    games: 1,
    same_seed: false,
    plan: scenario_plans::plain,
    judge: plays,
};

/// All scenarios, in the order in which they are played.
pub static SCENARIOS: [Scenario; 37] = [
    Scenario {
        id: "hello",
        does: "greets, and waits `hello_timeout` for the hello",
        about: "sends the hello for its own side, with a version up to 0.9.2 and, optionally, a name of at most 31 \
                characters; a warning if it also sends something on a second connection",
        needs_moves: false,
        plan: scenario_plans::hello,
        judge: |games| worst(games, &[comes, connects_once, asks_for_its_side]),
        ..USUAL
    },
    Scenario {
        id: "hello-fresh",
        does: "starts the bot three times in a row",
        about: "takes its seat each time",
        needs_moves: false,
        games: 3,
        plan: scenario_plans::hello_fresh,
        judge: |games| worst(games, &[comes]),
        ..USUAL
    },
    Scenario {
        id: "plain",
        does: "plays random legal moves without clocks",
        about: "plays to the end with no line refused, sends nothing afterwards, and exits",
        needs_moves: false,
        judge: |games| plays_and(games, &[leaves]),
        ..USUAL
    },
    Scenario {
        id: "clock",
        does: "plays with equal clocks",
        about: "plays to the end; a warning if it uses more than 90% of its clock",
        plan: scenario_plans::clock,
        judge: |games| plays_and(games, &[keeps_some_time]),
        ..USUAL
    },
    Scenario {
        id: "clock-uneven",
        does: "plays with 60 s against 7 s, then with 7 s against 60 s",
        about: "plays to the end, even with the 7 s; a warning if it uses more than 90% of its clock",
        rules: NeededRules::TwoSeats,
        clocks: NeededClocks::MainTime,
        games: 2,
        plan: scenario_plans::clock_uneven,
        judge: |games| plays_and(games, &[keeps_some_time]),
        ..USUAL
    },
    Scenario {
        id: "clock-short",
        level: Level::Should,
        does: "gives each side 2 s for the game",
        about: "plays to the end",
        clocks: NeededClocks::MainTime,
        plan: scenario_plans::clock_short,
        ..USUAL
    },
    Scenario {
        id: "clock-increment",
        does: "gives each side so little main time that it needs its increments",
        about: "plays to the end; a warning if it falls below 10% of its main time",
        clocks: NeededClocks::Increment,
        plan: scenario_plans::clock_increment,
        judge: |games| plays_and(games, &[keeps_some_time]),
        ..USUAL
    },
    Scenario {
        id: "clock-periods",
        does: "gives each side two byo-yomi periods and no main time",
        about: "plays to the end; a warning if it uses more than 90% of its last period",
        clocks: NeededClocks::Periods,
        plan: scenario_plans::clock_periods,
        judge: |games| plays_and(games, &[keeps_some_time]),
        ..USUAL
    },
    Scenario {
        id: "clock-move",
        does: "gives each side a time for each move, in a game with random moves and in one with moves that leave the bot \
               the fewest replies",
        about: "never exceeds the time for a move; a warning if it uses more than 90% of the time",
        clocks: NeededClocks::MoveTime,
        games: 2,
        plan: scenario_plans::clock_move,
        judge: |games| plays_and(games, &[keeps_some_time]),
        ..USUAL
    },
    Scenario {
        id: "clock-bank",
        does: "gives each side a time for each move, and a small bank for moves that take longer",
        about: "plays to the end; a warning if it uses more than 90% of its bank",
        clocks: NeededClocks::Bank,
        plan: scenario_plans::clock_bank,
        judge: |games| plays_and(games, &[keeps_some_time]),
        ..USUAL
    },
    Scenario {
        id: "moves-codes",
        does: "makes all codes from 311 to 318 occur (counting both sides), including passes, with and without clocks",
        about: "accepts all of them, and continues with legal moves",
        rules: NeededRules::Gothello,
        games: 2,
        plan: scenario_plans::moves_codes,
        ..USUAL
    },
    Scenario {
        id: "captures",
        does: "captures groups of one, two and four or more stones, lets its own stones be captured, and then leaves \
               placements that are legal only because stones were turned over",
        about: "makes no move that is refused; a warning if it passes while such a placement is left and is worth more",
        rules: NeededRules::Gothello,
        games: 3,
        plan: scenario_plans::captures,
        judge: |games| {
            worst(games, &[comes, is_legal_after_captures, reaches_the_end, is_not_refused, places_after_captures])
        },
        ..USUAL
    },
    Scenario {
        id: Scenario::LEGAL_20,
        does: "plays 20 games: ten with random moves, and ten with moves that leave the bot the fewest replies",
        about: "makes no move that is refused; the report states how many moves were refused",
        games: 20,
        plan: scenario_plans::legal_20,
        judge: refuses_none_of_many,
        ..USUAL
    },
    Scenario {
        id: "must-pass",
        does: "plays until the bot can only pass",
        about: "passes at once, without trying a move first",
        rules: NeededRules::Gothello,
        plan: scenario_plans::must_pass,
        judge: must_pass,
        ..USUAL
    },
    Scenario {
        id: "opponent-passes",
        does: "passes at ply 2 or 3, and in a second game later on, while the bot is behind",
        about: "keeps playing; a warning if it answers with a pass and so loses on the board (`pass-back`)",
        rules: NeededRules::Gothello,
        games: 2,
        plan: scenario_plans::opponent_passes,
        judge: |games| plays_and(games, &[goes_on_while_behind]),
        ..USUAL
    },
    Scenario {
        id: "double-pass",
        does: "passes in answer to the bot's pass",
        about: "treats 321 to 326 as the end; a warning if it does not exit with status 0",
        rules: NeededRules::Gothello,
        plan: scenario_plans::double_pass,
        judge: double_pass,
        ..USUAL
    },
    Scenario {
        id: "drop-outs",
        does: "lets one opponent resign instead of making its third move and, in a second game, lets one leave before its first, \
               while the others play on: 335",
        about: "plays on, and does not wait for seats that have dropped out",
        rules: NeededRules::MoreSeats,
        games: 2,
        plan: scenario_plans::drop_outs,
        ..USUAL
    },
    Scenario {
        id: "refused",
        level: Level::Should,
        does: "answers the bot's third move with a false 291, once",
        about: "sends another move, or a pass if that is legal, and keeps its move number and board",
        plan: scenario_plans::refused,
        judge: |games| plays_and(games, &[was_tried, sends_another_move]),
        ..USUAL
    },
    Scenario {
        id: "refused-thrice",
        level: Level::Should,
        does: "answers three tries in one turn with a false 291",
        about: "plays on",
        plan: scenario_plans::refused_thrice,
        judge: |games| plays_and(games, &[was_tried]),
        ..USUAL
    },
    Scenario {
        id: "garbled",
        level: Level::Should,
        does: "answers the bot's third move with a false 299, once",
        about: "sends the move again, or another one",
        plan: scenario_plans::garbled,
        judge: |games| plays_and(games, &[was_tried]),
        ..USUAL
    },
    Scenario {
        id: "win",
        level: Level::Should,
        does: "only passes, so that the bot wins; if it does not, the last code is forged",
        about: "exits within `quit_timeout`, with status 0 and no exception on stderr",
        plan: scenario_plans::win,
        judge: |games| plays_and(games, &[leaves_well]),
        ..USUAL
    },
    Scenario {
        id: "loss",
        level: Level::Should,
        does: "plays to win; if the bot does not lose, the last code is forged",
        about: "exits within `quit_timeout`, with status 0 and no exception on stderr",
        plan: scenario_plans::loss,
        judge: |games| plays_and(games, &[leaves_well]),
        ..USUAL
    },
    Scenario {
        id: "draw",
        level: Level::Should,
        does: "plays random legal moves; the last code is forged unless the game is drawn",
        about: "exits within `quit_timeout`, with status 0 and no exception on stderr",
        plan: scenario_plans::draw,
        judge: |games| plays_and(games, &[leaves_well]),
        ..USUAL
    },
    Scenario {
        id: "opponent-resigns",
        level: Level::Should,
        does: "resigns instead of making its third move: 327 or 328, and in a second game the `compatible` ending",
        about: "exits within `quit_timeout`, with status 0",
        games: 2,
        plan: scenario_plans::opponent_resigns,
        judge: ends_early,
        ..USUAL
    },
    Scenario {
        id: "opponent-leaves",
        level: Level::Should,
        does: "disconnects instead of making its third move, and in a second game before the first move: 391 or 392",
        about: "exits within `quit_timeout`, with status 0",
        games: 2,
        plan: scenario_plans::opponent_leaves,
        judge: ends_early,
        ..USUAL
    },
    Scenario {
        id: "opponent-flags",
        level: Level::Should,
        does: "lets its own time run out instead of making its third move: 361 or 362",
        about: "exits within `quit_timeout`, with status 0",
        plan: scenario_plans::opponent_flags,
        judge: ends_early,
        ..USUAL
    },
    Scenario {
        id: "own-flag",
        level: Level::Should,
        does: "ends the game in the bot's third turn as if its time were up: 202 without a move, then 361 or 362",
        about: "exits within `quit_timeout`, with status 0",
        plan: scenario_plans::own_flag,
        judge: ends_early,
        ..USUAL
    },
    Scenario {
        id: "split",
        does: "sends some of its lines in segments of one byte, 5 ms apart",
        about: "plays to the end",
        plan: scenario_plans::split,
        ..USUAL
    },
    Scenario {
        id: "merged",
        does: "sends its reply, the status and its own move in one segment",
        about: "plays to the end",
        plan: scenario_plans::merged,
        ..USUAL
    },
    Scenario {
        id: "slow",
        does: "is silent for 3 s before one of its moves",
        about: "waits; a warning if it uses 1 s of CPU time or more in the meantime",
        plan: scenario_plans::slow,
        judge: |games| plays_and(games, &[waits_idly]),
        ..USUAL
    },
    Scenario {
        id: "late-close",
        level: Level::Should,
        does: "closes the connection 1 s after the last line",
        about: "sends nothing more, and exits with status 0",
        plan: scenario_plans::late_close,
        judge: |games| plays_and(games, &[leaves_well]),
        ..USUAL
    },
    Scenario {
        id: "lf-only",
        level: Level::Info,
        does: "ends its lines with only a line feed",
        about: "plays to the end",
        plan: scenario_plans::lf_only,
        ..USUAL
    },
    Scenario {
        id: "long-text",
        level: Level::Info,
        does: "sends 200 characters of text after each code and its fields",
        about: "plays to the end",
        plan: scenario_plans::long_text,
        ..USUAL
    },
    Scenario {
        id: "names",
        level: Level::Info,
        does: "sends the names of the players and of an observer before the game starts: 341 to 344",
        about: "plays to the end",
        plan: scenario_plans::names,
        ..USUAL
    },
    Scenario {
        id: "utf8",
        level: Level::Info,
        does: "sends names with `\"\"` and `ä`",
        about: "plays to the end",
        plan: scenario_plans::utf8,
        ..USUAL
    },
    Scenario {
        id: "stderr-flood",
        level: Level::Should,
        does: "plays as in `plain`, and counts what the bot writes to stderr",
        about: "writes less than 1 MiB in the game; a warning if one of its `#think` lines is malformed",
        judge: |games| worst(games, &[comes, reaches_the_end, writes_little, is_understood]),
        ..USUAL
    },
    Scenario {
        id: "twice",
        level: Level::Info,
        does: "plays two games with the same seed",
        about: "is not judged; the report says whether it played the same moves, and states its slowest move, CPU \
                time and memory",
        games: 2,
        same_seed: true,
        judge: compares,
        ..USUAL
    },
];

/// Requires the bot to play every game to its planned end.
fn plays(games: &[BoutFacts]) -> Judgement {
    plays_and(games, &[])
}

/// Requires the bot to play every game to its planned end, and to pass the checks in `more`.
fn plays_and(games: &[BoutFacts], more: &[Check]) -> Judgement {
    let checks: Vec<Check> = PLAYS.iter().chain(more).copied().collect();
    worst(games, &checks)
}

/// Requires the bot to handle an ending that does not come from the board. The bot may have sent a move before it
/// learned of the ending.
fn ends_early(games: &[BoutFacts]) -> Judgement {
    worst(games, &[comes, reaches_the_end, is_not_refused, leaves_well])
}
