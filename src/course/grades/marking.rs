//! The marks of one student, based on what is known about the bot.
//!
//! | room | contents |
//! | --- | --- |
//! | `accuracy_mark` | the mark for accuracy |
//! | `legality_mark` | the mark for legal moves |

mod accuracy_mark;
mod legality_mark;

use super::mark::{FigureUnit, ItemMark, MarkEvidence, MarkFigure, MarkState};
use super::score_sample::{ScoreSample, games_wanted};
use super::{GradedGame, KeptDrill, KeptTrial, StudentGrade, forfeited};
use crate::base::units::counted;
use crate::course::rubric::{Baseline, Doubt, ItemRule, PointScale, Rubric, RubricItem, ScoreRule};
use crate::drill::script::{Level, Scenario};
use crate::game::Side;
use crate::referee::result::Termination;
use crate::results::standings::{GameSummary, duplicates};
use crate::tournament::schedule::KnownEnding;
use crate::tournament::sprt::PlayedPair;

/// The evidence about one student's bot.
#[derive(Clone, Debug)]
pub struct StudentEvidence {
    /// The player's name.
    pub player: String,
    /// The player's slug.
    pub slug: String,
    /// The drill.
    pub drill: KeptDrill,
    /// The games against the baselines, in any order. Grading detects repetitions.
    pub games: Vec<GradedGame>,
}

/// The grade of a student. Games beyond those that the rubric requires are left out.
pub fn grade(rubric: &Rubric, evidence: StudentEvidence) -> StudentGrade {
    let StudentEvidence { player, slug, drill, games } = evidence;
    let games = in_order(rubric, &games);
    let facts = MarkingFacts { rubric, drill: &drill, games: &games };
    let marks = rubric.items.iter().map(|item| facts.mark(item)).collect();
    StudentGrade { player, slug, marks, drill: Some(drill), games }
}

/// Groups `games`, which are all against one baseline, into pairs, in the order of the rounds. A pair that lacks a
/// result is `None`.
pub fn pairs_of<'g>(games: impl IntoIterator<Item = &'g GradedGame>) -> Vec<Option<PlayedPair>> {
    /// A game's known facts: the student's side and the ending, which is unknown for a void game.
    type KnownGame = (Side, Option<KnownEnding>);
    let mut rounds: Vec<[Option<KnownGame>; 2]> = Vec::new();
    for game in games {
        let Some(round) = game.round() else { continue };
        if rounds.len() < round {
            rounds.resize(round, [None; 2]);
        }
        // A bot that plays only one side plays both games of a round on that side.
        let own = usize::from(game.side == Side::White);
        let place = if rounds[round - 1][own].is_some() { 1 - own } else { own };
        rounds[round - 1][place] = Some((game.side, KnownEnding::of_pair(&game.record)));
    }
    let ended = |game: Option<KnownGame>| game.and_then(|(side, ending)| Some((side, ending?)));
    rounds.into_iter().map(|[one, other]| Some(KnownEnding::pair_on([ended(one)?, ended(other)?]))).collect()
}

/// The games that count, by baseline, in the order of the schedule, with repetitions marked.
fn in_order(rubric: &Rubric, games: &[GradedGame]) -> Vec<GradedGame> {
    let mut ordered: Vec<GradedGame> = Vec::with_capacity(games.len());
    for baseline in rubric.baselines() {
        let name = baseline.to_string();
        let mut own: Vec<GradedGame> = games.iter().filter(|game| game.baseline == name).cloned().collect();
        let wanted = games_wanted(rubric, baseline, &pairs_of(&own)) as usize;
        own.retain(|game| game.round().is_some_and(|round| round <= wanted / 2));
        own.sort_by(|one, other| (one.round(), &one.id).cmp(&(other.round(), &other.id)));
        ordered.extend(own);
    }
    let summaries: Vec<GameSummary> = ordered.iter().map(summary).collect();
    let repeats = duplicates(summaries.iter().map(GameSummary::view));
    let ids: Vec<String> = ordered.iter().map(|game| game.id.clone()).collect();
    for (game, first) in ordered.iter_mut().zip(repeats) {
        game.is_first = game.round().is_some_and(|round| round <= rubric.play.games as usize / 2);
        game.repeats = first.map(|first| ids[first].clone());
    }
    ordered
}

/// The summary of a game under its id in the gradebook.
fn summary(game: &GradedGame) -> GameSummary {
    GameSummary { game: game.id.clone(), ..GameSummary::from(&game.record) }
}

/// The value that counts under `rule`: an end of the interval, or the mean. Returns `None` if there are no pairs. With
/// too few pairs, there is no benefit of the doubt.
pub(super) fn counted_end(rule: &ScoreRule, sample: &ScoreSample) -> Option<f64> {
    let [low, high] = sample.interval(rule.confidence)?;
    match rule.doubt {
        _ if sample.is_small() => sample.mean(),
        Doubt::Student => Some(high),
        Doubt::Nobody => sample.mean(),
        Doubt::Teacher => Some(low),
    }
}

/// The facts that determine the marks.
struct MarkingFacts<'a> {
    rubric: &'a Rubric,
    drill: &'a KeptDrill,
    games: &'a [GradedGame],
}

/// The numbers of a bot's lines that were accepted and refused.
#[derive(Clone, Copy, Default)]
struct LineCounts {
    accepted: u64,
    refused: u64,
}

impl MarkingFacts<'_> {
    fn mark(&self, item: &RubricItem) -> ItemMark {
        let mark = self.mark_of_all(item);
        let share = self.rubric.one_side;
        match (self.drill.definition.facts.get("sides"), mark.points) {
            (Some(side), Some(points)) if share < 1.0 && item.rule != ItemRule::Manual => {
                let sentence = format!(
                    "{} The bot plays only {side}, so it gets {:.0}% of these points.",
                    mark.sentence,
                    100.0 * share
                );
                ItemMark { points: Some(points.part(share, self.rubric.rounding)), sentence, ..mark }
            }
            _ => mark,
        }
    }

    /// The mark for `item`, before the reduction for a bot that plays only one side.
    fn mark_of_all(&self, item: &RubricItem) -> ItemMark {
        match &item.rule {
            ItemRule::Check { level, all } => self.check(item, *level, *all),
            ItemRule::Legality(rule) => self.legality(item, *rule),
            ItemRule::Forfeits { scale, kinds } => self.forfeits(item, *scale, kinds),
            ItemRule::Score(rule) => self.score(item, rule),
            ItemRule::Accuracy(rule) => self.accuracy(item, rule),
            ItemRule::Manual => without_points(MarkState::Manual, "The teacher gives these points.".to_owned()),
        }
    }

    /// A mark whose figure is certain.
    fn settled(&self, item: &RubricItem, share: f64, figure: MarkFigure, sentence: String) -> ItemMark {
        let points = Some(item.points.part(share, self.rubric.rounding));
        ItemMark {
            points,
            figure: Some(figure),
            state: MarkState::Settled,
            sentence,
            evidence: MarkEvidence::default(),
        }
    }

    fn check(&self, item: &RubricItem, level: Level, all: bool) -> ItemMark {
        let trials: Vec<&KeptTrial> = self.drill.trials.iter().filter(|trial| self.counts(trial, level)).collect();
        let evidence =
            MarkEvidence { trials: trials.iter().map(|trial| trial.name()).collect(), ..MarkEvidence::default() };
        if self.drill.broken.is_some() {
            let sentence = "The bot could not be started, so it passed no check.".to_owned();
            return self.settled(item, 0.0, plain(0.0, FigureUnit::Share), sentence);
        }
        if trials.is_empty() || trials.iter().any(|trial| trial.void) {
            let sentence = "A check is void through no fault of the bot; grade the bot again.".to_owned();
            return ItemMark { evidence, ..without_points(MarkState::Incomplete, sentence) };
        }
        let passed = trials.iter().filter(|trial| trial.is_passed()).count();
        let share = FigureUnit::Share.rounded(ratio(passed as u64, trials.len() as u64));
        let whom = if level == Level::Must { "every bot must pass" } else { "a bot should pass" };
        let needed = if all { "; all of them are needed" } else { "" };
        let sentence = format!("Passed {passed} of {} that {whom}{needed}.", counted(trials.len() as u64, "check"));
        let worth = if all && passed < trials.len() { 0.0 } else { share };
        ItemMark { evidence, ..self.settled(item, worth, plain(share, FigureUnit::Share), sentence) }
    }

    /// Whether `trial` counts for an item about `level`. A scenario that is not possible under the rules was skipped
    /// for every bot.
    fn counts(&self, trial: &KeptTrial, level: Level) -> bool {
        let fits = |scenario: &Scenario| scenario.rules.include(self.drill.ruleset);
        trial.level == level && Scenario::find(&trial.id).is_none_or(fits)
    }

    fn forfeits(&self, item: &RubricItem, scale: PointScale, kinds: &[Termination]) -> ItemMark {
        let games: Vec<&GradedGame> = self.first_games().collect();
        if self.lacks_first_games() {
            return ItemMark {
                evidence: MarkEvidence { games: ids(&games), ..MarkEvidence::default() },
                ..missing_games()
            };
        }
        let counts = |game: &&GradedGame| game.is_first && game.forfeit().is_some_and(|kind| kinds.contains(&kind));
        let (forfeited, others): (Vec<&GradedGame>, Vec<&GradedGame>) = forfeited(self.games).partition(counts);
        let evidence = MarkEvidence { games: ids(&forfeited), ..MarkEvidence::default() };
        #[expect(clippy::cast_precision_loss, reason = "a few thousand at most")]
        let number = forfeited.len() as f64;
        let figure = plain(number, FigureUnit::Games);
        if games.iter().all(|game| own_lines(game).accepted == 0) {
            let sentence = format!("The bot made no move in any of its {} games.", games.len());
            return ItemMark { evidence, ..self.settled(item, 0.0, figure, sentence) };
        }
        let sentence = format!("Forfeited {} of {} games{}.", forfeited.len(), games.len(), by_kind(&forfeited));
        let sentence = match others.len() {
            0 => sentence,
            1 => format!("{sentence} 1 more forfeit does not count{}.", by_kind(&others)),
            more => format!("{sentence} {more} more forfeits do not count{}.", by_kind(&others)),
        };
        ItemMark { evidence, ..self.settled(item, scale.share(number), figure, sentence) }
    }

    fn score(&self, item: &RubricItem, rule: &ScoreRule) -> ItemMark {
        let name = rule.against.to_string();
        let games: Vec<&GradedGame> = self.games.iter().filter(|game| game.baseline == name).collect();
        let distinct = games.iter().filter(|game| game.repeats.is_none()).count();
        let evidence = MarkEvidence { games: ids(&games), trials: Vec::new(), distinct: Some(distinct) };
        let pairs = pairs_of(games.iter().copied());
        let sample = ScoreSample::of(pairs.iter().flatten());
        if self.lacks_games(&rule.against, &pairs) {
            return ItemMark { evidence, ..missing_games() };
        }
        let (Some(mean), Some(interval), Some(counted_at)) =
            (sample.mean(), sample.interval(rule.confidence), counted_end(rule, &sample))
        else {
            return ItemMark { evidence, ..missing_games() };
        };
        let unit = FigureUnit::Share;
        let [mean, counted_at] = [mean, counted_at].map(|figure| unit.rounded(figure));
        let interval = Some(interval.map(|end| unit.rounded(end)));
        let figure = MarkFigure { value: mean, interval, counted: counted_at, unit };
        if games.iter().all(|game| own_lines(game).accepted == 0) {
            let sentence = format!("The bot made no move in any of its {} games against {name}.", games.len());
            return ItemMark { evidence, ..self.settled(item, 0.0, MarkFigure { counted: mean, ..figure }, sentence) };
        }
        let is_undecided = sample.is_undecided(rule, item.points, self.rubric.rounding);
        let percent = |share: f64| format!("{:.1}%", 100.0 * share);
        let [shown, counts] = [mean, counted_at].map(percent);
        let different = if distinct < games.len() { format!(", {distinct} of them different") } else { String::new() };
        let counting = match rule.doubt {
            _ if shown == counts => shown,
            Doubt::Teacher => format!("{shown}, but only {counts} is certain, so only that counts"),
            _ => format!("{shown}, and with the benefit of the doubt, {counts} counts"),
        };
        let sentence =
            format!("Scored {} of {} games against {name}{different}: {counting}.", score_of(&games), games.len());
        let points = Some(item.points.part(rule.scale.share(counted_at), self.rubric.rounding));
        let state = if is_undecided { MarkState::Borderline } else { MarkState::Settled };
        ItemMark { points, figure: Some(figure), state, sentence, evidence }
    }

    /// The games that every student plays.
    fn first_games(&self) -> impl Iterator<Item = &GradedGame> {
        self.games.iter().filter(|game| game.is_first)
    }

    /// Whether one of the games that every student plays is void or missing, or the drill is void.
    fn lacks_first_games(&self) -> bool {
        let wanted = self.rubric.baselines().len() * self.rubric.play.games as usize;
        self.drill.void.is_some() || self.first_games().filter(|game| game.result().is_some()).count() < wanted
    }

    /// Whether a game against `baseline` is void or missing, given the pairs of games against it.
    fn lacks_games(&self, baseline: &Baseline, pairs: &[Option<PlayedPair>]) -> bool {
        let wanted = games_wanted(self.rubric, baseline, pairs) as usize / 2;
        pairs.len() < wanted || pairs.iter().take(wanted).any(Option::is_none)
    }
}

fn without_points(state: MarkState, sentence: String) -> ItemMark {
    ItemMark { points: None, figure: None, state, sentence, evidence: MarkEvidence::default() }
}

fn missing_games() -> ItemMark {
    let sentence = "Games are void or missing through no fault of the bot; grade the bot again.".to_owned();
    without_points(MarkState::Incomplete, sentence)
}

/// A figure without an interval.
const fn plain(value: f64, unit: FigureUnit) -> MarkFigure {
    MarkFigure { value, interval: None, counted: value, unit }
}

fn ids(games: &[&GradedGame]) -> Vec<String> {
    games.iter().map(|game| game.id.clone()).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of games and moves")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

/// The student's lines in `game`, not counting the plies of the opening.
fn own_lines(game: &GradedGame) -> LineCounts {
    let record = &game.record;
    let own = || record.plies.iter().skip(record.opening_plies).filter(|ply| ply.side() == game.side);
    let unfinished = record.unfinished.iter().filter(|turn| turn.side() == game.side).map(|turn| &turn.tries);
    let tries = own().map(|ply| &ply.tries).chain(unfinished);
    let refused = tries.map(|tries| tries.shown.len() as u64 + u64::from(tries.more)).sum();
    LineCounts { accepted: own().count() as u64, refused }
}

/// The student's points in `games`, each worth one point: `12.5`.
fn score_of(games: &[&GradedGame]) -> String {
    let halves: u64 = games
        .iter()
        .map(|game| match (game.result(), game.winner()) {
            (Some(_), Some(winner)) => 2 * u64::from(winner == game.side),
            (Some(result), None) => u64::from(result.termination() != Termination::DoubleForfeit),
            (None, _) => 0,
        })
        .sum();
    if halves.is_multiple_of(2) { (halves / 2).to_string() } else { format!("{}.5", halves / 2) }
}

/// The kinds of forfeits with their counts: `: 3 time, 1 crash`.
fn by_kind(forfeited: &[&GradedGame]) -> String {
    let count = |kind: Termination| forfeited.iter().filter(|game| game.forfeit() == Some(kind)).count();
    let kinds = Termination::ALL.into_iter().map(|kind| (kind, count(kind))).filter(|&(_, count)| count > 0);
    let kinds: Vec<String> = kinds.map(|(kind, count)| format!("{count} {kind}")).collect();
    if kinds.is_empty() { String::new() } else { format!(": {}", kinds.join(", ")) }
}

#[cfg(test)]
mod tests;
