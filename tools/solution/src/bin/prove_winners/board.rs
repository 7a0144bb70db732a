//! Boards and their symmetries. A set of points is a number with one bit for each: bit `rank * size + file`.

/// A square board.
pub(crate) struct Board {
    pub(crate) size: usize,
    /// For each symmetry and each rank, the image of every set of points of the rank.
    images: [[[u32; 32]; 5]; 8],
    neighbours: [u32; 25],
}

/// The points of a set, in ascending order.
pub(crate) fn members(set: u32) -> impl Iterator<Item = usize> {
    (0..25).filter(move |point| set >> point & 1 != 0)
}

impl Board {
    /// The board with `size` ranks and files, three to five.
    pub(crate) fn new(size: usize) -> Self {
        let (mut images, mut neighbours, last) = ([[[0; 32]; 5]; 8], [0; 25], size - 1);
        for (point, neighbours) in neighbours.iter_mut().enumerate().take(size * size) {
            let (rank, file) = (point / size, point % size);
            for other in 0..size * size {
                let distance = rank.abs_diff(other / size) + file.abs_diff(other % size);
                *neighbours |= u32::from(distance == 1) << other;
            }
            // The four turns of the board, and the same after a reflection.
            let turns = |file| [(rank, file), (last - file, rank), (last - rank, last - file), (file, last - rank)];
            let symmetries = turns(file).into_iter().chain(turns(last - file));
            for (images, (to_rank, to_file)) in images.iter_mut().zip(symmetries) {
                for (subset, image) in images[rank].iter_mut().enumerate() {
                    *image |= u32::from(subset >> file & 1 != 0) << (to_rank * size + to_file);
                }
            }
        }
        Self { size, images, neighbours }
    }

    pub(crate) const fn points(&self) -> usize {
        self.size * self.size
    }

    /// The set of all points.
    pub(crate) const fn all(&self) -> u32 {
        (1 << self.points()) - 1
    }

    pub(crate) const fn neighbours(&self, point: usize) -> u32 {
        self.neighbours[point]
    }

    pub(crate) fn image(&self, symmetry: usize, set: u32) -> u32 {
        let rank = (1 << self.size) - 1;
        let ranks = self.images[symmetry].iter().take(self.size).enumerate();
        ranks.fold(0, |image, (number, images)| image | images[(set >> (number * self.size) & rank) as usize])
    }

    /// The lowest image of `set`, and a symmetry that maps `set` to it.
    pub(crate) fn lowest(&self, set: u32) -> (u32, usize) {
        (0..8).map(|symmetry| (self.image(symmetry, set), symmetry)).min().expect("there are eight symmetries")
    }

    /// The number of different images of `set`.
    pub(crate) fn orbit(&self, set: u32) -> u64 {
        let mut images: Vec<u32> = (0..8).map(|symmetry| self.image(symmetry, set)).collect();
        images.sort_unstable();
        images.dedup();
        images.len() as u64
    }

    /// For each of `points`, its number among the members of the image of a set of points under `symmetry`.
    pub(crate) fn numbers(&self, symmetry: usize, image: u32, points: &[usize]) -> Vec<usize> {
        let number = |&point: &usize| (image & (self.image(symmetry, 1 << point) - 1)).count_ones() as usize;
        points.iter().map(number).collect()
    }

    /// The classes of the sets with `count` points, in ascending order: of each class, the lowest image.
    pub(crate) fn classes(&self, count: usize) -> Vec<u32> {
        let is_lowest = |&set: &u32| (1..8).all(|symmetry| self.image(symmetry, set) >= set);
        (0..=self.all()).filter(|set| set.count_ones() as usize == count).filter(is_lowest).collect()
    }
}
