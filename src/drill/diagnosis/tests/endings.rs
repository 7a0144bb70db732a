//! Failures after a game.

use super::*;

#[test]
fn ends_are_told_apart_by_which_of_them_the_bot_takes() {
    let fails = |last: &str| exited(played(last), 1, &traceback("/b/bot.py", "raise E", "E: game terminated early"));
    let stays = |last: &str| {
        let mut game = played(last);
        let process = game.process.as_mut().unwrap();
        (process.exit, process.left_after) = (None, None);
        game
    };
    let with = |ordinary: fn(&str) -> BoutFacts, id, game| {
        let (win, loss) = (ordinary("321 x"), ordinary("322 x"));
        let status = |game: &BoutFacts| {
            if game.process.as_ref().unwrap().exit == Some(ProcessExit::Status(0)) { Pass } else { Warn }
        };
        let mut trials = [
            trial("win", Side::Black, status(&win), vec![win]),
            trial("loss", Side::Black, status(&loss), vec![loss]),
            trial(id, Side::Black, Warn, vec![game]),
        ];
        codes(&mut trials, &SourceFiles::default())
    };
    for last in ["203 draw", "325 1 c3", "326 1 ... c3"] {
        assert_eq!(with(played, "draw", fails(last)), [vec![], vec![], vec!["D11"]], "{last}");
    }
    // A move that ends the game is announced by two lines; the bot has read only the first.
    let mut two = fails("203 draw");
    say(&mut two, Speaker::Arena, &["325 5 e5"]);
    let mut trials =
        [trial("win", Side::Black, Pass, vec![played("321 x")]), trial("draw", Side::Black, Warn, vec![two])];
    assert_eq!(codes(&mut trials, &SourceFiles::default()), [vec![], vec!["D11"]]);
    assert!(trials[1].diagnoses[0].text.contains("(code `203`)"), "{:?}", trials[1].diagnoses);
    for (id, last) in [
        ("opponent-resigns", "327 x"),
        ("opponent-leaves", "392 x"),
        ("opponent-flags", "361 x"),
        ("own-flag", "202 x"),
    ] {
        assert_eq!(with(played, id, fails(last)), [vec![], vec![], vec!["D12"]], "{last}");
        assert_eq!(with(played, id, stays(last)), [vec![], vec![], vec!["D12"]], "{last}");
    }
    let always = |last: &str| exited(played(last), 1, "");
    assert_eq!(with(always, "draw", always("203 x")), [["D17"], ["D17"], ["D17"]]);
    assert_eq!(with(always, "opponent-leaves", always("391 x")), [["D17"], ["D17"], ["D17"]]);
    // A bot that never leaves on its own treats all endings alike.
    assert_eq!(
        with(
            |last| {
                let mut game = played(last);
                let process = game.process.as_mut().unwrap();
                (process.exit, process.left_after) = (None, None);
                game
            },
            "opponent-leaves",
            stays("391 x")
        ),
        [[""; 0], [""; 0], [""; 0]]
    );
}
