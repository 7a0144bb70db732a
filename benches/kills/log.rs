//! The log of campaigns: a CSV file with one line for each. A run of the bench continues the log of an earlier run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::harness::kills::Tally;

const HEADER: &str = "campaign,format,victim,kills,games,lost,twice,void,end,seconds\n";

/// One line of the log.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) campaign: u64,
    format: String,
    victim: String,
    /// Kills, games, games lost, games played twice, and void games.
    figures: [u64; 5],
    /// `same` if the tables, the games and all checks were as without kills, otherwise `different`; or `failed` if the
    /// campaign did not come to its end.
    end: String,
    seconds: String,
}

impl Line {
    /// The line of a campaign that took `time`; without a tally, it failed.
    pub(crate) fn new(campaign: u64, [format, victim]: [&str; 2], tally: Option<&Tally>, time: Duration) -> Self {
        let (figures, end) = match tally {
            Some(tally) => {
                let counts = [tally.games, tally.lost, tally.twice, tally.void].map(|count| count as u64);
                let [games, lost, twice, void] = counts;
                let end = if tally.differences.is_empty() { "same" } else { "different" };
                ([tally.kills, games, lost, twice, void], end)
            }
            None => ([0; 5], "failed"),
        };
        let seconds = format!("{:.1}", time.as_secs_f64());
        Self { campaign, format: format.to_owned(), victim: victim.to_owned(), figures, end: end.to_owned(), seconds }
    }

    fn parsed(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split(',').collect();
        let [campaign, format, victim, kills, games, lost, twice, void, end, seconds] = fields[..] else { return None };
        let mut figures = [0; 5];
        for (figure, text) in figures.iter_mut().zip([kills, games, lost, twice, void]) {
            *figure = text.parse().ok()?;
        }
        let [format, victim, end, seconds] = [format, victim, end, seconds].map(ToOwned::to_owned);
        Some(Self { campaign: campaign.parse().ok()?, format, victim, figures, end, seconds })
    }

    pub(crate) const fn kills(&self) -> u64 {
        self.figures[0]
    }

    /// Whether no game was lost or played twice, and the end was the same.
    fn is_clean(&self) -> bool {
        self.figures[2..4] == [0, 0] && self.end == "same"
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [kills, games, lost, twice, void] = self.figures;
        let Self { campaign, format, victim, end, seconds, .. } = self;
        write!(f, "{campaign},{format},{victim},{kills},{games},{lost},{twice},{void},{end},{seconds}")
    }
}

/// The directory for the files of a campaign that does not end as it should, next to the log `log`.
pub(crate) fn directory(log: &Path, campaign: u64) -> PathBuf {
    format!("{}.campaign-{campaign}", log.display()).into()
}

/// The log, and its file if it has one.
pub(crate) struct Log {
    file: Option<File>,
    pub(crate) lines: Vec<Line>,
}

impl Log {
    /// Opens the log in `path`, or starts one. A torn last line is removed.
    pub(crate) fn open(path: Option<&Path>) -> Self {
        let Some(path) = path else { return Self { file: None, lines: Vec::new() } };
        let text = fs::read_to_string(path).unwrap_or_default();
        let end = text.rfind('\n').map_or(0, |at| at + 1);
        let mut file = OpenOptions::new().create(true).append(true).open(path).expect("the log can be written");
        file.set_len(end as u64).expect("the log can be written");
        if end == 0 {
            file.write_all(HEADER.as_bytes()).expect("the log can be written");
        }
        let lines = text[..end].lines().skip(1).map(|line| {
            Line::parsed(line).unwrap_or_else(|| panic!("{}: `{line}` is not a line of this log", path.display()))
        });
        let lines = lines.collect();
        Self { file: Some(file), lines }
    }

    pub(crate) fn add(&mut self, line: Line) {
        if let Some(file) = &mut self.file {
            // A single write keeps the line whole if the bench is killed.
            file.write_all(format!("{line}\n").as_bytes()).expect("the log can be written");
        }
        self.lines.push(line);
    }

    pub(crate) fn kills(&self) -> u64 {
        self.lines.iter().map(Line::kills).sum()
    }

    /// The campaigns in the log.
    pub(crate) fn campaigns(&self) -> BTreeSet<u64> {
        self.lines.iter().map(|line| line.campaign).collect()
    }

    /// Whether every campaign ended as it should.
    pub(crate) fn is_clean(&self) -> bool {
        self.lines.iter().all(Line::is_clean)
    }

    /// The sums of the figures, by victim and by format.
    pub(crate) fn sums(&self) -> String {
        let mut text = format!(
            "{:<12} {:>9} {:>6} {:>6} {:>4} {:>5} {:>5} {:>9}\n",
            "", "campaigns", "kills", "games", "lost", "twice", "void", "not same"
        );
        for key in [|line: &Line| line.victim.clone(), |line: &Line| line.format.clone(), |_: &Line| "all".to_owned()] {
            let mut sums: BTreeMap<String, [u64; 7]> = BTreeMap::new();
            for line in &self.lines {
                let sum = sums.entry(key(line)).or_default();
                let [kills, games, lost, twice, void] = line.figures;
                let figures = [1, kills, games, lost, twice, void, u64::from(line.end != "same")];
                sum.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
            }
            for (name, [campaigns, kills, games, lost, twice, void, others]) in sums {
                let _ = writeln!(
                    text,
                    "{name:<12} {campaigns:>9} {kills:>6} {games:>6} {lost:>4} {twice:>5} {void:>5} {others:>9}"
                );
            }
        }
        text
    }
}
