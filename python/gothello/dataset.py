"""Data sets of `gothello-arena dataset`."""

import csv
import json

import numpy as np

_LETTERS = {"b": 1, "w": -1, ".": 0}
_SIDES = {"black": 1, "white": -1}
_SPLITS = {"train": 0, "validation": 1, "test": 2}

#: The number for an unknown margin or move value, and the number for the value of an illegal move.
UNKNOWN, ILLEGAL = 127, -128


def load(path):
    """The arrays of a data set in any of its three formats, by their names in the NPZ format.

    In `board`, 1 is black and -1 is white; `planes` are the stones of the side to move, those of the other side, and
    the empty points. `winner` and `margin` are for the side to move. `split` is 0 for train, 1 for validation and 2 for
    test.
    """
    path = str(path)
    if path.endswith(".npz"):
        with np.load(path, allow_pickle=False) as arrays:
            return dict(arrays)
    with open(path, newline="", encoding="utf-8") as file:
        rows = [_parsed(row) for row in csv.DictReader(file)] if path.endswith(".csv") else [json.loads(line) for line in file]
    return _arrays(rows)


def _parsed(row):
    lists = {name: [int(number) for number in row[name].split()] for name in ("legal", "best", "values") if name in row}
    margin = int(row["margin"]) if row["margin"] else None
    passed = row["passed"] == "1"
    numbers = {name: int(row[name]) for name in ("empty", "winner", "count")}
    return {**row, **lists, **numbers, "margin": margin, "passed": passed}


def _arrays(rows):
    def column(of, kind):
        return np.array([of(row) for row in rows], dtype=kind)

    board = column(lambda row: [_LETTERS[letter] for letter in row["board"]], "i1").reshape(len(rows), 25)
    side = column(lambda row: _SIDES[row["to_move"]], "i1")
    own = board * side[:, None]
    planes = np.stack([own == 1, own == -1, own == 0], axis=1).astype("u1").reshape(len(rows), 3, 5, 5)
    arrays = {
        "board": board, "planes": planes, "to_move": side,
        "passed": column(lambda row: row["passed"], "u1"),
        "legal": column(lambda row: row["legal"], "u1"),
        "best": column(lambda row: row["best"], "u1"),
        "winner": column(lambda row: row["winner"], "i1"),
        "margin": column(lambda row: UNKNOWN if row["margin"] is None else row["margin"], "i1"),
        "empty": column(lambda row: row["empty"], "u1"),
        "count": column(lambda row: row["count"], "u4"),
        "cls": column(lambda row: int(row["class"], 16), "u8"),
        "split": column(lambda row: _SPLITS[row["split"]], "u1"),
    }
    if rows and "values" in rows[0]:
        arrays["values"] = column(lambda row: row["values"], "i1")
    return arrays
