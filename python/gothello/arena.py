"""Exact values and opponents from the program `gothello-arena`, which must be installed."""

import json
import subprocess
from typing import NamedTuple, Optional

from .rules import BLACK, MOVES, PASS

PROGRAM = "gothello-arena"


class ArenaError(RuntimeError):
    """The program `gothello-arena` is missing, or has failed."""


class Solution(NamedTuple):
    """The result of best play."""

    margin: int  #: The margin for the side to move.
    best: tuple  #: The moves that keep it.
    line: tuple  #: Moves that keep it, to the end of the game.


def solve(position, program=PROGRAM, threads=None):
    """The solution of a position, by `gothello-arena solve`. With ten stones or fewer, this can take seconds."""
    side = "black" if position.to_move == BLACK else "white"
    if position.is_over:
        return Solution(position.lead * position.to_move, (), ())
    words = [program, "solve", "--board", str(position).replace("\n", " "), "--to-move", side, "--json"]
    words += ["--passed"] if position.passes else []
    words += ["--threads", str(threads)] if threads else []
    try:
        run = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ArenaError(f"cannot run `{program}`: {error}") from error
    if run.returncode != 0:
        raise ArenaError(run.stderr.strip())
    found = json.loads(run.stdout)
    return Solution(found["margin"] * position.to_move, tuple(found["best"]), tuple(found["line"]))


def margin(position, table=None, program=PROGRAM):
    """The margin for the side to move, from the MarginTable `table` if it contains the position, or else by `solve`."""
    known: Optional[int] = table.margin(position) if table is not None else None
    return solve(position, program).margin if known is None else known


class ArenaBot:
    """One of the arena's built-in bots as an opponent: it receives the moves of the other side, and answers with its own.

        with ArenaBot("alphabeta", side=WHITE, options=["--depth", "2"]) as bot:
            move = bot.reply("c3")      # the name of the bot's move

    A bot plays one game.
    """

    def __init__(self, bot="greedy", side=-1, options=(), seed=0, program=PROGRAM):
        self.side, self._numbers = side, {1: 0, -1: 0}
        name = "black" if side == BLACK else "white"
        words = [program, "bot", bot, "--stdio", "--side", name, "--seed", str(seed), *options]
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError as error:
            raise ArenaError(f"cannot run `{program}`: {error}") from error
        self._say("000 Gothello 0.9.1 is ready")
        self._hear()
        self._say("100 Request accepted without time controls")
        self._say(f"{352 if side == BLACK else 351} You will play {name}")

    def first(self):
        """The name of the bot's first move of the game, if it plays black."""
        return self._turn()

    def reply(self, move):
        """Tells the bot the other side's move, and returns the name of its own."""
        self._tell(-self.side, move)
        return self._turn()

    def _turn(self):
        words = self._hear().split()
        move = words[-1] if words else ""
        if move not in MOVES:
            raise ArenaError(f"the bot says {' '.join(words)!r}")
        self._say(f"200 Move {move} accepted, continue playing")
        self._tell(self.side, move)
        return move

    def _tell(self, side, move):
        move = MOVES[move] if isinstance(move, int) else move
        self._numbers[side] += 1
        number, is_pass = self._numbers[side], MOVES.index(move) == PASS
        if side == BLACK:
            code, text = 315 if is_pass else 311, f"{number} {move} is black move, game continues"
        else:
            code, text = 316 if is_pass else 312, f"{number} ... {move} is white move, game continues"
        self._say(f"{code} {text}")

    def _say(self, line):
        try:
            self._process.stdin.write(line.encode() + b"\r\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise ArenaError("the bot has ended") from error

    def _hear(self):
        line = b""
        while not line.endswith((b"\r", b"\n")):  # the protocol's old line ending is a carriage return alone
            byte = self._process.stdout.read(1)
            if not byte:
                raise ArenaError("the bot has ended")
            line = (line + byte).lstrip()
        return line.decode().strip()

    def close(self):
        """Stops the bot."""
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
