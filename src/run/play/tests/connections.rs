//! Connections that end, and players that do not read.

use super::*;

#[tokio::test(start_paused = true)]
async fn complete_lines_before_the_connections_end_are_judged_first() {
    let (mut seats, mut black, mut white) = table(4096);
    let players = async {
        black.hear("352 ").await;
        black.say("1 pass\r").await;
        white.hear("315 ").await;
        white.say("1 ... pass").await;
        drop(white);
        black.hear("326 1 ... pass").await;
    };
    let (finished, ()) = tokio::join!(play(Terms::default(), &mut seats), players);
    assert_eq!(ending(finished), (Termination::Normal, None));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_connection_ends_the_game_whoever_is_on_move() {
    for gone in Side::BOTH {
        let (mut seats, mut black, mut white) = table(4096);
        let players = async {
            black.hear("352 ").await;
            white.hear("351 ").await;
            let left = match gone {
                Side::Black => {
                    drop(black);
                    &mut white
                }
                Side::White => {
                    drop(white);
                    &mut black
                }
            };
            left.hear(if gone == Side::Black { "391 Black disconnected" } else { "392 White disconnected" }).await;
        };
        let (finished, ()) = tokio::join!(play(Terms::default(), &mut seats), players);
        assert_eq!(ending(finished), (Termination::Disconnect, Some(gone)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_player_that_sends_its_moves_and_closes_its_sending_half_has_them_judged() {
    for moves in ["1 c3\r2 pass\r", "1 c3\r2 pass"] {
        let (mut seats, mut black, mut white) = table(4096);
        let players = async {
            black.say(moves).await;
            black.stream.shutdown().await.expect("shut down");
            white.hear("311 1 c3 ").await;
            white.say("1 ... d4\r").await;
            black.hear("312 1 ... d4 ").await;
            white.hear("315 2 pass ").await;
            // The answer to its last move ends the game, so the player does not owe another line.
            white.say("2 ... pass\r").await;
            black.hear("2 ... pass and ").await;
        };
        let (finished, ()) = tokio::join!(play(Terms::default(), &mut seats), players);
        assert_eq!(ending(finished), (Termination::Normal, None));
    }
}

#[tokio::test(start_paused = true)]
async fn a_player_that_never_reads_holds_up_nobody() {
    // The stream has a capacity of eight bytes; everything else sent to the player stays with the arena.
    let (mut seats, mut black, mut white) = table(8);
    let players = async {
        for number in 1..=3 {
            white.hear(&format!("317 {number} pass")).await;
            white.say(&format!("{number} ... {}\r", ["c3", "d4", "e5"][number - 1])).await;
        }
    };
    let writer = async {
        black.say("1 pass\r2 pass\r3 pass\r").await;
        black
    };
    let game = play(terms(60), &mut seats);
    let (finished, (), _black) = tokio::join!(game, players, writer);
    assert_eq!(finished.plies.len(), 6);
    assert_eq!(ending(finished), (Termination::Time, Some(Side::Black)));
}
