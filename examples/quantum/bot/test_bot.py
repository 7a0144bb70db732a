"""Plays the games of games.txt by the rules, and asks the bot for moves in some of their positions.

Run it with `make test`. The beginning of games.txt describes its lines. QUANTUM_GAMES can name another file in this
format.
"""

import os
import unittest
import zlib

import bot
import rules

GAMES = os.environ.get("QUANTUM_GAMES") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "games.txt")


def settings(words):
    """The settings in a line of games.txt, in the form that rules.Game expects."""
    given = dict(word.split("=") for word in words)
    numbers = {key: int(given[key]) for key in ("players", "squares", "points")}
    return {**given, **numbers, "modes": given["modes"].split(",")}


def games():
    """Each game's settings, moves, counts of legal moves, their CRC-32, and the boards at the ends of modes."""
    found = []
    with open(GAMES, encoding="ascii") as file:
        for line in file:
            word, *rest = line.split()
            if word == "lineup":
                line_up = settings(rest[1:])
            elif word == "game":
                found.append((line_up, {"end": []}))
            elif word == "end":
                found[-1][1]["end"].append(rest)
            elif word != "#":
                found[-1][1][word] = rest
    return found


def boards(game):
    return "/".join(str(board).replace("\n", "/") for board in (game.squares, game.points) if board.size)


class Rules(unittest.TestCase):
    def test_legal_moves_and_counts(self):
        for line_up, known in games():
            game, checksum, ends = rules.Game(line_up), 0, []
            for ply, (move, count) in enumerate(zip(known["moves"], known["legal"]), 1):
                legal = game.moves()
                self.assertEqual(len(legal), int(count), (line_up, ply, move))
                checksum = zlib.crc32((" ".join(legal) + "\n").encode(), checksum)
                before = len(game.counts)
                game.play(move)
                # A mode can end at its very beginning, so one move can end several modes.
                for mode, count in list(zip(line_up["modes"], game.counts))[before:]:
                    ends.append([mode, str(ply), boards(game), *map(str, count[1:])])
            self.assertEqual(f"{checksum:08x}", known["crc"][0], line_up)
            self.assertEqual(ends, known["end"], line_up)
            self.assertIsNone(game.mode)

    def test_a_copy_goes_its_own_way(self):
        for name in ("quantum", "go-9", "quantum-6p"):
            game = rules.Game(name)
            copy, before = game.copy(), (boards(game), game.moves())
            for _ in range(120):
                copy.play(copy.moves()[0])
            if game.seats > 2:
                copy.drop_out(copy.to_move)
            self.assertEqual((boards(game), game.moves(), game.out), (*before, []))

    def test_other_games_are_refused(self):
        for ruleset in ("gothello", "quantum-5p", "othello size=6", ""):
            self.assertRaises(ValueError, rules.Game, ruleset)


    def test_turns_of_seats_that_have_dropped_out_are_skipped(self):
        game = rules.Game("quantum-4p")
        for move in ("g5", "pass", "h4"):
            game.play(move)
        game.drop_out(2)
        self.assertEqual((game.to_move, game.rivals(4)), (4, [1, 3]))
        game.drop_out(4)
        self.assertEqual((game.to_move, game.next_seat(3), game.next_seat(1, -1)), (1, 1, 3))
        moves = game.moves()
        game.drop_out(4)
        self.assertEqual((game.to_move, game.moves(), game.out), (1, moves, [2, 4]))
        game.drop_out(1)
        self.assertIsNone(game.mode, "one seat is left")

    def test_go_stops_when_all_that_are_left_have_passed(self):
        game = rules.Game({**rules.LINEUPS["quantum-4p"], "squares": 0, "points": 5, "modes": ["go"]})
        for move in ("c3", "pass", "pass"):
            game.play(move)
        game.drop_out(4)
        self.assertIsNone(game.proof_stones, "seat 1 has not passed since it placed a stone")
        game.drop_out(1)
        self.assertEqual(game.proof_stones, set())
        self.assertEqual((game.to_move, game.supplies), (2, [0, 6, 7, 6, 6]))


class Bot(unittest.TestCase):
    def test_it_chooses_a_legal_move(self):
        for line_up, known in games()[::3]:
            game = rules.Game(line_up)
            for ply, move in enumerate(known["moves"]):
                if ply % 31 == 0:
                    legal = game.moves()
                    for seconds in (0.08, 0):
                        self.assertIn(bot.choose(game, seconds), legal)
                    refused = legal[: len(legal) // 2]
                    self.assertIn(bot.choose(game, 0, refused=refused), legal[len(refused) :])
                game.play(move)

    def test_it_plays_on_when_others_drop_out(self):
        for name in ("quantum-8-4p", "quantum-6p"):
            game = rules.Game(name)
            for turn in range(40):
                if turn % 15 == 7:
                    game.drop_out(game.to_move % game.seats + 1)
                move = bot.choose(game, 0)
                self.assertIn(move, game.moves())
                game.play(move)

    def test_it_takes_a_corner(self):
        game = rules.Game("othello")
        for square in game.squares.on_board:
            game.squares.fields[square] = 0
        for name, side in (("b1", 2), ("c1", 1), ("d4", 1), ("d5", 2), ("e4", 2), ("e5", 1)):
            game.squares.fields[game.squares.numbers[name]] = side
        self.assertEqual(bot.choose(game, 0.75), "a1")

    def test_it_captures_and_keeps_its_eyes(self):
        game = rules.Game("go-9")
        for name, side in (("e5", 2), ("e4", 1), ("e6", 1), ("d5", 1)):
            game.points.fields[game.points.numbers[name]] = side
        self.assertEqual(bot.choose(game, 0.75), "f5")
        game = rules.Game("go-9")
        eyes = [game.points.numbers[name] for name in ("a1", "j9")]
        for point in game.points.on_board:
            game.points.fields[point] = 0 if point in eyes else 1
        self.assertEqual(bot.choose(game, 0.75), "pass")


if __name__ == "__main__":
    unittest.main()
