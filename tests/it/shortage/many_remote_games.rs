//! Many simultaneous remote games on one machine, between bots that answer immediately: no player loses on time.
//!
//! The bots are tasks on a single thread, each with its own connection; the arena is the program itself.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gothello_arena::game::gothello::Game;
use gothello_arena::game::{Position, Side};
use gothello_arena::players::bots::Bot;
use gothello_arena::players::bots::Thinker;
use gothello_arena::referee::record::GameRecord;
use gothello_arena::referee::wire::Response;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::harness::arena::{Arena, TIMEOUT};

/// How many games to play at a time, unless the environment variable [`VARIABLE`] says otherwise.
const GAMES: usize = 50;
const VARIABLE: &str = "GOTHELLO_ARENA_REMOTE_GAMES";

/// The time of each side.
const TIME: Duration = Duration::from_secs(10);

/// A tournament of one round in which every player plays one game, all of them at the same time.
fn tournament(games: usize) -> String {
    let player = |number| format!("[[player]]\nname = \"p{number}\"\nremote = true\ntoken = \"a word {number}\"\n");
    let players: String = (0..2 * games).map(player).collect();
    let time = TIME.as_secs();
    format!(
        "format = \"swiss\"\ngames = 1\nconcurrency = {games}\ntime = \"{time}s\"\nlisten = \"127.0.0.1:0\"\n{players}"
    )
}

/// A player that makes random moves immediately. Black waits with its first move until all games have begun.
async fn bot(address: &str, player: u64, all_on: &Barrier) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    stream.write_all(format!("0.9.1 player ? \"p{player}:a word {player}\"\r").as_bytes()).await?;
    let (reading, mut writing) = stream.split();
    let mut lines = BufReader::new(reading).lines();
    let (mut game, mut bot) = (Game::default(), Bot::new(Thinker::Random, None, player));
    let (mut side, mut plies) = (None, 0_u32);
    while let Some(line) = lines.next_line().await? {
        let response: Response = line.parse().unwrap_or_else(|_| panic!("p{player} received `{line}`"));
        match response {
            Response::YouPlay(own) => {
                side = Some(own);
                if own == Side::Black {
                    all_on.wait().await;
                }
            }
            Response::Moved { played, .. } => {
                game.play(played.as_str()).expect("legal");
                plies += 1;
            }
            Response::Over { .. } | Response::MovedLast { .. } => return Ok(()),
            Response::Greeting(_) | Response::GrantedTimed { .. } | Response::AcceptedTimed { .. } => continue,
            _ => panic!("p{player} received `{line}`"),
        }
        if side == Some(game.side()) {
            let dots = if game.side() == Side::White { "... " } else { "" };
            let request = format!("{} {dots}{}\r", plies / 2 + 1, bot.choose(&game));
            writing.write_all(request.as_bytes()).await?;
        }
    }
    panic!("p{player}: the arena closed the connection before the game's end")
}

/// Plays the games of all players.
fn play_all(address: &str, games: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let all_on = Arc::new(Barrier::new(games));
        let mut players = JoinSet::new();
        for player in 0..2 * games as u64 {
            let (address, all_on) = (address.to_owned(), Arc::clone(&all_on));
            players.spawn(async move { bot(&address, player, &all_on).await.expect("connected") });
        }
        tokio::time::timeout(TIMEOUT, players.join_all()).await.expect("all games end");
    });
}

/// The sorted times charged for all moves except black's first, which waits for the other games; and the largest total
/// for one side of a game. Both are in whole microseconds.
fn charges(records: &[GameRecord]) -> (Vec<u128>, u128) {
    let mut moves = Vec::new();
    let mut most = 0;
    for record in records {
        let mut sides: HashMap<bool, u128> = HashMap::new();
        for (number, ply) in record.plies.iter().enumerate().skip(1) {
            let charge = ply.elapsed.expect("timed").as_micros();
            moves.push(charge);
            *sides.entry(number % 2 == 0).or_default() += charge;
        }
        most = most.max(sides.values().copied().max().unwrap_or(0));
    }
    moves.sort_unstable();
    (moves, most)
}

/// The peak memory of a process, as the system writes it.
fn peak_memory(pid: u32) -> String {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("unknown").trim().to_owned()
}

#[test]
fn nobody_loses_on_time_in_many_simultaneous_remote_games() {
    let games = std::env::var(VARIABLE).ok().map_or(GAMES, |games| games.parse().expect("a number of games"));
    raise_open_files();
    let arena = Arena::new(&tournament(games));
    let mut running = arena.start(None);
    let address = running.hear_address("waiting for ");
    // The standings are longer than a pipe can hold.
    let mut standings = running.child.stdout.take().expect("piped");
    std::thread::spawn(move || std::io::copy(&mut standings, &mut std::io::sink()));
    let (pid, start) = (running.child.id(), Instant::now());
    let playing = std::thread::spawn(move || play_all(&address, games));
    let said = std::thread::spawn(move || running.end());
    playing.join().expect("all players play to the end");
    let (wall, memory) = (start.elapsed(), peak_memory(pid));
    let (code, stderr) = said.join().expect("it ends");
    assert_eq!(code, Some(0), "{stderr}");
    let results = arena.results();
    assert_eq!(results.len(), games);
    for row in &results {
        assert_eq!(row["termination"], "normal", "{row:?}");
    }
    let records: Vec<GameRecord> = results.iter().map(|row| arena.record(&row["game"])).collect();
    assert!(records.iter().flat_map(|record| &record.plies).all(|ply| !ply.late_credit));
    let (moves, most) = charges(&records);
    // The time charged, in milliseconds, that `part` tenths of a percent of the moves do not exceed.
    let of = |part: usize| moves[(moves.len() - 1) * part / 1000] / 1000;
    let a_second = |count: usize| count as u128 * 1000 / wall.as_millis().max(1);
    println!(
        "{games} games at a time, {} moves: {} ms in all, {} games/s, {} moves/s; charged for a move: median {} ms, p99 {} ms, \
         most {} ms; for a whole game: at most {} ms; the arena's memory: {memory}",
        moves.len(),
        wall.as_millis(),
        a_second(games),
        a_second(moves.len()),
        of(500),
        of(990),
        of(1000),
        most / 1000,
    );
}

/// Raises the limit on open files: both ends of every connection are on this machine.
pub(crate) fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).expect("it may be raised to the maximum");
}
