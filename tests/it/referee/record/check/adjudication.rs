//! Games that were ended by a proof.

use std::sync::atomic::AtomicBool;

use gothello_arena::exact::adjudication::{Adjudication, ProofBy};
use gothello_arena::game::{Move, Ruleset, Side};
use gothello_arena::referee::record::{Contradiction, GameRecord, Tries, Unfinished, check};
use gothello_arena::referee::result::{GameResult, Termination};

use super::{record, records, refused, side_of};

/// The record of one of the author's games, adjudicated as soon as `terms` allow it; `None` if every proof fails.
fn adjudicated(good: &GameRecord, terms: Adjudication) -> Option<GameRecord> {
    let moves: Vec<Move> = good.plies.iter().map(|ply| ply.played).collect();
    (1..moves.len()).find_map(|plies| {
        let due = Some(terms).filter(|terms| terms.is_due(plies))?;
        let case = due.case(Ruleset::Gothello, moves[..plies].iter().copied()).expect("Gothello has proofs");
        let proven = case.prove(None, &AtomicBool::new(false))?;
        let mut record = record(&moves[..plies], Ok(GameResult::adjudicated(proven)));
        record.adjudicate = Some(terms);
        Some(record)
    })
}

#[test]
fn the_check_repeats_the_proof_of_an_adjudicated_game() {
    let terms = Adjudication::new(2_000, 12).unwrap();
    let mut refusals = [0; 4];
    for (good, _) in records().step_by(20) {
        let record = adjudicated(&good, terms).expect("every game ends in a provable position");
        assert!(record.plies.len() >= 12);
        assert_eq!(check(&record).err(), None);
        assert_eq!(record.to_string().parse().as_ref(), Ok(&record));
        let result = record.result.clone().unwrap();
        let with = |winner, margin| Ok(GameResult::new(winner, Termination::Adjudicated, margin, None).unwrap());
        let refused_with = |change: &dyn Fn(&mut GameRecord)| {
            let mut forged = record.clone();
            change(&mut forged);
            refused(&forged).reason
        };

        let other = result.winner().map_or(Some(Side::Black), |winner| Some(winner.opponent()));
        let reason = refused_with(&|forged| forged.result = with(other, None));
        assert!(matches!(reason, Contradiction::WrongProof { by: ProofBy::Nodes(2_000), .. }), "{reason}");
        let further = result.margin().map_or(1, |margin| margin.abs() + 1);
        let further = if result.winner() == Some(Side::White) { -further } else { further };
        if result.winner().is_some() {
            let reason = refused_with(&|forged| forged.result = with(result.winner(), Some(further)));
            assert!(matches!(reason, Contradiction::WrongProof { .. }), "{reason}");
            refusals[0] += 1;
        }
        // As in any log, the margin may be missing.
        let mut without = record.clone();
        without.result = with(result.winner(), None);
        if result.winner().is_some() {
            assert_eq!(check(&without).err(), None);
        }

        assert_eq!(refused_with(&|forged| forged.adjudicate = None), Contradiction::NoProof);
        let later = Adjudication::new(2_000, u32::try_from(record.plies.len()).unwrap() + 1);
        let nothing = Contradiction::NothingTried(record.plies.len());
        assert_eq!(refused_with(&|forged| forged.adjudicate = later), nothing);
        assert_eq!(refused_with(&|forged| forged.opening_plies = forged.plies.len()), Contradiction::OpeningTimed);
        assert_eq!(
            refused_with(&|forged| {
                let (side, tries) = (side_of(forged.plies.len()), Tries::default());
                forged.unfinished = Some(Unfinished { seat: side.into(), elapsed: None, tries });
            }),
            Contradiction::TurnAfterEnd
        );

        // One ply earlier, the same number of nodes was not enough for a proof, or it was too early to try one.
        let reason = refused_with(&|forged| drop(forged.plies.pop()));
        match reason {
            Contradiction::Unproven { by: ProofBy::Nodes(2_000), .. } => refusals[1] += 1,
            Contradiction::NothingTried(11) => refusals[2] += 1,
            _ => panic!("{reason}"),
        }
        // With fewer nodes, the proof may fail.
        let mut fewer = record.clone();
        fewer.adjudicate = Adjudication::new(1_000, 12);
        refusals[3] += usize::from(check(&fewer).is_err());
    }
    assert!(refusals[0] > 0 && refusals[1] > 0, "{refusals:?}");
}
