//! Comparisons of the results with those of the program under test.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use super::board::{Board, members};
use super::index::{LANE_BITS, from_bytes};
use super::layers::Layer;

/// Marks a colouring that is not a position.
const ILLEGAL: i8 = i8::MIN;

/// The heading of a table of counts, up to the last column that is compared.
const HEADING: &str = "| stones | positions | won | drawn | lost |";

/// The numbers of positions with `stones` stones from the table in Markdown that has this heading, as they are in
/// [`Layer::line`].
pub(crate) fn counts(text: &str, stones: usize) -> Result<String, String> {
    let cells = |row: &str| -> Vec<String> { row.split('|').map(|cell| cell.trim().replace(',', "")).collect() };
    let rows = text.lines().skip_while(|line| !line.starts_with(HEADING)).take_while(|line| line.starts_with('|'));
    let row = rows.map(cells).find(|row| row[1] == stones.to_string());
    let row = row.ok_or_else(|| format!("there are no counts for layer {stones}"))?;
    let counts = cells(HEADING).into_iter().zip(row).skip(2).take(4);
    Ok(counts.fold(String::new(), |text, (name, number)| text + &format!("{name} {number} ")))
}

/// Compares every entry of a layer with the margin in `dir`, and returns the number of entries.
///
/// In the file with the margins, a block for each class of sets of empty points has a byte for each colouring. The
/// lowest image represents its class; blocks and points ascend; and a bit is set for a stone of the side to move.
///
/// # Errors
/// Fails at the first difference, or if a file cannot be read.
pub(crate) fn entries(board: &Board, layer: &Layer, dir: &Path) -> io::Result<u64> {
    let (stones, mut entries) = (layer.stones, 0);
    let mut file = File::open(dir.join(format!("{0}x{0}-{stones}.margins", board.size)))?;
    let (mut margins, mut bytes, last) = (vec![0; 1 << stones], Vec::new(), (1_usize << stones) - 1);
    for empty in board.classes(board.points() - stones) {
        file.read_exact(&mut margins)?;
        let points: Vec<usize> = members(board.all() & !empty).collect();
        let (image, symmetry) = board.lowest(board.all() & !empty);
        layer.read_set(image, &mut bytes)?;
        let results: Vec<[u64; 2]> = from_bytes(&bytes).collect();
        let bits: Vec<usize> = board.numbers(symmetry, image, &points).into_iter().map(|bit| 1 << bit).collect();
        let (low, high) = bits.split_at(stones / 2);
        let (low_sums, high_sums) = (sums(low), sums(high));
        for (entry, margin) in margins.iter().map(|byte: &u8| byte.cast_signed()).enumerate() {
            let mine = low_sums[entry & (low_sums.len() - 1)] + high_sums[entry >> low.len()];
            // A bit is set for a black stone, and white is to move if the number of stones is odd.
            let index = if stones % 2 == 0 { mine } else { last - mine };
            let lane = index % (1 << LANE_BITS);
            let [at_least_draws, at_most_draws] = results[index >> LANE_BITS].map(|lanes| lanes >> lane & 1 != 0);
            let is_position = margin != ILLEGAL;
            if [at_least_draws, at_most_draws] != [is_position && margin >= 0, is_position && margin <= 0] {
                return Err(io::Error::other(format!(
                    "empty points {empty:#x}, entry {entry}: the margin {margin} is wrong"
                )));
            }
        }
        entries += margins.len() as u64;
    }
    if file.read(&mut [0])? == 0 { Ok(entries) } else { Err(io::Error::other("the file of the margins is too long")) }
}

/// The sums of all subsets of `bits`.
fn sums(bits: &[usize]) -> Vec<usize> {
    let mut table = vec![0];
    for bit in bits {
        let with: Vec<usize> = table.iter().map(|sum| sum + bit).collect();
        table.extend(with);
    }
    table
}
