#!/usr/bin/env python3
"""A bot for Quantum Gothello, Othello, Reverse and Go to make your own. Change `evaluate_squares` or `evaluate_points` first.

    python3 bot.py SIDE HOST PORT [RULESET]     for example: python3 bot.py black localhost 29068 othello
    python3 bot.py SIDE --stdio [RULESET]       talks over stdin and stdout

SIDE is "black" or "white", or the number of a seat in a game for four or six, such as quantum-4p. RULESET is the name
of the game and the options that differ from the default, such as "quantum ko=simple".
"""

import os
import random
import sys
import time

import rules
from gothello_client import Client, GameOver, Move, Out, Refused

DEPTH = 4  # how many moves to look ahead on squares if there is time, unless the clock gives time for each move
FURTHEST = 400  # more moves than the squares have room for
MANY = 1_000_000  # more than any evaluation


def evaluate_squares(game, side):
    """How good the squares are for `side`: the bot looks for moves that lead to high values."""
    # YOUR IDEA GOES HERE. So far, only corners, the stones next to empty corners, and each side's number of legal
    # placements count. When should stones begin to count? README.md has a first idea to try.
    board = game.squares
    value = 4 * lead(game, side, lambda seat: len(game.placements(seat)))
    for corner, beside in corners(board, game.field):
        value += 60 * sign(board.fields[corner], side)
        if not board.fields[corner]:
            value -= 15 * sum(sign(board.fields[square], side) for square in beside)
    return value


def evaluate_points(game, side):
    """How good the points are for `side`, which has just moved."""
    # AND HERE. So far each empty point belongs to the side with the nearest stone, and a chain with one liberty counts
    # as nearly taken. Which chains can live?
    board, near = game.points, territory(game)
    further = board.count if game.rules["count"] == "area" else game.prisoners.__getitem__
    value = 10 * lead(game, side, lambda seat: near[seat] + further(seat))
    for stones, liberties in chains(board):
        if len(liberties) == 1:
            # Another side is to move, so a chain that we threaten may escape.
            value += -16 * len(stones) if board.fields[stones[0]] == side else 4 * len(stones)
    return value


def evaluate_proof(game, side):
    """How good the points are for `side` when it has to prove that stones of other seats are dead."""
    value = 10 * lead(game, side, game.count_points().__getitem__)
    for stones, liberties in chains(game.points):
        old = [stone for stone in stones if stone not in game.proof_stones]
        value -= len(old) * max(0, 4 - len(liberties)) * sign(game.points.fields[stones[0]], side)
    return value


def lead(game, side, value):
    """How much more `side` has than its rivals on average, if each seat has `value(seat)`."""
    rivals = game.rivals(side)
    return value(side) - sum(map(value, rivals)) / len(rivals)


def sign(owner, side):
    """1 for a stone of `side`, -1 for one of another side, and 0 for no stone."""
    return 0 if not owner else 1 if owner == side else -1


def corners(board, field):
    """The corners of a field of squares, each with the three squares next to it."""
    files = sorted({square % board.stride for square in field})
    low, high = files[0], files[-1]
    for rank, down in ((low, board.stride), (high, -board.stride)):
        for file, along in ((low, 1), (high, -1)):
            corner = rank * board.stride + file
            yield corner, (corner + along, corner + down, corner + along + down)


def chains(board):
    """Every chain, as the list of its stones and the set of its liberties."""
    seen = set()
    for point in board.on_board:
        if board.fields[point] and point not in seen:
            stones, liberties = board.chain(point)
            seen |= stones
            yield list(stones), liberties


def territory(game):
    """For each seat, the number of empty points that are nearer to its stones than to all others."""
    board, near = game.points, [0] * (game.seats + 1)
    owner, front = board.fields[:], [point for point in board.on_board if board.fields[point]]
    while front:
        reached = {}
        for point in front:
            for step in board.beside:
                if not owner[point + step]:
                    # Points that several sides reach at the same time belong to no side.
                    by = reached.setdefault(point + step, owner[point])
                    reached[point + step] = by if by == owner[point] else rules.OFF
        front = [point for point, by in reached.items() if by != rules.OFF]
        for point, by in reached.items():
            owner[point] = by
        for point in front:
            near[owner[point]] += 1
    return near


class OutOfTime(Exception):
    pass


def value_of_squares(game, side, depth, alpha, beta, deadline):
    """The value of the squares for `side`, looking `depth` moves ahead: alpha-beta search.

    All other sides are expected to play against `side`. With more than one of these sides, this is too pessimistic.
    """
    if game.mode in (None, "go"):
        return MANY // 1000 * lead(game, side, game.squares.count)
    if depth == 0:
        return evaluate_squares(game, side)
    if time.monotonic() > deadline:
        raise OutOfTime
    for move in game.moves():
        after = game.copy()
        after.play(move)
        value = value_of_squares(after, side, depth - 1, alpha, beta, deadline)
        if game.to_move == side:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)
        if alpha >= beta:
            break  # some side has a better choice earlier and will avoid this position
    return alpha if game.to_move == side else beta


def choose_on_squares(game, moves, furthest, deadline):
    """The best of `moves`, looking up to `furthest` moves ahead."""
    side = game.to_move
    for depth in range(1, furthest + 1):
        try:
            best, best_value = moves[0], -2 * MANY
            for move in moves:
                after = game.copy()
                after.play(move)
                limit = deadline if depth > 1 else float("inf")
                value = value_of_squares(after, side, depth - 1, best_value, 2 * MANY, limit)
                if value > best_value:
                    best, best_value = move, value
        except OutOfTime:
            break
        moves.remove(best)
        moves.insert(0, best)  # with a good move first, the deeper search skips more
        searched = depth
    # The arena stores this report on the bot's thinking with the game. Add `value=` or `win=` if your evaluation allows
    # it.
    print(f"#think depth={searched} pv={moves[0]}", file=sys.stderr)
    return moves[0]


def is_eye(board, side, point):
    """Whether all points next to the empty `point` have stones of `side`, which should not fill it."""
    return all(board.fields[point + step] in (side, rules.OFF) for step in board.beside)


def choose_on_points(game, moves, deadline):
    """The move from `moves` that leads to the best points, or the pass if no placement improves them."""
    side, board = game.to_move, game.points
    placements = [move for move in moves if move != "pass" and not is_eye(board, side, board.numbers[move])]
    evaluate = evaluate_points if game.proof_stones is None else evaluate_proof
    # A pass changes nothing, so its value is the current one, and a placement must be better.
    best, best_value = "pass", evaluate(game, side)
    for move in placements:
        if time.monotonic() > deadline:
            return move if best == "pass" else best
        after = game.copy()
        after.play(move)
        value = MANY if after.mode is None else evaluate(after, side)
        if value > best_value:
            best, best_value = move, value
    return best


def choose(game, seconds, furthest=DEPTH, refused=()):
    """The move to make, other than those in `refused`, within about `seconds` (None without clocks).

    On squares, the bot looks up to `furthest` moves ahead.
    """
    start = time.monotonic()
    moves = [move for move in game.moves() if move not in refused]
    random.shuffle(moves)  # of equally good moves, the first one wins
    if len(moves) == 1:
        return moves[0]
    if game.mode != "go":
        return choose_on_squares(game, moves, furthest, start + (0.03 if seconds is None else seconds))
    best = choose_on_points(game, moves, start + (3600 if seconds is None else seconds))
    return best if best in moves else moves[0]


def plan_turn(left, control):
    """How many seconds to think, and how many moves to look ahead on squares, if we lose on time after `left` seconds."""
    # A move gets an eightieth of the time that is left for the whole game, and 3/4 of the time that the clock gives for
    # each move. The last quarter is for delays: a slow start, or a busy machine. For longer delays there may be a bank,
    # so the bot never plans to use it.
    if left is None:
        return None, DEPTH  # without clocks
    if control.move_time > 0:
        return 0.75 * control.move_time, FURTHEST
    if control.periods > 0:  # the main time is used up first; a period that is not exceeded comes back
        main_time = left - control.periods * control.period
        return max(main_time / 80, 0.75 * control.period), FURTHEST
    if control.increment > 0:
        return min(left / 80 + 0.75 * control.increment, 0.75 * left), FURTHEST
    return left / 80, DEPTH


def take_turn(client, game):
    """Makes our move; returns it and the server's reply. A move that the server refuses is replaced by another one."""
    refused = []
    seconds, furthest = plan_turn(client.my_time, client.time_control)
    while True:
        move = choose(game, seconds, furthest, refused)
        reply = client.play(move)
        if not isinstance(reply, Refused):
            return move, reply
        print(f"{move} was refused: {reply.text}\n{game.board()}", file=sys.stderr)
        drop_outs(client, game)
        refused.append(move)
        seconds = 0  # our clock has not stopped
        if len(refused) == len(game.moves()):
            return move, client.resign()  # all moves have been refused


def drop_outs(client, game):
    """Removes from the game the seats that have dropped out. Only games with more than two seats go on without them."""
    for seat in client.out:
        game.drop_out(seat)  # this does nothing if the seat is out already


def play_game(client, game):
    """Plays until the game is over, and returns its end."""
    while True:
        if game.mode is not None and client.seat == game.to_move and not client.told:
            move, event = take_turn(client, game)
        else:
            event = client.next()
            move = event.point if isinstance(event, Move) else "pass"
        drop_outs(client, game)
        if isinstance(event, GameOver):
            return event
        if not isinstance(event, Out):
            game.play(move)


def main():
    arguments = sys.argv[1:]
    name = os.environ.get("GOTHELLO_NAME", "")  # the arena sets these three
    random.seed(os.environ.get("GOTHELLO_SEED"))
    ruleset = os.environ.get("GOTHELLO_RULESET") or "quantum"
    if arguments[1:2] == ["--stdio"] and len(arguments) in (2, 3):
        game = rules.Game(arguments[2] if len(arguments) == 3 else ruleset)
        client = Client(arguments[0], name=name)
    elif len(arguments) in (3, 4) and arguments[2].isdigit():
        game = rules.Game(arguments[3] if len(arguments) == 4 else ruleset)
        client = Client(arguments[0], arguments[1], int(arguments[2]), name)
    else:
        sys.exit(__doc__)
    end = play_game(client, game)
    print(f"{end.result}: {end.text}", file=sys.stderr)


if __name__ == "__main__":
    main()
