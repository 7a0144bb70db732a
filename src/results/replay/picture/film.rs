//! The animation of a whole game.

use std::fmt::Write as _;

use super::{MARGIN, PicturedGame};

/// The minimum and maximum time for which a ply is shown, in milliseconds. All plies together take at most about
/// [`WHOLE`], unless that would need less than the minimum.
const PACE: (u64, u64) = (150, 700);
/// The time for all plies of a long game, in milliseconds.
const WHOLE: u64 = 90_000;
/// How long the last position is shown before the game begins again, in milliseconds.
const REST: u64 = 3_000;
/// How long the movement of a stone takes, in milliseconds.
const MOVE: u64 = 150;
/// The maximum number of stones that turn over one by one when they change sides. In games with more such stones, which
/// would slow browsers down, these stones fade instead.
const TURNING: usize = 1_000;

/// The times of an animation, in milliseconds.
struct Timing {
    pace: u64,
    moving: u64,
    whole: u64,
}

impl Timing {
    fn of(plies: usize) -> Self {
        let plies = plies as u64;
        let pace = (WHOLE / plies.max(1)).clamp(PACE.0, PACE.1);
        Self { pace, moving: MOVE.min(pace / 2), whole: pace * (plies + 1) + REST }
    }

    /// `time` as a percentage of the whole, with at most three decimals.
    fn percent(&self, time: u64) -> f64 {
        f64::from(u32::try_from(time * 100_000 / self.whole).unwrap_or(u32::MAX)) / 1000.0
    }

    /// The time at which the ply with this number is made.
    fn at(&self, ply: usize) -> u64 {
        self.pace * ply as u64
    }

    /// The delay of an animation that begins with this ply: it is negative in the style sheet, so that the animation is
    /// already running.
    fn delay(&self, ply: usize) -> u64 {
        self.whole - self.at(ply)
    }
}

impl PicturedGame {
    /// The whole game as an animation.
    pub fn film(&self) -> String {
        let timing = Timing::of(self.plies());
        let changes: Vec<Vec<usize>> = self.positions.windows(2).map(|pair| changed(&pair[0], &pair[1])).collect();
        let turned = changes.iter().zip(self.positions.windows(2));
        let turned = turned.map(|(fields, pair)| fields.iter().filter(|field| is_turned(pair, **field)).count());
        let turns = turned.sum::<usize>() <= TURNING;
        let mut svg = self.opening(&format!("<style>\n{}</style>\n", self.style(&timing)));
        svg += &self.stones(&self.positions[0]);
        for (index, (fields, pair)) in changes.iter().zip(self.positions.windows(2)).enumerate() {
            let _ = write!(svg, "<g id=\"p{}\" class=\"p\">", index + 1);
            for &field in fields {
                svg += &self.change(field, pair, &self.plies[index].placed, turns);
            }
            svg += "</g>\n";
        }
        for ply in 0..=self.plies() {
            let class = if ply == self.plies() { "z" } else { "l" };
            let _ = write!(svg, "<g id=\"l{ply}\" class=\"{class}\">{}</g>", self.told(ply).trim_end());
            svg.push('\n');
        }
        let (width, height) = self.size();
        let _ = writeln!(
            svg,
            "<rect id=\"g\" x=\"{MARGIN}\" y=\"{}\" width=\"{}\" height=\"3\" fill=\"#0b5f9e\"/>",
            height - 12,
            width - 2 * MARGIN
        );
        svg + "</svg>\n"
    }

    /// The change of `field` from the first position of `pair` to the second. A stone that was placed moves, and so
    /// does a stone that changes sides if `turns`.
    fn change(&self, field: usize, pair: &[Vec<char>], placed: &[usize], turns: bool) -> String {
        let (number, board) = self.board_of(field);
        let after = pair[1][field];
        if after == '.' {
            return board.emptied(number, field);
        }
        let class = if placed.contains(&field) {
            " class=\"n\""
        } else if turns && is_turned(pair, field) {
            " class=\"f\""
        } else {
            ""
        };
        // The earlier stone would be visible behind a stone that turns, and always behind a stone of a different shape.
        let empty = if pair[0][field] == '.' { String::new() } else { board.emptied(number, field) };
        empty + &self.stone(field, after, class)
    }

    fn style(&self, timing: &Timing) -> String {
        let Timing { pace, moving, whole } = timing;
        let share = |time: u64| timing.percent(time);
        let (plies, moved, shown) = (self.plies(), share(*moving), share(*pace));
        let mut css = format!(
            ".p,.n,.f,#g{{animation:{whole}ms linear infinite}}\n\
             .n,.f{{transform-box:fill-box;transform-origin:center;animation-delay:var(--t)}}\n\
             .n{{animation-name:n}}\n.f{{animation-name:f}}\n\
             .l{{opacity:0;animation:l {whole}ms step-end infinite}}\n\
             .z{{animation:z {whole}ms step-end infinite}}\n\
             #g{{animation-name:g;transform-box:fill-box;transform-origin:0 0}}\n\
             @keyframes n{{0%{{transform:scale(1.3)}}{moved}%,to{{transform:none}}}}\n\
             @keyframes f{{0%{{transform:scaleX(0)}}{moved}%,to{{transform:none}}}}\n\
             @keyframes l{{0%{{opacity:1}}{shown}%,to{{opacity:0}}}}\n\
             @keyframes z{{0%{{opacity:0}}{}%,to{{opacity:1}}}}\n\
             @keyframes g{{0%{{transform:scaleX(0)}}{0}%,to{{transform:none}}}}\n",
            share(timing.at(plies))
        );
        for ply in 1..=plies {
            let (at, delay) = (timing.at(ply), timing.delay(ply));
            let _ = writeln!(css, "#p{ply}{{animation-name:p{ply};--t:-{delay}ms}}");
            let (from, to) = (share(at), share(at + moving));
            let _ = writeln!(css, "@keyframes p{ply}{{0%,{from}%{{opacity:0}}{to}%,to{{opacity:1}}}}");
            if ply < plies {
                let _ = writeln!(css, "#l{ply}{{animation-delay:-{delay}ms}}");
            }
        }
        css + "@media (prefers-reduced-motion:reduce){*{animation:none!important}}\n"
    }
}

/// The fields that differ between two positions.
fn changed(before: &[char], after: &[char]) -> Vec<usize> {
    let fields = before.iter().zip(after).enumerate();
    fields.filter(|(_, (before, after))| before != after).map(|(field, _)| field).collect()
}

/// Whether the stone on `field` changes sides from the first position of `pair` to the second.
fn is_turned(pair: &[Vec<char>], field: usize) -> bool {
    pair.iter().all(|position| position[field] != '.') && pair[0][field] != pair[1][field]
}
