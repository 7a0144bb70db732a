//! Statistics of the points of a class.

use super::{Gradebook, StudentGrade};
use crate::base::digits::rounded;

/// The minimum number of students for statistics on a page for students: with fewer students, the statistics would
/// reveal the points of others.
pub const FEWEST: usize = 5;

/// The number of bars in the histogram.
pub const BARS: usize = 10;

/// The distribution of several students' points, with each figure rounded to a tenth of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointSpread {
    /// The number of students.
    pub count: usize,
    /// The mean.
    pub mean: f64,
    /// The lower quartile, the median and the upper quartile, interpolated between the two nearest students, as
    /// spreadsheets do (`QUARTILE.INC`).
    pub quartiles: [f64; 3],
    /// The lowest and the highest number of points.
    pub range: [f64; 2],
}

/// The statistics of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassStatistics {
    /// The totals of the students without an open mark; `None` if there are no such students.
    pub total: Option<PointSpread>,
    /// The points for each item of the rubric, in the rubric's order; `None` for an item without points.
    pub items: Vec<Option<PointSpread>>,
    /// The number of totals in each tenth of the rubric's total; the last number also includes totals above the
    /// rubric's total.
    pub histogram: [usize; BARS],
}

impl PointSpread {
    /// The spread of `points`; `None` if there are none.
    fn of(mut points: Vec<f64>) -> Option<Self> {
        points.sort_by(f64::total_cmp);
        let (&lowest, &highest) = (points.first()?, points.last()?);
        #[expect(clippy::cast_precision_loss, reason = "the students of a class")]
        let mean = points.iter().sum::<f64>() / points.len() as f64;
        let quartiles = [1, 2, 3].map(|quarter| rounded(quantile(&points, quarter), 1));
        let range = [lowest, highest].map(|end| rounded(end, 1));
        Some(Self { count: points.len(), mean: rounded(mean, 1), quartiles, range })
    }

    /// The median.
    pub const fn median(&self) -> f64 {
        self.quartiles[1]
    }
}

/// The value at `quarter` quarters of the way through `sorted`, which must not be empty.
fn quantile(sorted: &[f64], quarter: usize) -> f64 {
    let last = sorted.len() - 1;
    let (whole, rest) = (quarter * last / 4, quarter * last % 4);
    #[expect(clippy::cast_precision_loss, reason = "less than 4")]
    let part = rest as f64 / 4.0;
    let [low, high] = [whole, (whole + 1).min(last)].map(|at| sorted[at]);
    low + part * (high - low)
}

impl ClassStatistics {
    /// The statistics of the students in `book`.
    pub fn of(book: &Gradebook) -> Self {
        let complete = || book.students.iter().filter(|student| !student.is_incomplete());
        let totals: Vec<f64> = complete().map(|student| student.total().number()).collect();
        let of_item = |at: usize| {
            let points = |student: &StudentGrade| Some(student.marks.get(at)?.points?.number());
            PointSpread::of(book.students.iter().filter_map(points).collect())
        };
        let whole = book.rubric.total.number();
        let mut histogram = [0; BARS];
        for &total in totals.iter().filter(|_| whole > 0.0) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "points are not negative")]
            let bar = (total / whole * 10.0) as usize;
            histogram[bar.min(BARS - 1)] += 1;
        }
        Self { total: PointSpread::of(totals), items: (0..book.rubric.items.len()).map(of_item).collect(), histogram }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_those_of_spreadsheets() {
        let spread = |points: &[f64]| PointSpread::of(points.to_vec()).expect("points");
        let four = spread(&[4.0, 1.0, 3.0, 2.0]);
        assert_eq!((four.count, four.mean, four.range), (4, 2.5, [1.0, 4.0]));
        assert_eq!(Some(four.quartiles), Some([1.8, 2.5, 3.3]));
        assert_eq!(Some(spread(&[7.0]).quartiles), Some([7.0; 3]));
        assert_eq!(Some(spread(&[0.0, 10.0, 20.0, 30.0, 100.0]).quartiles), Some([10.0, 20.0, 30.0]));
        assert_eq!(Some(spread(&[1.0, 0.0, 0.0]).mean), Some(0.3));
        assert_eq!(PointSpread::of(Vec::new()), None);
    }
}
