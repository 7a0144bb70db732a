//! Tests of which tournaments extend which.

use super::*;

proptest! {
    #[test]
    fn a_tournament_is_extended_by_more_of_the_same_alone(
        rounds in 1_u32..5, more in 0_u32..5, players in 2_usize..5, more_players in 0_usize..3, gauntlet: bool,
    ) {
        let field = |rounds: u32, players: usize| {
            let mut text = format!("rounds = {rounds}\n");
            if gauntlet {
                text += "format = \"gauntlet\"\n";
            }
            for player in 0..players {
                text.extend(["[[player]]\nname = \"p", &player.to_string(), "\"\nbuiltin = \"random\"\n"]);
                if gauntlet && player % 3 == 0 {
                    text += "challenger = true\n";
                }
            }
            definition(&text)
        };
        let (small, large) = (field(rounds, players), field(rounds + more, players + more_players));
        prop_assert!(small.is_extended_by(&large));
        prop_assert_eq!(large.is_extended_by(&small), small == large);
        let mut other = large.clone();
        other.frame.seed += 1;
        prop_assert!(!small.is_extended_by(&other));
        let mut other = large.clone();
        other.games.insert("time".to_owned(), "9s".to_owned());
        prop_assert!(!small.is_extended_by(&other));
        let mut other = large;
        other.players[0].facts.insert("seed".to_owned(), "4".to_owned());
        prop_assert!(!small.is_extended_by(&other), "a player of the run must not change");
    }
}

#[test]
fn formats_that_look_at_results_grow_by_rounds_or_pairs_alone() {
    let of = |keys: &str, players: usize| {
        let names = (0..players).map(|player| format!("[[player]]\nname = \"p{player}\"\nbuiltin = \"random\"\n"));
        definition(&format!("{keys}\n{}", names.collect::<Vec<_>>().concat()))
    };
    let swiss = |rounds: u32, players| of(&format!("format = \"swiss\"\nrounds = {rounds}"), players);
    let sprt = |keys: &str| of(&format!("format = \"sprt\"\n{keys}"), 2);
    let knockout = |pairs: u32, players| of(&format!("format = \"knockout\"\npairs = {pairs}"), players);
    for (old, new, extends) in [
        (swiss(1, 4), swiss(3, 4), true),
        (swiss(3, 4), swiss(1, 4), false),
        (swiss(1, 4), swiss(1, 5), false),
        (swiss(1, 4), of("format = \"swiss\"\nrounds = 2\ngames = 1", 4), false),
        (sprt("max_pairs = 5"), sprt("max_pairs = 6"), true),
        (sprt("max_pairs = 6"), sprt("max_pairs = 5"), false),
        (sprt("max_pairs = 5"), sprt("max_pairs = 6\nelo1 = 11"), false),
        (knockout(1, 4), knockout(2, 4), false),
        (knockout(1, 4), knockout(1, 5), false),
        (swiss(1, 4), of("rounds = 2", 4), false),
    ] {
        assert_eq!(old.is_extended_by(&new), extends, "{:?} {:?}", old.frame, new.frame);
    }
}

#[test]
fn an_old_player_does_not_become_a_challenger() {
    let of = |challengers: &[usize]| {
        let players = (0..4).map(|player| {
            let challenger = if challengers.contains(&player) { "challenger = true\n" } else { "" };
            format!("[[player]]\nname = \"p{player}\"\nbuiltin = \"random\"\n{challenger}")
        });
        definition(&format!("format = \"gauntlet\"\n{}", players.collect::<Vec<_>>().concat()))
    };
    assert!(of(&[0]).is_extended_by(&of(&[0])));
    assert!(!of(&[0]).is_extended_by(&of(&[0, 1])));
    assert!(!of(&[0, 1]).is_extended_by(&of(&[0])));
    assert_eq!(said(&of(&[0]), &of(&[0, 1])), ["`challengers` was `p0` and is now `p0, p1`"]);
}

#[test]
fn groups_are_extended_by_rounds_and_all_tables_also_by_players() {
    let of = |keys: &str, players| definition(&group(keys, players));
    assert!(of("tables = 3", 8).is_extended_by(&of("rounds = 2\ntables = 3", 8)));
    assert!(!of("rounds = 2\ntables = 3", 8).is_extended_by(&of("tables = 3", 8)));
    assert!(!of("tables = 3", 8).is_extended_by(&of("tables = 3", 12)));
    assert!(of("tables = \"all\"", 5).is_extended_by(&of("rounds = 2\ntables = \"all\"", 7)));
    assert!(!of("tables = \"all\"", 5).is_extended_by(&of("tables = 4", 5)));
}
