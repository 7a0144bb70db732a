//! The laws that every game obeys, whatever its participants do.

use std::time::Duration;

use gothello_arena::exact::solvable::position;
use gothello_arena::exact::solver::{Solver, TranspositionTable};
use gothello_arena::game::{BySide, Move, Side};
use gothello_arena::referee::record::{GameRecord, Ply, check};
use gothello_arena::referee::result::Termination;
use gothello_arena::referee::sans_io::Endings;
use gothello_arena::referee::sans_io::Terms;
use gothello_arena::referee::time_control::{SideControl, TimeControl};
use gothello_arena::referee::wire::{Decision, Response};
use gothello_arena::results::replay::{Frames, Style};

use super::client::{Heard, Who};
use super::script::{Incident, Script};
use super::table::{Account, PROOF_TIME, QUIT_TIMEOUT, TICK};

/// Panics if `account` cannot be the outcome of `script`.
pub(crate) fn hold(script: &Script, account: &Account) {
    let Account { record, announced, took, in_time, heard } = account;
    let may_stop = matches!(script.incident, Some((_, Incident::Stop)));
    assert!(record.is_some() || may_stop, "the game has no result");
    assert!(*took <= longest(&script.terms) + QUIT_TIMEOUT + TICK, "it took {took:?}");
    if let Some(record) = record {
        can_have_been(record);
        if let Some(announced) = announced {
            let played: Vec<_> = record.plies.iter().map(|ply| (ply.played, ply.left)).collect();
            assert_eq!(*announced, played, "the announced moves are not the moves that were played");
        }
    }
    for heard in heard {
        assert!(heard.closed || heard.hung_up, "the connection of {:?} is still open", heard.who);
        let has_heard_all = match heard.who {
            Who::Player(_) => heard.listens_since.is_some_and(|since| since <= *in_time),
            // An observer that does not keep up is dropped.
            Who::Observer => !heard.was_deaf,
        };
        if !heard.hung_up && has_heard_all {
            tells_the_game(script, record.as_ref(), heard);
        }
    }
}

/// The longest time that a game can take.
fn longest(terms: &Terms) -> Duration {
    let proofs = terms.adjudicate.map_or(Duration::ZERO, |_| MOST_PLIES * PROOF_TIME);
    proofs
        + match terms.time_control {
            TimeControl::Clocks(controls) => {
                controls.black.usable_in(MOST_PLIES) + controls.white.usable_in(MOST_PLIES)
            }
            TimeControl::Unlimited => terms.game_limit.expect("scripts have one"),
        }
}

/// The maximum number of plies in a game: 24 placements, a pass before each, and two at the end.
const MOST_PLIES: u32 = 50;

/// Asserts that the record is valid and that it can be written, read and replayed.
fn can_have_been(record: &GameRecord) {
    let game = check(record).unwrap_or_else(|error| panic!("{error}\n{record}"));
    assert_eq!(record.to_string().parse().as_ref(), Ok(record));
    if let Ok(result) = &record.result
        && result.termination() == Termination::Adjudicated
    {
        // A search without bounds and with another table must find the same outcome of best play.
        let last = position(record.ruleset, record.plies.iter().map(|ply| ply.played)).expect("legal moves");
        let table = TranspositionTable::with_bytes(16 << 20);
        let mut solver = Solver::new(&table);
        assert_eq!(solver.winner(&last), Ok(result.winner()), "{record}");
        assert!(result.margin().is_none_or(|margin| solver.margin(&last) == Ok(margin)), "{record}");
    }
    let frames = Frames::new(&game);
    for plies in 0..=record.plies.len() {
        assert!(frames.at(plies).is_some_and(|frame| !frame.render(Style::PLAIN).is_empty()));
    }
}

/// Asserts that the received lines describe the game of `record`, as seen from this seat.
fn tells_the_game(script: &Script, record: Option<&GameRecord>, heard: &Heard) {
    let mut text = std::str::from_utf8(&heard.bytes).expect("the arena speaks UTF-8");
    if record.is_none() {
        // If the arena is stopped, a line may be cut off.
        text = text.rfind("\r\n").map_or("", |end| &text[..end + 2]);
    }
    let said = responses(text);
    let starts = said.iter().position(|said| matches!(said, Response::YouPlay(_) | Response::YouObserve));
    let Some(starts) = starts else {
        // Clients that arrived too late, or were not admitted before the stop, receive nothing about the game.
        let came_too_late = heard.who == Who::Observer || record.is_none();
        assert!(came_too_late && !said.iter().any(is_ending), "{text}");
        return;
    };
    let said = &said[starts..];
    clocks_never_grow(&script.terms, heard.who, said);
    let Some(record) = record else {
        assert!(!said.iter().any(is_ending), "an ending was announced in a game without one:\n{text}");
        return;
    };
    is_told_the_end(script, record, heard.who, said);
    match heard.who {
        Who::Player(side) => is_answered(record, side, said),
        Who::Observer => sees_the_board(record, said),
    }
    let told = moves(said, record);
    let plies = match heard.who {
        Who::Player(_) => &record.plies[..],
        // An observer that arrived late has missed the earlier moves.
        Who::Observer => &record.plies[record.plies.len().saturating_sub(told.len())..],
    };
    let played: Vec<(Move, Option<u64>)> = plies.iter().map(|ply| (ply.played, seconds(ply))).collect();
    assert_eq!(
        told.iter().map(|(played, _)| played).collect::<Vec<_>>(),
        plies.iter().map(|ply| &ply.played).collect::<Vec<_>>(),
        "{text}"
    );
    for ((played, left), (_, recorded)) in told.iter().zip(&played) {
        // The line of the last move has no clock, and the record has no clocks for the opening plies.
        assert!(left.is_none() || recorded.is_none() || left == recorded, "{played} with {left:?}: {text}");
    }
}

fn seconds(ply: &Ply) -> Option<u64> {
    ply.left.map(|left| left.as_secs())
}

/// Splits the text into responses; a board with its ranks is a single response.
fn responses(text: &str) -> Vec<Response> {
    assert!(text.is_empty() || text.ends_with("\r\n"), "a line is cut off: {text}");
    let mut responses = Vec::new();
    let mut lines = text.split_terminator("\r\n");
    while let Some(line) = lines.next() {
        let whole = match line {
            "382" => [line].into_iter().chain(lines.by_ref().take(5)).collect::<Vec<_>>().join("\r\n"),
            line => line.to_owned(),
        };
        responses.push(whole.parse().unwrap_or_else(|error| panic!("{error}: {whole:?}")));
    }
    responses
}

/// Whether this is a status line that announces the end to all participants.
fn is_ending(said: &Response) -> bool {
    matches!(
        said,
        Response::MovedLast { .. }
            | Response::WonByResignation(_)
            | Response::WonByTime(_)
            | Response::Disconnected(_)
            | Response::Problem(_)
    )
}

/// Whether the line of the last move announces the end.
fn ends_like_a_pass(termination: Termination) -> bool {
    matches!(termination, Termination::Normal | Termination::Adjudicated)
}

/// Asserts that exactly one line announces the end, that it is correct, and that only observers receive anything after
/// it: the final state.
fn is_told_the_end(script: &Script, record: &GameRecord, who: Who, said: &[Response]) {
    let endings: Vec<usize> = (0..said.len()).filter(|&at| is_ending(&said[at])).collect();
    let [at] = endings[..] else { panic!("{who:?} received {} endings: {said:?}", endings.len()) };
    let behind = if who == Who::Observer { 2 } else { 0 };
    assert_eq!(said.len(), at + 1 + behind, "{who:?} received more after the end: {said:?}");
    let Ok(result) = &record.result else {
        assert!(matches!(said[at], Response::Problem(_)), "{said:?}");
        return;
    };
    let (winner, termination) = (result.winner(), result.termination());
    let as_a_pass =
        script.terms.endings == Endings::Compatible && winner.is_some_and(|winner| who == Who::Player(winner));
    let is_true = match said[at] {
        Response::MovedLast { side, decision, .. } => {
            (ends_like_a_pass(termination) || as_a_pass) && decision == Decision::of(winner, side)
        }
        Response::WonByResignation(won) => termination == Termination::Resignation && winner == Some(won),
        Response::WonByTime(won) => termination == Termination::Time && winner == Some(won),
        Response::Disconnected(gone) => {
            let forfeits = [Termination::Disconnect, Termination::Protocol, Termination::Illegal];
            forfeits.contains(&termination) && winner == Some(gone.opponent())
        }
        _ => false,
    };
    assert!(is_true, "{who:?} received {:?} for {result:?}", said[at]);
}

/// Asserts that a player gets one answer to each of its lines, and at most one line about its own win or loss.
fn is_answered(record: &GameRecord, side: Side, said: &[Response]) {
    let of_own = |plies: &[Ply]| -> (usize, u64) {
        let own = plies.iter().filter(|ply| ply.side() == side);
        own.fold((0, 0), |(plies, tries), ply| (plies + 1, tries + refused(&ply.tries)))
    };
    let (plies, mut tries) = of_own(&record.plies);
    let given = record.plies[..record.opening_plies].iter().filter(|ply| ply.side() == side).count();
    if let Some(unfinished) = record.unfinished.as_ref().filter(|turn| turn.side() == side) {
        tries += refused(&unfinished.tries);
    }
    let accepted = |said: &&Response| {
        matches!(said, Response::Accepted(_) | Response::AcceptedTimed { .. } | Response::Over { played: Some(_), .. })
    };
    assert_eq!(said.iter().filter(accepted).count(), plies - given, "moves of {side}: {said:?}");
    let refused = |said: &&Response| matches!(said, Response::Illegal(_) | Response::Garbled(_));
    assert_eq!(said.iter().filter(refused).count() as u64, tries, "refused lines of {side}: {said:?}");
    let own_end: Vec<_> = said
        .iter()
        .filter_map(|said| match said {
            Response::Over { decision, .. } => Some(*decision),
            Response::Resigned => Some(Decision::Loss),
            _ => None,
        })
        .collect();
    let winner = record.result.as_ref().map_or(None, |result| Some(Decision::of(result.winner(), side)));
    assert!(own_end.len() <= 1 && own_end.first().is_none_or(|told| Some(*told) == winner), "{side}: {said:?}");
}

fn refused(tries: &gothello_arena::referee::record::Tries) -> u64 {
    tries.shown.len() as u64 + u64::from(tries.more)
}

/// Asserts that the last thing that an observer receives is the final position, with neither side to move.
fn sees_the_board(record: &GameRecord, said: &[Response]) {
    let mut position = record.ruleset.start();
    for ply in &record.plies {
        position.play(ply.played.as_str()).expect("the record was checked");
    }
    let [.., Response::State { to_move: None, .. }, Response::Board(board)] = said else { panic!("{said:?}") };
    assert_eq!(*board, position.to_string());
}

/// The announced moves with their clocks.
fn moves(said: &[Response], record: &GameRecord) -> Vec<(Move, Option<u64>)> {
    let by_its_rules = record.result.as_ref().is_ok_and(|result| ends_like_a_pass(result.termination()));
    let told = said.iter().filter_map(|said| match said {
        Response::Moved { played, left, .. } => Some((*played, *left)),
        // In any other game, old clients receive this line in place of the line about the real ending.
        Response::MovedLast { played, .. } if by_its_rules => Some((*played, None)),
        _ => None,
    });
    told.collect()
}

/// Asserts that neither clock ever shows more than before, nor more than it started with.
fn clocks_never_grow(terms: &Terms, who: Who, said: &[Response]) {
    let mut on_clock = BySide::from_fn(|side| terms.time_control.first_allowance(side).map(|time| time.as_secs()));
    // An increment, which is less than a second in these scripts, can raise the number of whole seconds by one.
    let growth = |side| match terms.time_control.of(side) {
        Some(SideControl::Game { increment, .. }) => u64::from(!increment.is_zero()),
        _ => 0,
    };
    let mut shows = |side: Side, left: u64| {
        let before = on_clock[side].replace(left);
        assert!(
            before.is_some_and(|before| left <= before + growth(side)),
            "{side}'s clock grew from {before:?} to {left}: {said:?}"
        );
    };
    for said in said {
        match *said {
            Response::Moved { side, left: Some(left), .. } => shows(side, left),
            Response::State { left: Some(ref left), .. } => {
                let (black, white) = (left[Side::Black], left[Side::White]);
                shows(Side::Black, black);
                shows(Side::White, white);
            }
            Response::AcceptedTimed { left, .. } => match who {
                Who::Player(side) => shows(side, left),
                Who::Observer => panic!("an observer made a move"),
            },
            _ => {}
        }
    }
}
