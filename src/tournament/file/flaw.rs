//! Everything that can be wrong with a tournament file.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::base::suggestion::nearest;
use crate::base::units::spaced;
use crate::game::quantum::Misfit;
use crate::game::quantum::Mode;
use crate::game::{Feature, MissingFeature, NoGtpForm, Side, UnknownRuleset};
use crate::tournament::InvalidToken;
use crate::tournament::Quoted;
use crate::tournament::TemplateFlaw;
use crate::tournament::Transport;
use crate::tournament::schedule::Unseatable;
use crate::tournament::{HostName, InvalidHost};
use crate::tournament::{InvalidName, PlayerName};

/// One mistake. `key` is the key of the value in question, and `text` is the user's text. No variant contains any part
/// of a token.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the message of each variant explains its fields")]
pub enum Flaw {
    #[error("this is not UTF-8")]
    NotUtf8,
    #[error("{0}")]
    Syntax(String),
    #[error("unknown key {key}{}", Meant { text: key, known })]
    UnknownKey { key: Quoted, known: Arc<[&'static str]> },
    #[error("`{key}`: expected {expected}, found {found}")]
    WrongType { key: String, expected: &'static str, found: &'static str },
    #[error("`{key}`: {text} is out of range ({least} to {most})")]
    OutOfRange { key: String, text: Quoted, least: String, most: String },
    #[error("`{key}`, `{part}`: {text} is out of range ({least} to {most})")]
    PartOutOfRange { key: &'static str, part: &'static str, text: Quoted, least: String, most: String },
    #[error("`{key}`: {text} is not a duration (write \"60s\", \"2m 30s\")")]
    NotADuration { key: &'static str, text: Quoted },
    #[error(
        "`{key}`: {text} is not a time for a game (write \"60s\", \"60s + 1s\" with an increment, or \"10m, 5 x 30s\" with five \
         periods)"
    )]
    NotAClock { key: &'static str, text: Quoted },
    #[error("`{key}` is a time for the whole game (write `{} = \"1s\"` for a time per move)", move_time_for(key))]
    MoveTimeInTime { key: &'static str },
    #[error("`{key}`: {text} is not a number of bytes (write 65536, \"64 KiB\", \"1 MiB\")")]
    NotASize { key: &'static str, text: Quoted },
    #[error("`{key}`: {text} is not an address and port (write \"0.0.0.0:29070\", \"[::]:29070\")")]
    NotAnAddress { key: &'static str, text: Quoted },
    #[error("`{key}`: unknown value {text}{}", Meant { text, known })]
    UnknownWord { key: &'static str, text: Quoted, known: Vec<&'static str> },
    #[error("`{key}` is empty{example}")]
    Empty { key: String, example: &'static str },
    #[error("`{key}` contains a control character or an invisible character")]
    ControlCharacter { key: String },
    #[error("`{key}` is longer than {most} characters")]
    TooLong { key: String, most: usize },
    #[error("{0}")]
    Name(InvalidName),
    #[error("{0}")]
    Token(InvalidToken),
    #[error("{0}")]
    Template(TemplateFlaw),
    #[error(
        "`{key}`: a program that communicates over stdin and stdout has no address to connect to, so `{{{placeholder}}}` has no meaning"
    )]
    NoAddressOverStdio { key: String, placeholder: &'static str },
    #[error("`hosts`: {text}: {why}")]
    NotAHost { text: Quoted, why: InvalidHost },
    #[error("`hosts`: `{host}` is listed twice")]
    HostTwice { host: HostName },
    #[error("`hosts` lists {number} names, but at most {most} are allowed")]
    TooManyHosts { number: usize, most: usize },
    #[error("`hosts` is for programs that connect to the arena, but this one has `transport = \"{transport}\"`")]
    NoHostsOverStdio { transport: Transport },
    #[error("`transport`: {0}")]
    NoGtpForm(NoGtpForm),
    #[error("`command`: the program itself must be the same in every game; placeholders are for its arguments")]
    PlaceholderInProgram,
    #[error("player `{name}` is defined twice (first at line {first_line})")]
    DuplicateName { name: PlayerName, first_line: usize },
    #[error(
        "player `{name}` cannot be distinguished from `{first}` at line {first_line} in game ids, where both are `{slug}`"
    )]
    SameSlug { name: PlayerName, first: PlayerName, first_line: usize, slug: String },
    #[error(
        "player `{name}` is too similar to `{first}` at line {first_line}: they differ only in case or in how Unicode encodes the \
         same letters"
    )]
    LooksLike { name: PlayerName, first: PlayerName, first_line: usize },
    #[error("this player has no `{key}` (write {example})")]
    Missing { key: &'static str, example: &'static str },
    #[error("`{key}` also needs a clock for {other}, such as `{}` (or write `{both}` for both sides)", key.replace(other.opponent().name(), other.name()))]
    OneClock { key: &'static str, other: Side, both: &'static str },
    #[error(
        "`{key}` also needs `{other}`, because it covers moves that take longer than `{other}` (for a time for \
         the whole game, write `{}`)",
        time_for(key)
    )]
    BankAlone { key: &'static str, other: &'static str },
    #[error(
        "`{key}`: GTP supports only whole seconds, so it cannot express an increment of {} for the engine `{player}` (write at least \
         \"1s\", or use `move_time`)", spaced(*.increment)
    )]
    IncrementForGtp { key: &'static str, player: PlayerName, increment: Duration },
    #[error("`{key}` and `{other}` cannot be used together (remove one of them)")]
    Excluding { key: &'static str, other: &'static str },
    #[error("it is unclear what kind of player this is (write `command`, `builtin` or `remote = true` under it)")]
    NoKind,
    #[error(
        "it is unclear what kind of player this is (write `folder`, `git`, `submit = true` or `builtin` under it, or \
         `command` with `dir` for a program that stays the same)"
    )]
    NoKindInLadder,
    #[error("`submit`: `false` has no effect (write `submit = true`, or leave it out)")]
    NotSubmitted,
    #[error("`subdirectory`: {text} is outside the repository (write a path within it, such as \"bot\")")]
    OutsideRepository { text: Quoted },
    #[error(
        "`git`: the arena cannot fetch from {text} (write a URL that begins with https:// or ssh://; http:// is \
         allowed only for 127.0.0.1 and localhost)"
    )]
    NotARepository { text: Quoted },
    #[error(
        "`git` contains a password, which everyone who sees this file could read (put it into a file that only you may read, and \
         name that file with `git_token_file` or `git_key`)"
    )]
    PasswordInUrl,
    #[error("`branch`: {text} cannot be the name of a branch (write a name such as \"main\")")]
    NotABranch { text: Quoted },
    #[error(
        "`{key}` is for repositories with `{scheme}://` URLs, but this URL is of a different kind (leave the key out)"
    )]
    ForAnotherScheme { key: &'static str, scheme: &'static str },
    #[error(
        "player `{name}` would be mistaken for a version of player `{entry}` at line {entry_line}, whose versions are called \
         `{entry}.1`, `{entry}.2` and so on (choose another name)"
    )]
    LooksLikeVersion { name: PlayerName, entry: PlayerName, entry_line: usize },
    #[error(
        "the name of a player that hands in versions may have at most {most} characters, because each version's number is appended to it"
    )]
    EntryNameTooLong { most: usize },
    #[error(
        "`closes`: {text} is not a date with a time and an offset (write 2026-12-01T23:59:00+01:00, or end it with Z for UTC, without \
         quotes)"
    )]
    NotAnInstant { text: Quoted },
    #[error(
        "`{key}` does not belong in a mode's table: the arena itself starts each of a team's bots (write `command` or `builtin`)"
    )]
    NotInModes { key: &'static str, mode: Mode },
    #[error("`modes`: it is unclear what kind of bot plays {mode} (write `command` or `builtin` in its table)")]
    NoBotOfMode { mode: Mode },
    #[error(
        "`transport`: an engine over GTP cannot play only {mode}, because GTP has no games with several modes (leave the key out, or \
         write `transport = \"stdio\"` for a program that speaks the protocol over stdin and stdout)"
    )]
    EngineInModes { mode: Mode },
    #[error(
        "`modes` is for games with several modes, one after another, such as `quantum`, but in a game of `{ruleset}`, each player has \
         a single program (write its `command` instead of `modes`)"
    )]
    NoModes { ruleset: &'static str },
    #[error(
        "`modes`: games of `{ruleset}` have the mode {mode}, but the team has no bot for it (write `{mode} = {{ command = [...] }}`)"
    )]
    MissingMode { mode: Mode, ruleset: &'static str },
    #[error("`modes`: games of `{ruleset}` have no mode {mode} (leave it out; the modes are {})", named(modes))]
    OtherMode { mode: Mode, ruleset: &'static str, modes: &'static [Mode] },
    #[error("`{key}` is for a single program, and each of a team's bots has its own keys (write it in a mode's table)")]
    BesideModes { key: &'static str },
    #[error("`remote`: `false` has no effect (write `remote = true`, or leave it out)")]
    NotRemote,
    #[error("`{key}` is for a player with `{belongs_to}`, but this one has `{kind}`")]
    ForAnotherKind { key: &'static str, belongs_to: &'static str, kind: &'static str },
    #[error("`{key}` is for `builtin = {thinkers}`, but this bot is `{thinker}`")]
    ForAnotherBuiltin { key: &'static str, thinkers: String, thinker: &'static str },
    #[error("a tournament needs at least two players, each under a line `[[player]]`, but this one has {0}")]
    TooFewPlayers(usize),
    #[error("`player` needs double brackets: write `[[player]]` above each player")]
    SingleBrackets,
    #[error("this remote player needs either a `token` or an address of its own in `listen`")]
    NoWayIn,
    #[error(
        "`token` needs the arena's public address: write `listen = \"0.0.0.0:29070\"` at the top of the file, \
         above the players"
    )]
    NoPublicAddress,
    #[error(
        "the name and the token have {length} characters, including the `:` between them, but a client can send at most {most}"
    )]
    HelloTooLong { length: usize, most: usize },
    #[error("`listen`: {address} is already used at line {first_line}")]
    AddressTaken { address: String, first_line: usize },
    #[error(
        "`listen`: player `{player}` needs port 29068 on {host}, because its command names neither {{port}} nor {{server}} \
         (choose another port)"
    )]
    AddressOfFixedPlayer { player: PlayerName, host: &'static str },
    #[error("`{key}`: {name} cannot be the name of an environment variable")]
    BadVariable { key: &'static str, name: Quoted },
    #[error("`{key}`: the arena sets `{name}` itself")]
    ReservedVariable { key: &'static str, name: &'static str },
    #[error("`{key}` is for {belongs_to}, but this tournament has `format = \"{format}\"`")]
    ForAnotherFormat { key: &'static str, belongs_to: String, format: &'static str },
    #[error("`elo0` must be less than `elo1`, but `elo0` is {elo0} and `elo1` is {elo1}")]
    EloOrder { elo0: String, elo1: String },
    #[error("`rounds`: {rounds} rounds are more than {players} players can play without rematches (at most {most})")]
    MoreRoundsThanOpponents { rounds: u32, players: usize, most: usize },
    #[error("`format = \"sprt\"` is a test between two players, but this tournament has {0}")]
    NotTwoPlayers(usize),
    #[error("`{key}`: {why}")]
    Unseatable { key: &'static str, why: Unseatable },
    #[error(
        "`format = \"{format}\"` is for games with two players, but `{ruleset}` has {seats} seats (write `format = \"group\"`)"
    )]
    PairsOfMany { format: &'static str, ruleset: &'static str, seats: u8 },
    #[error(
        "`format = \"sprt\"` is a test between two players, but `{ruleset}` has {seats} seats (write `format = \"group\"`, which rates \
         all players)"
    )]
    SprtOfMany { ruleset: &'static str, seats: u8 },
    #[error(
        "`format = \"group\"` is for games with four or six players, but `{ruleset}` has two seats (write `format = \"round-robin\"`, or \
         a game such as `ruleset = \"quantum-4p\"`)"
    )]
    GroupOfTwo { ruleset: &'static str },
    #[error(
        "`{key}` is the clock of one side in a game with two players, but `{ruleset}` has {seats} seats, which all \
         have the same clock (write `{same}`)"
    )]
    SideClockOfMany { key: &'static str, same: String, ruleset: &'static str, seats: u8 },
    #[error("`openings`: games with {seats} players always start from the initial position (leave the key out)")]
    OpeningsOfMany { seats: u8 },
    #[error(
        "`endings`: when a player fails in a game of {seats}, the others play on, so no player is sent a line that announces a win \
         (leave the key out)"
    )]
    EndingsOfMany { seats: u8 },
    #[error("`sides`: `{ruleset}` has {seats} seats, and every player plays in each of them (leave the key out)")]
    SidesOfMany { ruleset: &'static str, seats: u8 },
    #[error("a gauntlet needs a challenger (write `challenger = true` under each player that should meet the others)")]
    NoChallenger,
    #[error("a gauntlet needs a player for the challengers to meet, but every player here is a challenger")]
    AllChallengers,
    #[error(
        "player `{player}` does not understand openings (if it can follow moves sent right after the line that announces \
         its side, write `openings = true` under it; otherwise, leave out `openings` at the top of the file)"
    )]
    NoOpenings { player: PlayerName },
    #[error("`sides`: \"{}\" is listed twice", side.name())]
    SideTwice { side: Side },
    #[error(
        "`sides`: a tournament with `format = \"{format}\"` gives every player both colours, but player `{player}` plays only one \
         (leave the key out, or choose `format = \"round-robin\"` or `\"gauntlet\"`)"
    )]
    SidesInFormat { player: PlayerName, format: &'static str },
    #[error(
        "`sides`: no game could be played, because every player would have to be {} (add a player that plays the other side, such as \
         `builtin = \"greedy\"`)", side.name()
    )]
    NobodyMeets { side: Side },
    #[error("`{setting}` is for programs that the arena starts, but player `{player}` connects on its own")]
    ProcessOutOfReach { setting: &'static str, player: PlayerName },
    #[error("`clock = \"cpu\"` needs clocks (write `time = \"60s\"` as well)")]
    CpuWithoutTime,
    #[error("`scale_time` needs clocks (write `time = \"60s\"` as well)")]
    ScaleWithoutTime,
    #[error(
        "`{key}`: the bot could read everything in {path}, which contains this tournament file and possibly tokens, \
         results and other bots ({})", NarrowerPath { key }
    )]
    ShowsTheFile { key: &'static str, path: Quoted },
    #[error("`{key}`: {path} is this tournament file, which no bot may read (leave it out)")]
    IsTheFile { key: &'static str, path: Quoted },
    #[error(
        "`{key}`: the bot could read everything in {path}, which contains the `dir` of player `{other}` ({})", NarrowerPath { key }
    )]
    ShowsAnother { key: &'static str, path: Quoted, other: PlayerName },
    #[error("`writable` applies to a player's `dir`, but this player has none")]
    WritableWithoutDir,
    #[error("`wall_limit` is for `clock = \"cpu\"`: a clock that counts wall time needs no other limit")]
    WallLimitWithoutCpu,
    #[error("`openings` has no `plies` (write `openings = {{ plies = 2 }}`)")]
    MissingPlies,
    #[error(
        "`balanced`: there are too many openings of {plies} plies to compare (choose `plies` from 1 to {most}, or leave \
         `balanced` out)"
    )]
    BalancedPlies { plies: u32, most: u32 },
    #[error(
        "`rules` contains options of another rule set: `{ruleset}` has none (leave the table out, or write \
         `ruleset = \"{owner}\"` at the top of the file)"
    )]
    NoOptions { ruleset: &'static str, owner: &'static str },
    #[error("`ruleset` takes only a name: put the options in `rules` (write `rules = {{ {example} }}`)")]
    OptionsInName { example: &'static str },
    #[error("`ruleset`: {text}: {why}")]
    NoSuchSize { text: Quoted, why: UnknownRuleset },
    #[error("{0}")]
    Misfit(Misfit),
    #[error("`compensation`: {text} is not a number of points (write 0.5, 7 or \"1/6\")")]
    NotAFraction { text: Quoted },
    #[error(
        "`handicap` has no `{key}` (write `handicap = {{ seat = {}, stones = 4 }}`, or `player = \"bo\"` instead of the seat)",
        if *seats == 2 { "\"white\"" } else { "2" }
    )]
    IncompleteHandicap { key: &'static str, seats: u8 },
    #[error(
        "`compensation` has no `{key}` (write `compensation = {{ player = \"bo\", points = 6.5 }}`, or a list with a number for each seat)"
    )]
    IncompleteCompensation { key: &'static str },
    #[error("`{key}`: no player is named {text} (players: {})", listed(known))]
    NoSuchPlayer { key: &'static str, text: Quoted, known: Vec<PlayerName> },
    #[error("`{key}` is an option of the rules (write it in `rules`, as in `rules = {{ {key} = {example} }}`)")]
    OutsideRules { key: &'static str, example: &'static str },
    #[error("`komi` is called `compensation` here (write `rules = {{ compensation = [0, 6.5] }}` for a komi of 6.5)")]
    Komi,
    #[error(
        "`{key}` is not an option of the rules, but belongs at the top of the file (write it above the line `[rules]`)"
    )]
    InsideRules { key: &'static str },
    #[error("`nodes`: in Seegover, a table replaces the search (leave the key out)")]
    NoNodes,
    #[error("`{key}`: {missing} ({})", way_without(missing))]
    MissingFeature { key: &'static str, missing: MissingFeature },
    #[error("`openings`: built-in bots understand openings (leave the key out)")]
    BuiltinOpenings,
    /// A mistake that can occur only in another kind of file that is read in the same way.
    #[error("{text}")]
    OfOtherFile {
        text: String,
        /// Whether the mistake is that something is missing.
        is_absence: bool,
    },
}

impl Flaw {
    /// Whether the mistake is that something is missing. After an error in the TOML, things that seem to be missing may
    /// be present.
    pub(super) const fn is_absence(&self) -> bool {
        if let Self::OfOtherFile { is_absence, .. } = self {
            return *is_absence;
        }
        matches!(
            self,
            Self::Missing { .. }
                | Self::OneClock { .. }
                | Self::BankAlone { .. }
                | Self::NoKind
                | Self::NoKindInLadder
                | Self::NoBotOfMode { .. }
                | Self::MissingMode { .. }
                | Self::TooFewPlayers(_)
                | Self::NoWayIn
                | Self::NoPublicAddress
                | Self::NoChallenger
                | Self::MissingPlies
                | Self::IncompleteHandicap { .. }
                | Self::IncompleteCompensation { .. }
                | Self::NoSuchPlayer { .. }
                | Self::NotTwoPlayers(_)
                | Self::NoOpenings { .. }
                | Self::CpuWithoutTime
                | Self::ScaleWithoutTime
        )
    }
}

/// The names of `modes`.
fn named(modes: &[Mode]) -> String {
    modes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The first names of `players`.
fn listed(players: &[PlayerName]) -> String {
    const SHOWN: usize = 10;
    let names: Vec<String> = players.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = if players.len() > SHOWN { ", ..." } else { "" };
    names.join(", ") + more
}

/// The advice about a key whose value needs a missing feature.
const fn way_without(missing: &MissingFeature) -> &'static str {
    match (missing.feature, missing.option) {
        (Feature::Perfect, _) => "choose another bot, such as `alphabeta`",
        (_, Some(_)) => "leave the key or the option out",
        (_, None) => "leave the key out",
    }
}

/// The key for a time for each move that corresponds to `key`, which is a key for a time for the whole game.
fn move_time_for(key: &str) -> String {
    key.replace("time", "move_time")
}

/// The key for a time for the whole game that corresponds to `key`, which is a key for a bank.
fn time_for(key: &str) -> String {
    key.replace("bank", "time")
}

/// The end of a message about a path that would show a bot too much: the advice on what to write instead.
struct NarrowerPath {
    key: &'static str,
}

impl fmt::Display for NarrowerPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.key {
            "dir" => {
                "put the bot's files into a directory of their own, such as \"bots/alice\", and name that directory"
            }
            _ => "name only the files and directories that the bot needs",
        })
    }
}

/// The end of a message about an unknown word: the word that was probably meant, or the words that exist.
struct Meant<'a> {
    text: &'a Quoted,
    known: &'a [&'static str],
}

impl fmt::Display for Meant<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The search is done only when the message is printed, since only a few of many problems are shown.
        let near = if self.text.is_cut() { None } else { nearest(self.text.as_str(), self.known.iter().copied()) };
        match near {
            Some(near) => write!(f, ": did you mean `{near}`?"),
            None => write!(f, " (known: {})", self.known.join(", ")),
        }
    }
}
