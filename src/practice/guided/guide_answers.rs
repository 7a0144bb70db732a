//! Findings about a position, which arrive while the game goes on.

use std::task::Poll;

use crate::game::Move;
use crate::practice::findings::MoveFinding;
use crate::practice::hints::BoardInquiry;

/// The findings so far in answer to a question.
#[derive(Debug)]
pub(super) struct GuideAnswers {
    /// The question, while there may be more answers.
    inquiry: Option<BoardInquiry>,
    pub(super) found: Vec<MoveFinding>,
}

impl GuideAnswers {
    pub(super) const fn is_open(&self) -> bool {
        self.inquiry.is_some()
    }

    pub(super) const fn to(inquiry: BoardInquiry) -> Self {
        Self { inquiry: Some(inquiry), found: Vec::new() }
    }

    /// Processes the findings that have arrived. Returns whether anything has changed.
    pub(super) fn collect(&mut self) -> bool {
        let mut has_news = false;
        while let Some(inquiry) = &self.inquiry {
            match inquiry.next_now() {
                Poll::Pending => break,
                Poll::Ready(Some(finding)) => self.found.push(finding),
                Poll::Ready(None) => self.inquiry = None,
            }
            has_news = true;
        }
        has_news
    }
}

/// The findings so far about what a move gave away.
#[derive(Debug)]
pub(crate) struct LossShown {
    /// The index of the ply.
    pub(super) ply: usize,
    pub(super) played: Move,
    pub(super) answers: GuideAnswers,
}

impl LossShown {
    /// The index of the ply.
    pub(crate) const fn ply(&self) -> usize {
        self.ply
    }

    /// Whether more may be found.
    pub(crate) const fn is_open(&self) -> bool {
        self.answers.is_open()
    }

    /// The move.
    pub(crate) const fn played(&self) -> Move {
        self.played
    }

    /// The findings so far.
    pub(crate) fn found(&self) -> &[MoveFinding] {
        &self.answers.found
    }
}
