//! The journal accepts every entry from the keeper, whatever happens and in whatever order.

use proptest::prelude::*;

use super::*;

/// Something that happens to a ladder.
#[derive(Clone, Copy, Debug)]
enum LadderHappening {
    /// A player hands in new sources.
    HandIn(usize),
    /// The keeper checks the mailbox and the tournament file, and then acts.
    Poll,
    Act,
    /// The next entry reaches the disk.
    Written,
    /// The teacher makes a request about a version.
    Ask(u8, usize),
    Freeze,
    Reopen(usize),
    /// The tournament file contains these players.
    File(bool, bool),
    CloseDoors,
    /// The open game with this index, modulo the number of open games, ends.
    End(u64, bool),
}

fn happening() -> impl Strategy<Value = LadderHappening> {
    prop_oneof![
        4 => (0..2_usize).prop_map(LadderHappening::HandIn),
        4 => Just(LadderHappening::Poll),
        4 => Just(LadderHappening::Act),
        6 => Just(LadderHappening::Written),
        3 => (0..3_u8, 0..4_usize).prop_map(|(what, whom)| LadderHappening::Ask(what, whom)),
        1 => Just(LadderHappening::Freeze),
        1 => (0..2_usize).prop_map(LadderHappening::Reopen),
        1 => (any::<bool>(), any::<bool>()).prop_map(|(random, bo)| LadderHappening::File(random, bo)),
        1 => Just(LadderHappening::CloseDoors),
        2 => (0..50_u64, any::<bool>()).prop_map(|(number, has_result)| LadderHappening::End(number, has_result)),
    ]
}

fn apply(kept: &mut Kept, happening: LadderHappening, digest: usize) {
    let owners = ["ada", "bo"];
    match happening {
        LadderHappening::HandIn(owner) => kept.hand_in(owners[owner], &digest.to_string(), wall_clock()),
        LadderHappening::Poll => {
            kept.keeping.poll();
            kept.keeping.act();
        }
        LadderHappening::Act => kept.keeping.act(),
        LadderHappening::Written => drop(kept.write()),
        LadderHappening::Ask(what, whom) => {
            let version = ["ada.1", "ada.2", "bo.1", "random"][whom].to_owned();
            kept.ask(&match what {
                0 => LadderRequest::Pause { version, reason: String::new() },
                1 => LadderRequest::Resume { version },
                _ => LadderRequest::Retire { version, reason: String::new() },
            });
        }
        LadderHappening::Freeze => kept.ask(&LadderRequest::Freeze { rounds: 1 }),
        LadderHappening::Reopen(owner) => {
            let until = utc_now() + jiff::SignedDuration::from_hours(1);
            kept.ask(&LadderRequest::Reopen { player: owners[owner].to_owned(), until });
        }
        LadderHappening::File(random, bo) => {
            let mut text = TERM.to_owned();
            if !random {
                text = text.replace("[[player]]\nname = \"random\"\nbuiltin = \"random\"\n", "");
            }
            if !bo {
                text = text.replace("[[player]]\nname = \"bo\"\nfolder = \"bo\"\n", "");
            }
            kept.edit(&text);
        }
        LadderHappening::CloseDoors => kept.close_doors(),
        LadderHappening::End(number, has_result) => {
            let decided = kept.keeping.state.history().schedule().at_most();
            if decided > 0 {
                kept.end(number % decided, has_result.then(draw));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_journal_takes_every_entry_and_nothing_is_forgotten(
        happenings in proptest::collection::vec(happening(), 0..60),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let _entered = runtime.enter();
        let mut kept = Kept::new(TERM, &[version("ada", 1), version("ada", 2), version("bo", 1)]);
        for (digest, happening) in happenings.into_iter().enumerate() {
            apply(&mut kept, happening, digest);
        }
        kept.poll();
        // The request for a freeze stays in the mailbox while the freeze waits for the doors.
        prop_assert_eq!(kept.requests(), usize::from(kept.keeping.freeze.is_some()));
        prop_assert!(kept.keeping.queue.is_empty() && kept.keeping.sent.is_empty() && kept.keeping.changing.is_empty());
        let history = kept.ledger.ladder().expect("a ladder");
        let mut numbers = BTreeSet::new();
        for owner in ["ada", "bo"] {
            prop_assert!(history.hand_ins(owner).all(|hand_in| numbers.insert(hand_in.name())));
        }
    }
}
