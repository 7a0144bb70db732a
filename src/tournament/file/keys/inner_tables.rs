//! The keys of the tables `adjudicate` and `openings`.

use crate::exact::adjudication::Adjudication;
use crate::tournament::file::key::{FileKey, keys};
use crate::tournament::file::key_kinds::{TrueOrFalse, WholeNumber};

keys! {
    /// The keys of `adjudicate`.
    ADJUDICATE_KEYS;
    NODES: WholeNumber = FileKey::new(
        "nodes",
        WholeNumber(Adjudication::NODES),
        "how many nodes each attempt at a proof may search",
    )
    .by_default(Adjudication::DEFAULT_NODES)
    .identifies()
    .more(". In Seegover, a table replaces the search, so this key does not exist");
    AFTER_PLY: WholeNumber = FileKey::new(
        "after_ply",
        WholeNumber(*Adjudication::AFTER_PLY.start() as u64..=*Adjudication::AFTER_PLY.end() as u64),
        "the number of plies after which the attempts start. Early proofs change the results of bots that do not play perfectly",
    )
    .by_default(Adjudication::DEFAULT_AFTER_PLY as u64)
    .identifies();
}

keys! {
    /// The keys of `openings`.
    OPENINGS_KEYS;
    /// With more plies than this, the opening decides too many games.
    PLIES: WholeNumber = FileKey::new("plies", WholeNumber(1..=10), "how many plies each game starts with")
        .needed()
        .identifies();
    BALANCED: TrueOrFalse = FileKey::new(
        "balanced",
        TrueOrFalse,
        "whether games start only from the openings that are nearest to a draw; `plies` is then at most 4",
    )
    .by_default(false)
    .identifies();
}
