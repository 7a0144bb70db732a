//! Counts and comparisons over several games.

use super::whole_game::PLAYS;
use super::{Finding, Judgement, worst};
use crate::drill::script::BoutFacts;
use crate::referee::usage::Usage;

const MEBIBYTE: u64 = 1 << 20;

/// Requires that none of many moves is refused. The summary contains the count.
pub(in crate::drill::script) fn refuses_none_of_many(games: &[BoutFacts]) -> Judgement {
    let refused: usize = games.iter().map(|game| game.true_refusals().count()).sum();
    let made: usize = games.iter().map(|game| game.own_plies().count()).sum();
    let count = format!("{} of {} moves refused", grouped(refused), grouped(made + refused));
    let judgement = worst(games, &PLAYS);
    match judgement.finding {
        Finding::Good => Judgement { summary: count, ..judgement },
        Finding::Bad | Finding::TooLong if refused > 0 => {
            Judgement { summary: format!("{count}. {}", judgement.summary), ..judgement }
        }
        _ => {
            let game = judgement.decisive + 1;
            Judgement { summary: format!("Game {game} of {}: {}", games.len(), judgement.summary), ..judgement }
        }
    }
}

/// `number` with commas between groups of three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Reports whether the bot played the same moves in both games, and which resources it used, without judging the bot.
pub(in crate::drill::script) fn compares(games: &[BoutFacts]) -> Judgement {
    let judgement = worst(games, &PLAYS);
    if judgement.finding != Finding::Good {
        return Judgement { finding: Finding::Told, failure: None, ..judgement };
    }
    let slowest = games.iter().map(|game| game.slowest).max().unwrap_or_default().as_secs_f64();
    let usages = || games.iter().filter_map(|game| game.process.as_ref()?.usage.as_ref());
    let cpu = usages().map(Usage::cpu).max();
    let memory = usages().map(|usage| usage.peak_memory.div_ceil(MEBIBYTE)).max();
    let used = cpu.zip(memory).map_or(String::new(), |(cpu, memory)| {
        format!("; a game took {:.2} s of CPU time and {memory} MiB of memory at most", cpu.as_secs_f64())
    });
    let summary = format!("{} Its slowest move took {slowest:.3} s{used}.", likeness(games));
    Judgement { finding: Finding::Told, failure: None, summary, decisive: 0 }
}

fn likeness(games: &[BoutFacts]) -> String {
    let [first, second, ..] = games else { return String::new() };
    let moves = |game: &BoutFacts| game.plies.iter().map(|ply| ply.played).collect::<Vec<_>>();
    let (first, second) = (moves(first), moves(second));
    if first == second {
        return "Two games with the same seed were identical.".to_owned();
    }
    let same = first.iter().zip(&second).take_while(|(one, other)| one == other).count();
    format!("Two games with the same seed differ from ply {} on.", same + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_comma_before_each_group_of_three_digits() {
        let texts = [0, 999, 1_062, 1_000_000].map(grouped);
        assert_eq!(texts, ["0", "999", "1,062", "1,000,000"]);
    }
}
