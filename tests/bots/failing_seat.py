"""A bot for games with four or six seats that moves at random. It either loses on time in its first turn, or fails in
its third turn or soon after.

Usage: failing_seat.py HOW SEATS SIDE HOST PORT RULESET, where HOW is crash, flag or illegal, and SEATS contains the
digit of each seat in which the bot fails. The bot is built on the example in examples/quantum/bot.
"""

import pathlib
import random
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/quantum/bot"))

import bot  # noqa: E402
from gothello_client import GameOver  # noqa: E402

HOW, SEATS = sys.argv.pop(1), sys.argv.pop(1)
turns = 0


def illegal(game):
    """A move that has the form of a legal one; None if there is none, as on an empty board of points."""
    legal = game.moves()
    every_mode_has = (f"{file}{rank}" for file in "bcdefgh" for rank in range(2, 9))
    return next((move for move in every_mode_has if move not in legal), None)


def take_turn(client, game):
    global turns
    turns += 1
    fails = str(client.seat) in SEATS
    if fails and HOW == "flag":
        signal.pause()
    wrong = illegal(game)
    if not fails or turns < 3 or wrong is None:
        move = random.choice(game.moves())
        return move, client.play(move)
    if HOW == "crash":
        print("no book for this position", file=sys.stderr)
        sys.exit(3)
    reply = None
    while not isinstance(reply, GameOver):
        reply = client.play(wrong)
    return wrong, reply


bot.take_turn = take_turn
bot.main()
