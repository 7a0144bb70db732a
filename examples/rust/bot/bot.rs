//! A Gothello bot to make your own. Change `evaluate` first.

mod gothello_client;
mod rules;
#[cfg(test)]
mod tests;

use std::env;
use std::time::{Duration, Instant};

use gothello_client::{Client, End, Event, Reply, TimeControl};
use rules::{Board, Move, Side};

const USAGE: &str = "bot SIDE HOST PORT     for example: bot black localhost 29068
bot SIDE --stdio       talks over stdin and stdout";

/// How many plies to look ahead, unless the clock gives time for each move.
const DEPTH: u32 = 2;
/// More plies than any game has.
const FURTHEST: u32 = 50;
/// More than any evaluation.
const WIN: i32 = 1000;

/// How good the board is for `side`, which is to move: the bot looks for moves that lead to high values.
fn evaluate(board: &Board, side: Side) -> i32 {
    // YOUR IDEA GOES HERE. So far a stone is worth 2, and an empty point next to a stone (a liberty) 1. Which stones
    // can never be captured again? Which points can only one side play on? README.md has a first idea to try.
    let liberties = rules::liberties(board, side) - rules::liberties(board, rules::opponent(side));
    2 * rules::lead(board, side) + liberties
}

/// The value of the board for `side`, which is to move, if it lies between `alpha` and `beta`, looking `depth` plies
/// ahead: negamax with alpha-beta. `passed` says whether the opponent has just passed. `None` if `deadline` has passed.
fn search(
    (board, side, passed): (&Board, Side, bool),
    depth: u32,
    mut alpha: i32,
    beta: i32,
    deadline: Option<Instant>,
) -> Option<i32> {
    let lead = rules::lead(board, side);
    if passed && lead > 0 {
        return Some(WIN + lead); // a second pass ends the game and wins it
    }
    if depth == 0 {
        return Some(evaluate(board, side));
    }
    if deadline.is_some_and(|deadline| Instant::now() > deadline) {
        return None;
    }
    let mut moves: Vec<Move> = rules::legal_points(board, side).into_iter().map(Some).collect();
    if moves.is_empty() {
        if passed {
            return Some(if lead < 0 { lead - WIN } else { 0 }); // neither side can move
        }
        moves.push(None);
    }
    for chosen in moves {
        let after = rules::play(board, side, chosen);
        let next = (&after, rules::opponent(side), chosen.is_none());
        alpha = alpha.max(-search(next, depth - 1, -beta, -alpha, deadline)?);
        if alpha >= beta {
            break; // the opponent will avoid this position
        }
    }
    Some(alpha)
}

/// The best of `moves`, looking `depth` plies ahead, and its value. Among equally good moves, this is the first.
fn best_move(board: &Board, side: Side, moves: &[usize], depth: u32, deadline: Option<Instant>) -> Option<(usize, i32)> {
    let (mut best, mut best_value) = (moves[0], -2 * WIN);
    for &point in moves {
        let after = rules::play(board, side, Some(point));
        let value = -search((&after, rules::opponent(side), false), depth - 1, -2 * WIN, -best_value, deadline)?;
        if value > best_value {
            (best, best_value) = (point, value);
        }
    }
    Some((best, best_value))
}

/// Reports what the bot thinks of its position. The arena stores this claim next to the exact value.
fn think(value: i32, depth: u32, chosen: Move) {
    let points = match value {
        // The search has seen the end of the game.
        _ if value > WIN / 2 => f64::from(value - WIN),
        _ if value < -WIN / 2 => f64::from(value + WIN),
        _ => f64::from(value) / 2.0, // `evaluate` counts 2 for a stone
    };
    eprintln!("#think value={points:+.1} depth={depth} pv={}", rules::name(chosen));
}

/// How long to think about a move, and how many plies to look ahead.
#[derive(Clone, Copy)]
struct Effort {
    deadline: Instant,
    furthest: u32,
}

/// The move to make. `passed` says whether the opponent has just passed.
fn choose(board: &Board, side: Side, passed: bool, effort: Effort, refused: &[Move], random: &mut Random) -> Move {
    let mut moves = rules::legal_points(board, side);
    moves.retain(|&point| !refused.contains(&Some(point)));
    let wins = passed && rules::lead(board, side) > 0; // a second pass ends the game
    if moves.is_empty() || wins && !refused.contains(&None) {
        return None;
    }
    random.shuffle(&mut moves);
    let mut found = None;
    for depth in 1..=effort.furthest {
        let deadline = (depth > 1).then_some(effort.deadline);
        let Some((best, value)) = best_move(board, side, &moves, depth, deadline) else { break };
        moves.sort_by_key(|&point| point != best); // with a good move first, the deeper search skips more
        found = Some((value, depth));
    }
    if let Some((value, depth)) = found {
        think(value, depth, Some(moves[0]));
    }
    Some(moves[0])
}

/// How long to think about our move, and how far to look ahead, if we lose on time after `left` seconds.
fn plan_turn(left: Option<u64>, control: TimeControl) -> Effort {
    // Each side has at most about 20 moves in a game, so a move gets a twentieth of the time for the whole game, and
    // 3/4 of the time for each move. The rest, and a bank, is for delays, such as a busy machine.
    let left = left.map_or(20.0, |seconds| seconds as f64); // without clocks, think for a second
    let TimeControl { move_time, increment, periods, period } = control;
    let (seconds, furthest) = if move_time > 0.0 {
        (0.75 * move_time, FURTHEST)
    } else if periods > 0.0 {
        // The main time is used up first; a period that is not exceeded comes back.
        (f64::max((left - periods * period) / 20.0, 0.75 * period), FURTHEST)
    } else if increment > 0.0 {
        (f64::min(left / 20.0 + 0.75 * increment, 0.75 * left), FURTHEST)
    } else {
        (left / 20.0, DEPTH)
    };
    Effort { deadline: Instant::now() + Duration::from_secs_f64(seconds), furthest }
}

/// Makes our move; returns it and the server's reply. A move that the server refuses is replaced by another one.
fn take_turn(client: &mut Client, board: &Board, side: Side, passed: bool, random: &mut Random) -> (Move, Reply) {
    let mut refused = Vec::new();
    let effort = plan_turn(client.my_time, client.time_control);
    loop {
        let chosen = choose(board, side, passed, effort, &refused, random);
        let name = rules::name(chosen);
        match client.play(&name) {
            Reply::Refused(text) => eprintln!("{name} was refused on {}: {text}", String::from_utf8_lossy(board)),
            reply => return (chosen, reply),
        }
        refused.push(chosen);
    }
}

/// Plays until the game is over, and returns its end.
fn play_game(client: &mut Client, random: &mut Random) -> End {
    let me = if client.is_black { b'b' } else { b'w' };
    let (mut board, mut to_move, mut passed) = (rules::START, b'b', false);
    loop {
        // An opening may contain moves of ours.
        let chosen = if to_move == me && client.told == 0 {
            match take_turn(client, &board, me, passed, random) {
                (_, Reply::GameOver(end)) => return end,
                (chosen, _) => chosen,
            }
        } else {
            match client.next() {
                Event::Move(point) => rules::named(&point),
                Event::Pass => None,
                Event::GameOver(end) => return end,
            }
        };
        board = rules::play(&board, to_move, chosen);
        (to_move, passed) = (rules::opponent(to_move), chosen.is_none());
    }
}

/// Random numbers from a seed (the generator SplitMix64).
struct Random(u64);

impl Random {
    /// A number from 0 to `n - 1`.
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits >> 33) as usize % n
    }

    fn shuffle(&mut self, points: &mut [usize]) {
        for last in (1..points.len()).rev() {
            points.swap(last, self.below(last + 1));
        }
    }
}

fn main() {
    // The arena sets both.
    let name = env::var("GOTHELLO_NAME").unwrap_or_default();
    let seed = env::var("GOTHELLO_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut random = Random(seed.unwrap_or_else(|| std::process::id().into()));

    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let client = match (&args[..], args.last().and_then(|port| port.parse().ok())) {
        ([side, "--stdio"], _) => Client::stdio(side, &name),
        ([side, host, _], Some(port)) => Client::connect(side, host, port, &name),
        _ => {
            eprintln!("{USAGE}");
            std::process::exit(2);
        }
    };
    match client {
        Ok(mut client) => {
            let end = play_game(&mut client, &mut random);
            eprintln!("{:?}: {}", end.outcome, end.text);
        }
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}
