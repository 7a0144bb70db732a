"""The rules of Quantum Gothello for two, four and six players, and of the games in it: Reverse, Othello and Go.

    game = Game("quantum ko=simple")    the start of a game by this rule set
    game.moves()                        every legal move, in the server's notation: "f5", "d3-d6" or "pass"
    game.play("f5")                     makes a legal move
    game.drop_out(3)                    takes a seat out of a game with more than two seats
    game.copy()                         a copy, to try moves on

    game.mode           "reverse", "othello" or "go"; None once the game is over
    game.seats          how many seats there are; their numbers begin with 1, and with two seats, 1 is black
    game.to_move        the seat whose turn it is
    game.rivals(3)      the seats against which seat 3 plays: all others that have not dropped out
    game.squares        the squares, a Board; a1 is the top left
    game.points         the points, a Board; a1 is the bottom left, and there is no letter i

A field is a number: its index in `board.fields`, whose values are 0 (empty), the seat of the stone, and 9 (off the
board). Lists with a value for each seat have the value of seat 1 at index 1.
"""

BLACK, WHITE, OFF = 1, 2, 9
SQUARE_LETTERS, POINT_LETTERS = "abcdefghijklmnopqrst", "abcdefghjklmnopqrstuv"

QUANTUM = {
    **{"players": 2, "start": "middle", "rows": "all", "stuck": "pass"},
    **{"ko": "positional", "suicide": "no", "count": "territory", "supplies": "yes"},
}
ALONE = {"points": 0, "supplies": "no"}


def lineups():
    """The name and the settings of each game."""
    for size in (8, 10, 12, 14, 16, 18, 20):
        modes = ["reverse", "othello", "go"] if size > 8 else ["othello", "go"]
        line_up = {**QUANTUM, "squares": size, "points": size + 1, "modes": modes}
        name = "quantum" if size == 10 else f"quantum-{size}"
        yield name, line_up
        if size <= 10:
            yield name + "-4p", {**line_up, "players": 4}
        if size == 10:
            yield name + "-4p-beside", {**line_up, "players": 4, "stuck": "beside"}
            yield name + "-6p", {**line_up, "players": 6, "start": "none"}
            yield name + "-6p-beside", {**line_up, "players": 6, "start": "none", "stuck": "beside"}
    for name, size in (("othello", 8), ("othello-10", 10)):
        yield name, {**QUANTUM, **ALONE, "squares": size, "modes": ["othello"]}
    yield "reverse", {**QUANTUM, **ALONE, "squares": 8, "modes": ["reverse"], "supplies": "yes"}
    for size in (9, 13, 19):
        alone = {**ALONE, "points": size, "squares": 0, "modes": ["go"], "count": "area"}
        yield f"go-{size}", {**QUANTUM, **alone}


LINEUPS = dict(lineups())
OPTIONS = {"start", "rows", "stuck", "ko", "suicide", "count", "handicap"}
# These options affect only the result, not which moves are legal.
FOR_THE_RESULT = {"scoring", "compensation"}


def settings(ruleset):
    """The settings described by a text such as "quantum ko=simple handicap=2,4"."""
    name, *words = ruleset.split() or [""]
    given = dict(word.partition("=")[::2] for word in words)
    if name not in LINEUPS or not set(given) <= OPTIONS | FOR_THE_RESULT:
        raise ValueError(f"this bot plays only Quantum Gothello, Othello, Reverse and Go, not {ruleset!r}")
    return {**LINEUPS[name], **given}


class Board:
    """Squares or points, with a margin around them that is off the board."""

    def __init__(self, size, letters, from_top, seats):
        self.size, self.stride, self.seats = size, size + 2, seats
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
        stones = ".bw" if self.seats == 2 else ".123456"
        start = (rank * self.stride + 1 for rank in (ranks if self.from_top else reversed(ranks)))
        return "\n".join("".join(stones[field] for field in self.fields[at : at + self.size]) for at in start)

    # Squares.

    def rows(self, side, square):
        """The rows that a stone of `side` on the empty `square` encloses: pairs of the far end and the stones between."""
        fields, ends, found = self.fields, (0, side, OFF), []
        for step in self.directions:
            far = square + step
            if fields[far] in ends:
                continue
            while fields[far] not in ends:
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
        fields = self.fields
        taken, is_free = set(), False
        for step in self.beside:
            near = point + step
            if fields[near] == 0:
                is_free = True
            elif fields[near] == side:
                is_free = is_free or len(self.chain(near)[1]) > 1
            elif fields[near] != OFF and near not in taken:
                chain, liberties = self.chain(near)
                if len(liberties) == 1:
                    taken |= chain
        return taken, is_free or bool(taken)

    def region(self, point):
        """The empty points that can be reached from the empty `point`, and the seats with stones next to them."""
        fields = self.fields
        region, around, rest = {point}, set(), [point]
        while rest:
            at = rest.pop()
            for step in self.beside:
                near = at + step
                if fields[near] == 0:
                    if near not in region:
                        region.add(near)
                        rest.append(near)
                elif fields[near] != OFF:
                    around.add(fields[near])
        return region, around


class Game:
    def __init__(self, ruleset):
        """`ruleset` is a string, or the dict that `settings` returns for it."""
        self.rules = rules = settings(ruleset) if isinstance(ruleset, str) else ruleset
        self.seats, self.out, self.to_move, self.passed = rules["players"], [], BLACK, set()
        self.squares = Board(rules["squares"], SQUARE_LETTERS, True, self.seats)
        self.points = Board(rules["points"], POINT_LETTERS, False, self.seats)
        self.modes, self.mode, self.counts = list(rules["modes"]), None, []
        self.supplies, self.entered = self._zeros(), set()
        self.prisoners, self.proof_stones, self.past, self.arrangements = self._zeros(), None, [], set()
        self._begin_mode()
        if rules["squares"] and rules["start"] in ("middle", "corners"):
            self._put_in_corners(2)
        if rules["squares"] and rules["start"] == "corners":
            self._put_in_corners(8 if self.mode == "reverse" else self.squares.size)
        self._settle()

    def _zeros(self):
        return [0] * (self.seats + 1)

    def _put_in_corners(self, size):
        """Puts a stone in each corner of the `size` ranks and files in the middle, clockwise from the top left."""
        inner = self.squares.inner(size)
        for side, square in zip((2, 1, 2, 1) if self.seats == 2 else (1, 2, 3, 4), (0, size - 1, -1, -size)):
            self.squares.fields[inner[square]] = side
            self.supplies[side] -= 1

    def copy(self):
        game = Game.__new__(Game)
        game.__dict__.update(self.__dict__)
        game.squares, game.points = self.squares.copy(), self.points.copy()
        for name in ("out", "passed", "modes", "counts", "supplies", "entered", "prisoners", "past", "arrangements"):
            setattr(game, name, getattr(self, name).copy())
        game.proof_stones = None if self.proof_stones is None else self.proof_stones.copy()
        return game

    def board(self):
        """The board of the current mode."""
        return self.points if self.mode == "go" else self.squares

    # Seats.

    def rivals(self, side):
        """The other seats that have not dropped out."""
        return [seat for seat in range(1, self.seats + 1) if seat != side and seat not in self.out]

    def next_seat(self, side, step=1):
        """The seat after `side` that has not dropped out; with a `step` of -1, the one before it."""
        seat = side
        while True:
            seat = (seat - 1 + step) % self.seats + 1
            if seat not in self.out or seat == side:
                return seat

    def drop_out(self, side):
        """From now on, the turns of `side` are skipped. Its stones stay. Nothing changes if it is out already."""
        if side in self.out or self.mode is None:
            return
        self.out.append(side)
        if len(self.out) == self.seats - 1:
            self.mode = None  # one seat is left
            return
        if side == self.to_move:
            self.to_move = self.next_seat(side)
        self._settle()

    # Moves.

    def moves(self):
        names = self.board().names
        if self.mode == "go":
            empty = [point for point in self.points.on_board if not self.points.fields[point]]
            return [names[point] for point in empty if self.may_place(point)] + ["pass"]
        ground, placements = self._ground(self.to_move) if self._has_stone(self.to_move) else ("row", [])
        if self.mode == "reverse" and self.rules["rows"] == "one" and ground == "row":
            rows = ((square, far) for square in placements for far, _ in self.squares.rows(self.to_move, square))
            return [f"{names[square]}-{names[far]}" for square, far in rows] or ["pass"]
        return [names[square] for square in placements] or ["pass"]

    def play(self, move):
        side = self.to_move
        self.to_move = self.next_seat(side)
        if move == "pass":
            self.passed.add(side)
            if self.mode == "go":
                self._remember(side)
            return self._settle()
        self.passed.clear()
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
            self.entered.add(side)
        self.supplies[side] -= 1
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
        self.passed.clear()
        self._hand_out_anew()
        seat, stones = (int(word) for word in self.rules.get("handicap", "0,0").split(","))
        for point in handicap_points(self.points, stones):
            self.points.fields[point] = seat
        self._remember(self.next_seat(self.to_move, -1))

    def _hand_out(self, stones):
        """Divides `stones`; the remainder goes to the seats one by one, starting with the seat to move."""
        share, over = divmod(stones, self.seats)
        for nth in range(self.seats):
            seat = (self.to_move - 1 + nth) % self.seats + 1
            self.supplies[seat] += share + (nth < over)

    def _hand_out_anew(self):
        self.supplies = self._zeros()
        self._hand_out(self.points.size**2)

    def _has_stone(self, side):
        return self.rules["supplies"] == "no" or self.supplies[side] > 0

    def _settle(self):
        """Ends modes that are over."""
        while self.mode:
            everybody = [self.to_move] + self.rivals(self.to_move)
            if self.mode == "go":
                has_stopped = self.passed.issuperset(everybody) or not any(map(self._has_stone, everybody))
                if not has_stopped:
                    return
                if self.rules["count"] == "territory" and self.proof_stones is None:
                    self.proof_stones = set()
                    self.passed.clear()
                    self._hand_out_anew()
                    return
                self.counts.append(self.count_points())
            else:
                if any(map(self.placements, everybody)):
                    return
                self.counts.append([0] + [self.squares.count(seat) for seat in range(1, self.seats + 1)])
            self._begin_mode()

    # Reverse and Othello.

    def _is_opening(self):
        return self.rules["start"] == "open" and sum(map(self.squares.count, range(1, self.seats + 1))) < 4

    def _ground(self, side):
        """The rule by which `side` may place a stone, and the squares on which it may do so."""
        fields = self.squares.fields
        empty = [square for square in self.field if not fields[square]]
        if self._is_opening():
            return "opening", [square for square in self.squares.inner(2) if not fields[square]]
        if self.rules["start"] == "none" and side not in self.entered:
            return "entry", self._next_to_stones(empty) or empty
        enclosing = [square for square in empty if self.squares.rows(side, square)]
        if not enclosing and self.rules["stuck"] == "beside":
            return "beside", self._next_to_stones(empty)
        return "row", enclosing

    def _next_to_stones(self, empty):
        fields, directions = self.squares.fields, self.squares.directions
        return [square for square in empty if any(fields[square + step] not in (0, OFF) for step in directions)]

    def placements(self, side):
        """The squares on which `side` may place a stone."""
        return self._ground(side)[1] if self._has_stone(side) else []

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
        # How many more prisoners the stone gains for its seat than for each other seat.
        gain = len(taken - (self.proof_stones or set()))
        if not is_free:
            taken = self._suicide(side, point)
            gain = -len(taken - (self.proof_stones or set()) - self._if_proof(point))
        for stone in taken:
            fields[stone] = 0
        return not self._repeats(bytes(fields), gain)

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
        owners = [side]
        if not is_free:
            taken, owners = self._suicide(side, point), [seat for seat in range(1, self.seats + 1) if seat != side]
        self.points.fields[point] = side
        if self.proof_stones is not None:
            self.proof_stones.add(point)
        for stone in taken:
            self.points.fields[stone] = 0
        for owner in owners:
            # Captured proof stones do not become prisoners.
            self.prisoners[owner] += len(taken - (self.proof_stones or set()))
        if self.proof_stones is not None:
            self.proof_stones -= taken
        self._remember(side)

    def _remember(self, side):
        """Records the arrangement after a turn of `side`, with the prisoners of all seats."""
        arrangement = bytes(self.points.fields)
        self.past.append((arrangement, side, self.prisoners[1:]))
        self.arrangements.add(arrangement)

    def _repeats(self, after, gain):
        """Whether `ko` forbids the arrangement `after`, which gives the seat to move `gain` prisoners."""
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
        own = [prisoners for arrangement, side, prisoners in self.past if (arrangement, side) == (after, self.to_move)]
        if self.rules["ko"] == "situational":
            return bool(own)
        now = self.prisoners[1:]
        now[self.to_move - 1] += gain
        return any(len({new - old for new, old in zip(now, then)}) == 1 for then in own)

    def count_points(self):
        """The count of Go for each seat in the current position, without the proof stones."""
        board, count, seen = self.points.copy(), self._zeros(), set()
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
        return count


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
