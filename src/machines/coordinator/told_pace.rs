//! Checks whether the clocks of a game that a worker played were scaled correctly.

use crate::referee::pace::{MachinePace, Speed, TimeScale};
use crate::referee::record::{LoggedGame, SPEED_TAG};

/// Checks the pace that `record` states for the worker's machine. `own` is the coordinator's pace. If `scales` is true,
/// clocks must be scaled by the ratio of the two machines' speeds.
///
/// # Errors
/// Returns a description of the problem, sanitised for printing.
pub(super) fn check_pace(record: &LoggedGame, own: MachinePace, scales: bool) -> Result<(), String> {
    let tag = record.other_tags().iter().find(|(name, _)| name == SPEED_TAG);
    let told =
        tag.map(|(_, speed)| speed.parse::<Speed>()).transpose().map_err(|why| format!("`{SPEED_TAG}`: {why}"))?;
    let wanted = if scales {
        own.speed.zip(told).and_then(|(reference, told)| TimeScale::between(reference, told))
    } else {
        Some(TimeScale::ONE)
    };
    if wanted == Some(record.time_scale()) { Ok(()) } else { Err("its time scale does not match its speed".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_must_follow_from_both_speeds() {
        let own = MachinePace { speed: "2000000".parse().ok(), scale: TimeScale::ONE };
        let check = |tags: &str, scales| {
            let text = format!("[Black \"a\"]\n[White \"b\"]\n[Result \"1-0\"]\n[TimeControl \"60\"]\n{tags}\n1-0\n");
            check_pace(&text.parse().unwrap_or_else(|error| panic!("{error}\n{text}")), own, scales)
        };
        let (speed, scale) = ("[Speed \"1600000\"]\n", "[TimeScale \"1.25\"]\n");
        assert_eq!(check(&[speed, scale].concat(), true), Ok(()));
        assert_eq!(
            (check(speed, false), check("", false), check("[Speed \"2000000\"]\n", true)),
            (Ok(()), Ok(()), Ok(()))
        );
        for (tags, scales) in [
            ([speed, "[TimeScale \"1.26\"]\n"].concat(), true),
            (speed.to_owned(), true),
            (scale.to_owned(), true),
            ("[Speed \"1\"]\n".to_owned(), true),
            ([speed, scale].concat(), false),
        ] {
            assert_eq!(check(&tags, scales), Err("its time scale does not match its speed".to_owned()), "{tags}");
        }
        let no_speed = check("[Speed \"fast\"]\n", false).expect_err("no speed");
        assert!(no_speed.contains("a speed is a whole number"), "{no_speed}");
    }
}
