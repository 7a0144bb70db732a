//! Causes in a bot's model of the board: D04 to D07 and D20. Only games of Gothello reveal them.

mod decisions;
pub(super) mod evidence;
mod pass_back;
mod wrong_boards;

use self::decisions::{BoardDecision, DecidedMove};
use self::evidence::{BoardFault, clean, is_forced_by};
use self::wrong_boards::Belief;
use super::inquiry::{Subject, finding};
use super::language::Language;
use crate::base::units::grouped;
use crate::drill::readiness::{Cause, Diagnosis};
use crate::drill::script::TrialFailure;
use crate::game::gothello::{Points, points};

/// The causes in the bot's model of the board.
pub(super) fn find(subject: &Subject<'_>) -> Vec<Diagnosis> {
    let evidence = &subject.inquiry.board;
    let fault = match evidence.fault {
        Some(BoardFault::Captures(belief)) => no_captures(subject, belief),
        Some(BoardFault::CapturesFirst) => suicide_order(subject),
        Some(BoardFault::Turned(belief)) => flipped(subject, belief),
        Some(BoardFault::TriesPoints { occupied }) => tries_points(subject, occupied),
        None => None,
    };
    fault.into_iter().chain(pass_back::find(subject)).collect()
}

/// The refused move that made the trial fail: the first refused move in the decisive game. `None` if another line was
/// refused before it, for example because the arena refused it on purpose.
fn refused<'a>(subject: &'a Subject<'_>) -> Option<&'a BoardDecision> {
    let mut refused = in_game(subject).filter(|decision| matches!(decision.decided, DecidedMove::Refused(_)));
    refused.next().filter(|decision| decision.is_clean && subject.is_by_refusal())
}

/// The decisions in the decisive game.
fn in_game<'a>(subject: &'a Subject<'_>) -> impl Iterator<Item = &'a BoardDecision> {
    subject.inquiry.board.within(subject.index).filter(|decision| decision.bout == subject.trial.decisive)
}

/// D04: the bot does not turn captured stones.
fn no_captures(subject: &Subject<'_>, belief: Belief) -> Option<Diagnosis> {
    let is_shown_by = |decision: &&BoardDecision| decision.is_clean && is_forced_by(decision, belief);
    // A bot that takes stones off its board passes by choice.
    let is_passed_over = subject.failure == TrialFailure::PassedOver && belief != Belief::Removes;
    let pass = in_game(subject).find(is_shown_by).filter(|_| is_passed_over);
    let decision = pass.or_else(|| refused(subject))?;
    let fact = match belief {
        Belief::OwnTurn => "turns over only the groups that it captures itself, not those that its opponent captures",
        Belief::TheirsTurn => {
            "turns over only the groups that its opponent captures, not those that it captures itself"
        }
        Belief::FirstGroup | Belief::LastGroup => "turns over only one group when a move captures several",
        Belief::TouchedStones => "turns over only the stones next to the move, not the whole captured group",
        Belief::Removes => "takes captured stones off the board, as in Go",
        _ => "does not turn over captured groups",
    };
    let text = match pass {
        Some(pass) => format!(
            "On its own board, your bot {fact}: it passed at ply {} although it could have played {}. Once captured groups have changed colour, these moves are legal.",
            pass.ply + 1,
            list(pass.legal)
        ),
        None => format!(
            "On its own board, your bot {fact}, so it played {}, which is illegal. A captured group changes its colour and stays on the board.",
            refused_word(decision)
        ),
    };
    let fix = "After each move by either side, look at every enemy group next to the new stone; if the group has no liberty left, turn over all its stones.";
    let fix = format!("{fix} {}", worked_out(subject.inquiry.code.language));
    let place = definition(subject, &["captur", "flip", "turn_", "flood", "place", "make_move", "makemove", "apply"]);
    Some(finding(Cause::NoCaptures, text, fix).showing(decision.evidence()).at(place))
}

/// D05: the bot captures before it looks for a liberty.
fn suicide_order(subject: &Subject<'_>) -> Option<Diagnosis> {
    let decision = refused(subject)?;
    let text = format!(
        "Your bot played {}, where its stone would have no liberty before any stones are captured. Unlike Go, Gothello checks for a liberty first and captures only afterwards.",
        refused_word(decision)
    );
    let fix = format!(
        "When you check whether a move is legal, look for a liberty of the new stone's own group on the board as it is, before anything is captured. {}",
        worked_out(subject.inquiry.code.language)
    );
    let place = definition(subject, &["legal", "suicid", "valid", "libert"]);
    Some(finding(Cause::SuicideOrder, text, fix).showing(decision.evidence()).at(place))
}

/// D06: the bot's board is upside down, mirrored or rotated.
fn flipped(subject: &Subject<'_>, belief: Belief) -> Option<Diagnosis> {
    let decision = refused(subject)?;
    let (how, rule) = belief.turned_words();
    let number = clean(&subject.inquiry.board.decisions)
        .filter(|decision| matches!(decision.decided, DecidedMove::Refused(_)))
        .count();
    let text = format!(
        "Your bot's board {how}: each of its {number} refused moves, such as {}, is legal on such a board. {rule}",
        refused_word(decision)
    );
    let form = match subject.inquiry.code.language {
        Language::Python => "`file = \"abcde\".index(move[0])` and `rank = \"12345\".index(move[1])`",
        Language::Java => "`int file = move.charAt(0) - 'a', rank = move.charAt(1) - '1';`",
        Language::C | Language::Cpp => "`int file = move[0] - 'a', rank = move[1] - '1';`",
        Language::Rust => "`let (file, rank) = (text[0] - b'a', text[1] - b'1');`",
        Language::JavaScript => "`const file = 'abcde'.indexOf(move[0]), rank = '12345'.indexOf(move[1])`",
        Language::Other => {
            "the letter is the file, a to e from the left, and the digit is the rank, 1 to 5 from the bottom"
        }
    };
    let fix = format!(
        "Use one function to read points and one to write them, with the same convention: {form}. Test for all 25 points that reading a point and writing it again returns the same text."
    );
    let words = [
        "charAt(1)",
        "ord(",
        "- '1'",
        "-'1'",
        "- '0'",
        "[1]) -",
        "[1])-",
        "charCodeAt(",
        "b'1'",
        "\"12345\"",
        "'12345'",
    ];
    let place = subject.inquiry.code.find_any(&words);
    Some(finding(Cause::FlippedBoard, text, fix).showing(decision.evidence()).at(place))
}

/// D20: the bot tries points without knowing which are legal.
fn tries_points(subject: &Subject<'_>, occupied: bool) -> Option<Diagnosis> {
    let decision = refused(subject)?;
    let board = &subject.inquiry.board;
    let number = board.decisions.iter().filter(|decision| matches!(decision.decided, DecidedMove::Refused(_))).count();
    let number = grouped(number as u64);
    let lacks = if occupied { "points that are occupied or" } else { "points" };
    let text = format!(
        "Your bot tries {lacks} where a stone has no liberty: {number} of its moves, such as {}, were refused, about as many as for a bot that does not know which moves are legal. Each refused move costs time, and in a tournament too many of them end the game (`illegal_tries`).",
        refused_word(decision)
    );
    let fix = format!(
        "Choose only among the legal moves: an empty point is legal if, with the new stone on it and nothing captured, the stone's group still has an empty point next to it. After `291`, it is still your turn: choose another move, and pass only if no move is legal. {}",
        worked_out(subject.inquiry.code.language)
    );
    let place = definition(subject, &["legal", "valid", "moves", "choose", "pick", "random", "best"]);
    Some(finding(Cause::TriesPoints, text, fix).showing(decision.evidence()).at(place))
}

/// Where to find a correct implementation of the rules.
const fn worked_out(language: Language) -> &'static str {
    match language {
        Language::Python => "`gothello-arena init bot python` writes a bot with correct rules and tests.",
        Language::Java => "`gothello-arena init bot java` writes a bot with correct rules and tests.",
        Language::C => "`gothello-arena init bot c` writes a bot with correct rules and tests.",
        Language::Cpp => "`gothello-arena init bot cpp` writes a bot with correct rules and tests.",
        Language::Rust => "`gothello-arena init bot rust` writes a bot with correct rules and tests.",
        Language::JavaScript => "`gothello-arena init bot javascript` writes a bot with correct rules and tests.",
        Language::Other => {
            "`gothello-arena init bot` writes a bot with correct rules and tests in any of six languages."
        }
    }
}

/// Returns the line that defines a function whose name contains one of `words`.
fn definition<'a>(subject: &Subject<'a>, words: &[&str]) -> Option<super::source_lines::CodeLine<'a>> {
    const KEYWORDS: [&str; 9] =
        ["def ", "fn ", "function ", "bool ", "boolean ", "void ", "static ", "int ", "public "];
    words.iter().find_map(|word| {
        subject.inquiry.code.find(|line| {
            let line = line.trim_start();
            let head = line.split('(').next().unwrap_or_default();
            line.contains('(')
                && KEYWORDS.iter().any(|keyword| head.contains(keyword))
                && head.to_lowercase().contains(word)
        })
    })
}

/// The move of a refused decision, in back-quotes.
fn refused_word(decision: &BoardDecision) -> String {
    match decision.decided {
        DecidedMove::Refused(point) | DecidedMove::Placed(point) => list(point),
        DecidedMove::Pass => "`pass`".to_owned(),
    }
}

/// The points in `set`, for a sentence: `` `c3` or `d4` ``.
fn list(set: Points) -> String {
    const MOST: usize = 3;
    let names: Vec<String> = points(set).map(|point| format!("`{point}`")).collect();
    match names.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [.., _] if names.len() > MOST => format!("{} and {} more", names[..MOST].join(", "), names.len() - MOST),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests;
