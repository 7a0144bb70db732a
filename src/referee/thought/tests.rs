//! Tests of the line on stderr, its form in a log, and how much of it a log keeps.

use super::*;

fn read(line: &str) -> Result<String, String> {
    let thought = Thought::of_stderr(line.as_bytes()).expect("about thinking");
    thought.map(|thought| thought.to_string()).map_err(|error| error.to_string())
}

#[test]
fn each_claim_is_optional_and_has_its_form() {
    for (line, expected) in [
        ("#think value=+3 depth=6 nodes=12345 pv=c3,b2", "+3 D6 N12345 c3,b2"),
        ("#think\twin=0.73\r", "W0.73"),
        ("#think pv=c3 nodes=0 depth=0 win=1 value=-0", "+0 W1 D0 N0 c3"),
        ("#think value=12.345 win=0.00004", "+12.35 W0"),
        ("#think value=-0.5 win=0.99996", "-0.5 W1"),
        ("#think value=9999 win=000.5", "+9999 W0.5"),
        ("#think pv=a1,b1,c1,d1,e1,a2,b2,c2,d2,e2,a3,b3,c3,pass", "a1,b1,c1,d1,e1,a2,b2,c2,d2,e2,a3,b3"),
    ] {
        assert_eq!(read(line), Ok(expected.to_owned()), "{line:?}");
        assert_eq!(expected.parse::<Thought>().map(|thought| thought.to_string()), Ok(expected.to_owned()));
    }
}

#[test]
fn anything_else_is_malformed_and_says_why() {
    for (line, expected) in [
        ("#think", "the line contains no claim"),
        ("#think value", "`value`: expected points"),
        ("#think value=+-3", "`value=+-3`: expected points"),
        ("#think value=1e3", "`value=1e3`: expected points"),
        ("#think value=3.", "`value=3.`: expected points"),
        ("#think value=1.\u{661}5", "expected points"),
        ("#think value=10000", "`value=10000`: expected points"),
        ("#think win=1.1", "`win=1.1`: expected a chance"),
        ("#think win=-0.1", "`win=-0.1`: expected a chance"),
        ("#think win=nan", "`win=nan`: expected a chance"),
        ("#think depth=6.5", "`depth=6.5`: expected a whole number"),
        ("#think nodes=99999999999999999999", "expected a whole number"),
        ("#think pv=", "`pv=`: expected moves"),
        ("#think pv=c3,,b2", "expected moves"),
        ("#think pv=C3", "expected moves"),
        ("#think pv=c3]", "expected moves"),
        ("#think pv=c3}", "expected moves"),
        ("#think depth=1 depth=2", "`depth` occurs twice"),
        ("#think pv=a1 pv=a2", "`pv` occurs twice"),
        ("#think eval=3", "`eval=3` is not a claim"),
        ("#think \u{1b}[31m=", "`\\u{1b}[31m=` is not a claim"),
    ] {
        let error = read(line).expect_err("malformed");
        assert!(error.contains(expected), "{line:?}: {error}");
    }
    let long = format!("#think pv=a1{}", ",a1".repeat(Thought::LONGEST / 3));
    assert_eq!(read(&long), Err("the line has more than 400 bytes".to_owned()));
    for other in ["", "think depth=1", " #think depth=1", "#thinking depth=1", "#thin"] {
        assert_eq!(Thought::of_stderr(other.as_bytes()), None, "{other:?}");
    }
}

#[test]
fn a_log_has_only_the_form_that_the_arena_writes() {
    for text in
        ["", " ", "3", "0.37", "#-5", "+3,6", "+3  D6", "+3 ", "D6 D7", "D", "W", "Wx", "c3 b2", "N1 c3,", "+3 d6,B2"]
    {
        assert_eq!(text.parse::<Thought>(), Err(NotAThought), "{text:?}");
    }
}

fn of(text: &str) -> Thought {
    text.parse().unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn what_a_log_has_no_room_for_is_left_out_the_least_important_first() {
    let all = vec![Some(of("+3 D6 N100 c3,b2")); 16];
    let kept = |room: usize| {
        let kept = fitted(all.clone(), room, 9);
        let length: usize = kept.iter().flatten().map(|thought| 9 + thought.to_string().len()).sum();
        assert!(length <= room, "{length} of {room}");
        kept.iter().map(|thought| thought.as_ref().map(Thought::to_string).unwrap_or_default()).collect::<Vec<_>>()
    };
    assert_eq!(kept(400), vec!["+3 D6 N100 c3,b2"; 16]);
    // Every second move of each player keeps its line.
    assert_eq!(
        kept(390)[..5],
        ["+3 D6 N100 c3,b2", "+3 D6 N100 c3,b2", "+3 D6 N100", "+3 D6 N100", "+3 D6 N100 c3,b2"]
    );
    assert_eq!(kept(309), vec!["+3 D6 N100"; 16]);
    assert_eq!(kept(176)[..3], ["+3", "+3", "+3"]);
    assert_eq!(kept(92)[..5], ["+3", "+3", "", "", "+3"]);
    assert_eq!(kept(1), vec![""; 16]);
    assert_eq!(fitted(vec![None, Some(of("+3")), None], 15, 9), [None, Some(of("+3")), None]);
}
