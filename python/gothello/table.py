"""The table of margins, as `gothello-arena tablebase build gothello` and `tablebase export` write it."""

import numpy as np

from .rules import POINTS, SIZE

_HEADER = 8192
_ILLEGAL = -128


def _image(symmetry, rank, file):
    if symmetry & 4:
        rank, file = file, rank
    if symmetry & 2:
        rank = SIZE - 1 - rank
    if symmetry & 1:
        file = SIZE - 1 - file
    return rank * SIZE + file


# For each symmetry, the image of each point. Boards number the points from a5, and the table numbers them from a1.
_IMAGES = [[_image(symmetry, SIZE - 1 - point // SIZE, point % SIZE) for point in range(POINTS)] for symmetry in range(8)]


class MarginTable:
    """A table of margins in a file, which is mapped into memory rather than read as a whole."""

    def __init__(self, path):
        with open(path, "rb") as file:
            header = file.read(_HEADER).decode("ascii", "replace").split("\n")
        if not header[0].startswith("gothello-arena margins of gothello, format 1"):
            raise ValueError(f"{path} is not a table of margins of this version")
        if header[1] != f"size {SIZE}":
            raise ValueError(f"{path} is a table for another board: {header[1]}")
        #: The largest number of stones in any position in the table.
        self.stones = int(header[2].split()[-1])
        blocks = [int(line.split()[3]) for line in header[3:4 + self.stones]]
        self._sets, self._entries = [], []
        at = _HEADER
        for count in blocks:
            self._sets.append(np.memmap(path, dtype="<u4", mode="r", offset=at, shape=(count,)))
            at += 4 * count
        for stones, count in enumerate(blocks):
            self._entries.append(np.memmap(path, dtype="i1", mode="r", offset=at, shape=(count << stones,)))
            at += count << stones

    def margin(self, position):
        """The margin with best play for the side to move, or None if the table does not contain the position."""
        stones = POINTS - position.empty
        if position.is_over:
            return position.lead * position.to_move
        if stones > self.stones:
            return None
        own, best = position.own(), None
        for images in _IMAGES:
            empty = sum(1 << image for image, stone in zip(images, own) if stone == 0)
            if best is None or empty < best[0]:
                best = empty, images
        empty, images = best
        placed = sorted((image, stone) for image, stone in zip(images, own) if stone != 0)
        index = sum(1 << bit for bit, (_, stone) in enumerate(placed) if stone == 1)
        block = int(np.searchsorted(self._sets[stones], empty))
        value = int(self._entries[stones][(block << stones) + index])
        if value == _ILLEGAL:
            raise ValueError("a group in the position has no liberty")
        # After a pass, the side to move may end the game.
        return max(value, sum(own)) if position.passes else value
