//! The texts of the page: its frames, its state and its document.

use std::time::Duration;

use qrcode::{Color, QrCode};
use serde::Serialize;

use super::boards::BoardChanges;
use super::{LiveState, Premise, Upcoming, finished, json};
use crate::base::sanitise::sanitised;
use crate::game::Ruleset;
use crate::page::shown::groups::{GroupContent, GroupPageData};
use crate::page::shown::layers::Layers;
use crate::page::shown::page_boards::PageBoards;
use crate::page::shown::{PageContent, PageData, PageKind, PageLabel, group_page, page, test_values};
use crate::results::report::{PageHeadline, group_page_headline, page_headline};
use crate::results::standings::FieldStandings;

impl LiveState {
    /// The changes since the last frame, as JSON; `None` if nothing has changed.
    pub(crate) fn frame(&mut self, at: Duration) -> Option<String> {
        self.news.moment |= self.moments.choose(at).is_some();
        let news = std::mem::take(&mut self.news);
        if !news.any && !news.moment {
            return None;
        }
        self.seq += 1;
        let BoardChanges { on, off, ended } = self.boards.take_changes(at);
        let standings = if news.standings {
            let seats =
                self.standings.seats().map(|seats| format!(r#","seatRows":{}"#, json(&seats))).unwrap_or_default();
            format!(
                r#","standings":{},"ratings":{}{seats}"#,
                json(&self.standings.players()),
                json(self.standings.history())
            )
        } else {
            String::new()
        };
        let figures = self.figures.as_ref().filter(|_| news.standings);
        let figures = figures.map(|figures| format!(r#","figures":{}"#, json(&test_values(figures))));
        let ending = self.ending().filter(|_| news.ending);
        let ending = ending.map(|ending| format!(r#","ending":{}"#, json(&ending)));
        let more = figures.into_iter().chain(ending).collect::<String>();
        let moment = if news.moment { format!(r#","moment":{}"#, json(&self.moments.chosen())) } else { String::new() };
        let next = self.premise.upcoming.as_mut().and_then(Upcoming::news);
        let next = next.map(|games| format!(r#","next":{}"#, json(&games))).unwrap_or_default();
        let judged = self.values.take_new();
        let judged = if judged.is_empty() { String::new() } else { format!(r#","judged":{}"#, json(&judged)) };
        Some(format!(
            r#"{{"seq":{},"on":{},"off":{},"ended":{},"done":[{}],"log":{},"progress":{}{standings}{more}{moment}{next}{judged}}}"#,
            self.seq,
            json(&on),
            json(&off),
            json(&ended),
            self.finished.take_new(),
            json(&self.log.take_new()),
            json(&self.progress(at)),
        ))
    }

    /// The page with the standings as of the last fit. Except for the games, it is complete without a script.
    pub(crate) fn document(&self) -> String {
        let Premise { title, date, table, total, is_most, .. } = &self.premise;
        let label = PageLabel {
            title: title.clone(),
            name: title.clone(),
            date: date.clone(),
            ruleset: table.ruleset,
            so_far: !self.is_complete(),
            total: *total,
            is_most: *is_most,
            logs: None,
            delay: self.serving.delay,
        };
        let standings = match self.standings.standings() {
            Some(FieldStandings::Pairs(standings)) => standings,
            Some(FieldStandings::Groups(standings)) => {
                let data = GroupPageData::new(label, standings, &[]);
                let is_anonymous = self.premise.roster.is_anonymous();
                let content = GroupContent { data: &data, standings, games: &[], is_private: false, is_anonymous };
                return group_page(PageKind::Live, &content);
            }
            None => return String::new(),
        };
        let mut data = PageData::new(label, standings, &[]);
        data.over = self.standings.history_of(&data.players);
        let content = PageContent {
            data: &data,
            standings,
            games: &[],
            puzzles: &[],
            figures: self.figures.as_ref(),
            analyzed: None,
            is_private: false,
            is_anonymous: self.premise.roster.is_anonymous(),
        };
        page(PageKind::Live, &content)
    }

    /// The whole state, as JSON.
    pub(crate) fn snapshot(&self, at: Duration) -> String {
        let next = self.premise.upcoming.as_ref().map(|upcoming| json(upcoming.next()));
        let next = next.unwrap_or_else(|| "[]".to_owned());
        let Premise { title, date, table, total, address, .. } = &self.premise;
        let seats = self.standings.seats();
        let seats = seats.map(|rows| format!(r#""seats":{},"seatRows":{},"#, rows.len(), json(&rows)));
        let seats = seats.unwrap_or_default();
        let page = format!(
            r#"{{"v":1,"title":{},"name":{},"date":{},"ruleset":{},{}"clocks":{},"soFar":{},"total":{},"players":{},{seats}"terms":{},"over":{},"games":[{}]}}"#,
            json(title),
            json(title),
            json(date),
            json(&table.ruleset.to_string()),
            boards_text(table.ruleset),
            json(&table.shown_clocks()),
            !self.is_complete(),
            json(total),
            json(&self.standings.players()),
            json(&finished::words()),
            json(self.standings.history()),
            self.finished.entries(),
        );
        format!(
            r#"{{"page":{page},"seq":{},"now":{},"ended":{},"next":{next},"log":{},"progress":{},"figures":{},"ending":{},"moment":{},"address":{},"qr":{},"delay_s":{},"answers":{},"over":{}}}"#,
            self.seq,
            json(&self.boards.all(at)),
            json(&self.boards.resting()),
            json(self.log.lines()),
            json(&self.progress(at)),
            json(&self.figures.as_ref().map(test_values)),
            json(&self.ending()),
            json(&self.moments.chosen()),
            json(address),
            json(&address.as_deref().and_then(qr_rows)),
            whole_seconds(self.serving.delay),
            self.serving.answers,
            self.is_over,
        )
    }
}

/// How a run has ended, as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct EndingObject {
    /// Whether all games have been played.
    complete: bool,
    /// Sentences about the end, and about who won.
    text: String,
}

impl LiveState {
    /// Whether the run has ended with all of its games.
    fn is_complete(&self) -> bool {
        let run = self.standings.standings().map(FieldStandings::run);
        self.is_over && run.is_some_and(|run| run.missing.unplayed() == 0)
    }

    /// How the run has ended, and what it has shown; `None` while games may follow. The leader of a run that was
    /// interrupted has not won it.
    fn ending(&self) -> Option<EndingObject> {
        if !self.is_over {
            return None;
        }
        let details = self.headline().map(|headline| headline.details).unwrap_or_default();
        let texts = std::iter::once(self.ending_sentences()).chain(details).collect::<Vec<_>>();
        Some(EndingObject { complete: self.is_complete(), text: sanitised(&texts.join(" ")) })
    }

    /// The line of the log about the end of the run; `None` if no game has ended.
    pub(super) fn ending_news(&self) -> Option<String> {
        (self.finished.count() > 0).then(|| sanitised(&self.ending_sentences()))
    }

    /// That the run has ended, and who won or who is ahead.
    fn ending_sentences(&self) -> String {
        let end = if self.is_complete() { "The run is over." } else { "The run has ended early." };
        self.headline().map_or_else(|| end.to_owned(), |headline| format!("{end} {}", headline.sentence))
    }

    /// The headline of the standings as of the last fit; `None` before the first game has ended.
    fn headline(&self) -> Option<PageHeadline> {
        let headline = match self.standings.standings()? {
            FieldStandings::Pairs(standings) => page_headline(standings),
            FieldStandings::Groups(standings) => group_page_headline(standings),
        };
        headline.filter(|_| self.finished.count() > 0)
    }
}

/// The members of a page's JSON that describe its boards, with a trailing comma.
fn boards_text(ruleset: Ruleset) -> String {
    let size = Layers::of(ruleset).size();
    // The braces are stripped, so that the members can be put into another object.
    let more = PageBoards::of(ruleset).map(|boards| json(&boards));
    let more = more.as_deref().map(|text| text.trim_matches(['{', '}']).to_owned() + ",");
    format!("\"size\":{size},{}", more.unwrap_or_default())
}

/// `delay` in seconds, rounded up.
fn whole_seconds(delay: Duration) -> u64 {
    delay.as_secs() + u64::from(delay.subsec_nanos() > 0)
}

/// The rows of the QR code of `text`, with `1` for dark modules and `0` for light ones; `None` if the text is too long
/// for a QR code.
fn qr_rows(text: &str) -> Option<Vec<String>> {
    let code = QrCode::new(text).ok()?;
    let row = |colours: &[Color]| colours.iter().map(|colour| colour.select('1', '0')).collect();
    Some(code.to_colors().chunks(code.width()).map(row).collect())
}
