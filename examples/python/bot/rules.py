"""The rules of Gothello.

A board is a string of 25 characters, "b", "w" or ".", in reading order: a5 to e5, then a4 to e4, down to a1 to e1. A
point is the number of its place in that string, from 0 (a5) to 24 (e1). Sides are "b" and "w".
"""

SIZE = 5
START = "." * SIZE * SIZE
PASS = -1


def name(move):
    """The name of a point, such as "c3", or "pass"."""
    return "pass" if move == PASS else "abcde"[move % SIZE] + "54321"[move // SIZE]


def point(text):
    """The point, or PASS, that `text` names."""
    return PASS if text == "pass" else "54321".index(text[1]) * SIZE + "abcde".index(text[0])


def opponent(side):
    return "w" if side == "b" else "b"


def neighbours(point):
    """The two to four points next to `point`."""
    row, column = divmod(point, SIZE)
    beside = [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]
    return [r * SIZE + c for r, c in beside if 0 <= r < SIZE and 0 <= c < SIZE]


POINTS = range(SIZE * SIZE)
NEIGHBOURS = [neighbours(point) for point in POINTS]


def group(board, point):
    """The connected stones of one colour at `point`, and whether they touch an empty point (a liberty)."""
    stones, is_free = [point], False
    for stone in stones:  # the list grows while the loop walks along it
        for beside in NEIGHBOURS[stone]:
            if board[beside] == ".":
                is_free = True
            elif board[beside] == board[point] and beside not in stones:
                stones.append(beside)
    return stones, is_free


def is_legal(board, side, point):
    """Whether `side` may place a stone on `point`: it is empty, and the group has a liberty BEFORE any capture."""
    if board[point] != ".":
        return False
    if any(board[beside] == "." for beside in NEIGHBOURS[point]):
        return True  # the stone itself has a liberty; this only saves time
    return group(board[:point] + side + board[point + 1 :], point)[1]


def legal_points(board, side):
    """All points on which `side` may place a stone. A pass is always legal."""
    return [point for point in POINTS if is_legal(board, side, point)]


def play(board, side, move):
    """The board after a legal move: opposing groups next to the new stone that have no liberty left change colour."""
    if move == PASS:
        return board
    board = board[:move] + side + board[move + 1 :]
    captured = set()
    for beside in NEIGHBOURS[move]:
        if board[beside] == opponent(side):
            stones, is_free = group(board, beside)
            if not is_free:
                captured.update(stones)
    return "".join(side if point in captured else board[point] for point in POINTS)


def liberties(board, side):
    """How many empty points are next to a stone of `side`."""
    return sum(board[point] == "." and any(board[beside] == side for beside in NEIGHBOURS[point]) for point in POINTS)


def lead(board, side):
    """The stones of `side` minus those of its opponent. Two passes in a row end the game, and the lead decides it."""
    return board.count(side) - board.count(opponent(side))
