//! Tests of engines that also tell what they think.

use super::*;

/// The output of `KataGo` 1.15 for `kata-genmove_analyze`, from `cpp/tests/results/gtp/genmoveanalyze.stdout` in its
/// sources.
const KATA: &str = "=\ninfo move E5 visits 22 edgeVisits 22 utility -0.802345 winrate 0.101754 scoreMean -0.465401 \
    scoreStdev 8.31547 scoreLead -0.465401 scoreSelfplay -1.78779 prior 0.581213 lcb 0.0939552 \
    utilityLcb -0.824182 weight 42.8229 order 0 pv E5 E3 C4 D7 info move F5 visits 7 edgeVisits 7 \
    utility -0.776368 winrate 0.116963 scoreMean -0.291177 scoreStdev 7.16022 scoreLead -0.291177 \
    scoreSelfplay -1.51293 prior 0.0861474 lcb 0.0617736 utilityLcb -0.930898 weight 12.6827 order 1 pv \
    F5 D5 E7 D3 C6 info move D5 visits 7 edgeVisits 7 utility -0.776368 winrate 0.116963 scoreMean \
    -0.291177 scoreStdev 7.16022 scoreLead -0.291177 scoreSelfplay -1.51293 prior 0.0861474 lcb \
    0.0617736 utilityLcb -0.930898 weight 12.6827 isSymmetryOf F5 order 2 pv D5 F5 E7 F3 G6 info move E4 \
    visits 7 edgeVisits 7 utility -0.776368 winrate 0.116963 scoreMean -0.291177 scoreStdev 7.16022 \
    scoreLead -0.291177 scoreSelfplay -1.51293 prior 0.0861474 lcb 0.0617736 utilityLcb -0.930898 weight \
    12.6827 isSymmetryOf F5 order 3 pv E4 E6 C5 G6 D7 info move E6 visits 7 edgeVisits 7 utility \
    -0.776368 winrate 0.116963 scoreMean -0.291177 scoreStdev 7.16022 scoreLead -0.291177 scoreSelfplay \
    -1.51293 prior 0.0861474 lcb 0.0617736 utilityLcb -0.930898 weight 12.6827 isSymmetryOf F5 order 4 \
    pv E6 E4 C5 G4 D3\nplay E5";

impl Scripted {
    /// A prepared engine that also supports `verb`.
    fn ready_with(verb: &str) -> Self {
        let mut scripted = Self { translator: translator("go-9", Side::Black, None), lines: VecDeque::new() };
        scripted.translator.begin();
        let mut sent = scripted.answer(&format!("= {COMMANDS}\n{verb}"));
        while !sent.is_empty() {
            sent = scripted.answer("=");
        }
        scripted
    }

    /// Answers the request for the first move with `said`. Returns the line for the referee, and the engine's claims.
    fn thinks(verb: &str, said: &str) -> (Line, Vec<(usize, String)>) {
        let mut engine = Self::ready_with(verb);
        assert_eq!(engine.tell("352 You will play black\r\n"), format!("{verb} black 50"));
        engine.answer(said);
        let thoughts = engine.translator.take_thoughts();
        (engine.line(), thoughts.into_iter().map(|(ply, thought)| (ply, thought.to_string())).collect())
    }
}

#[test]
fn an_engine_that_tells_what_it_thinks_is_asked_to_and_plays_the_move_at_the_end() {
    let (played, thoughts) = Scripted::thinks("kata-genmove_analyze", KATA);
    assert_eq!((played, thoughts), (line("1 e5"), vec![(1, "-0.47 W0.1018 N50 e5,e3,c4,d7".to_owned())]));
    // Leela Zero, from https://gist.github.com/zakki/5d83c850715407b2ed207070a033230c, shortened to three moves.
    let leela = "=\ninfo move D16 visits 6 winrate 4197 prior 1760 lcb 3838 order 0 pv D16 Q16 D4 Q4 info move D4 visits 4 \
                 winrate 4198 prior 1730 lcb 2346 order 1 pv D4 Q16 Q4 D16 info move Q5 visits 4 winrate 4212 prior 35 lcb \
                 2273 order 2 pv Q5 Q16 D4 R3\nplay D4";
    let (played, thoughts) = Scripted::thinks("lz-genmove_analyze", leela);
    assert_eq!((played, thoughts), (line("1 d4"), vec![(1, "W0.4198 N14 d4,q16,q4,d16".to_owned())]));
    assert_eq!(Scripted::thinks("kata-genmove_analyze", "=\nplay resign"), (line("1 resign"), Vec::new()));
}

#[test]
fn an_answer_without_a_move_at_its_end_is_a_fault() {
    for said in ["=", "= E5", "=\ninfo move E5 visits 22 winrate 0.1 order 0 pv E5", "=\nplay", "=\nplay E5 E6"] {
        let (played, thoughts) = Scripted::thinks("kata-genmove_analyze", said);
        let Line::Foreign { why, .. } = played else { panic!("{said:?}: {played:?}") };
        assert!(why.starts_with("the answer to `kata-genmove_analyze` must end with `play`"), "{why}");
        assert_eq!(thoughts, []);
    }
}

#[test]
fn the_claims_about_a_refused_move_are_replaced_by_those_about_the_next_one() {
    let mut engine = Scripted::ready_with("kata-genmove_analyze");
    engine.tell("352 You will play black\r\n");
    engine.answer(KATA);
    engine.line();
    let mut sent = engine.tell("291 Illegal move e5: there is already a stone\r\n");
    while !sent.starts_with("kata-genmove_analyze") {
        sent = engine.answer("=");
    }
    engine.answer(&KATA.replace("E5", "C5").replace("0.101754", "0.5"));
    assert_eq!(engine.line(), line("1 c5"));
    let thoughts = engine.translator.take_thoughts();
    let texts: Vec<(usize, String)> = thoughts.iter().map(|(ply, thought)| (*ply, thought.to_string())).collect();
    assert_eq!(texts, [(1, "-0.47 W0.5 N50 c5,e3,c4,d7".to_owned())]);
}
