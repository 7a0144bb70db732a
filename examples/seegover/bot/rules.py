"""The rules of Seegover, with the options that a tournament may choose.

A board is a string of 25 characters, "b", "w" or ".", in reading order: a5 to e5, then a4 to e4, down to a1 to e1. A
square is the number of its place in that string, from 0 (a5) to 24 (e1). Sides are "b" and "w". A turn is its text as
the server writes it: "c4", "a1+c4", "b1-a1" or "b1-a1-b1".
"""

SIZE = 5
START = "." * SIZE * SIZE
CENTRE = 12  # c3, which stays empty until 24 stones are on the board
LOST = 4  # a side with this many stones or fewer has lost


def name(square):
    """The name of a square, such as "c3"."""
    return "abcde"[square % SIZE] + "54321"[square // SIZE]


def opponent(side):
    return "w" if side == "b" else "b"


def rays(square):
    """The squares to the north, west, east and south of `square`, nearest first."""
    row, column = divmod(square, SIZE)
    north = [square - SIZE * n for n in range(1, row + 1)]
    west = [square - n for n in range(1, column + 1)]
    east = [square + n for n in range(1, SIZE - column)]
    south = [square + SIZE * n for n in range(1, SIZE - row)]
    return [ray for ray in (north, west, east, south) if ray]


SQUARES = range(SIZE * SIZE)
RAYS = [rays(square) for square in SQUARES]
NEIGHBOURS = [[ray[0] for ray in RAYS[square]] for square in SQUARES]
CORNERS = (0, 4, 20, 24)
# In the order in which the server writes the two squares of "a1+c4": a1 to e1, then a2 to e2, up to a5 to e5.
BY_RANK = sorted(SQUARES, key=lambda square: (-(square // SIZE), square % SIZE))


class Rules:
    """The rules with the options of `ruleset`, a text such as "seegover" or "seegover cycle=superko drop=2"."""

    def __init__(self, ruleset="seegover"):
        game, *words = ruleset.split() or [""]
        options = {"cycle": "draw", "drop": "1", "capture": "line", "back": "free"}
        given = dict(word.partition("=")[::2] for word in words)
        if game != "seegover" or not set(given) <= set(options):
            raise ValueError(f"this bot plays only Seegover, not {ruleset!r}")
        options.update(given)
        self.superko = options["cycle"] == "superko"
        self.stones_to_drop = int(options["drop"])
        self.longest_run = 1 if options["capture"] == "single" else SIZE
        self.must_capture_back = options["back"] == "capture"

    def turns(self, board, side):
        """Every turn of `side` as a pair of its text and the board after it. The rule against cycles is not applied."""
        if is_dropping(board):
            return self.drops(board, side)
        return self.steps(board, side) or self.lifts(board, side)

    def legal_turns(self, board, side, seen):
        """The turns of `side`. If the rules forbid turns that lead to a position in `seen`, these are left out. A
        position is a board with the side to move; only positions of the move phase count."""
        if not self.superko or is_dropping(board):
            return self.turns(board, side)

        def new(turns):
            return [(turn, after) for turn, after in turns if (after, opponent(side)) not in seen]

        return new(self.steps(board, side)) or new(self.lifts(board, side))

    def drops(self, board, side):
        free = [square for square in BY_RANK if board[square] == "." and square != CENTRE]
        if self.stones_to_drop == 1:
            return [(name(square), put(board, side, square)) for square in free]
        pairs = [(one, other) for place, one in enumerate(free) for other in free[place + 1 :]]
        return [(f"{name(one)}+{name(other)}", put(put(board, side, one), side, other)) for one, other in pairs]

    def steps(self, board, side):
        """The turns of the stones next to the empty square. After a capture, the stone may return."""
        hole = board.index(".")
        turns = []
        for start in NEIGHBOURS[hole]:
            if board[start] == side:
                there, captured = self.carry(board, side, start, hole)
                turn = f"{name(start)}-{name(hole)}"
                turns.append((turn, there))
                if captured:
                    back, more = self.carry(there, side, hole, start)
                    if more or not self.must_capture_back:
                        turns.append((f"{turn}-{name(start)}", back))
        return turns

    def lifts(self, board, side):
        """The lifts of all stones, which are legal only if no stone can step."""
        hole = board.index(".")
        own = [square for square in SQUARES if board[square] == side]
        return [(f"{name(start)}-{name(hole)}", self.carry(board, side, start, hole)[0]) for start in own]

    def carry(self, board, side, start, end):
        """The board after a stone of `side` has moved from `start` to `end`, and how many stones it has captured."""
        stones = list(board)
        stones[start], stones[end] = ".", side
        captured = self.captures(stones, side, end)
        for square in captured:
            stones[square] = side
        return "".join(stones), len(captured)

    def captures(self, board, side, end):
        """The stones that a stone of `side` captures when it arrives on `end`: in each direction separately, the unbroken
        run of enemy stones next to it, if a stone of `side` follows the run."""
        captured, enemy = [], opponent(side)
        for ray in RAYS[end]:
            if board[ray[0]] != enemy:
                continue
            length = 1
            while length < len(ray) and board[ray[length]] == enemy:
                length += 1
            if length < len(ray) and board[ray[length]] == side and length <= self.longest_run:
                captured += ray[:length]
        return captured


def put(board, stone, square):
    return board[:square] + stone + board[square + 1 :]


def is_dropping(board):
    """Whether the game is still in the drop phase."""
    return board.count(".") > 1


def has_lost(board, side):
    """Whether `side` has lost in the move phase."""
    return board.count(side) <= LOST


def lead(board, side):
    """The stones of `side` minus those of its opponent."""
    return board.count(side) - board.count(opponent(side))
