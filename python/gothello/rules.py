"""The rules of Gothello."""

BLACK, WHITE = 1, -1
SIZE = 5
POINTS = SIZE * SIZE

# The moves: the points from a5 to e5, then from a4 to e4, and so on; the pass comes last.
MOVES = tuple(file + rank for rank in "54321" for file in "abcde") + ("pass",)
PASS = POINTS

_LETTERS = {"b": BLACK, "w": WHITE, ".": 0}
_NAMES = {BLACK: "b", WHITE: "w", 0: "."}


def _beside(point):
    rank, file = divmod(point, SIZE)
    beside = [(rank - 1, file), (rank + 1, file), (rank, file - 1), (rank, file + 1)]
    return tuple(r * SIZE + f for r, f in beside if 0 <= r < SIZE and 0 <= f < SIZE)


BESIDE = tuple(_beside(point) for point in range(POINTS))


class IllegalMove(ValueError):
    """The rules do not allow the move."""


def _group(board, point):
    """The points of the group at `point`, and whether it has a liberty."""
    colour, group, free = board[point], {point}, False
    todo = [point]
    while todo:
        for other in BESIDE[todo.pop()]:
            if board[other] == 0:
                free = True
            elif board[other] == colour and other not in group:
                group.add(other)
                todo.append(other)
    return group, free


class Position:
    """A position: the board, the side to move, and how many consecutive passes have just been made.

    Positions do not change: `play` returns a new one. `board` is 25 numbers in the order of MOVES: 1 for a black
    stone, -1 for a white one, and 0 for none.
    """

    __slots__ = ("board", "to_move", "passes")

    def __init__(self, board=(0,) * POINTS, to_move=BLACK, passes=0):
        self.board, self.to_move, self.passes = tuple(board), to_move, passes
        if len(self.board) != POINTS or to_move not in (BLACK, WHITE):
            raise ValueError("a board has 25 points, and the side to move is BLACK or WHITE")

    @classmethod
    def parse(cls, board, to_move="black", passed=False):
        """The position on a board such as ".bbw. .wwb. w.bww .b.bw bww..", rank 5 first."""
        letters = [letter for letter in board if not letter.isspace() and letter != "/"]
        if len(letters) != POINTS or not set(letters) <= set(_LETTERS):
            raise ValueError("a board has 25 points, each `b`, `w` or `.`")
        side = {"b": BLACK, "w": WHITE}[str(to_move)[0]]
        return cls([_LETTERS[letter] for letter in letters], side, 1 if passed else 0)

    def __eq__(self, other):
        return isinstance(other, Position) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def _key(self):
        return self.board, self.to_move, self.passes

    def __str__(self):
        text = "".join(_NAMES[stone] for stone in self.board)
        return "\n".join(text[at:at + SIZE] for at in range(0, POINTS, SIZE))

    def __repr__(self):
        board, passed = str(self).replace("\n", " "), ", passed=True" if self.passes else ""
        return f"Position.parse({board!r}, {'black' if self.to_move == BLACK else 'white'!r}{passed})"

    @property
    def is_over(self):
        """Whether two passes have ended the game."""
        return self.passes >= 2

    @property
    def empty(self):
        """The number of empty points."""
        return self.board.count(0)

    @property
    def lead(self):
        """Black's stones minus white's. Once the game is over, this is the margin."""
        return sum(self.board)

    def own(self):
        """The board for the side to move: 1 for its stones, -1 for those of the other side."""
        return tuple(stone * self.to_move for stone in self.board)

    def is_legal(self, move):
        """Whether the move with this number is legal."""
        if self.is_over:
            return False
        if move == PASS:
            return True
        if self.board[move] != 0:
            return False
        # The stone's own group must have a liberty before any captures.
        board = list(self.board)
        board[move] = self.to_move
        return _group(board, move)[1]

    def legal(self):
        """The numbers of the legal moves. The pass comes last."""
        return [move for move in range(len(MOVES)) if self.is_legal(move)]

    def moves(self):
        """The names of the legal moves."""
        return [MOVES[move] for move in self.legal()]

    def play(self, move):
        """The position after a move, which is a name such as "c3", or a number."""
        if isinstance(move, str):
            if move not in MOVES:
                raise IllegalMove(f"{move!r} is not a move")
            move = MOVES.index(move)
        if not 0 <= move <= PASS or not self.is_legal(move):
            raise IllegalMove(f"{MOVES[move] if 0 <= move <= PASS else move} is not legal here")
        if move == PASS:
            return Position(self.board, -self.to_move, self.passes + 1)
        board = list(self.board)
        board[move] = self.to_move
        captured = set()
        for other in BESIDE[move]:
            if board[other] == -self.to_move and other not in captured:
                group, free = _group(board, other)
                if not free:
                    captured |= group
        for point in captured:
            board[point] = self.to_move
        return Position(board, -self.to_move, 0)
