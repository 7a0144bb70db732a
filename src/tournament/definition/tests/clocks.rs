//! Tests of how changes of the clocks, and of what depends on them, are named.

use std::collections::BTreeSet;

use super::*;

#[test]
fn clock_freezing_and_proofs_are_named_only_if_they_are_not_the_defaults() {
    let file = |keys: &str| {
        format!(
            "time = \"60s\"\n{keys}\n[[player]]\nname = \"a\"\nbuiltin = \"random\"\n\
                                     [[player]]\nname = \"b\"\nbuiltin = \"random\"\n"
        )
    };
    let plain = definition(&file(""));
    assert_eq!(definition(&file("clock = \"wall\"\nbetween_moves = \"run\"")), plain);
    let (counted, frozen) = (definition(&file("clock = \"cpu\"")), definition(&file("between_moves = \"freeze\"")));
    assert_eq!(
        said(&plain, &counted),
        ["`clock` was not set and is now `cpu`", "`wall_limit` was not set and is now `10m`"]
    );
    assert_eq!(said(&plain, &frozen), ["`between_moves` was not set and is now `freeze`"]);
    let scaled = definition(&file("scale_time = true"));
    assert_eq!(said(&plain, &scaled), ["`scale_time` was not set and is now `true`"]);
    assert_eq!(definition(&file("scale_time = false")), plain);
    let (proven, sooner) = (definition(&file("adjudicate = {}")), definition(&file("adjudicate = { after_ply = 9 }")));
    assert_eq!(
        said(&plain, &proven),
        ["`adjudicate.after_ply` was not set and is now `22`", "`adjudicate.nodes` was not set and is now `200000`"]
    );
    assert_eq!(said(&proven, &sooner), ["`adjudicate.after_ply` was `22` and is now `9`"]);
    assert!(!proven.is_extended_by(&sooner) && proven.digest() != plain.digest());
    let other = definition(&file("clock = \"cpu\"\nwall_limit = \"9m\""));
    assert_eq!(said(&counted, &other), ["`wall_limit` was `10m` and is now `9m`"]);
}

#[test]
fn the_clocks_of_sides_are_named_together_if_they_are_equal_before_and_after() {
    let file = |keys: &str| {
        let player = |name: &str| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n");
        definition(&format!("{keys}\n{}{}", player("a"), player("b")))
    };
    for (old, new, expected) in [
        ("time = \"60s\"", "time = \"60s + 1s\"", &["`time` was `1m` and is now `1m + 1s`"][..]),
        ("", "time = \"60s\"", &["`time` was `none` and is now `1m`"]),
        (
            "time = \"60s\"",
            "move_time = \"1s\"\nbank = \"9s\"",
            &[
                "`time` was `1m` and is now not set",
                "`bank` was not set and is now `9s`",
                "`move_time` was not set and is now `1s`",
            ],
        ),
        ("black_time = \"60s\"\nwhite_time = \"60s\"", "time = \"9s\"", &["`time` was `1m` and is now `9s`"]),
        ("black_time = \"60s\"\nwhite_time = \"50s\"", "time = \"60s\"", &["`white_time` was `50s` and is now `1m`"]),
        (
            "time = \"60s\"",
            "black_time = \"50s\"\nwhite_time = \"40s\"",
            &["`black_time` was `1m` and is now `50s`", "`white_time` was `1m` and is now `40s`"],
        ),
        // The two sides' times per move are equal, but a file in which the banks differ has keys for each side.
        (
            "black_move_time = \"1s\"\nwhite_move_time = \"1s\"\nblack_bank = \"9s\"",
            "black_move_time = \"2s\"\nwhite_move_time = \"2s\"\nblack_bank = \"9s\"",
            &["`black_move_time` was `1s` and is now `2s`", "`white_move_time` was `1s` and is now `2s`"],
        ),
        (
            "clock = \"cpu\"\nwall_limit = \"9m\"\nblack_time = \"60s\"\nwhite_time = \"50s\"",
            "clock = \"cpu\"\nwall_limit = \"8m\"\nblack_time = \"60s\"\nwhite_time = \"50s\"",
            &["`wall_limit` was `9m` and is now `8m`"],
        ),
    ] {
        let (old, new) = (file(old), file(new));
        let told: BTreeSet<String> = said(&old, &new).into_iter().collect();
        assert_eq!(told, expected.iter().map(|line| (*line).to_owned()).collect(), "{old:?}");
        assert_ne!(old.digest(), new.digest());
        assert_eq!(old.changes(&new).len(), expected.len());
    }
}
