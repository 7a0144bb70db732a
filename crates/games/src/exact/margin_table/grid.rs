//! Square boards of three sizes, with the table's numbering of their points.

use std::fmt;

/// A set of points. The bit of a point is `rank * size + file`, both counted from zero, so a1 is bit 0.
pub type PointSet = u32;

/// The maximum number of points on a board.
pub const MOST_POINTS: usize = 25;

/// The number of symmetries of a square.
pub const SYMMETRIES: usize = 8;

/// How many bits of a set of points one lookup maps.
const CHUNK: usize = 9;
const CHUNKS: usize = 3;

/// A board of `size` by `size` points, with its symmetries.
#[derive(Clone)]
pub struct BoardGrid {
    size: u8,
    neighbours: [PointSet; MOST_POINTS],
    /// For each symmetry, the image of each point.
    images: [[u8; MOST_POINTS]; SYMMETRIES],
    /// For each symmetry and each chunk of bits, the image of each set of points in that chunk.
    sets: Vec<[[PointSet; 1 << CHUNK]; CHUNKS]>,
}

impl fmt::Debug for BoardGrid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoardGrid").field("size", &self.size).finish_non_exhaustive()
    }
}

impl BoardGrid {
    /// Creates the board of `size` by `size` points, where `size` is from 1 to 5.
    pub fn new(size: u8) -> Self {
        assert!((1..=5).contains(&size), "the size of a board is from 1 to 5, not {size}");
        let points = usize::from(size) * usize::from(size);
        let mut grid = Self {
            size,
            neighbours: [0; MOST_POINTS],
            images: [[0; MOST_POINTS]; SYMMETRIES],
            sets: vec![[[0; 1 << CHUNK]; CHUNKS]; SYMMETRIES],
        };
        for (point, number) in (0..points).zip(0..size * size) {
            let (rank, file) = (number / size, number % size);
            let bit = |rank: u8, file: u8| if rank < size && file < size { 1 << (rank * size + file) } else { 0 };
            grid.neighbours[point] = bit(rank.wrapping_sub(1), file)
                | bit(rank + 1, file)
                | bit(rank, file.wrapping_sub(1))
                | bit(rank, file + 1);
            for (symmetry, images) in grid.images.iter_mut().enumerate() {
                let (rank, file) = image_of_place(symmetry, (rank, file), size);
                images[point] = rank * size + file;
            }
        }
        for (images, chunks) in grid.images.iter().zip(&mut grid.sets) {
            for (chunk, sets) in chunks.iter_mut().enumerate() {
                for set in 1..1_usize << CHUNK {
                    let low = set.trailing_zeros() as usize;
                    let point = chunk * CHUNK + low;
                    let image = if point < points { 1 << images[point] } else { 0 };
                    sets[set] = sets[set & (set - 1)] | image;
                }
            }
        }
        grid
    }

    /// The number of files, which is also the number of ranks.
    pub const fn size(&self) -> u8 {
        self.size
    }

    /// The number of points.
    pub const fn points(&self) -> u32 {
        self.size as u32 * self.size as u32
    }

    /// The set of all points.
    pub const fn all(&self) -> PointSet {
        (1 << self.points()) - 1
    }

    /// The points next to point number `point`.
    pub fn neighbours(&self, point: usize) -> PointSet {
        self.neighbours[point]
    }

    /// The image of point number `point` under symmetry number `symmetry`.
    pub fn image(&self, symmetry: usize, point: usize) -> usize {
        usize::from(self.images[symmetry][point])
    }

    /// The image of the set `points` under symmetry number `symmetry`.
    pub fn image_of_set(&self, symmetry: usize, points: PointSet) -> PointSet {
        let chunks = &self.sets[symmetry];
        let part = |chunk: usize| {
            let bits = points >> (CHUNK * chunk) & ((1 << CHUNK) - 1);
            chunks[chunk][bits as usize]
        };
        part(0) | part(1) | part(2)
    }

    /// The lowest of the eight images of `points`, and a symmetry that maps `points` to it.
    pub fn lowest_image(&self, points: PointSet) -> (PointSet, usize) {
        let images = (0..SYMMETRIES).map(|symmetry| (self.image_of_set(symmetry, points), symmetry));
        images.min().expect("there are eight images")
    }

    /// The number of different images of `points`: 1, 2, 4 or 8.
    pub fn orbit(&self, points: PointSet) -> u32 {
        let fixed = (0..SYMMETRIES).filter(|&symmetry| self.image_of_set(symmetry, points) == points).count();
        u32::try_from(SYMMETRIES / fixed).expect("at most 8")
    }
}

/// On a board of `size` by `size` points, the image of the place at this rank and file, both counted from zero, under
/// symmetry number `symmetry`: bit 2 swaps ranks and files; then bit 1 mirrors the ranks, and bit 0 mirrors the files.
pub const fn image_of_place(symmetry: usize, (mut rank, mut file): (u8, u8), size: u8) -> (u8, u8) {
    if symmetry & 4 != 0 {
        (rank, file) = (file, rank);
    }
    if symmetry & 2 != 0 {
        rank = size - 1 - rank;
    }
    if symmetry & 1 != 0 {
        file = size - 1 - file;
    }
    (rank, file)
}

/// The numbers of the points of a set, lowest first.
pub fn numbers(mut set: PointSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let number = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            number
        })
    })
}
