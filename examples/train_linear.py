#!/usr/bin/env python3
"""Learns a linear evaluation of Gothello from a data set, with numpy alone, and writes its predictions.

    gothello-arena dataset out.csv --random 20000 --empty 0..12 --per-empty 2000
    python3 train_linear.py out.csv predictions.csv
    gothello-arena dataset score out.csv predictions.csv

The inputs are the points from the perspective of the side to move, and the numbers of both sides' liberties, which a
count of stones does not show. Change `features` first.
"""

import csv
import sys

import numpy as np


def features(row):
    """The inputs for a position."""
    own = np.array([int(value) for value in row["own"].split()], dtype=float)
    padded = np.zeros((7, 7))
    padded[1:6, 1:6] = own.reshape(5, 5)
    empty = padded == 0
    empty[[0, 6]], empty[:, [0, 6]] = False, False
    around = [padded[2:, 1:-1], padded[:-2, 1:-1], padded[1:-1, 2:], padded[1:-1, :-2]]
    inner = empty[1:6, 1:6]
    mine, theirs = (np.any([side == colour for side in around], axis=0) & inner for colour in (1, -1))
    return np.concatenate([own, [mine.sum(), theirs.sum(), own.sum() * (int(row["empty"]) % 2), int(row["empty"]) % 2, 1]])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], newline="") as file:
        rows = list(csv.DictReader(file))
    inputs = np.array([features(row) for row in rows])
    target = np.array([float(row["margin"] or row["winner"]) for row in rows])
    learns = np.array([row["split"] == "train" for row in rows])
    # The least sum of squared errors; the small number on the diagonal keeps weights that hardly matter small.
    squares = inputs[learns].T @ inputs[learns] + 1e-3 * np.eye(inputs.shape[1])
    weights = np.linalg.solve(squares, inputs[learns].T @ target[learns])
    predicted = inputs @ weights
    with open(sys.argv[2], "w") as file:
        file.write("id,value\n")
        file.writelines(f"{row['id']},{value:.4f}\n" for row, value in zip(rows, predicted) if row["split"] == "test")


if __name__ == "__main__":
    main()
