//! A player as the coordinator describes it to workers. Workers do not read players from the tournament file, which
//! does not contain the versions of a ladder's players.

use std::num::NonZeroU32;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::game::Side;
use crate::game::quantum::Mode;
use crate::players::bots::Builtin;
use crate::tournament::{
    HostName, Player, PlayerKind, PlayerName, PlayerTeam, Program, Resources, TeamBot, TeamMember, Template, Transport,
};

/// A player, with the bundles of its programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SentPlayer {
    /// The player's name.
    pub(crate) name: String,
    /// Why the player cannot be started on any machine; `None` if it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unstartable: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    only_side: Option<Side>,
    is_told_clock: bool,
    /// The only bot, or the bots of a team.
    bots: Vec<SentBot>,
}

/// A bot of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SentBot {
    /// The name of the mode that the bot plays for its team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    kind: SentBotKind,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SentBotKind {
    Program(Box<SentProgram>),
    Builtin(SentBuiltin),
}

/// A program without its build step: the bundle contains the build's output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SentProgram {
    /// The SHA-256 of the program's files; absent if the program needs no files.
    bundle: Option<String>,
    command: Vec<String>,
    env: Vec<(String, String)>,
    pass_env: Vec<String>,
    transport: String,
    resources: Resources,
    readable: Vec<PathBuf>,
    writable: bool,
    hosts: Vec<String>,
}

/// One of the arena's own bots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SentBuiltin {
    thinker: String,
    depth: Option<NonZeroU32>,
    playouts: Option<NonZeroU32>,
    error: String,
    seed: Option<u64>,
}

impl SentPlayer {
    /// The description of `player`; `None` if it is a remote player. `bundle` returns the SHA-256 of the files of the
    /// program for a mode.
    pub(crate) fn new(
        player: &Player,
        unstartable: Option<String>,
        bundle: impl Fn(Option<Mode>) -> Option<String>,
    ) -> Option<Self> {
        let program = |program: &Program, mode| SentBotKind::Program(Box::new(SentProgram::new(program, bundle(mode))));
        let bots = match &player.kind {
            PlayerKind::Remote(_) => return None,
            PlayerKind::Program(own) => vec![SentBot { mode: None, kind: program(own, None) }],
            PlayerKind::Builtin(bot) => vec![SentBot { mode: None, kind: SentBotKind::Builtin((*bot).into()) }],
            PlayerKind::Team(team) => {
                let member = |TeamMember { mode, bot }: &TeamMember| SentBot {
                    mode: Some(mode.to_string()),
                    kind: match bot {
                        TeamBot::Program(own) => program(own, Some(*mode)),
                        TeamBot::Builtin(bot) => SentBotKind::Builtin((*bot).into()),
                    },
                };
                team.members().iter().map(member).collect()
            }
        };
        let Player { name, kind: _, only_side, is_told_clock } = player;
        Some(Self { name: name.to_string(), unstartable, only_side: *only_side, is_told_clock: *is_told_clock, bots })
    }

    /// The SHA-256 of each bundle, with the number of its bot.
    pub(crate) fn bundles(&self) -> impl Iterator<Item = (usize, &str)> {
        self.bots.iter().enumerate().filter_map(|(number, bot)| match &bot.kind {
            SentBotKind::Program(program) => Some((number, program.bundle.as_deref()?)),
            SentBotKind::Builtin(_) => None,
        })
    }

    /// The text that identifies the player's bundles: the SHA-256 of the only bundle or, for a team, of each bundle,
    /// with the bundle's mode. `None` if the player needs no files.
    pub(crate) fn bundle_text(&self) -> Option<String> {
        let each = self.bundles().map(|(number, digest)| match &self.bots[number].mode {
            Some(mode) => format!("{mode}:{digest}"),
            None => digest.to_owned(),
        });
        let each: Vec<String> = each.collect();
        (!each.is_empty()).then(|| each.join(" "))
    }

    /// The player. Given the number of a bot that has a bundle, `dir` returns the directory with the bot's files.
    /// Returns `None` if this version of the arena cannot read the description.
    pub(crate) fn player(&self, dir: impl Fn(usize) -> Option<PathBuf>) -> Option<Player> {
        let mut members = Vec::new();
        for (number, bot) in self.bots.iter().enumerate() {
            let played = match &bot.kind {
                SentBotKind::Program(program) => TeamBot::Program(program.program(dir(number))?),
                SentBotKind::Builtin(builtin) => TeamBot::Builtin(builtin.builtin()?),
            };
            members.push((bot.mode.as_deref(), played));
        }
        let kind = match <[_; 1]>::try_from(members) {
            Ok([(None, TeamBot::Program(program))]) => PlayerKind::Program(program),
            Ok([(None, TeamBot::Builtin(bot))]) => PlayerKind::Builtin(bot),
            Ok(member) => team(member.into())?,
            Err(members) => team(members)?,
        };
        let name = PlayerName::new(self.name.clone()).ok()?;
        Some(Player { name, kind, only_side: self.only_side, is_told_clock: self.is_told_clock })
    }
}

/// The team that consists of `members`, each with the name of its mode.
fn team(members: Vec<(Option<&str>, TeamBot)>) -> Option<PlayerKind> {
    let member = |(word, bot): (Option<&str>, TeamBot)| {
        let mode = Mode::ALL.into_iter().find(|mode| Some(mode.name()) == word)?;
        Some(TeamMember { mode, bot })
    };
    let members: Option<Vec<TeamMember>> = members.into_iter().map(member).collect();
    Some(PlayerKind::Team(PlayerTeam::new(members?)?))
}

impl SentProgram {
    fn new(program: &Program, bundle: Option<String>) -> Self {
        let Program {
            command,
            // On a worker, the files are in another directory, with the build's output.
            dir: _,
            env,
            pass_env,
            build: _,
            build_network: _,
            transport,
            resources,
            readable,
            writable,
            hosts,
        } = program;
        Self {
            bundle,
            command: command.iter().map(Template::to_string).collect(),
            env: env.iter().map(|(name, value)| (name.clone(), value.to_string())).collect(),
            pass_env: pass_env.clone(),
            transport: transport.to_string(),
            resources: *resources,
            readable: readable.clone(),
            writable: *writable,
            hosts: hosts.iter().map(HostName::to_string).collect(),
        }
    }

    /// The program, whose files are in `dir` if it has any.
    fn program(&self, dir: Option<PathBuf>) -> Option<Program> {
        let template = |text: &String| Template::parse(text).ok();
        let env = self.env.iter().map(|(name, value)| Some((name.clone(), template(value)?)));
        Some(Program {
            command: self.command.iter().map(template).collect::<Option<Vec<_>>>().filter(|words| !words.is_empty())?,
            dir,
            env: env.collect::<Option<_>>()?,
            pass_env: self.pass_env.clone(),
            build: None,
            build_network: false,
            transport: Transport::ALL.into_iter().find(|transport| transport.name() == self.transport)?,
            resources: self.resources,
            readable: self.readable.clone(),
            writable: self.writable,
            hosts: self.hosts.iter().map(|host| HostName::new(host).ok()).collect::<Option<_>>()?,
        })
    }
}

impl From<Builtin> for SentBuiltin {
    fn from(Builtin { thinker, depth, playouts, error, seed }: Builtin) -> Self {
        Self { thinker: thinker.to_string(), depth, playouts, error: error.to_string(), seed }
    }
}

impl SentBuiltin {
    fn builtin(&self) -> Option<Builtin> {
        let Self { thinker, depth, playouts, error, seed } = self;
        let (thinker, error) = (thinker.parse().ok()?, error.parse().ok()?);
        Some(Builtin { thinker, depth: *depth, playouts: *playouts, error, seed: *seed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Tournament;
    use crate::tournament::definition::PlayerDefinition;

    const TEXT: &str = "ruleset = \"quantum-8\"\nlisten = \"127.0.0.1:0\"\n\
        [[player]]\nname = \"prog\"\ncommand = [\"./bot\", \"{side}\", \"{{x}}\"]\ndir = \"there\"\nbuild = [\"make\"]\n\
        env = { DEPTH = \"3\" }\npass_env = [\"LANG\"]\ntransport = \"tcp\"\nmemory = \"1 GiB\"\ncpu = \"90s\"\n\
        readable = [\"book\"]\nwritable = true\nhosts = [\"game.example\"]\ntell_clock = false\n\
        [[player]]\nname = \"own\"\nbuiltin = \"alphabeta\"\ndepth = 3\nerror = 0.25\nseed = 7\n\
        [[player]]\nname = \"far\"\nremote = true\ntoken = \"a word of theirs\"\n\
        [[player]]\nname = \"team\"\nmodes.othello = { builtin = \"greedy\" }\nmodes.go = { dir = \"go\", command = [\"sh\"] }\n";

    #[test]
    fn what_a_worker_reads_is_the_player_without_its_build_and_with_its_files_elsewhere() {
        let tournament = Tournament::parse(TEXT, "test").unwrap_or_else(|problems| panic!("{problems}"));
        let digest = |mode: Option<Mode>| Some(mode.map_or_else(|| "alone".to_owned(), |mode| format!("of {mode}")));
        let mut texts = Vec::new();
        for player in &tournament.players {
            let Some(sent) = SentPlayer::new(player, None, digest) else {
                assert_eq!(player.name.as_str(), "far");
                continue;
            };
            let text = serde_json::to_string(&sent).expect("plain data");
            assert!(!text.contains("a word of theirs"), "{text}");
            assert_eq!(serde_json::from_str::<SentPlayer>(&text).expect("its own text"), sent);
            let back = sent.player(|number| Some(format!("/at/{number}").into())).expect("a player");
            let mut expected = player.clone();
            let programs = match &mut expected.kind {
                PlayerKind::Program(program) => vec![(0, program)],
                PlayerKind::Team(team) => {
                    let members = team.members().iter().cloned().enumerate();
                    let moved = members.map(|(number, TeamMember { mode, bot })| {
                        let bot = match bot {
                            TeamBot::Program(program) => {
                                TeamBot::Program(Program { dir: Some(format!("/at/{number}").into()), ..program })
                            }
                            own @ TeamBot::Builtin(_) => own,
                        };
                        TeamMember { mode, bot }
                    });
                    *team = PlayerTeam::new(moved.collect()).expect("a team");
                    Vec::new()
                }
                _ => Vec::new(),
            };
            for (number, program) in programs {
                *program = Program { dir: Some(format!("/at/{number}").into()), build: None, ..program.clone() };
            }
            assert_eq!(format!("{back:?}"), format!("{expected:?}"));
            assert_eq!(PlayerDefinition::from(&back), PlayerDefinition::from(&expected));
            texts.push(sent.bundle_text());
        }
        assert_eq!(texts, [Some("alone".to_owned()), None, Some("go:of go".to_owned())]);
    }

    #[test]
    fn a_description_that_cannot_be_read_is_no_player() {
        let tournament = Tournament::parse(TEXT, "test").unwrap_or_else(|problems| panic!("{problems}"));
        let sent = |index: usize| SentPlayer::new(&tournament.players[index], None, |_| None).expect("not remote");
        let altered = |index: usize, from: &str, to: &str| {
            let text = serde_json::to_string(&sent(index)).expect("plain data");
            assert!(text.contains(from), "{text}");
            serde_json::from_str::<SentPlayer>(&text.replacen(from, to, 1)).expect("plain data").player(|_| None)
        };
        assert!(altered(0, "\"tcp\"", "\"stdio\"").is_some());
        for (index, from, to) in [
            (0, "\"tcp\"", "\"smoke\""),
            (0, "{side}", "{sode}"),
            (0, "game.example", "127.0.0.1"),
            (0, "\"name\":\"prog\"", "\"name\":\" \""),
            (1, "alphabeta", "gamma"),
            (1, "0.25", "2"),
            (3, "\"go\"", "\"chess\""),
        ] {
            assert!(altered(index, from, to).is_none(), "{to}");
        }
    }
}
