//! The information about the game that the server sends to clients. The page's script does not know the rules: the
//! server tells it what is on each field, and which fields can be chosen.

use serde::Serialize;

use crate::base::sanitise::sanitised;
use crate::game::{Move, Side};
use crate::page::shown::game_code::coded_ply;
use crate::page::shown::layers::{Layers, PageMode, mode_at, page_modes};
use crate::page::shown::page_boards::PageBoards;
use crate::practice::advice_text::{brief, hint_lines, loss_text, value_at};
use crate::practice::findings::MoveFinding;
use crate::practice::guided::{GuidedGame, LossShown};
use crate::practice::session::Session;
use crate::referee::record::verdict;

/// The numbers by which clients identify the states of a game.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct TableNumbers {
    /// Increases with every change that clients can see.
    pub(super) seq: u64,
    /// Increases with every change to the position.
    pub(super) turn: u64,
    /// Whether the game has been left.
    pub(super) left: bool,
}

/// A game as clients see it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BoardTold<'g> {
    #[serde(flatten)]
    numbers: TableNumbers,
    ruleset: String,
    /// The boards, unless the only one is the 5x5 board.
    #[serde(flatten)]
    boards: Option<PageBoards>,
    /// The names of black and of white.
    players: [String; 2],
    /// Whether black and white are people at this board.
    persons: [bool; 2],
    /// The letters of all fields.
    letters: String,
    /// The number of the mode.
    mode: usize,
    /// The changes of the last ply.
    last: Option<String>,
    /// The plies so far, with the letters of their sides, and how many were made before the session began.
    moves: Vec<(char, &'g str)>,
    given: usize,
    /// The letter of the side to move, unless the game is over.
    to_move: Option<char>,
    /// Whether the opponent is choosing its move.
    thinking: bool,
    result: Option<String>,
    /// The refusal by the opponent's referee, if there is one; otherwise empty.
    refused: &'g str,
    /// The seconds that black and white have left; `None` without clocks.
    seconds: Option<[u64; 2]>,
    /// The fields with which a legal move begins, and whether a pass is legal.
    legal: Vec<usize>,
    pass: bool,
    /// Whether hints are wanted, and the hints for this position.
    hinting: bool,
    hint: Option<HintTold>,
    why: Option<WhyTold>,
}

/// The values of moves.
#[derive(Debug, Serialize)]
struct HintTold {
    lines: Vec<String>,
    /// The fields whose moves have known values.
    fields: Vec<FieldHint>,
    /// Whether more may be found.
    more: bool,
}

/// The value of the move on a field.
#[derive(Debug, Serialize)]
struct FieldHint {
    at: usize,
    brief: String,
    value: String,
    /// 1 if the side to move wins, -1 if it loses, 0 in a draw.
    score: i32,
}

/// What a move gave away.
#[derive(Debug, Serialize)]
struct WhyTold {
    /// The index of the ply.
    ply: usize,
    lines: Vec<String>,
    mistake: bool,
    more: bool,
}

impl<'g> BoardTold<'g> {
    /// Returns the state of `game` for a message with these `numbers`.
    pub(super) fn of(game: &'g GuidedGame, numbers: TableNumbers, refused: &'g str) -> Self {
        let session = game.session();
        let (position, ruleset) = (session.game().position(), session.game().ruleset());
        let fields = NamedFields::of(session);
        let end = session.end();
        let legal = if end.is_none() { position.legal_moves() } else { Vec::new() };
        let firsts =
            legal.iter().filter(|played| !played.is_pass()).filter_map(|played| fields.first_of(played.as_str()));
        Self {
            numbers,
            ruleset: ruleset.to_string(),
            boards: PageBoards::of(ruleset),
            players: Side::BOTH.map(|side| sanitised(&session.players()[side])),
            persons: Side::BOTH.map(|side| game.seating().is_person(side)),
            letters: fields.layers.letters(position).into_iter().map(char::from).collect(),
            mode: fields.mode,
            last: last_ply(session),
            moves: session.plies().iter().map(|ply| (ply.side().letter(), ply.played.as_str())).collect(),
            given: session.given(),
            to_move: end.is_none().then(|| position.to_move().letter()),
            thinking: game.is_waiting(),
            result: end.map(|end| verdict(&end)),
            refused,
            seconds: game.seconds(),
            legal: unique(firsts),
            pass: legal.last().is_some_and(Move::is_pass),
            hinting: game.has_hints(),
            hint: (game.has_hints() && game.is_own_turn()).then(|| hints(game, &fields)),
            why: game.loss().map(WhyTold::of),
        }
    }
}

impl WhyTold {
    fn of(loss: &LossShown) -> Self {
        let is_mistake = |finding: &MoveFinding| match finding {
            MoveFinding::Judged(judged) => judged.comment().is_some(),
            _ => false,
        };
        Self {
            ply: loss.ply(),
            lines: loss_text(loss.played(), loss.found()).lines().map(str::to_owned).collect(),
            mistake: loss
                .found()
                .iter()
                .rev()
                .find(|found| matches!(found, MoveFinding::Judged(_)))
                .is_some_and(is_mistake),
            more: loss.is_open(),
        }
    }
}

/// Finds fields by name on the board on which moves are made now.
struct NamedFields {
    layers: Layers,
    mode: usize,
    /// The number of that board.
    layer: usize,
}

impl NamedFields {
    fn of(session: &Session) -> Self {
        let ruleset = session.game().ruleset();
        let modes = page_modes(ruleset);
        let mode = mode_now(session, &modes);
        Self { layers: Layers::of(ruleset), mode, layer: modes.get(mode).map_or(0, |mode| mode.1) }
    }

    /// The number of the first field that `text` names.
    fn first_of(&self, text: &str) -> Option<usize> {
        self.layers.field(self.layer, text.split(['-', '+']).next()?)
    }
}

/// The number of the current mode or, after the end of the game, of its last mode.
fn mode_now(session: &Session, modes: &[PageMode]) -> usize {
    let played = (0..session.plies().len()).map(|index| session.around(index).0);
    played.chain([session.game()]).fold(0, |mode, game| mode_at(modes, mode, game.position()))
}

/// The fields that can come next in a move that begins with the text `begun`.
pub(super) fn fields_after(session: &Session, begun: &str) -> Vec<usize> {
    let fields = NamedFields::of(session);
    let legal = session.game().position().legal_moves();
    let rest = legal.iter().filter_map(|played| played.as_str().strip_prefix(begun)?.strip_prefix(['-', '+']));
    unique(rest.filter_map(|rest| fields.first_of(rest)))
}

/// `fields` in order, without duplicates.
fn unique(fields: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut all: Vec<usize> = fields.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The changes of the last ply.
fn last_ply(session: &Session) -> Option<String> {
    let (before, ply, after) = session.around(session.plies().len().checked_sub(1)?);
    coded_ply(before.ruleset(), before.position(), ply.played, after.position()).ok()
}

/// The known values of the moves in the current position.
fn hints(game: &GuidedGame, fields: &NamedFields) -> HintTold {
    let position = game.session().game().position();
    let (legal, side) = (position.legal_moves(), position.to_move());
    let lines = hint_lines(&legal, side, game.hints());
    let valued = legal.iter().filter_map(|played| {
        let value = value_at(game.hints(), played.as_str())?;
        let at = if played.as_str().contains(['-', '+']) { None } else { fields.first_of(played.as_str()) }?;
        let score = side.score(value.outcome.winner);
        Some(FieldHint { at, brief: brief(value, side), value: value.to_string(), score })
    });
    let lines = lines.iter().map(|line| line.trim_end().to_owned()).collect();
    HintTold { lines, fields: valued.collect(), more: game.is_searching() }
}
