use super::*;
use crate::game::{BySide, Ruleset};
use crate::players::bots::{Builtin, Thinker};
use crate::practice::board_game::BoardGame;
use crate::practice::opponent::BuiltinOpponent;
use crate::practice::typed_lines::MAX_LINE;
use crate::referee::time_control::{SideControl, TimeControl};

static NEVER: AtomicBool = AtomicBool::new(false);

fn typed(lines: &str) -> TypedLines {
    TypedLines::of(io::Cursor::new(lines.as_bytes().to_vec())).expect("a thread")
}

/// Plays a game of `ruleset` in which a person types `lines` for both sides. Returns the printed text and the game.
fn two(ruleset: Ruleset, lines: &str) -> (String, PlainGame) {
    let players = BySide { black: "person 1".to_owned(), white: "person 2".to_owned() };
    let session = Session::new(BoardGame::start(ruleset), true, players);
    let mut game = PlainGame::new(session, BoardSeating::Two, NonZeroUsize::MIN, Style::PLAIN);
    let mut out = Vec::new();
    let end = game.play(&typed(lines), &mut out, &NEVER).expect("memory");
    assert_eq!(end, PlainEnd::Left);
    (String::from_utf8(out).expect("text"), game)
}

#[test]
fn two_people_play_a_game_to_its_end() {
    let (said, game) = two(Ruleset::Gothello, "c3\npass\nPASS\nc4\n");
    assert!(said.starts_with("gothello: you play both sides; type a move, or `help`\n"), "{said}");
    assert!(said.contains("3 . .[b]. .\n"), "{said}");
    assert!(said.ends_with("black wins by 1\n"), "{said}");
    assert_eq!(game.session().plies().len(), 3);
}

#[test]
fn each_line_is_obeyed_and_nothing_that_is_typed_steers_the_terminal() {
    let long = "x".repeat(3 * usize::try_from(MAX_LINE).expect("small"));
    let (said, game) =
        two(Ruleset::Gothello, &format!("undo\nwhy\n\n{long}\n\u{1b}[2Jc3\nc3\nundo\nhelp\nhint\nquit\nc3\n"));
    for expected in [
        "you have no move to take back\n",
        "you have not moved yet\n",
        "\\u{1b}[2jc3: not a move",
        "took back 1 move\n",
        "\nblack wins by 3: ",
        HELP,
    ] {
        assert!(said.contains(expected), "{expected:?} in {said}");
    }
    assert!(!said.contains('\u{1b}') && said.len() < 10_000, "{said}");
    assert!(game.session().plies().is_empty() && game.session().result().is_none());
}

#[test]
fn a_move_that_gave_something_away_is_explained_and_a_best_move_is_not_blamed() {
    let (said, _) = two(Ruleset::Gothello, "c3\nwhy\nundo\na1\nwhy\n");
    assert!(said.contains("c3: gave nothing away: black wins by 3\n"), "{said}");
    let blamed = said.split("\na1: ").nth(1).expect("an answer");
    assert!(blamed.contains("instead of black by 3"), "{blamed}");
}

#[test]
fn the_opponent_answers_and_an_undo_takes_both_moves_back() {
    let bot = BuiltinOpponent::start(Builtin::new(Thinker::Greedy), 1, Ruleset::Gothello, None).expect("a thread");
    let players = BySide { black: "person".to_owned(), white: "greedy".to_owned() };
    let session = Session::new(BoardGame::start(Ruleset::Gothello), true, players);
    let mut game = PlainGame::new(session, BoardSeating::Against(Side::Black, bot), NonZeroUsize::MIN, Style::PLAIN);
    let mut out = Vec::new();
    game.play(&typed("c3\nundo\nresign\n"), &mut out, &NEVER).expect("memory");
    let said = String::from_utf8(out).expect("text");
    assert!(said.starts_with("gothello: you play black, and greedy plays white;"), "{said}");
    assert!(said.contains("took back 2 moves\n"), "{said}");
    // The board is not shown again after the resignation.
    assert!(said.ends_with("black to move\nwhite wins (resignation)\n"), "{said}");
}

#[test]
fn the_better_line_is_played_out_and_the_game_goes_on() {
    let (said, game) = two(Ruleset::Gothello, "line\na1\nline\nc3\nline\n");
    assert!(said.contains("black to move\nyou have not moved yet\n"), "{said}");
    let line = said.split("better line, move 1 of ").nth(1).expect("a line");
    assert!(line.contains(" by black\n") && line.contains("\nback in the game\n"), "{line}");
    assert_eq!(game.session().plies().len(), 2);
}

#[test]
fn a_clock_is_shown_and_its_flag_ends_the_game() {
    let players = BySide { black: "person 1".to_owned(), white: "person 2".to_owned() };
    let session = Session::new(BoardGame::start(Ruleset::Gothello), true, players);
    let control = TimeControl::both(SideControl::sudden_death(Duration::from_millis(200)));
    let mut game = PlainGame::new(session.with_clocks(control), BoardSeating::Two, NonZeroUsize::MIN, Style::PLAIN);
    // Nothing is ever typed.
    let (reader, _writer) = std::io::pipe().expect("a pipe");
    let mut out = Vec::new();
    let input = TypedLines::of(io::BufReader::new(reader)).expect("a thread");
    game.play(&input, &mut out, &NEVER).expect("memory");
    let said = String::from_utf8(out).expect("text");
    assert!(said.contains("black to move (black 0:01, white 0:01)\n"), "{said}");
    assert!(said.ends_with("white wins (time) (used more than 200ms)\n"), "{said}");
}

#[test]
fn a_signal_ends_the_game_without_a_result() {
    let players = BySide { black: "person 1".to_owned(), white: "person 2".to_owned() };
    let session = Session::new(BoardGame::start(Ruleset::Gothello), true, players);
    let mut game = PlainGame::new(session, BoardSeating::Two, NonZeroUsize::MIN, Style::PLAIN);
    let end = game.play(&typed("c3\n"), &mut Vec::new(), &AtomicBool::new(true)).expect("memory");
    assert_eq!((end, game.session().end()), (PlainEnd::Signalled, None));
}
