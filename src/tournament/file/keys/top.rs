//! The keys at the top of the file.

use std::time::Duration;

use super::inner_tables::{ADJUDICATE_KEYS, OPENINGS_KEYS};
use super::ladder::LADDER_KEYS;
use super::words::{FormatWord, RulesetName};
use crate::referee::sans_io::Endings;
use crate::tournament::file::key::{FileKey, keys};
use crate::tournament::file::key_kinds::{
    AddressAndPort, ByteCount, GameClock, InnerTable, MAX_SEED, OneWord, OrWord, OwnReader, RealNumber, TimeSpan,
    TrueOrFalse, WholeNumber, one_word,
};
use crate::tournament::{BetweenMoves, GameLimits, Isolation, Resources, ThoughtReaders};

/// The maximum number of characters in a tournament's name.
pub(crate) const MAX_NAME: usize = 200;

const LIMITS: GameLimits = GameLimits::DEFAULT;
const RESOURCES: Resources = Resources::DEFAULT;
const MIB: u64 = 1 << 20;
const TIB: u64 = 1 << 40;
const HOUR: Duration = Duration::from_hours(1);
const UNLIMITED: &str = "unlimited";
const TRIES: OrWord<WholeNumber> =
    OrWord { kind: WholeNumber(0..=1_000_000), word: UNLIMITED, expected: "a whole number or \"unlimited\"" };
const ROUND_FORMATS: &[&str] =
    &[FormatWord::RoundRobin.name(), FormatWord::Gauntlet.name(), FormatWord::Swiss.name(), FormatWord::Group.name()];
const GROUP: &[&str] = &[FormatWord::Group.name()];
const SWISS: &[&str] = &[FormatWord::Swiss.name()];
const KNOCKOUT: &[&str] = &[FormatWord::Knockout.name()];
const SPRT: &[&str] = &[FormatWord::Sprt.name()];
const LADDER: &[&str] = &[FormatWord::Ladder.name()];
const ELO: RealNumber = RealNumber(-2_000.0..=2_000.0);
const RISK: RealNumber = RealNumber(1e-6..=0.49);

/// The table `[rules]`, whose keys depend on the rule set: see [`super::rules`].
const RULES_TABLE: OwnReader =
    OwnReader { allowed: "a table; see [below](#the-options-of-seegover)", schema: r#"{ "type": "object" }"# };

keys! {
    /// The keys at the top of the file.
    TOP_KEYS;
    NAME: OwnReader = FileKey::new(
        "name",
        OwnReader {
            allowed: "up to 200 characters",
            schema: r##"{ "type": "string", "maxLength": 200, "allOf": [{ "$ref": "#/definitions/visible" }, { "pattern": "\\S" }] }"##,
        },
        "the Event tag of the game logs",
    )
    .otherwise("the file's name")
    .example("\"CS 441 final\"");
    RULESET: RulesetName = FileKey::new("ruleset", RulesetName, "the rules")
        .by_default("gothello")
        .identifies()
        .more("; all but the first two are described [below](#other-games)");
    RULES: OwnReader = FileKey::new(
        "rules",
        RULES_TABLE,
        "the options of the rules, which depend on `ruleset`; `gothello` has none",
    )
    .by_default("{}")
    .identifies()
    .example("{ cycle = \"superko\", drop = 2 }");
    FORMAT: OneWord<FormatWord> = FileKey::new(
        "format",
        one_word!(
            FormatWord,
            "Each pair of players meets twice a round, once with each colour.",
            "Each challenger meets every player that is not a challenger. Mark challengers with `challenger = true`.",
            "Each round pairs players with similar scores that have not met.",
            "The loser of a pairing is out. The players are seeded in the order in which the file lists them.",
            "Players meet at tables of four or six, and each plays one game in each seat there.",
            "A sequential test of which of two players is stronger.",
            "Players hand in versions of their programs while games are played.",
        ),
        "who plays whom",
    )
    .by_default(FormatWord::RoundRobin)
    .identifies()
    .more("; [formats.md](formats.md) describes each format and its guarantees");
    ROUNDS: WholeNumber = FileKey::new(
        "rounds",
        WholeNumber(1..=1_000_000),
        "how many rounds to play; in each round, every pair that meets plays twice, once with each colour (only once with \
         swiss and `games = 1`), and every group that meets plays as many games as it has seats",
    )
    .by_default(1)
    .beside("format", ROUND_FORMATS)
    .identifies();
    GAMES: WholeNumber = FileKey::new("games", WholeNumber(1..=2), "the number of games in a pairing")
        .by_default(2)
        .beside("format", SWISS)
        .identifies();
    /// A tie may be broken by up to three additional pairs.
    PAIRS: WholeNumber = FileKey::new("pairs", WholeNumber(1..=10_000), "a pairing is the best of this many pairs of games")
        .by_default(1)
        .beside("format", KNOCKOUT)
        .identifies();
    TABLES: OrWord<WholeNumber> = FileKey::new(
        "tables",
        OrWord { kind: WholeNumber(1..=1_000_000), word: "all", expected: "a whole number or \"all\"" },
        "at how many tables each player sits in a round, or `\"all\"` for a table for every set of players; at each table, there \
         is a game for each seat",
    )
    .otherwise("the smallest number that leaves no seat empty")
    .beside("format", GROUP)
    .identifies()
    .more("; see [formats.md](formats.md#group)")
    .example("6");
    ELO0: RealNumber = FileKey::new(
        "elo0",
        ELO,
        "the first player's lead in Elo under hypothesis H0; must be less than `elo1`",
    )
    .by_default(0.0)
    .beside("format", SPRT)
    .identifies();
    ELO1: RealNumber = FileKey::new(
        "elo1",
        ELO,
        "the first player's lead in Elo under hypothesis H1; must be more than `elo0`",
    )
    .by_default(10.0)
    .beside("format", SPRT)
    .identifies();
    ALPHA: RealNumber = FileKey::new("alpha", RISK, "the risk of wrongly accepting H1")
        .by_default(0.05)
        .beside("format", SPRT)
        .identifies();
    BETA: RealNumber = FileKey::new("beta", RISK, "the risk of wrongly accepting H0")
        .by_default(0.05)
        .beside("format", SPRT)
        .identifies();
    /// The default is high enough that a test with the default hypotheses usually ends earlier, even if the true
    /// difference lies between them.
    MAX_PAIRS: WholeNumber = FileKey::new(
        "max_pairs",
        WholeNumber(1..=1_000_000),
        "the number of pairs after which the test ends without a verdict",
    )
    .by_default(10_000)
    .beside("format", SPRT)
    .identifies();
    SEED: WholeNumber = FileKey::new("seed", WholeNumber(0..=MAX_SEED), "the source of all randomness").by_default(0).identifies();
    CONCURRENCY: WholeNumber = FileKey::new("concurrency", WholeNumber(1..=1_024), "how many games run at the same time")
        .otherwise("(physical cores - 1) / seats per game, at least 1; cores - 1 with `between_moves = \"freeze\"`")
        .example("2");
    TIME: GameClock = FileKey::new(
        "time",
        GameClock,
        "each player's time for the whole game, optionally with an increment or byo-yomi periods; excludes `move_time`",
    )
    .otherwise("no clocks")
    .identifies()
    .example("\"60s\"")
    .more("; see [time controls](#time-controls)");
    MOVE_TIME: TimeSpan = FileKey::new(
        "move_time",
        TimeSpan::SECOND_TO_WEEK,
        "each player's time for each move; excludes `time`",
    )
    .otherwise("no clocks")
    .identifies()
    .example("\"1s\"");
    BANK: TimeSpan = FileKey::new(
        "bank",
        TimeSpan::SECOND_TO_WEEK,
        "each player's bank for moves that take longer than `move_time`; it is never refilled",
    )
    .otherwise("no bank")
    .beside("move_time", &[])
    .identifies()
    .example("\"60s\"");
    BLACK_TIME: GameClock = FileKey::new(
        "black_time",
        GameClock,
        "black's time for the whole game, if the sides' clocks differ; needs a clock for white, and excludes `time`",
    )
    .otherwise("no clocks")
    .identifies()
    .example("\"60s\"");
    WHITE_TIME: GameClock = FileKey::new(
        "white_time",
        GameClock,
        "white's time for the whole game, if the sides' clocks differ; needs a clock for black, and excludes `time`",
    )
    .otherwise("no clocks")
    .identifies()
    .example("\"2m\"");
    BLACK_MOVE_TIME: TimeSpan = FileKey::new(
        "black_move_time",
        TimeSpan::SECOND_TO_WEEK,
        "black's time for each move, if the sides' clocks differ; needs a clock for white, and excludes `move_time`",
    )
    .otherwise("no clocks")
    .identifies()
    .example("\"1s\"");
    WHITE_MOVE_TIME: TimeSpan = FileKey::new(
        "white_move_time",
        TimeSpan::SECOND_TO_WEEK,
        "white's time for each move, if the sides' clocks differ; needs a clock for black, and excludes `move_time`",
    )
    .otherwise("no clocks")
    .identifies()
    .example("\"2s\"");
    BLACK_BANK: TimeSpan = FileKey::new("black_bank", TimeSpan::SECOND_TO_WEEK, "black's bank")
        .otherwise("no bank")
        .beside("black_move_time", &[])
        .identifies()
        .example("\"60s\"");
    WHITE_BANK: TimeSpan = FileKey::new("white_bank", TimeSpan::SECOND_TO_WEEK, "white's bank")
        .otherwise("no bank")
        .beside("white_move_time", &[])
        .identifies()
        .example("\"60s\"");
    CLOCK: OneWord<bool> = FileKey::new(
        "clock",
        OneWord {
            words: || vec![("wall", false), ("cpu", true)],
            meanings: &["The time that passes.", "The CPU time of all processes of the bot whose turn it is."],
        },
        "what the clocks count: the time that passes, or the CPU time of all processes of the bot whose turn it is",
    )
    .by_default(false)
    .identifies()
    .more("; see [fair-clocks.md](fair-clocks.md)");
    WALL_LIMIT: TimeSpan = FileKey::new(
        "wall_limit",
        TimeSpan::SECOND_TO_WEEK,
        "the maximum total wall time of all of one player's turns",
    )
    .otherwise("ten times the time that the player may use in 50 moves, or in as many moves as a larger board has squares or points; with sudden death, ten times its clock")
    .beside("clock", &["cpu"])
    .identifies()
    .example("\"5m\"");
    SCALE_TIME: TrueOrFalse = FileKey::new(
        "scale_time",
        TrueOrFalse,
        "with `run --nats`: whether each worker multiplies the clocks, and `wall_limit`, by how much slower it is than the \
         coordinator; needs clocks, and has no effect on a single machine",
    )
    .by_default(false)
    .identifies()
    .more(". See [several-machines.md](several-machines.md)");
    BETWEEN_MOVES: OneWord<BetweenMoves> = FileKey::new(
        "between_moves",
        one_word!(BetweenMoves, "The bot may go on thinking.", "All processes of the bot are stopped."),
        "what a bot may do while it is another player's turn: it may go on thinking, or all its processes are stopped",
    )
    .by_default(BetweenMoves::Run)
    .identifies();
    ILLEGAL_TRIES: OrWord<WholeNumber> = FileKey::new(
        "illegal_tries",
        TRIES,
        "how many refused moves (291) a player may make in one game; one more forfeits the game",
    )
    .by_default(count(LIMITS.illegal_tries))
    .identifies()
    .more(". See [below](#refused-moves)");
    GARBLED_TRIES: OrWord<WholeNumber> = FileKey::new(
        "garbled_tries",
        TRIES,
        "how many garbled lines (299) a player may send, counted separately; one more forfeits the game",
    )
    .by_default(count(LIMITS.garbled_tries))
    .identifies();
    HELLO_TIMEOUT: TimeSpan = FileKey::new(
        "hello_timeout",
        TimeSpan(Duration::from_millis(100)..=HOUR),
        "how long a program may take from its start to its hello, and how long a game waits for port 29068 if \
         another program is using it",
    )
    .by_default(LIMITS.hello_timeout)
    .more(
        ". Time in which the program waits for a CPU, or in which the arena is stopped, does not count; see [fair-clocks.md](fair-clocks.md)",
    );
    VOID_RETRIES: WholeNumber = FileKey::new(
        "void_retries",
        WholeNumber(0..=100),
        "how many times the arena replays a void game in a run",
    )
    .by_default(LIMITS.void_retries as u64)
    .more("; see [results.md](results.md) for when a game is void");
    JOIN_TIMEOUT: TimeSpan = FileKey::new("join_timeout", TimeSpan::SECOND_TO_WEEK, "how long a game waits for a remote player")
        .by_default(LIMITS.join_timeout);
    BUILD_TIMEOUT: TimeSpan = FileKey::new("build_timeout", TimeSpan::SECOND_TO_WEEK, "the time allowed for a `build`")
        .by_default(LIMITS.build_timeout);
    GAME_LIMIT: OrWord<TimeSpan> = FileKey::new(
        "game_limit",
        OrWord {
            kind: TimeSpan::SECOND_TO_WEEK,
            word: UNLIMITED,
            expected: "a duration such as \"10m\", or \"unlimited\"",
        },
        "how long all players together may think in a game without clocks; after that, the player that has used the most time \
         loses on time",
    )
    .by_default(LIMITS.game_limit)
    .identifies();
    QUIT_TIMEOUT: TimeSpan = FileKey::new(
        "quit_timeout",
        TimeSpan(Duration::ZERO..=HOUR),
        "how long a program may take to exit after its game",
    )
    .by_default(LIMITS.quit_timeout);
    OUTPUT_CAP: ByteCount = FileKey::new(
        "output_cap",
        ByteCount(0..=1 << 30),
        "how much of a bot's stdout, and of its stderr, is kept",
    )
    .by_default(LIMITS.output_cap as u64);
    ENDINGS: OneWord<Endings> = FileKey::new(
        "endings",
        OneWord {
            words: || vec![("documented", Endings::Documented), ("compatible", Endings::Compatible)],
            meanings: &["The line that the protocol's document specifies.", "The line that old client libraries understand as a win."],
        },
        "what the arena sends to the remaining player when its opponent has crashed, resigned, broken the protocol or run out of \
         time: the line that the protocol's document specifies, or the one that old client libraries understand as a win",
    )
    .by_default(Endings::Documented);
    ADJUDICATE: InnerTable = FileKey::new(
        "adjudicate",
        InnerTable { keys: ADJUDICATE_KEYS, example: "{ nodes = 200000, after_ply = 22 }" },
        "a game ends when its outcome is proven",
    )
    .identifies()
    .more(" (in Seegover by a table, without `nodes`); see [below](#games-that-end-by-proof)")
    .example("{ nodes = 200000, after_ply = 22 }");
    OPENINGS: InnerTable = FileKey::new(
        "openings",
        InnerTable { keys: OPENINGS_KEYS, example: "{ plies = 2, balanced = false }" },
        "games start with random legal plies, and each opening is played once with each colour. Players with a `command` \
         and remote players then need `openings = true`",
    )
    .identifies()
    .more(". See [formats.md](formats.md)")
    .keywords(
        r#"{
            "if": { "properties": { "balanced": { "const": true } }, "required": ["balanced"] },
            "then": { "properties": { "plies": { "maximum": 4 } } }
        }"#,
    )
    .example("{ plies = 2 }");
    LISTEN: AddressAndPort = FileKey::new(
        "listen",
        AddressAndPort,
        "the arena's one public address, for remote players with a `token`; port 0 picks a free port",
    )
    .example("\"127.0.0.1:29088\"");
    ISOLATION: OneWord<Isolation> = FileKey::new(
        "isolation",
        one_word!(
            Isolation,
            "Bots must be confined by namespaces, or the run does not start.",
            "Bots are confined as well as possible on this machine.",
            "Bots are not confined.",
        ),
        "whether bots are confined",
    )
    .by_default(Isolation::Auto)
    .more("; see [confinement.md](confinement.md)");
    AFFINITY: TrueOrFalse = FileKey::new(
        "affinity",
        TrueOrFalse,
        "whether each bot gets a core of its own, if there are enough for all bots that play at the same time and no other arena has claimed \
         them",
    )
    .by_default(true)
    .more("; see [fair-clocks.md](fair-clocks.md)");
    THOUGHTS: OneWord<ThoughtReaders> = FileKey::new(
        "thoughts",
        one_word!(
            ThoughtReaders,
            "Pages do not show what bots report about their thinking.",
            "Reports and the live page show what bots report about their thinking.",
        ),
        "whether reports and the live page show what bots report about their thinking. A game keeps the value that it \
        was played with",
    )
    .by_default(ThoughtReaders::Private)
    .more("; see [thoughts.md](../bot/thoughts.md)");
    MEMORY: ByteCount = FileKey::new(
        "memory",
        ByteCount(16 * MIB..=TIB),
        "how much memory all processes of a confined bot may use in total",
    )
    .by_default(RESOURCES.memory)
    .more("; see [confinement.md](confinement.md) for what counts");
    PROCESSES: WholeNumber = FileKey::new(
        "processes",
        WholeNumber(1..=100_000),
        "how many processes and threads a confined bot may have",
    )
    .by_default(RESOURCES.processes);
    CPU: TimeSpan = FileKey::new(
        "cpu",
        TimeSpan::SECOND_TO_WEEK,
        "how much CPU time all processes of a confined bot may use in a game",
    )
    .example("\"60s\"");
    SCRATCH: ByteCount = FileKey::new(
        "scratch",
        ByteCount(MIB..=TIB),
        "how much a confined bot may write to its home and `TMPDIR`",
    )
    .by_default(RESOURCES.scratch);
    OPEN_FILES: WholeNumber = FileKey::new(
        "open_files",
        WholeNumber(16..=1_000_000),
        "how many files each process of a confined bot may have open",
    )
    .by_default(RESOURCES.open_files);
    OUTPUT: ByteCount = FileKey::new(
        "output",
        ByteCount(MIB..=TIB),
        "how much a bot, confined or not, may write to stdout and stderr in total; `output_cap` sets how much of it is kept",
    )
    .by_default(RESOURCES.output);
    BUILD_NETWORK: TrueOrFalse = FileKey::new("build_network", TrueOrFalse, "whether confined builds may use the network")
        .by_default(false);
    PASS_ENV: OwnReader = FileKey::new(
        "pass_env",
        OwnReader {
            allowed: "variable names, as in `[\"MODEL_PATH\"]`",
            schema: r##"{ "allOf": [{ "$ref": "#/definitions/pass_env" }] }"##,
        },
        "which variables every program gets from the arena's environment, in addition to the usual ones",
    )
    .by_default("[]")
    .more(" ([below](#the-environment-of-a-program))");
    LADDER_TABLE: InnerTable = FileKey::new(
        "ladder",
        InnerTable { keys: LADDER_KEYS, example: "{ target_error = 30 }" },
        "how versions arrive and how games are chosen",
    )
    .beside("format", LADDER)
    .more(". See [ladder.md](../teach/ladder.md)")
    .example("{ target_error = 30 }");
    PLAYER: OwnReader = FileKey::new(
        "player",
        OwnReader {
            allowed: "see [below](#players)",
            schema: r##"{ "type": "array", "minItems": 2, "items": { "$ref": "#/definitions/player" } }"##,
        },
        "the players: at least two, each under a line `[[player]]`",
    )
    .needed()
    .identifies();
}

/// A maximum number of attempts, as written in the file; `None` means no limit.
const fn count(tries: Option<u32>) -> Option<u64> {
    match tries {
        Some(tries) => Some(tries as u64),
        None => None,
    }
}
