"""The rules of Quantum Gothello for two, and of the games in it: Reverse, Othello and Go.

    game = Game("quantum ko=simple")    the start of a game by this rule set
    game.moves()                        every legal move, in the server's notation: "f5", "d3-d6" or "pass"
    game.play("f5")                     makes a legal move
    game.copy()                         a copy, to try moves on

    game.mode           "reverse", "othello" or "go"; None once the game is over
    game.to_move        1 (black) or 2 (white)
    game.squares        the squares, a Board; a1 is the top left
    game.points         the points, a Board; a1 is the bottom left, and there is no letter i

A field is a number: its index in `board.fields`, whose values are 0 (empty), 1 (black), 2 (white) and 3 (off the board).
"""

BLACK, WHITE, OFF = 1, 2, 3
SQUARE_LETTERS, POINT_LETTERS = "abcdefghijklmnopqrst", "abcdefghjklmnopqrstuv"

QUANTUM = {"start": "middle", "rows": "all", "ko": "positional", "suicide": "no", "count": "territory"}
ALONE = {"points": 0, "supplies": "no"}


def lineups():
    """The name and the settings of each game."""
    for size in (8, 10, 12, 14, 16, 18, 20):
        modes = ["reverse", "othello", "go"] if size > 8 else ["othello", "go"]
        line_up = {**QUANTUM, "squares": size, "points": size + 1, "modes": modes, "supplies": "yes"}
        yield ("quantum" if size == 10 else f"quantum-{size}"), line_up
    for name, size in (("othello", 8), ("othello-10", 10)):
        yield name, {**QUANTUM, **ALONE, "squares": size, "modes": ["othello"]}
    yield "reverse", {**QUANTUM, **ALONE, "squares": 8, "modes": ["reverse"], "supplies": "yes"}
    for size in (9, 13, 19):
        alone = {**ALONE, "points": size, "squares": 0, "modes": ["go"], "count": "area"}
        yield f"go-{size}", {**QUANTUM, **alone}


LINEUPS = dict(lineups())
# These options affect only the result, not which moves are legal.
FOR_THE_RESULT = {"scoring", "compensation"}


def settings(ruleset):
    """The settings described by a text such as "quantum ko=simple handicap=2,4"."""
    name, *words = ruleset.split() or [""]
    given = dict(word.partition("=")[::2] for word in words)
    if name not in LINEUPS or not set(given) <= {*QUANTUM, *FOR_THE_RESULT, "handicap"}:
        raise ValueError(f"this bot plays only Quantum Gothello for two, Othello, Reverse and Go, not {ruleset!r}")
    return {**LINEUPS[name], **given}


def other(side):
    return BLACK + WHITE - side


class Board:
    """Squares or points, with a margin around them that is off the board."""

    def __init__(self, size, letters, from_top):
        self.size, self.stride = size, size + 2
        self.fields = bytearray([OFF]) * (self.stride * self.stride)
        ranks = range(1, size + 1)
        self.on_board = [rank * self.stride + file for rank in ranks for file in range(1, size + 1)]
        for field in self.on_board:
            self.fields[field] = 0
        self.names = {field: letters[field % self.stride - 1] + str(field // self.stride) for field in self.on_board}
        self.numbers = {name: field for field, name in self.names.items()}
        self.from_top = from_top
        self.beside = (1, -1, self.stride, -self.stride)
        self.directions = self.beside + (self.stride + 1, self.stride - 1, 1 - self.stride, -1 - self.stride)

    def copy(self):
        board = Board.__new__(Board)
        board.__dict__.update(self.__dict__)
        board.fields = self.fields[:]
        return board

    def inner(self, size):
        """The fields of the `size` ranks and files in the middle."""
        low = (self.size - size) // 2 + 1
        middle = range(low, low + size)
        return [field for field in self.on_board if field // self.stride in middle and field % self.stride in middle]

    def count(self, side):
        return self.fields.count(side)

    def __str__(self):
        """A line for each rank, as the server draws the board."""
        ranks = range(1, self.size + 1)
        start = (rank * self.stride + 1 for rank in (ranks if self.from_top else reversed(ranks)))
        return "\n".join("".join(".bw"[field] for field in self.fields[at : at + self.size]) for at in start)

    # Squares.

    def rows(self, side, square):
        """The rows that a stone of `side` on the empty `square` encloses: pairs of the far end and the stones between."""
        fields, enemy, found = self.fields, other(side), []
        for step in self.directions:
            far = square + step
            if fields[far] != enemy:
                continue
            while fields[far] == enemy:
                far += step
            if fields[far] == side:
                found.append((far, range(square + step, far, step)))
        return sorted(found, key=lambda row: row[0])

    # Points.

    def chain(self, point):
        """The chain of the stone on `point`, and its liberties."""
        fields, side = self.fields, self.fields[point]
        chain, liberties, rest = {point}, set(), [point]
        while rest:
            at = rest.pop()
            for step in self.beside:
                near = at + step
                if fields[near] == side and near not in chain:
                    chain.add(near)
                    rest.append(near)
                elif fields[near] == 0:
                    liberties.add(near)
        return chain, liberties

    def effect(self, side, point):
        """The stones that a stone of `side` on the empty `point` captures, and whether it then has a liberty."""
        fields, enemy = self.fields, other(side)
        taken, is_free = set(), False
        for step in self.beside:
            near = point + step
            if fields[near] == 0:
                is_free = True
            elif fields[near] == enemy and near not in taken:
                chain, liberties = self.chain(near)
                if len(liberties) == 1:
                    taken |= chain
            elif fields[near] == side and not is_free:
                is_free = len(self.chain(near)[1]) > 1
        return taken, is_free or bool(taken)

    def region(self, point):
        """The empty points that can be reached from the empty `point`, and the sides with stones next to them."""
        fields = self.fields
        region, around, rest = {point}, set(), [point]
        while rest:
            at = rest.pop()
            for step in self.beside:
                near = at + step
                if fields[near] == 0 and near not in region:
                    region.add(near)
                    rest.append(near)
                elif fields[near] in (BLACK, WHITE):
                    around.add(fields[near])
        return region, around


class Game:
    def __init__(self, ruleset):
        """`ruleset` is a text, or the dict that `settings` returns for it."""
        self.rules = rules = settings(ruleset) if isinstance(ruleset, str) else ruleset
        self.to_move, self.passes = BLACK, 0
        self.squares = Board(rules["squares"], SQUARE_LETTERS, True)
        self.points = Board(rules["points"], POINT_LETTERS, False)
        self.modes, self.mode, self.counts = list(rules["modes"]), None, []
        self.supplies = [0, 0, 0]
        self.prisoners, self.proof_stones, self.past, self.arrangements = [0, 0, 0], None, [], set()
        self._begin_mode()
        if rules["squares"] and rules["start"] == "middle":
            top_left, top_right, bottom_left, bottom_right = self.squares.inner(2)
            for side, square in ((WHITE, top_left), (BLACK, top_right), (BLACK, bottom_left), (WHITE, bottom_right)):
                self.squares.fields[square] = side
                self.supplies[side] -= 1
        self._settle()

    def copy(self):
        game = Game.__new__(Game)
        game.__dict__.update(self.__dict__)
        game.squares, game.points = self.squares.copy(), self.points.copy()
        for name in ("modes", "counts", "supplies", "prisoners", "past", "arrangements"):
            setattr(game, name, getattr(self, name).copy())
        game.proof_stones = None if self.proof_stones is None else self.proof_stones.copy()
        return game

    def board(self):
        """The board of the current mode."""
        return self.points if self.mode == "go" else self.squares

    # Moves.

    def moves(self):
        names = self.board().names
        if self.mode == "go":
            empty = [point for point in self.points.on_board if not self.points.fields[point]]
            return [names[point] for point in empty if self.may_place(point)] + ["pass"]
        placements = self.placements(self.to_move)
        if self._names_rows():
            rows = ((square, far) for square in placements for far, _ in self.squares.rows(self.to_move, square))
            return [f"{names[square]}-{names[far]}" for square, far in rows] or ["pass"]
        return [names[square] for square in placements] or ["pass"]

    def play(self, move):
        side, enemy = self.to_move, other(self.to_move)
        self.to_move = enemy
        if move == "pass":
            self.passes += 1
            if self.mode == "go":
                self._remember(side)
            return self._settle()
        self.passes = 0
        self.supplies[side] -= 1
        name, _, far = move.partition("-")
        field = self.board().numbers[name]
        if self.mode == "go":
            self._place_on_point(side, field)
        else:
            for end, row in [] if self._is_opening() else self.squares.rows(side, field):
                if not far or self.squares.names[end] == far:
                    for square in row:
                        self.squares.fields[square] = side
            self.squares.fields[field] = side
        self._settle()

    # Modes.

    def _begin_mode(self):
        self.mode = mode = self.modes.pop(0) if self.modes else None
        self.field = self.squares.inner(8 if mode == "reverse" else self.squares.size)
        if mode in ("reverse", "othello"):
            inner = 64 if "reverse" in self.rules["modes"] else 0
            self._hand_out(inner if mode == "reverse" else self.squares.size**2 - inner)
        elif mode == "go":
            self._begin_go()

    def _begin_go(self):
        self.passes = 0
        self._hand_out_anew()
        seat, stones = (int(word) for word in self.rules.get("handicap", "0,0").split(","))
        for point in handicap_points(self.points, stones):
            self.points.fields[point] = seat
        self._remember(other(self.to_move))

    def _hand_out(self, stones):
        self.supplies[self.to_move] += (stones + 1) // 2
        self.supplies[other(self.to_move)] += stones // 2

    def _hand_out_anew(self):
        self.supplies = [0, 0, 0]
        self._hand_out(self.points.size**2)

    def _has_stone(self, side):
        return self.rules["supplies"] == "no" or self.supplies[side] > 0

    def _settle(self):
        """Ends modes that are over."""
        while self.mode:
            if self.mode == "go":
                has_stopped = self.passes == 2 or not (self._has_stone(BLACK) or self._has_stone(WHITE))
                if not has_stopped:
                    return
                if self.rules["count"] == "territory" and self.proof_stones is None:
                    self.proof_stones, self.passes = set(), 0
                    self._hand_out_anew()
                    return
                self.counts.append(self.count_points())
            else:
                if self.placements(self.to_move) or self.placements(other(self.to_move)):
                    return
                self.counts.append((self.squares.count(BLACK), self.squares.count(WHITE)))
            self._begin_mode()

    # Reverse and Othello.

    def _is_opening(self):
        stones = self.squares.count(BLACK) + self.squares.count(WHITE)
        return self.rules["start"] == "open" and stones < 4

    def _names_rows(self):
        return self.mode == "reverse" and self.rules["rows"] == "one" and not self._is_opening()

    def placements(self, side):
        """The squares on which `side` may place a stone."""
        if not self._has_stone(side):
            return []
        fields = self.squares.fields
        if self._is_opening():
            return [square for square in self.squares.inner(2) if not fields[square]]
        return [square for square in self.field if not fields[square] and self.squares.rows(side, square)]

    # Go.

    def may_place(self, point):
        """Whether the side to move may place a stone on the empty `point`."""
        side = self.to_move
        if not self._has_stone(side):
            return False
        taken, is_free = self.points.effect(side, point)
        if not is_free and self.rules["suicide"] == "no":
            return False
        fields = self.points.fields[:]
        fields[point] = side
        gain = len(taken - (self.proof_stones or set()))
        if not is_free:
            removed = self._suicide(side, point)
            taken, gain = removed, -len(removed - (self.proof_stones or set()) - self._if_proof(point))
        for stone in taken:
            fields[stone] = 0
        return not self._repeats(bytes(fields), gain if side == BLACK else -gain)

    def _suicide(self, side, point):
        """The stones that are removed if a stone of `side` on `point` has no liberty."""
        removed = {point}
        for step in self.points.beside:
            if self.points.fields[point + step] == side:
                removed |= self.points.chain(point + step)[0]
        return removed

    def _if_proof(self, point):
        return set() if self.proof_stones is None else {point}

    def _place_on_point(self, side, point):
        taken, is_free = self.points.effect(side, point)
        owner = side
        if not is_free:
            taken, owner = self._suicide(side, point), other(side)
        self.points.fields[point] = side
        if self.proof_stones is not None:
            self.proof_stones.add(point)
        for stone in taken:
            self.points.fields[stone] = 0
        # Captured proof stones do not become prisoners.
        self.prisoners[owner] += len(taken - (self.proof_stones or set()))
        if self.proof_stones is not None:
            self.proof_stones -= taken
        self._remember(side)

    def _remember(self, side):
        """Records the arrangement after a turn of `side`, with black's prisoners minus white's."""
        arrangement = bytes(self.points.fields)
        self.past.append((arrangement, side, self.prisoners[BLACK] - self.prisoners[WHITE]))
        self.arrangements.add(arrangement)

    def _repeats(self, after, gain):
        """Whether `ko` forbids the arrangement `after`, which gives black `gain` more prisoners than white."""
        if after not in self.arrangements:
            return False
        if self.rules["ko"] == "positional":
            return True
        for arrangement, side, _ in reversed(self.past):  # the arrangements since this side's last turn
            if arrangement == after:
                return True
            if side == self.to_move:
                break
        if self.rules["ko"] == "simple":
            return False
        lead = self.prisoners[BLACK] - self.prisoners[WHITE] + gain
        is_balanced = self.rules["ko"] == "balanced"
        own = (past for past in self.past if past[1] == self.to_move)
        return any(past[0] == after and (past[2] == lead or not is_balanced) for past in own)

    def count_points(self):
        """The counts of Go for black and for white in the current position, without the proof stones."""
        board, count, seen = self.points.copy(), [0, 0, 0], set()
        for point in self.proof_stones or ():
            board.fields[point] = 0
        for point in board.on_board:
            owner = board.fields[point]
            if owner and self.rules["count"] == "area":
                count[owner] += 1
            elif not owner and point not in seen:
                region, around = board.region(point)
                seen |= region
                if len(around) == 1:
                    count[around.pop()] += len(region)
        if self.rules["count"] == "territory":
            count = [points + prisoners for points, prisoners in zip(count, self.prisoners)]
        return count[BLACK], count[WHITE]


def handicap_points(board, stones):
    """The points of the first `stones` handicap stones, as the Go Text Protocol specifies them."""
    low = 3 if board.size < 13 else 4
    high, middle = board.size + 1 - low, (board.size + 1) // 2
    corners = [(low, low), (high, high), (low, high), (high, low)]
    sides = [(low, middle), (high, middle), (middle, low), (middle, high)]
    points = (corners + sides)[:stones]
    if stones in (5, 7, 9):
        points = points[: stones - 1] + [(middle, middle)]
    return [rank * board.stride + file for file, rank in points]
