//! The keys of the table `ladder`.

use std::time::Duration;

use crate::tournament::file::key::{FileKey, keys};
use crate::tournament::file::key_kinds::{AddressAndPort, OwnReader, RealNumber, TimeSpan, TrueOrFalse, WholeNumber};

keys! {
    /// The keys of `ladder`.
    LADDER_KEYS;
    TARGET_ERROR: RealNumber = FileKey::new(
        "target_error",
        RealNumber(5.0..=400.0),
        "games are played until the standard error of every active version's rating is at most this many Elo; then the ladder is \
         idle until somebody hands in a version",
    )
    .by_default(40.0);
    FIRST_GAMES: WholeNumber = FileKey::new(
        "first_games",
        WholeNumber(0..=1_000),
        "how many games a new version plays before the other versions play again",
    )
    .by_default(20);
    RANDOM_SHARE: RealNumber = FileKey::new(
        "random_share",
        RealNumber(0.0..=1.0),
        "the share of games whose players are drawn at random, so that their results show whether the choice of the other games \
         distorts the ratings",
    )
    .by_default(0.1);
    ACTIVE: WholeNumber = FileKey::new(
        "active",
        WholeNumber(1..=10),
        "how many of a player's newest versions play, in addition to its best one",
    )
    .by_default(2);
    POLL: TimeSpan = FileKey::new(
        "poll",
        TimeSpan(Duration::from_secs(1)..=Duration::from_hours(24)),
        "the interval at which folders and repositories are examined",
    )
    .by_default(Duration::from_mins(2));
    SUBMIT: AddressAndPort = FileKey::new(
        "submit",
        AddressAndPort,
        "the address at which players with `submit = true` hand in their versions; an address other than loopback \
         needs `run --submit-public`",
    )
    .example("\"127.0.0.1:8444\"");
    CLOSES: OwnReader = FileKey::new(
        "closes",
        OwnReader {
            allowed: "a date with a time and an offset, as in `2026-12-01T23:59:00+01:00`",
            schema: r#"{ "type": "string", "format": "date-time" }"#,
        },
        "when the ladder freezes; a version that arrives later is not accepted",
    )
    .example("2026-12-01T23:59:00+01:00");
    VERSIONS_PER_DAY: WholeNumber = FileKey::new(
        "versions_per_day",
        WholeNumber(1..=1_000),
        "how many versions one player may hand in within 24 hours",
    )
    .by_default(20);
    ANONYMOUS: TrueOrFalse = FileKey::new(
        "anonymous",
        TrueOrFalse,
        "whether guests see only the names of the first ten players on the page",
    )
    .by_default(false);
}
