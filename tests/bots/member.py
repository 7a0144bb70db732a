"""A member of a team: it makes random legal moves in one mode of a game of Quantum Gothello.

Usage: member.py MODE SIDE HOST PORT RULESET [FAULT]. To stderr, it prints the number of earlier moves that it was told
about, and the number of each ply that it plays. The fault `absent` means that it never connects, `crash` that it exits
with status 3 in its first turn, `flag` that it never moves, and `illegal` that it tries to place a stone where no stone
can be placed. It exits with status 7 if it is asked for a move in a mode other than its own.
"""

import os
import random
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/quantum/bot"))
import rules
from gothello_client import Client, GameOver, Move, Out, Refused

mode, side, host, port, ruleset, fault = (sys.argv[1:] + [""])[:6]


def tell(text):
    print(text, file=sys.stderr, flush=True)


def in_my_turn():
    if game.mode != mode:
        tell(f"asked for a move in the mode {game.mode}")
        sys.exit(7)
    tell(f"ply {plies + 1}")
    if fault == "crash":
        sys.exit(3)
    if fault == "flag":
        time.sleep(600)
    move = "a99" if fault == "illegal" else random.choice(game.moves())
    return move, client.play(move)


if fault == "absent":
    sys.exit("the program for this mode never connects")
random.seed(os.environ["GOTHELLO_SEED"])
game, plies = rules.Game(ruleset), 0
client = Client(side, host, int(port), os.environ["GOTHELLO_NAME"])
tell(f"told {client.told}")
while True:
    is_mine = client.seat == game.to_move and not client.told
    if is_mine and plies and game.mode != mode:
        # Another program plays from here.
        sys.exit(0)
    move, event = in_my_turn() if is_mine else (None, client.next())
    for seat in client.out:
        game.drop_out(seat)
    if isinstance(event, GameOver):
        break
    if isinstance(event, (Out, Refused)):
        continue
    game.play(move or (event.point if isinstance(event, Move) else "pass"))
    plies += 1
