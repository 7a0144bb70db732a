//! The part of a tournament file that determines the games themselves, in a form that can be stored, compared and
//! digested.
//!
//! The definition includes the players, seed, format, rounds, openings, rules and clocks. It does not include how and
//! where the games are run: concurrency, addresses and deadlines. Nor does it include the tournament's name, comments
//! or, above all, tokens.

mod belonging;
mod change;

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::base::hex::hex;
use crate::exact::adjudication::ProofBy;
use crate::game::Side;
use crate::players::bots::{Builtin, ErrorRate};
use crate::referee::clock::Meter;
use crate::referee::time_control::{SideControl, TimeControl};
use crate::tournament::schedule::{Schedule, ScheduleFrame};
use crate::tournament::{
    BetweenMoves, Format, GameLimits, Player, PlayerKind, PlayerTeam, Program, Remote, TablesEach, TeamBot, TeamMember,
    Template, Tournament, slug,
};

pub use belonging::{Belonging, Foreign};
pub use change::Change;
use change::changes_of;

/// Keys of a tournament file with their values, each in a canonical form.
type Facts = BTreeMap<String, String>;

/// The key that lets workers scale the clocks.
const SCALE_KEY: &str = "scale_time";

/// The definition of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// Which games the run has.
    pub frame: ScheduleFrame,
    /// How each game is played: clocks and limits.
    pub games: Facts,
    /// The identity of each player, in the order of the file.
    pub players: Vec<PlayerDefinition>,
}

/// The identity of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerDefinition {
    /// The player's name.
    pub name: String,
    /// Everything else that identifies the player.
    pub facts: Facts,
}

// Each pattern below names every field. A new key of the file thus forces a decision here on whether a different value
// of the key makes a different run. The key's descriptor must agree; tests/it/house/schema.rs checks this.

impl From<&Tournament> for Definition {
    fn from(tournament: &Tournament) -> Self {
        let Tournament {
            // These are part of the frame, which determines the games to play.
            ruleset: _,
            advantages: _,
            format: _,
            seed: _,
            opening_plies: _,
            balanced: _,
            // These determine how each game is played.
            time_control,
            meter,
            scale_time,
            between_moves,
            limits,
            adjudicate,
            players,
            // This is only a label: no game depends on it.
            name: _,
            // These determine how fast the games are played on the current machine, which may be a different one after
            // a resume.
            concurrency: _,
            affinity: _,
            isolation: _,
            // Only pages depend on this key, and each game's log contains the value with which the game was played.
            thoughts: _,
            // Where remote players connect, which may change whenever the arena moves.
            listen: _,
            // The line that the arena sends to a player once the result is known.
            endings: _,
            // Everything about a ladder can change while it is played: which players hand in, and how games are chosen.
            ladder: _,
        } = tournament;
        let mut games = clock_facts(*time_control, *meter);
        // Values that equal the default are left out.
        if *scale_time {
            games.insert(SCALE_KEY.to_owned(), "true".to_owned());
        }
        if *between_moves == BetweenMoves::Freeze {
            games.insert("between_moves".to_owned(), "freeze".to_owned());
        }
        if let Some(adjudicate) = adjudicate {
            match adjudicate.by() {
                ProofBy::Nodes(nodes) => games.insert("adjudicate.nodes".to_owned(), nodes.to_string()),
                ProofBy::SeegoverTable => games.insert("adjudicate".to_owned(), "table".to_owned()),
            };
            games.insert("adjudicate.after_ply".to_owned(), adjudicate.after_ply().to_string());
        }
        games.extend(limit_facts(limits));
        let players = players.iter().map(PlayerDefinition::from).collect();
        Self { frame: ScheduleFrame::from(tournament), games, players }
    }
}

/// The limits that can decide a game.
fn limit_facts(limits: &GameLimits) -> Facts {
    let GameLimits {
        illegal_tries,
        garbled_tries,
        game_limit,
        // How long the arena waits before and after a game. A slower machine may need more time, and still plays the
        // same game.
        hello_timeout: _,
        join_timeout: _,
        build_timeout: _,
        quit_timeout: _,
        // How many times a game without a result is played again.
        void_retries: _,
        // How much of the bots' output is kept.
        output_cap: _,
    } = limits;
    let mut facts = Facts::new();
    if let Some(limit) = game_limit {
        facts.insert("game_limit".to_owned(), humantime::format_duration(*limit).to_string());
    }
    for (key, tries) in [("illegal_tries", illegal_tries), ("garbled_tries", garbled_tries)] {
        facts.insert(key.to_owned(), tries.map_or_else(|| "unlimited".to_owned(), |tries| tries.to_string()));
    }
    facts
}

impl From<&Player> for PlayerDefinition {
    fn from(player: &Player) -> Self {
        let Player { name, kind, only_side, is_told_clock } = player;
        let mut facts = match kind {
            PlayerKind::Program(program) => program_facts(program),
            PlayerKind::Builtin(bot) => builtin_facts(*bot),
            PlayerKind::Remote(remote) => {
                // How a player connects does not affect how it plays, and the token is a secret.
                let Remote { token: _, listen: _ } = remote;
                Facts::from([("remote".to_owned(), "true".to_owned())])
            }
            PlayerKind::Team(team) => team_facts(team),
        };
        if let Some(side) = only_side {
            facts.insert("sides".to_owned(), side.to_string());
        }
        if !is_told_clock {
            facts.insert("tell_clock".to_owned(), "false".to_owned());
        }
        Self { name: name.to_string(), facts }
    }
}

/// The facts that identify a team: the facts of each bot, under the name of its mode.
fn team_facts(team: &PlayerTeam) -> Facts {
    let facts = team.members().iter().flat_map(|TeamMember { mode, bot }| {
        let facts = match bot {
            TeamBot::Program(program) => program_facts(program),
            TeamBot::Builtin(bot) => builtin_facts(*bot),
        };
        facts.into_iter().map(move |(key, value)| (format!("modes.{mode}.{key}"), value))
    });
    facts.collect()
}

/// The facts that identify a program as a player.
fn program_facts(program: &Program) -> Facts {
    let Program {
        command,
        dir,
        env,
        build,
        transport,
        // The values belong to the machine, not to the tournament.
        pass_env: _,
        // These depend on the machine: where a program is built, how much it may use, and what it may read or change. A
        // teacher can raise a limit that turned out to be too low, and replay the affected games with `--redo`.
        build_network: _,
        resources: _,
        readable: _,
        writable: _,
        // How the program finds its seat, which does not affect how it plays there. A teacher adds these names after
        // games without them have ended in no-shows, and replays those games with `--redo`.
        hosts: _,
    } = program;
    let mut facts = Facts::new();
    let mut add = |key: &str, value: String| drop(facts.insert(key.to_owned(), value));
    add("command", words(command.iter().map(Template::to_string)));
    if let Some(dir) = dir {
        add("dir", dir.display().to_string());
    }
    if !env.is_empty() {
        // Values can be secrets, and a digest is enough to detect whether they are the same.
        let values = env.iter().map(|(name, value)| format!("{name}={value}"));
        add("env", sha256(words(values).as_bytes()));
    }
    if let Some(build) = build {
        add("build", words(build.iter().cloned()));
    }
    add("transport", transport.to_string());
    facts
}

/// The facts that identify a built-in bot as a player.
fn builtin_facts(bot: Builtin) -> Facts {
    let Builtin { thinker, depth, playouts, error, seed } = bot;
    let mut facts = Facts::from([("builtin".to_owned(), thinker.to_string())]);
    let wide = |number: Option<NonZeroU32>| number.map(|number| u64::from(number.get()));
    for (key, number) in [("depth", wide(depth)), ("playouts", wide(playouts)), ("seed", seed)] {
        facts.extend(number.map(|number| (key.to_owned(), number.to_string())));
    }
    if error != ErrorRate::NEVER {
        facts.insert("error".to_owned(), error.to_string());
    }
    facts
}

/// The clocks, as keys of the file.
fn clock_facts(time_control: TimeControl, meter: Meter) -> Facts {
    let mut facts = Facts::new();
    let mut add = |key: &str, value: String| drop(facts.insert(key.to_owned(), value));
    match time_control {
        TimeControl::Unlimited => add("time", "none".to_owned()),
        TimeControl::Clocks(controls) => {
            for side in Side::BOTH {
                match controls[side] {
                    SideControl::PerMove { move_time, bank } => {
                        add(&format!("{side}_move_time"), humantime::format_duration(move_time).to_string());
                        if !bank.is_zero() {
                            add(&format!("{side}_bank"), humantime::format_duration(bank).to_string());
                        }
                    }
                    control => {
                        let sudden_death = control.sudden_death_time().map(humantime::format_duration);
                        let text = sudden_death.map_or_else(|| control.shown(), |time| time.to_string());
                        add(&format!("{side}_time"), text);
                    }
                }
            }
        }
    }
    if let Meter::Cpu { wall_limit } = meter {
        add("clock", "cpu".to_owned());
        for side in Side::BOTH {
            add(&format!("{side}_wall_limit"), humantime::format_duration(wall_limit[side]).to_string());
        }
    }
    facts
}

/// The keys that can have a value for each side. The keys in one row belong together: a file has either the keys for
/// both sides or the keys for each side.
const OF_A_SIDE: [&[&str]; 2] = [&["time", "move_time", "bank"], &["wall_limit"]];

/// Replaces the facts about each side, such as `black_time` and `white_time`, with one fact about both, such as `time`,
/// if the sides have the same values in `old` and also in `new`.
fn unite_sides(old: &mut Facts, new: &mut Facts) {
    for keys in OF_A_SIDE {
        let [black, white] = Side::BOTH.map(|side| move |key: &&str| format!("{side}_{key}"));
        let are_equal = |facts: &Facts| keys.iter().all(|key| facts.get(&black(key)) == facts.get(&white(key)));
        if !are_equal(old) || !are_equal(new) {
            continue;
        }
        for facts in [&mut *old, &mut *new] {
            for key in keys {
                facts.remove(&white(key));
                let of_both = facts.remove(&black(key));
                facts.extend(of_both.map(|value| ((*key).to_owned(), value)));
            }
        }
    }
}

/// Joins words into unambiguous text.
fn words(words: impl Iterator<Item = String>) -> String {
    words.map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" ")
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

impl Definition {
    /// The SHA-256 of the definition, in hexadecimal, which is the digest of the run.
    pub fn digest(&self) -> String {
        // JSON can represent any plain data with string keys, and the maps are ordered.
        sha256(serde_json::to_string(self).unwrap_or_else(|error| unreachable!("{error}")).as_bytes())
    }

    /// The games of this run. `earlier` contains its definitions before each extension, oldest first.
    pub fn schedule(&self, earlier: &[Self]) -> Schedule {
        let earlier: Vec<ScheduleFrame> = earlier.iter().map(|definition| definition.frame.clone()).collect();
        Schedule::of(&self.frame, &earlier)
    }

    /// All differences between `new` and this definition.
    pub fn changes(&self, new: &Self) -> Vec<Change> {
        let (mut own, mut others) = (self.facts(), new.facts());
        unite_sides(&mut own, &mut others);
        let mut changes = changes_of(None, &own, &others);
        for player in &self.players {
            match new.player(&player.name) {
                Some(now) => changes.extend(changes_of(Some(&player.name), &player.facts, &now.facts)),
                None => changes.push(Change::Removed(player.name.clone())),
            }
        }
        let added = new.players.iter().filter(|player| self.player(&player.name).is_none());
        changes.extend(added.map(|player| Change::Added(player.name.clone())));
        if changes.is_empty() && self != new {
            changes.push(Change::Reordered);
        }
        changes
    }

    /// Whether every game of this definition is a game of `new`. `new` may have more rounds (with `sprt`, more pairs)
    /// and, if the format's games are known from the start, more players after the existing ones.
    pub fn is_extended_by(&self, new: &Self) -> bool {
        let (old_frame, new_frame) = (&self.frame, &new.frame);
        // Slugs and sides are determined by the players.
        let ScheduleFrame {
            ruleset,
            advantages,
            format: old_format,
            seed,
            opening_plies,
            balanced,
            slugs: _,
            sides: _,
        } = old_frame;
        let same_but_size = *ruleset == new_frame.ruleset
            && *advantages == new_frame.advantages
            && *seed == new_frame.seed
            && *opening_plies == new_frame.opening_plies
            && *balanced == new_frame.balanced
            && self.games == new.games
            && new.players.starts_with(&self.players);
        let same_players = self.players.len() == new.players.len();
        same_but_size
            && match (old_format, &new_frame.format) {
                (Format::RoundRobin { rounds: old }, Format::RoundRobin { rounds: new }) => old <= new,
                (
                    Format::Gauntlet { rounds: old, challengers: old_challengers },
                    Format::Gauntlet { rounds: new, challengers: new_challengers },
                ) => {
                    old <= new && new_challengers.starts_with(old_challengers) && {
                        let added = &new_challengers[old_challengers.len()..];
                        added.iter().all(|&challenger| challenger >= self.players.len())
                    }
                }
                (Format::Swiss { rounds: old, legs: old_legs }, Format::Swiss { rounds: new, legs: new_legs }) => {
                    same_players && old <= new && old_legs == new_legs
                }
                // With a fixed number of tables, added players would have to sit with the others, who have already
                // played at all of their tables.
                (
                    Format::Group { rounds: old, tables: old_tables },
                    Format::Group { rounds: new, tables: new_tables },
                ) => old <= new && old_tables == new_tables && (same_players || *old_tables == TablesEach::All),
                (Format::Sprt { test: old_test, max_pairs: old }, Format::Sprt { test: new_test, max_pairs: new }) => {
                    same_players && old <= new && old_test == new_test
                }
                (Format::Ladder, Format::Ladder) => true,
                _ => false,
            }
    }

    /// Replaces the player with the name of `player`, if there is one.
    pub fn redefine(&mut self, player: PlayerDefinition) {
        if let Some(before) = self.players.iter_mut().find(|before| before.name == player.name) {
            *before = player;
        }
    }

    /// Adds a player to a ladder.
    pub fn add_player(&mut self, player: PlayerDefinition) {
        self.frame.slugs.push(slug(&player.name));
        if !self.frame.sides.is_empty() {
            self.frame.sides.push(None);
        }
        self.players.push(player);
    }

    /// The definition of the player called `name`.
    pub fn player(&self, name: &str) -> Option<&PlayerDefinition> {
        self.players.iter().find(|player| player.name == name)
    }

    /// Everything except the players, as keys of the file.
    fn facts(&self) -> Facts {
        let ScheduleFrame { ruleset, advantages, format, seed, opening_plies, balanced, slugs: _, sides } = &self.frame;
        let mut facts = self.games.clone();
        let mut add = |key: &str, value: String| drop(facts.insert(key.to_owned(), value));
        add("ruleset", ruleset.to_string());
        let name = |index: usize| self.players.get(index).map_or("?", |player| player.name.as_str());
        if let Some(handicap) = advantages.handicap() {
            add("rules.handicap", format!("{}: {} stones", name(handicap.player), handicap.stones));
        }
        if let Some(compensation) = advantages.compensation() {
            add("rules.compensation", format!("{}: {} points", name(compensation.player), compensation.points));
        }
        add("seed", seed.to_string());
        add("openings.plies", opening_plies.to_string());
        // A player's sides determine which games there are, so replaying only that player's games cannot account for a
        // change of sides.
        let sided =
            self.players.iter().zip(sides).filter_map(|(player, side)| Some(format!("{}: {}", player.name, (*side)?)));
        let sided: Vec<String> = sided.collect();
        if !sided.is_empty() {
            add("player.sides", sided.join(", "));
        }
        if let Some(digest) = balanced {
            add("openings.balanced", format!("true, of {digest:.12}"));
        }
        match format {
            Format::RoundRobin { rounds } => {
                add("format", "round-robin".to_owned());
                add("rounds", rounds.to_string());
            }
            Format::Gauntlet { rounds, challengers } => {
                add("format", "gauntlet".to_owned());
                add("rounds", rounds.to_string());
                let names = challengers.iter().filter_map(|&index| Some(self.players.get(index)?.name.as_str()));
                add("challengers", names.collect::<Vec<_>>().join(", "));
            }
            Format::Swiss { rounds, legs } => {
                add("format", "swiss".to_owned());
                add("rounds", rounds.to_string());
                add("games", legs.games().to_string());
            }
            Format::Knockout { pairs } => {
                add("format", "knockout".to_owned());
                add("pairs", pairs.to_string());
            }
            Format::Group { rounds, tables } => {
                add("format", "group".to_owned());
                add("rounds", rounds.to_string());
                add("tables", tables.to_string());
            }
            Format::Sprt { test, max_pairs } => {
                add("format", "sprt".to_owned());
                let numbers =
                    [("elo0", test.elo0()), ("elo1", test.elo1()), ("alpha", test.alpha()), ("beta", test.beta())];
                for (key, number) in numbers {
                    add(key, number.to_string());
                }
                add("max_pairs", max_pairs.to_string());
            }
            Format::Ladder => add("format", "ladder".to_owned()),
        }
        facts
    }
}

#[cfg(test)]
mod tests;
