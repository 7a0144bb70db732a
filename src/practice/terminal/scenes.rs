//! The contents of a game's screen.

use super::ScreenGame;
use super::view::{BoardScene, TextTone};
use crate::base::sanitise::sanitised;
use crate::practice::advice_text::{hint_lines, loss_text};
use crate::practice::board_game::BoardGame;
use crate::practice::seating::BoardSeating;
use crate::practice::shown_board::ShownBoard;
use crate::referee::record::verdict;
use crate::results::replay::arrivals;

/// What the keys do.
pub(super) const HELP: &str = "arrows and Enter, or a typed move, play; Space joins fields: b1-a1; l shows the better line after \
                               v; capitals (H) work on every board; hints: +n by the margin, W won, L lost, = draw";

/// What the keys do while a game goes on, briefly. The first key has no effect against an opponent behind a referee.
const KEYS: [(char, &str); 6] =
    [('u', "undo"), ('h', "hint"), ('v', "why"), ('r', "resign"), ('q', "quit"), ('?', "help")];

/// What the keys do once a game is over, briefly. The first key has no effect against an opponent behind a referee.
const END_KEYS: [(char, &str); 4] = [('u', "undo"), ('v', "why"), ('q', "quit"), ('?', "help")];

/// What the keys do while a better line is shown.
const LINE_KEYS: &str = "Space or right: next move  left: back  l or Esc: return to the game";

/// The line that explains `keys` beside `board`. A key whose letter names a file of the board is a capital.
fn keys_line(keys: &[(char, &str)], board: &ShownBoard) -> String {
    let shown = keys.iter().map(|&(key, meaning)| format!("{} {meaning}", key_on(board, key)));
    shown.collect::<Vec<_>>().join("  ")
}

/// The key for `letter`, which is a capital if the letter names a file of `board`.
pub(super) fn key_on(board: &ShownBoard, letter: char) -> char {
    if board.has_letter(letter) { letter.to_ascii_uppercase() } else { letter }
}

/// The scene of `game`: the board with the text around it, or the better line that is being shown.
pub(super) fn scene(game: &ScreenGame) -> BoardScene<'_> {
    game.line_scene().unwrap_or_else(|| game.board_scene())
}

impl ScreenGame {
    fn board_scene(&self) -> BoardScene<'_> {
        let session = self.game.session();
        let (board, position) = (self.game.board(), session.game().position());
        let last = session.plies().last().map(|ply| ply.played);
        let is_distant = matches!(self.game.seating(), BoardSeating::Distant(..));
        let keys: &[(char, &str)] = match session.end() {
            None if is_distant => &KEYS[1..],
            None => &KEYS,
            Some(_) if is_distant => &END_KEYS[1..],
            Some(_) => &END_KEYS,
        };
        // In the games on two boards, the last move is named in the text, but not marked on the board.
        let is_marked = !matches!(session.game(), BoardGame::Quantum(_));
        BoardScene {
            heading: self.heading(),
            keys: keys_line(keys, &board),
            side: position.to_move(),
            legal: if self.game.is_own_turn() { position.legal_moves() } else { Vec::new() },
            hints: self.game.hints(),
            cursor: Some(self.input.cursor),
            marked: last.filter(|_| is_marked).map_or_else(Vec::new, |last| arrivals(last, board.ranks())),
            texts: self.texts(),
            board,
        }
    }

    /// The scene of the better line, while it is shown.
    fn line_scene(&self) -> Option<BoardScene<'_>> {
        let (better, moves) = self.better.as_ref()?;
        let game = better.game(*moves);
        let board = ShownBoard::of(game.position(), game.ruleset());
        let last = better.last(*moves).map(|(played, _)| played);
        Some(BoardScene {
            heading: self.heading(),
            keys: LINE_KEYS.to_owned(),
            side: game.position().to_move(),
            legal: Vec::new(),
            hints: &[],
            cursor: None,
            marked: last.map_or_else(Vec::new, |last| arrivals(last, board.ranks())),
            texts: vec![(better.heading(*moves), TextTone::Strong)],
            board,
        })
    }

    fn heading(&self) -> String {
        let session = self.game.session();
        let ruleset = session.game().ruleset();
        match self.game.seating().person() {
            Some(person) => {
                let opponent = sanitised(&session.players()[person.opponent()]);
                format!("{ruleset}: you are {person}, against {opponent}")
            }
            None => format!("{ruleset}: you play both sides"),
        }
    }

    /// Whose turn it is, the clocks, the last move, the message, and the requested information.
    fn texts(&self) -> Vec<(String, TextTone)> {
        let plain = |text: String| (text, TextTone::Plain);
        let (game, session) = (&self.game, self.game.session());
        let mut texts = Vec::new();
        match session.end() {
            Some(end) => {
                texts.push((sanitised(&verdict(&end)), TextTone::Strong));
                let result = session.result();
                texts.extend(result.and_then(|result| result.reason().map(|reason| plain(sanitised(reason)))));
                if let BoardSeating::Distant(_, opponent) = game.seating() {
                    texts.extend(opponent.last_words().map(|words| plain(format!("the opponent's stderr: {words}"))));
                }
            }
            None if game.is_waiting() => texts.push(plain(format!("{} thinks", session.to_move()))),
            None => texts.push(plain(format!("{} to move", session.to_move()))),
        }
        texts.extend(game.clocks_text().map(plain));
        if let Some(last) = session.plies().last() {
            texts.push(plain(format!("last: {} by {}", last.played, last.side())));
        }
        if !self.input.typed.is_empty() {
            texts.push(plain(format!("> {}", self.input.typed)));
        }
        if !self.message.is_empty() {
            texts.push((self.message.clone(), TextTone::Notice));
        }
        if let Some(loss) = game.loss() {
            texts.extend(loss_text(loss.played(), loss.found()).lines().map(|line| plain(line.to_owned())));
        }
        if game.has_hints() && game.is_own_turn() {
            let position = session.game().position();
            let lines = hint_lines(&position.legal_moves(), position.to_move(), game.hints());
            texts.extend(lines.into_iter().map(|line| plain(line.trim_end().to_owned())));
        }
        texts
    }
}
