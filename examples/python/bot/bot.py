#!/usr/bin/env python3
"""A Gothello bot to make your own. Change `evaluate` first.

    python3 bot.py SIDE HOST PORT     for example: python3 bot.py black localhost 29068
    python3 bot.py SIDE --stdio       talks over stdin and stdout
"""

import os
import random
import sys
import time

import rules
from gothello_client import Client, GameOver, Move, Refused

DEPTH = 2  # how many plies to look ahead, unless the clock gives time for each move
FURTHEST = 50  # more plies than any game has
WIN = 1000  # more than any evaluation


def evaluate(board, side):
    """How good the board is for `side`, which is to move: the bot looks for moves that lead to high values."""
    # YOUR IDEA GOES HERE. So far a stone is worth 2, and an empty point next to a stone (a liberty) 1. Which stones can
    # never be captured again? Which points can only one side play on? README.md has a first idea to try.
    liberties = rules.liberties(board, side) - rules.liberties(board, rules.opponent(side))
    return 2 * rules.lead(board, side) + liberties


def think(value, depth, move):
    """Reports what the bot thinks of its position. The arena stores this claim next to the exact value."""
    if abs(value) > WIN / 2:
        points = value - WIN if value > 0 else value + WIN  # the search has seen the end of the game
    else:
        points = value / 2  # `evaluate` counts 2 for a stone
    print(f"#think value={points:+.1f} depth={depth} pv={rules.name(move)}", file=sys.stderr)


class OutOfTime(Exception):
    pass


def search(board, side, passed, depth, alpha, beta, deadline):
    """The value of the board for `side`, which is to move, looking `depth` plies ahead: negamax with alpha-beta."""
    lead = rules.lead(board, side)
    if passed and lead > 0:
        return WIN + lead  # a second pass ends the game and wins it
    if depth == 0:
        return evaluate(board, side)
    if time.monotonic() > deadline:
        raise OutOfTime
    moves = rules.legal_points(board, side)
    if not moves and passed:
        return lead - WIN if lead < 0 else 0  # neither side can move
    for move in moves or [rules.PASS]:
        after = rules.play(board, side, move)
        value = -search(after, rules.opponent(side), move == rules.PASS, depth - 1, -beta, -alpha, deadline)
        alpha = max(alpha, value)
        if alpha >= beta:
            break  # the opponent will avoid this position
    return alpha


def choose(board, side, passed, seconds, furthest=DEPTH, refused=()):
    """The move to make within about `seconds`, looking up to `furthest` plies ahead: a point or PASS.

    `passed` says whether the opponent has just passed.
    """
    moves = [point for point in rules.legal_points(board, side) if point not in refused]
    wins = passed and rules.lead(board, side) > 0  # a second pass ends the game
    if not moves or wins and rules.PASS not in refused:
        return rules.PASS
    random.shuffle(moves)  # of equally good moves, the first one wins
    start = time.monotonic()
    for depth in range(1, furthest + 1):
        deadline = start + (seconds if depth > 1 else 3600)
        try:
            best, best_value = moves[0], -2 * WIN
            for move in moves:
                after = rules.play(board, side, move)
                value = -search(after, rules.opponent(side), False, depth - 1, -2 * WIN, -best_value, deadline)
                if value > best_value:
                    best, best_value = move, value
        except OutOfTime:
            break
        moves.remove(best)
        moves.insert(0, best)  # with a good move first, the deeper search skips more
        found = best_value, depth
    think(*found, moves[0])
    return moves[0]


def plan_turn(left, control):
    """How many seconds to think, and how many plies to look ahead, if we lose on time after `left` seconds."""
    # Each side has at most about 20 moves in a game, so a move gets a twentieth of the time for the whole game, and 3/4
    # of the time for each move. The rest, and a bank, is for delays, such as a busy machine.
    if left is None:
        return 1, DEPTH  # without clocks
    if control.move_time > 0:
        return 0.75 * control.move_time, FURTHEST
    if control.periods > 0:  # the main time is used up first; a period that is not exceeded comes back
        main_time = left - control.periods * control.period
        return max(main_time / 20, 0.75 * control.period), FURTHEST
    if control.increment > 0:
        return min(left / 20 + 0.75 * control.increment, 0.75 * left), FURTHEST
    return left / 20, DEPTH


def take_turn(client, board, side, passed):
    """Makes our move; returns it and the server's reply. A move that the server refuses is replaced by another one."""
    refused = []
    seconds, furthest = plan_turn(client.my_time, client.time_control)
    while True:
        move = choose(board, side, passed, seconds, furthest, refused)
        reply = client.play(rules.name(move))
        if not isinstance(reply, Refused):
            return move, reply
        print(f"{rules.name(move)} was refused on {board}: {reply.text}", file=sys.stderr)
        refused.append(move)
        seconds = 0  # our clock has not stopped


def play_game(client):
    """Plays until the game is over, and returns its end."""
    board, to_move, passed = rules.START, "b", False
    while True:
        if to_move == client.side[0] and not client.told:  # an opening may contain moves of ours
            move, event = take_turn(client, board, to_move, passed)
        else:
            event = client.next()
            move = rules.point(event.point) if isinstance(event, Move) else rules.PASS
        if isinstance(event, GameOver):
            return event
        board, passed = rules.play(board, to_move, move), move == rules.PASS
        to_move = rules.opponent(to_move)


def main():
    name = os.environ.get("GOTHELLO_NAME", "")  # the arena sets both
    random.seed(os.environ.get("GOTHELLO_SEED"))
    if len(sys.argv) == 3 and sys.argv[2] == "--stdio":
        client = Client(sys.argv[1], name=name)
    elif len(sys.argv) == 4 and sys.argv[3].isdigit():
        client = Client(sys.argv[1], sys.argv[2], int(sys.argv[3]), name)
    else:
        sys.exit(__doc__)
    end = play_game(client)
    print(f"{end.result}: {end.text}", file=sys.stderr)


if __name__ == "__main__":
    main()
