//! Links to the games that a mark is based on, in the reports beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::base::percent::{encoded, encoded_except};
use crate::course::grades::{GradedGame, StudentGrade};

/// The name of a run's report in the directory of the run.
const REPORT: &str = "report.html";

/// The addresses of games, by [`GradedGame::id`], relative to the directory of the grades.
#[derive(Clone, Debug, Default)]
pub struct GameLinks(BTreeMap<String, GameAddress>);

/// Where a game is.
#[derive(Clone, Debug)]
struct GameAddress {
    /// The address of the report.
    report: String,
    /// The game's id in the report.
    game: String,
}

impl GameLinks {
    /// The games of `students` whose run has a report. `is_there` says whether a file in the directory of the grades
    /// exists.
    pub fn of(students: &[StudentGrade], is_there: impl Fn(&Path) -> bool) -> Self {
        let mut known: BTreeMap<&Path, bool> = BTreeMap::new();
        let mut links = BTreeMap::new();
        for game in students.iter().flat_map(|student| &student.games) {
            // The logs of a run are in a folder of its directory.
            let Some(run) = game.log.parent().and_then(Path::parent).filter(|run| run.is_relative()) else { continue };
            if *known.entry(run).or_insert_with(|| is_there(&run.join(REPORT)))
                && let Some(address) = address(run, game)
            {
                links.insert(game.id.clone(), address);
            }
        }
        Self(links)
    }

    /// The same links for pages in a folder of the directory of the grades.
    #[must_use]
    pub(crate) fn in_folder(&self) -> Self {
        let above = |address: &GameAddress| GameAddress { report: format!("../{}", address.report), ..address.clone() };
        Self(self.0.iter().map(|(id, address)| (id.clone(), above(address))).collect())
    }

    /// The address of the game `id` after `ply` plies.
    pub(crate) fn game(&self, id: &str, ply: usize) -> Option<String> {
        self.0.get(id).map(|GameAddress { report, game }| format!("{report}#g={game}&p={ply}"))
    }

    /// The address of the games `ids`: of the game if there is one, or of the list of games in the report that contains
    /// all of them.
    pub(crate) fn games<'i>(&self, ids: impl IntoIterator<Item = &'i str>) -> Option<String> {
        let ids: Vec<&str> = ids.into_iter().collect();
        if let [id] = ids[..] {
            return self.game(id, 0);
        }
        let reports: Option<BTreeSet<&str>> =
            ids.iter().map(|id| self.0.get(*id).map(|address| address.report.as_str())).collect();
        match Vec::from_iter(reports?)[..] {
            [report] => Some(format!("{report}#t=games")),
            _ => None,
        }
    }
}

/// The address of `game` in the report in `run`; `None` if the address cannot be written.
fn address(run: &Path, game: &GradedGame) -> Option<GameAddress> {
    let report = run.join(REPORT);
    Some(GameAddress { report: encoded_except(report.to_str()?, b"-_./"), game: encoded(game.record.game.as_deref()?) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::handout::gradebooks_for_tests::student;

    #[test]
    fn games_link_to_the_reports_of_their_runs_if_there_are_any() {
        let mut ada = student("Ada", "");
        for game in &mut ada.games {
            game.log = format!("run/{}/games/{}.log", game.id.rsplit_once('/').expect("a run").0, "r1").into();
        }
        let links = GameLinks::of(&[ada.clone()], |file| file == Path::new("run/ada/greedy/report.html"));
        let game = "run/ada/greedy/report.html#g=r1-ada-greedy";
        assert_eq!(links.game("ada/greedy/r1-ada-greedy", 3), Some(format!("{game}&p=3")));
        assert_eq!(links.game("ada/alphabeta 2/r1-ada-alphabeta_2", 3), None, "its run has no report");
        let [first, third] = ["ada/greedy/r1-ada-greedy", "ada/greedy/r3-ada-greedy"];
        assert_eq!(links.games([first]), Some(format!("{game}&p=0")));
        assert_eq!(links.games([first, third]).as_deref(), Some("run/ada/greedy/report.html#t=games"));
        assert_eq!(links.games([first, "ada/alphabeta 2/r1-ada-alphabeta_2"]), None);
        assert_eq!(links.games([]), None);
        assert_eq!(links.in_folder().game(first, 1), Some(format!("../{game}&p=1")));

        let all = GameLinks::of(&[ada], |_| true);
        let spaced = all.game("ada/alphabeta 2/r1-ada-alphabeta_2", 0).expect("a link");
        assert!(spaced.starts_with("run/ada/alphabeta%202/report.html#"), "{spaced}");
        assert_eq!(all.games([first, "ada/alphabeta 2/r1-ada-alphabeta_2"]), None, "in two reports");
        let outside = GameLinks::of(&[student("Ada", "")], |_| true);
        assert_eq!(outside.game(first, 0), None, "a log elsewhere");
    }
}
