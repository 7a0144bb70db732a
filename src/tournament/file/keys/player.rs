//! The keys of a player.

use super::top;
use crate::players::bots::{Builtin, DEFAULT_DEPTH, DEFAULT_PLAYOUTS, Thinker};
use crate::tournament::Transport;
use crate::tournament::file::key::{AnyKey, FileKey, keys};
use crate::tournament::file::key_kinds::{
    AddressAndPort, ByteCount, MAX_SEED, OneWord, OwnReader, RealNumber, TimeSpan, TrueOrFalse, WholeNumber, one_word,
};

/// The default of a player's key whose value is taken from the top of the file.
const AS_AT_THE_TOP: &str = "as at the top of the file";

const ALPHABETA: &[&str] = &[Thinker::Alphabeta.name()];
const MCTS: &[&str] = &[Thinker::Mcts.name()];
const SEARCHING: &[&str] = &[Thinker::Alphabeta.name(), Thinker::Mcts.name(), Thinker::Perfect.name()];

/// The keys of a bot that plays one mode for its team, in the order in which messages name them.
pub(crate) const MEMBER_KEYS: &[&dyn AnyKey] = &[
    &COMMAND,
    &BUILTIN,
    &DIR,
    &TRANSPORT,
    &ENV,
    &BUILD,
    &MEMORY,
    &PROCESSES,
    &CPU,
    &SCRATCH,
    &OPEN_FILES,
    &OUTPUT,
    &READABLE,
    &WRITABLE,
    &PASS_ENV,
    &BUILD_NETWORK,
    &HOSTS,
    &DEPTH,
    &PLAYOUTS,
    &ERROR,
    &SEED,
];

/// The schema of the table of a mode.
const MEMBER: &str = r##"{ "allOf": [{ "$ref": "#/definitions/team_bot" }] }"##;

/// The schema of a list of words: a program with its arguments, or paths.
const WORDS: &str = r##"{ "allOf": [{ "$ref": "#/definitions/words" }] }"##;

keys! {
    /// The keys of a player.
    PLAYER_KEYS;
    NAME: OwnReader = FileKey::new(
        "name",
        OwnReader {
            allowed: "up to 64 characters",
            schema: r##"{
                "type": "string",
                "minLength": 1,
                "maxLength": 64,
                "allOf": [
                    { "$ref": "#/definitions/visible" },
                    { "pattern": "^[^:\"]*$" },
                    { "pattern": "^[^=+@\\s-]" },
                    { "pattern": "\\S$" },
                    { "pattern": "[^\\u0000-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u007f]" }
                ]
            }"##,
        },
        "the player's name. It must contain a letter or a digit, but no `:` or `\"`. It must not begin with `=`, `+`, `-` or `@`, must \
         neither begin nor end with a space, and must be unique",
    )
    .needed()
    .identifies();
    COMMAND: OwnReader = FileKey::new(
        "command",
        OwnReader {
            allowed: "words, as in `[\"python3\", \"bot.py\", \"{side}\"]`",
            schema: r##"{
                "type": "array",
                "minItems": 1,
                "items": [{ "type": "string", "pattern": "^([^{}\\u0000]|\\{\\{|\\}\\})+$" }],
                "additionalItems": { "$ref": "#/definitions/template" }
            }"##,
        },
        "the program and its arguments; the arena looks for the program in `PATH`, or starting from `dir` if its name contains \
         a `/`. Before each game, it fills in placeholders such as `{side}`, `{port}` and `{time}`; write `{{` and `}}` for plain braces",
    )
    .identifies()
    .more(". See [placeholders](#programs). A player's symbolic links may point only to the places listed under [Links](confinement.md#links)")
    .example("[\"python3\", \"bot.py\", \"{side}\", \"{host}\", \"{server}\"]");
    BUILTIN: OneWord<Thinker> = FileKey::new(
        "builtin",
        one_word!(
            Thinker,
            "Makes random legal moves.",
            "Makes the move that captures the most stones.",
            "Looks ahead `depth` plies.",
            "Plays `playouts` random games for each move.",
            "Plays by exact values.",
        ),
        "one of the arena's own bots",
    )
    .identifies()
    .more(
        "; see [built-in-bots.md](../teach/built-in-bots.md) and, for games on squares and points, [below](#built-in-bots-on-squares-and-points)",
    );
    REMOTE: OwnReader = FileKey::new(
        "remote",
        OwnReader { allowed: "`true`", schema: r#"{ "type": "boolean", "const": true }"# },
        "the player connects on its own",
    )
    .identifies();
    MODES: OwnReader = FileKey::new(
        "modes",
        OwnReader {
            allowed: "a table for each mode, as in `{ othello = { command = [...] }, go = { builtin = \"greedy\" } }`",
            schema: r##"{ "allOf": [{ "$ref": "#/definitions/modes" }] }"##,
        },
        "the player is a team with a bot for each mode of its games: `reverse`, `othello` and `go`. Each table has the keys of a \
         player with `command` or `builtin`. Only for games with several modes, such as `quantum`",
    )
    .identifies()
    .more("; see [teams](#teams)")
    .example("{ othello = { command = [\"./othello\", \"{port}\"] }, go = { builtin = \"greedy\" } }");
    FOLDER: OwnReader = FileKey::new(
        "folder",
        OwnReader {
            allowed: "a directory, as in `\"handed-in/alice\"`",
            schema: r#"{
                "type": "string",
                "minLength": 1,
                "pattern": "^[^\\u0000]*$",
                "not": { "pattern": "^\\.{1,2}(/+\\.{1,2})*/*$" }
            }"#,
        },
        "with `format = \"ladder\"`: the directory into which the player's versions are put, relative to the tournament file. A \
         change counts as a new version once the directory has stayed unchanged for 10 s",
    )
    .more("; see [ladder.md](../teach/ladder.md)")
    .example("\"handed-in/alice\"");
    GIT: OwnReader = FileKey::new(
        "git",
        OwnReader {
            allowed: "a URL with `https://` or `ssh://`; `http://` only for this machine",
            schema: r#"{
                "type": "string",
                "pattern": "^[!$-;=@-\\[\\]-_a-~]*$",
                "anyOf": [
                    { "pattern": "^https://[^/@-][^/@]*(/|$)" },
                    { "pattern": "^ssh://([^/:-][^/:]*@|@)?[^/@-][^/@]*(/|$)" },
                    { "pattern": "^http://(localhost|127(\\.[0-9]{1,3}){3})(:[^/@]*)?(/|$)" },
                    { "pattern": "^http://\\[[0:]+1\\][^/@]*(/|$)" }
                ]
            }"#,
        },
        "with `format = \"ladder\"`: the repository whose commits are the player's versions",
    )
    .more("; see [ladder.md](../teach/ladder.md)")
    .example("\"https://git.example/alice/bot.git\"");
    BRANCH: OwnReader = FileKey::new(
        "branch",
        OwnReader {
            allowed: "the name of a branch",
            schema: r#"{
                "type": "string",
                "maxLength": 200,
                "pattern": "^[0-9A-Za-z_+@/.\\u0080-\\uffff-]+$",
                "not": { "pattern": "^[-/.]|[/.]$|\\.\\.|//|/\\.|\\.lock$" }
            }"#,
        },
        "the branch of the repository",
    )
    .otherwise("the repository's default branch")
    .beside("git", &[])
    .example("\"main\"");
    SUBDIRECTORY: OwnReader = FileKey::new(
        "subdirectory",
        OwnReader {
            allowed: "a directory, as in `\"bot\"`",
            schema: r#"{
                "type": "string",
                "minLength": 1,
                "pattern": "^[^\\u0000]*$",
                "not": { "pattern": "^/|(^|/)\\.\\.(/|$)" }
            }"#,
        },
        "the directory in the repository that contains the bot",
    )
    .otherwise("the whole repository")
    .beside("git", &[])
    .example("\"bot\"");
    GIT_KEY: OwnReader = FileKey::new(
        "git_key",
        OwnReader {
            allowed: "a file, as in `\"keys/alice\"`",
            schema: r#"{ "type": "string", "minLength": 1, "pattern": "^[^\\u0000]*$" }"#,
        },
        "the file with the private key for this repository alone (a deploy key), which only its owner may read",
    )
    .beside("git", &[])
    .example("\"keys/alice\"");
    GIT_TOKEN_FILE: OwnReader = FileKey::new(
        "git_token_file",
        OwnReader {
            allowed: "a file, as in `\"keys/alice.token\"`",
            schema: r#"{ "type": "string", "minLength": 1, "pattern": "^[^\\u0000]*$" }"#,
        },
        "the file with the token for this repository alone, which only its owner may read",
    )
    .beside("git", &[])
    .example("\"keys/alice.token\"");
    SUBMIT: OwnReader = FileKey::new(
        "submit",
        OwnReader { allowed: "`true`", schema: r#"{ "type": "boolean", "const": true }"# },
        "with `format = \"ladder\"`: the player hands in its program with `gothello-arena submit`",
    )
    .more("; see [ladder.md](../teach/ladder.md)");
    DIR: OwnReader = FileKey::new(
        "dir",
        OwnReader {
            allowed: "a directory, as in `\"bots/alice\"`",
            schema: r#"{
                "type": "string",
                "minLength": 1,
                "pattern": "^[^\\u0000]*$",
                "not": { "pattern": "^\\.{1,2}(/+\\.{1,2})*/*$" }
            }"#,
        },
        "the directory in which the program runs, relative to the tournament file. A bot that consists of several files \
         needs a `dir` of its own, so that it has these files when it is confined",
    )
    .otherwise("the directory of the tournament file")
    .beside("command", &[])
    .identifies()
    .more(
        ". The bot may read everything in `dir`, so `dir` cannot be a directory that contains the tournament file or another \
         player's `dir`: `dir = \".\"` is an error. Two players may share a `dir`. It may contain up to 4 GiB and \
         65,536 files, counting the holes in sparse files; put larger files elsewhere, and list their paths in `readable`",
    )
    .example("\"bots/alice\"");
    TRANSPORT: OneWord<Transport> = FileKey::new(
        "transport",
        one_word!(
            Transport,
            "The program connects to the referee.",
            "The program communicates over its stdin and stdout.",
            "The program is an engine that speaks the Go Text Protocol on its stdin and stdout.",
        ),
        "how the program communicates with the referee: `\"stdio\"` is the protocol over stdin and stdout, without a socket, and \
         `\"gtp\"` is the Go Text Protocol over stdin and stdout, for engines that play Othello, Reverse or Go",
    )
    .by_default(Transport::Tcp)
    .beside("command", &[])
    .identifies()
    .more("; see [engines.md](../measure/engines.md)");
    ENV: OwnReader = FileKey::new(
        "env",
        OwnReader {
            allowed: "variables, as in `{ LEVEL = \"3\" }`",
            schema: r##"{
                "type": "object",
                "propertyNames": { "$ref": "#/definitions/variable" },
                "additionalProperties": { "$ref": "#/definitions/template" }
            }"##,
        },
        "additional environment variables. The placeholders of `command` also work here",
    )
    .by_default("{}")
    .beside("command", &[])
    .identifies();
    BUILD: OwnReader = FileKey::new(
        "build",
        OwnReader { allowed: "words, as in `[\"make\", \"bot\"]`", schema: WORDS },
        "a program and its arguments to run before the first game, in a copy of `dir`",
    )
    .beside("command", &[])
    .identifies()
    .more("; see [below](#builds)")
    .example("[\"make\"]");
    MEMORY: ByteCount = top::MEMORY.otherwise(AS_AT_THE_TOP).beside("command", &[]);
    PROCESSES: WholeNumber = top::PROCESSES.otherwise(AS_AT_THE_TOP).beside("command", &[]);
    CPU: TimeSpan = top::CPU.otherwise(AS_AT_THE_TOP).beside("command", &[]);
    SCRATCH: ByteCount = top::SCRATCH.otherwise(AS_AT_THE_TOP).beside("command", &[]);
    OPEN_FILES: WholeNumber = top::OPEN_FILES.otherwise(AS_AT_THE_TOP).beside("command", &[]);
    OUTPUT: ByteCount = top::OUTPUT.otherwise(AS_AT_THE_TOP).beside("command", &[]);
    READABLE: OwnReader = FileKey::new(
        "readable",
        OwnReader { allowed: "paths, as in `[\"/opt/models\"]`", schema: WORDS },
        "paths that the confined bot may read, in addition to the system, its program and its `dir`. They are relative to the \
         tournament file",
    )
    .beside("command", &[])
    .more(". Like `dir`, they must not expose that file or another player's `dir`")
    .example("[\"/opt/models\"]");
    WRITABLE: TrueOrFalse = FileKey::new(
        "writable",
        TrueOrFalse,
        "whether the bot runs in a copy of its `dir` that it may change; needs `dir`. The arena makes a new copy for each game",
    )
    .by_default(false)
    .beside("command", &[])
    .more(", in the bot's scratch space, and the bot may change this copy regardless of the permissions in `dir`");
    PASS_ENV: OwnReader = FileKey::new(
        "pass_env",
        top::PASS_ENV.kind,
        "which variables the program gets from the arena's environment, in addition to those at the top of the file and the \
         usual ones",
    )
    .by_default("[]")
    .beside("command", &[]);
    BUILD_NETWORK: TrueOrFalse = top::BUILD_NETWORK.otherwise(AS_AT_THE_TOP).beside("command", &[]);
    HOSTS: OwnReader = FileKey::new(
        "hosts",
        OwnReader {
            allowed: "names, as in `[\"barton.example.edu\"]`",
            schema: r##"{
                "type": "array",
                "maxItems": 16,
                "uniqueItems": true,
                "items": { "$ref": "#/definitions/host" }
            }"##,
        },
        "up to 16 host names that are hard-coded in the program, which must connect over TCP. In tiers A and B of the \
         confinement, each of these names leads to the bot's own seat",
    )
    .by_default("[]")
    .beside("command", &[])
    .more("; see [below](#a-hard-coded-host)")
    .example("[\"barton.example.edu\"]");
    DEPTH: WholeNumber = FileKey::new(
        "depth",
        WholeNumber(1..=Builtin::MAX_DEPTH as u64),
        "how many plies to look ahead",
    )
    .by_default(DEFAULT_DEPTH.get() as u64)
    .beside("builtin", ALPHABETA)
    .identifies();
    PLAYOUTS: WholeNumber = FileKey::new(
        "playouts",
        WholeNumber(1..=Builtin::MAX_PLAYOUTS as u64),
        "how many random playouts to make for each move",
    )
    .by_default(DEFAULT_PLAYOUTS.get() as u64)
    .beside("builtin", MCTS)
    .identifies();
    ERROR: RealNumber = FileKey::new(
        "error",
        RealNumber(0.0..=1.0),
        "the chance that the bot makes a legal move other than the one it found",
    )
    .by_default(0.0)
    .beside("builtin", SEARCHING)
    .identifies()
    .more(". `\"perfect\"` then makes a move that is not among the best ones, if it knows all of the best ones");
    SEED: WholeNumber = FileKey::new(
        "seed",
        WholeNumber(0..=MAX_SEED),
        "a fixed seed for all of this player's games",
    )
    .otherwise("the game's seed")
    .beside("builtin", &[])
    .identifies();
    TOKEN: OwnReader = FileKey::new(
        "token",
        OwnReader {
            allowed: "at least 8 characters",
            schema: r#"{
                "type": "string",
                "maxLength": 29,
                "allOf": [{ "pattern": "^[^\"\\u0000-\\u001f\\u007f-\\u009f]*$" }, { "pattern": "^\\s*\\S.{6,}\\S\\s*$" }]
            }"#,
        },
        "the player's secret word for the public address. The name and the token together may have at most 30 characters",
    )
    .beside("remote", &[]);
    LISTEN: AddressAndPort = FileKey::new("listen", AddressAndPort, "the player's own address, instead of a token")
        .beside("remote", &[]);
    OPENINGS: TrueOrFalse = FileKey::new(
        "openings",
        TrueOrFalse,
        "whether the player supports games that begin with the plies of an opening. Built-in bots always do",
    );
    SIDES: OwnReader = FileKey::new(
        "sides",
        OwnReader {
            allowed: "`[\"black\"]`, `[\"white\"]` or both",
            schema: r#"{ "type": "array", "items": { "enum": ["black", "white"] }, "minItems": 1, "uniqueItems": true }"#,
        },
        "the sides that the player plays. A player with only one side plays all its games with that colour; two players \
         with the same single side never meet. Only with `format = \"round-robin\"` and `\"gauntlet\"`",
    )
    .by_default(r#"["black", "white"]"#)
    .identifies()
    .more("; see [below](#a-player-with-one-side)");
    TELL_CLOCK: TrueOrFalse = FileKey::new(
        "tell_clock",
        TrueOrFalse,
        "whether the arena tells the player its clock. With `false`, the clock still runs, but the player gets the lines of a game \
         without clocks",
    )
    .by_default(true)
    .identifies()
    .more(
        ": 100 and 200 instead of 101 and 207, and no seconds after moves. This is for clients that fail when they are sent \
         clocks, such as the course's first library",
    );
    CHALLENGER: TrueOrFalse = FileKey::new(
        "challenger",
        TrueOrFalse,
        "with `format = \"gauntlet\"`: whether the player is a challenger, which meets all players that are not challengers",
    )
    .by_default(false)
    .identifies();
}

keys! {
    /// The modes of a team's games.
    MODES_KEYS;
    REVERSE: OwnReader = FileKey::new(
        "reverse",
        OwnReader { allowed: "a table", schema: MEMBER },
        "the bot that plays Reverse",
    );
    OTHELLO: OwnReader = FileKey::new(
        "othello",
        OwnReader { allowed: "a table", schema: MEMBER },
        "the bot that plays Othello",
    );
    GO: OwnReader = FileKey::new(
        "go",
        OwnReader { allowed: "a table", schema: MEMBER },
        "the bot that plays Go",
    );
}
