//! Visits every reachable state of a model, in the order of the number of steps to it.

use std::collections::{HashMap, VecDeque};
use std::fmt::{Debug, Write as _};
use std::hash::Hash;

/// A system whose states can be enumerated.
pub trait Model {
    /// A state of the whole system.
    type State: Clone + Debug + Eq + Hash;
    /// A step from one state to another.
    type Step: Clone + Debug + Eq + Hash;

    /// The state in which the system begins.
    fn initial(&self) -> Self::State;

    /// Adds every step that is possible in `state` to `steps`, with the state to which it leads. The order is always the
    /// same.
    fn steps(&self, state: &Self::State, steps: &mut Vec<(Self::Step, Self::State)>);

    /// The rule that `state` breaks, if it breaks one.
    fn broken_rule(&self, state: &Self::State) -> Option<String>;

    /// Whether the system has reached its goal.
    fn is_done(&self, state: &Self::State) -> bool;

    /// Whether `step`, which is possible in `state`, is a fault, or needs somebody's help. The goal must be reachable
    /// without such steps.
    fn is_fault(&self, state: &Self::State, step: &Self::Step) -> bool;
}

/// A step of a graph: from one state to another, as indices into the states.
#[derive(Clone, Debug)]
pub struct Edge<S> {
    /// The state before the step.
    pub from: usize,
    /// The step.
    pub step: S,
    /// The state after the step.
    pub to: usize,
}

/// All reachable states of a model, and all steps between them.
#[derive(Debug)]
pub struct Graph<M: Model> {
    /// The states, in the order of their distance from the first.
    pub states: Vec<M::State>,
    /// The steps, in the order of the states that they leave.
    pub edges: Vec<Edge<M::Step>>,
    /// For each state except the first, the edge by which it was first reached.
    reached_by: Vec<Option<usize>>,
}

/// What is wrong with a model.
#[derive(Debug)]
pub struct Flaw<M: Model> {
    /// The broken rule.
    pub rule: String,
    /// A shortest sequence of steps to a state that breaks the rule.
    pub trace: Vec<M::Step>,
    /// That state.
    pub state: M::State,
}

impl<M: Model> Flaw<M> {
    /// The rule and the trace, with one step in each line.
    pub fn text(&self) -> String {
        let mut text = format!("{}, after {} steps:\n", self.rule, self.trace.len());
        for step in &self.trace {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    {step:?}");
        }
        text
    }
}

/// The result of checking a model.
#[derive(Debug)]
pub enum Checked<M: Model> {
    /// No reachable state breaks a rule, and the goal can be reached from each.
    Sound(Graph<M>),
    /// A reachable state breaks a rule.
    Flawed(Box<Flaw<M>>),
    /// There are more states than the limit allows, and none of those visited breaks a rule.
    TooLarge,
}

/// Visits every reachable state of `model`, unless there are more than `most`.
pub fn check<M: Model>(model: &M, most: usize) -> Checked<M> {
    let initial = model.initial();
    let mut known = HashMap::from([(initial.clone(), 0)]);
    let mut graph = Graph::<M> { states: vec![initial], edges: Vec::new(), reached_by: vec![None] };
    let (mut next, mut steps) = (0, Vec::new());
    while next < graph.states.len() {
        if let Some(rule) = model.broken_rule(&graph.states[next]) {
            return Checked::Flawed(Box::new(graph.flaw(rule, next)));
        }
        model.steps(&graph.states[next], &mut steps);
        for (step, state) in steps.drain(..) {
            let to = *known.entry(state).or_insert_with_key(|state| {
                graph.states.push(state.clone());
                graph.reached_by.push(Some(graph.edges.len()));
                graph.states.len() - 1
            });
            graph.edges.push(Edge { from: next, step, to });
        }
        if graph.states.len() > most {
            return Checked::TooLarge;
        }
        next += 1;
    }
    match graph.stuck(model) {
        Some(state) => {
            Checked::Flawed(Box::new(graph.flaw("the goal cannot be reached without further faults".to_owned(), state)))
        }
        None => Checked::Sound(graph),
    }
}

impl<M: Model> Graph<M> {
    /// The first state from which the goal cannot be reached without faults, if there is one.
    fn stuck(&self, model: &M) -> Option<usize> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.states.len()];
        for Edge { from, step, to } in &self.edges {
            if !model.is_fault(&self.states[*from], step) {
                before[*to].push(u32::try_from(*from).unwrap_or(u32::MAX));
            }
        }
        let mut can_end: Vec<bool> = self.states.iter().map(|state| model.is_done(state)).collect();
        let mut ahead: Vec<usize> = (0..can_end.len()).filter(|&state| can_end[state]).collect();
        while let Some(state) = ahead.pop() {
            for &from in &before[state] {
                let from = from as usize;
                if !std::mem::replace(&mut can_end[from], true) {
                    ahead.push(from);
                }
            }
        }
        can_end.iter().position(|can_end| !can_end)
    }

    /// The edges of a shortest path from the first state to `state`.
    fn path(&self, mut state: usize) -> Vec<usize> {
        let mut path = Vec::new();
        while let Some(edge) = self.reached_by[state] {
            path.push(edge);
            state = self.edges[edge].from;
        }
        path.reverse();
        path
    }

    fn flaw(&self, rule: String, state: usize) -> Flaw<M> {
        let trace = self.path(state).into_iter().map(|edge| self.edges[edge].step.clone()).collect();
        Flaw { rule, trace, state: self.states[state].clone() }
    }

    /// Paths from the first state that together contain, for each class of steps that occurs, at least one step of that
    /// class. Each path is a list of edges. `class` returns the class of an edge, or `None` for edges of no interest.
    pub fn tour<C: Eq + Hash>(&self, class: impl Fn(&Self, &Edge<M::Step>) -> Option<C>) -> Vec<Vec<usize>> {
        let classes: Vec<Option<C>> = self.edges.iter().map(|edge| class(self, edge)).collect();
        let mut numbers: HashMap<&C, usize> = HashMap::new();
        let class_of: Vec<Option<usize>> = classes
            .iter()
            .map(|class| {
                let number = numbers.len();
                class.as_ref().map(|class| *numbers.entry(class).or_insert(number))
            })
            .collect();
        let mut is_open = vec![true; numbers.len()];
        let mut leaving: Vec<std::ops::Range<usize>> = vec![0..0; self.states.len()];
        for (number, edge) in self.edges.iter().enumerate() {
            let range = &mut leaving[edge.from];
            *range = if range.end == 0 { number..number + 1 } else { range.start..number + 1 };
        }
        let mut paths = Vec::new();
        for (number, class) in class_of.iter().enumerate() {
            let Some(class) = class.filter(|&class| is_open[class]) else { continue };
            let mut path = self.path(self.edges[number].from);
            path.push(number);
            is_open[class] = false;
            path.iter().filter_map(|&edge| class_of[edge]).for_each(|class| is_open[class] = false);
            self.extend(&mut path, &leaving, &class_of, &mut is_open);
            paths.push(path);
        }
        paths
    }

    /// Extends `path` as long as a class that is still open is a few steps away.
    fn extend(
        &self,
        path: &mut Vec<usize>,
        leaving: &[std::ops::Range<usize>],
        class_of: &[Option<usize>],
        is_open: &mut [bool],
    ) {
        /// How many states to look at before giving up.
        const MOST: usize = 200;

        while let Some(&last) = path.last() {
            let start = self.edges[last].to;
            let mut seen: HashMap<usize, Option<usize>> = HashMap::from([(start, None)]);
            let mut ahead = VecDeque::from([start]);
            let found = loop {
                let Some(state) = ahead.pop_front() else { break None };
                let open = leaving[state].clone().find(|&edge| class_of[edge].is_some_and(|class| is_open[class]));
                if open.is_some() || seen.len() > MOST {
                    break open;
                }
                for edge in leaving[state].clone() {
                    let to = self.edges[edge].to;
                    seen.entry(to).or_insert_with(|| {
                        ahead.push_back(to);
                        Some(edge)
                    });
                }
            };
            let Some(found) = found else { return };
            let mut more = vec![found];
            let mut state = self.edges[found].from;
            while let Some(Some(edge)) = seen.get(&state) {
                more.push(*edge);
                state = self.edges[*edge].from;
            }
            more.iter().filter_map(|&edge| class_of[edge]).for_each(|class| is_open[class] = false);
            path.extend(more.into_iter().rev());
        }
    }
}
