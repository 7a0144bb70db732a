#!/usr/bin/env python3
"""A Seegover bot to make your own. Change `evaluate` first.

    python3 bot.py SIDE HOST PORT [RULESET]     for example: python3 bot.py black localhost 29068
    python3 bot.py SIDE --stdio [RULESET]       talks over stdin and stdout

RULESET is the name of the game and the options that differ from the default, such as "seegover drop=2".
"""

import os
import random
import sys
import time

import rules
from gothello_client import Client, GameOver, Move, Refused

DEPTH = 3  # how many turns to look ahead once stones move, unless the clock gives time for each move
FURTHEST = 50  # more turns than there is ever time for
WIN = 1000  # more than any evaluation


def evaluate(board, side):
    """How good the board is for `side`, which is to move: the bot looks for turns that lead to high values."""
    # YOUR IDEA GOES HERE. So far a stone is worth 2, and a stone in a corner, which can never be captured, 1 more. Is
    # it good or bad to have stones beside the empty square? README.md has a first idea to try.
    corners = [board[square] for square in rules.CORNERS]
    return 2 * rules.lead(board, side) + corners.count(side) - corners.count(rules.opponent(side))


def think(value, depth, turn):
    """Reports what the bot thinks of its position. The arena stores this claim next to the exact value."""
    if abs(value) > WIN / 2:
        claim = f"win={int(value > 0)}"  # the search has seen the end of the game
    else:
        claim = f"value={value / 2:+.1f}"  # `evaluate` counts 2 for a stone
    print(f"#think {claim} depth={depth} pv={turn}", file=sys.stderr)


class OutOfTime(Exception):
    pass


class Search:
    """A search that ends at `deadline`, in a game in which the positions `seen` have occurred."""

    def __init__(self, the_rules, seen, deadline):
        self.rules, self.seen, self.deadline = the_rules, seen, deadline

    def value(self, board, side, depth, alpha, beta):
        """The value of the board for `side`, which is to move, looking `depth` turns ahead: negamax with alpha-beta."""
        if not rules.is_dropping(board):
            if rules.has_lost(board, side):
                return -WIN - depth  # a later loss, for which `depth` is smaller, is not as bad
            if (board, side) in self.seen:
                return 0  # a repeated position is a draw
        if depth == 0:
            return evaluate(board, side)
        if time.monotonic() > self.deadline:
            raise OutOfTime
        other = rules.opponent(side)
        # The turns that lead to the best boards come first, so that alpha-beta skips more of the others.
        turns = sorted(self.rules.turns(board, side), key=lambda turn: -rules.lead(turn[1], side))
        for _, after in turns:
            alpha = max(alpha, -self.value(after, other, depth - 1, -beta, -alpha))
            if alpha >= beta:
                break  # the opponent has a better choice earlier and will avoid this position
        return alpha


def choose(the_rules, board, side, seen, seconds, furthest=DEPTH, refused=()):
    """The turn to make within about `seconds`, looking up to `furthest` turns ahead.

    `seen` are the positions of the game so far.
    """
    turns = [turn for turn in the_rules.legal_turns(board, side, seen) if turn[0] not in refused]
    random.shuffle(turns)  # of equally good turns, the first one wins
    other = rules.opponent(side)
    start = time.monotonic()
    if rules.is_dropping(board) and furthest == DEPTH:
        furthest = 1  # while stones are dropped, there are too many turns to look ahead without time for each move
    for depth in range(1, furthest + 1):
        search = Search(the_rules, seen, start + (seconds if depth > 1 else 3600))
        try:
            best, best_value = turns[0], -2 * WIN
            for turn in turns:
                value = -search.value(turn[1], other, depth - 1, -2 * WIN, -best_value)
                if value > best_value:
                    best, best_value = turn, value
        except OutOfTime:
            break
        turns.remove(best)
        turns.insert(0, best)  # with a good turn first, the deeper search skips more
        found = best_value, depth
    think(*found, turns[0][0])
    return turns[0][0]


def plan_turn(left, control):
    """How many seconds to think, and how many turns to look ahead, if we lose on time after `left` seconds."""
    # A turn gets a twentieth of the time that is left for the whole game, and 3/4 of the time that the clock gives for
    # each move. The last quarter is for delays, such as a slow start or a busy machine. A bank is for longer delays, so
    # the bot never plans to use it.
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


def take_turn(client, the_rules, board, side, seen):
    """Makes our turn; returns it and the server's reply. A turn that the server refuses is replaced by another one."""
    refused = []
    seconds, furthest = plan_turn(client.my_time, client.time_control)
    while True:
        turn = choose(the_rules, board, side, seen, seconds, furthest, refused)
        reply = client.play(turn)
        if not isinstance(reply, Refused):
            return turn, reply
        print(f"{turn} was refused on {board}: {reply.text}", file=sys.stderr)
        refused.append(turn)
        seconds = 0  # our clock has not stopped
        if len(refused) == len(the_rules.legal_turns(board, side, seen)):
            return turn, client.resign()  # all turns have been refused


def play_game(client, the_rules):
    """Plays until the game is over, and returns its end."""
    board, to_move, seen = rules.START, "b", set()
    while True:
        if to_move == client.side[0] and not client.told:  # an opening may contain turns of ours
            turn, event = take_turn(client, the_rules, board, to_move, seen)
        else:
            event = client.next()
            turn = event.point if isinstance(event, Move) else None
        if isinstance(event, GameOver):
            return event
        board = dict(the_rules.legal_turns(board, to_move, seen))[turn]
        to_move = rules.opponent(to_move)
        if not rules.is_dropping(board):
            seen.add((board, to_move))


def main():
    arguments = sys.argv[1:]
    name = os.environ.get("GOTHELLO_NAME", "")  # the arena sets these three
    random.seed(os.environ.get("GOTHELLO_SEED"))
    ruleset = os.environ.get("GOTHELLO_RULESET") or "seegover"
    if arguments[1:2] == ["--stdio"] and len(arguments) in (2, 3):
        the_rules = rules.Rules(arguments[2] if len(arguments) == 3 else ruleset)
        client = Client(arguments[0], name=name)
    elif len(arguments) in (3, 4) and arguments[2].isdigit():
        the_rules = rules.Rules(arguments[3] if len(arguments) == 4 else ruleset)
        client = Client(arguments[0], arguments[1], int(arguments[2]), name)
    else:
        sys.exit(__doc__)
    end = play_game(client, the_rules)
    print(f"{end.result}: {end.text}", file=sys.stderr)


if __name__ == "__main__":
    main()
