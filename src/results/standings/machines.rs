//! Which machine played which games, and whether its results agree with those of the other machines.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use super::{Counting, GameSummary, Standings, duplicates};
use crate::game::Side;
use crate::referee::pace::Speed;
use crate::referee::record::{GameRecord, LATENESS_TAG, SPEED_TAG, WORKER_TAG};
use crate::referee::result::Termination;
use crate::referee::times::parse_seconds;
use crate::referee::usage::TimeLoss;
use crate::results::rating::{PairResults, PartFit, Wdl};

/// A machine that played games of a run, as named in their logs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Machine {
    /// The machine of a run that did not share its games.
    Alone,
    /// The coordinator of a run in which workers also played games.
    Coordinator,
    /// A worker with this name.
    Worker(String),
}

impl Machine {
    /// The machine that played the game in `record`. Only a run with workers measures the speed of its own machine.
    fn of(record: &GameRecord) -> Self {
        match (tag(record, WORKER_TAG), tag(record, SPEED_TAG)) {
            (Some(worker), _) => Self::Worker(worker.to_owned()),
            (None, Some(_)) => Self::Coordinator,
            (None, None) => Self::Alone,
        }
    }

    /// The kind of the machine, for scripts.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::Coordinator => "coordinator",
            Self::Worker(_) => "worker",
        }
    }

    /// The name, for scripts.
    pub fn name(&self) -> &str {
        match self {
            Self::Alone => "this machine",
            Self::Coordinator => "coordinator",
            Self::Worker(name) => name,
        }
    }
}

/// `lab-1`, `(the coordinator)`, `(this machine)`.
impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alone => f.write_str("(this machine)"),
            Self::Coordinator => f.write_str("(the coordinator)"),
            Self::Worker(name) => f.write_str(name),
        }
    }
}

/// The value of the tag `name`.
fn tag<'r>(record: &'r GameRecord, name: &str) -> Option<&'r str> {
    record.other_tags.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
}

/// The arena's lateness in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LateMoves {
    /// The 99th percentile over the moves.
    p99: Duration,
    max: Duration,
}

impl LateMoves {
    /// Reads the value of the tag [`LATENESS_TAG`], `p99 0.000041 max 0.000358 sum 0.000614`.
    fn parse(text: &str) -> Option<Self> {
        match text.split_whitespace().collect::<Vec<_>>()[..] {
            ["p99", p99, "max", max, ..] => Some(Self { p99: parse_seconds(p99)?, max: parse_seconds(max)? }),
            _ => None,
        }
    }
}

/// A game, with the machine that played it.
#[derive(Clone, Debug)]
struct MachineGame {
    machine: Machine,
    speed: Option<Speed>,
    late: Option<LateMoves>,
    summary: GameSummary,
}

/// The games of a run, with the machines that played them.
#[derive(Clone, Debug, Default)]
pub struct MachineGames {
    /// The games in order of their first appearance.
    games: Vec<MachineGame>,
    /// The index in `games` of each game that has an id.
    places: HashMap<String, usize>,
    /// The void games, once for each attempt: the id, and the machine.
    voids: Vec<(String, Machine)>,
}

impl MachineGames {
    /// Adds a game. The last record of a game counts, together with every record in which the game was void.
    pub fn add(&mut self, record: &GameRecord) {
        let summary = GameSummary::from(record);
        let machine = Machine::of(record);
        if summary.result.is_none() {
            self.voids.push((summary.game.clone(), machine.clone()));
        }
        let game = MachineGame {
            machine,
            speed: tag(record, SPEED_TAG).and_then(|speed| speed.parse().ok()),
            late: tag(record, LATENESS_TAG).and_then(LateMoves::parse),
            summary,
        };
        match self.places.get(&game.summary.game) {
            Some(&place) => self.games[place] = game,
            None => {
                if !game.summary.game.is_empty() {
                    self.places.insert(game.summary.game.clone(), self.games.len());
                }
                self.games.push(game);
            }
        }
    }

    /// Drops the games whose ids do not satisfy `knows`, because they no longer count.
    pub fn retain(&mut self, knows: impl Fn(&str) -> bool) {
        self.places.clear();
        self.games.retain(|game| knows(&game.summary.game));
        self.voids.retain(|(game, _)| knows(game));
        for (place, game) in self.games.iter().enumerate() {
            self.places.insert(game.summary.game.clone(), place);
        }
    }

    /// All machines, each once: this machine, the coordinator, and the workers by name.
    fn machines(&self) -> Vec<Machine> {
        let voids = self.voids.iter().map(|(_, machine)| machine);
        let mut machines: Vec<Machine> = self.games.iter().map(|game| &game.machine).chain(voids).cloned().collect();
        machines.sort_unstable();
        machines.dedup();
        machines
    }

    /// The totals of each machine's games. `machines` must be sorted.
    fn sums(&self, machines: &[Machine]) -> Vec<MachineSums> {
        let mut sums: Vec<MachineSums> = machines.iter().map(|_| MachineSums::default()).collect();
        let place = |machine: &Machine| machines.binary_search(machine).ok();
        for game in &self.games {
            if let Some(place) = place(&game.machine) {
                sums[place].add(game);
            }
        }
        for place in self.voids.iter().filter_map(|(_, machine)| place(machine)) {
            sums[place].voids += 1;
        }
        sums
    }

    /// The rated games that count, for each of `machines`, which must be sorted.
    fn rated(&self, machines: &[Machine], counting: Counting) -> Vec<PairResults> {
        let repeated = if counting.distinct {
            duplicates(self.games.iter().map(|game| game.summary.view()))
        } else {
            vec![None; self.games.len()]
        };
        let mut parts = vec![PairResults::default(); machines.len()];
        for (game, repeated) in self.games.iter().zip(repeated) {
            let Some(result) = &game.summary.result else { continue };
            let is_left_out = counting.without_forfeits.contains(result.termination());
            let part = machines.binary_search(&game.machine).ok().filter(|_| result.is_rated() && !is_left_out);
            let Some(part) = part.filter(|_| repeated.is_none()) else { continue };
            let part = &mut parts[part];
            let (black, white) = (part.player(&game.summary.players.black), part.player(&game.summary.players.white));
            part.add(black, white, Wdl::game(Side::Black, result.winner()));
        }
        parts
    }
}

/// The row of one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineRow {
    /// The machine.
    pub machine: Machine,
    /// The machine's speed: the median over the games that record a speed, since a machine may have been started
    /// several times.
    pub speed: Option<Speed>,
    /// How many of the machine's games have a result.
    pub games: u64,
    /// How many times a game was void on this machine.
    pub voids: u64,
    /// How many of the machine's games were lost on time.
    pub time_losses: u64,
    /// In how many of these games the loser used little CPU time.
    pub idle_time_losses: u64,
    /// The median, over the machine's games, of the 99th percentile of lateness.
    pub late: Option<Duration>,
    /// The maximum lateness.
    pub latest: Option<Duration>,
    /// How well the machine's results agree with those of the other machines.
    pub fit: PartFit,
    /// The player whose points on this machine deviate most, and by how much they are above or below the points
    /// expected from the other machines.
    pub strangest: Option<(String, f64)>,
}

/// The totals of one machine's games.
#[derive(Debug, Default)]
struct MachineSums {
    games: u64,
    voids: u64,
    time_losses: u64,
    idle_time_losses: u64,
    speeds: Vec<Speed>,
    late: Vec<Duration>,
    latest: Option<Duration>,
}

impl MachineSums {
    fn add(&mut self, MachineGame { machine: _, speed, late, summary }: &MachineGame) {
        let GameSummary { result, used, usage, .. } = summary;
        self.games += u64::from(result.is_some());
        self.time_losses += u64::from(result.as_ref().is_some_and(|result| result.termination() == Termination::Time));
        let is_idle = matches!(TimeLoss::in_game(result.as_ref(), used, usage), Some((_, TimeLoss::Idle)));
        self.idle_time_losses += u64::from(is_idle);
        self.speeds.extend(speed);
        self.late.extend(late.map(|late| late.p99));
        self.latest = self.latest.max(late.map(|late| late.max));
    }

    /// The row of `machine`. `name` returns the name of a player in the fit.
    fn row<'n>(self, (machine, fit): (Machine, PartFit), name: impl Fn(usize) -> &'n str) -> MachineRow {
        let Self { games, voids, time_losses, idle_time_losses, speeds, late, latest } = self;
        let (speed, late) = (median(speeds), median(late));
        let strangest = fit.strangest.map(|strange| (name(strange.player).to_owned(), strange.excess));
        MachineRow { machine, speed, games, voids, time_losses, idle_time_losses, late, latest, fit, strangest }
    }
}

/// The middle value, or the lower of two middle values.
fn median<T: Ord + Copy>(mut values: Vec<T>) -> Option<T> {
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}

impl Standings {
    /// Adds the rows of all machines that played `games`, which must be the games of the standings.
    #[must_use]
    pub fn with_machines(mut self, games: &MachineGames) -> Self {
        let machines = games.machines();
        let fits = self.fit.parts(&games.rated(&machines, self.counting));
        let rows = machines.iter().zip(games.sums(&machines)).zip(fits);
        let name = |player: usize| self.fit.players[player].name.as_str();
        self.machines = Some(rows.map(|((machine, sums), fit)| sums.row((machine.clone(), fit), name)).collect());
        self
    }

    /// The rows of all machines: this machine, the coordinator, and the workers by name. `None` unless
    /// [`Standings::with_machines`] added them.
    pub fn machines(&self) -> Option<&[MachineRow]> {
        self.machines.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::standings::{RatingOptions, Tally};

    /// A game of `a` against `b`, with the additional tags `tags`.
    fn game(id: &str, token: &str, tags: &str) -> GameRecord {
        let text = format!("[Black \"a\"]\n[White \"b\"]\n[Result \"{token}\"]\n[Game \"{id}\"]\n{tags}\n{token}\n");
        text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    fn standings(records: &[GameRecord], counting: Counting) -> Standings {
        let mut tally = Tally::new(counting);
        let (mut games, mut last) = (MachineGames::default(), HashMap::new());
        for record in records {
            games.add(record);
            last.insert(record.game.clone(), GameSummary::from(record));
        }
        for game in last.values() {
            tally.add(game);
        }
        let standings = Standings::new(&tally, &RatingOptions::default()).expect("no anchors");
        standings.with_machines(&games)
    }

    #[test]
    fn each_machine_has_its_games_voids_losses_and_lateness() {
        let late = |p99: &str, max: &str| format!("[Lateness \"p99 {p99} max {max} sum 1.000000\"]\n");
        let one = "[Worker \"one\"]\n[Speed \"2000000\"]\n";
        let records = [
            game("r1-a-b", "*", "[Termination \"void\"]\n[Worker \"two\"]\n"),
            game("r1-a-b", "1-0", &format!("[Termination \"time\"]\n{one}{}", late("0.000100", "0.002000"))),
            game("r1-b-a", "0-1", &format!("[Termination \"resignation\"]\n{one}{}", late("0.000300", "0.001000"))),
            game("r2-a-b", "1/2-1/2", "[Speed \"1000000\"]\n"),
            game("r2-b-a", "0-1", "[Termination \"crash\"]\n"),
        ];
        let standings = standings(&records, Counting::default());
        let rows = standings.machines().expect("added");
        let names: Vec<String> = rows.iter().map(|row| row.machine.to_string()).collect();
        assert_eq!(names, ["(this machine)", "(the coordinator)", "one", "two"]);
        let counts: Vec<[u64; 4]> =
            rows.iter().map(|row| [row.games, row.voids, row.time_losses, row.fit.games]).collect();
        assert_eq!(counts, [[1, 0, 0, 1], [1, 0, 0, 1], [2, 0, 1, 2], [0, 1, 0, 0]]);
        assert_eq!(rows[2].late, Some(Duration::from_micros(100)));
        assert_eq!(rows[2].latest, Some(Duration::from_millis(2)));
        assert_eq!(
            (rows[2].speed, rows[1].speed.map(Speed::nodes_per_second)),
            ("2000000".parse().ok(), Some(1_000_000))
        );
        assert_eq!((rows[3].fit.degrees, rows[3].fit.p_value, rows[3].late), (0, None, None));
    }

    #[test]
    fn only_games_that_count_are_judged_and_the_last_record_of_each() {
        let on = |worker: &str, rest: &str| format!("[Worker \"{worker}\"]\n{rest}");
        let records = [
            game("r1-a-b", "1-0", &on("one", "[Termination \"crash\"]\n")),
            game("r1-b-a", "1-0", &on("one", "[Termination \"resignation\"]\n")),
            game("r1-b-a", "0-1", &on("two", "[Termination \"resignation\"]\n")),
        ];
        let counting = Counting {
            without_forfeits: [Termination::Crash].into_iter().collect(),
            distinct: true,
            last_round: None,
            with_odds: false,
        };
        let standings = standings(&records, counting);
        let rows = standings.machines().expect("added");
        assert_eq!(rows.iter().map(|row| [row.games, row.fit.games]).collect::<Vec<_>>(), [[1, 0], [1, 1]]);
        let mut games = MachineGames::default();
        for record in &records {
            games.add(record);
        }
        games.retain(|id| id == "r1-b-a");
        assert_eq!(games.machines(), [Machine::Worker("two".to_owned())]);
    }
}
