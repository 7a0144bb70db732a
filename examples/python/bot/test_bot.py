"""Compares the rules with positions from the arena's own rules, and asks the bot for a move in each of them.

Run it with `make test`. Each line of vectors.json contains a board, the side to move, its legal points, and one move
with the board after it.
"""

import json
import os
import unittest

import bot
import rules


def vectors():
    with open(os.path.join(os.path.dirname(__file__), "vectors.json"), encoding="ascii") as file:
        return json.load(file)


class Rules(unittest.TestCase):
    def test_legal_points(self):
        for vector in vectors():
            legal = [rules.name(point) for point in rules.legal_points(vector["board"], vector["to_move"])]
            self.assertEqual(legal, vector["legal"].split(), vector)

    def test_moves(self):
        for vector in vectors():
            after = rules.play(vector["board"], vector["to_move"], rules.point(vector["move"]))
            self.assertEqual(after, vector["after"], vector)


class Bot(unittest.TestCase):
    def test_it_chooses_a_legal_move(self):
        for vector in vectors():
            board, side = vector["board"], vector["to_move"]
            move = bot.choose(board, side, passed=False, seconds=1)
            self.assertIn(move, rules.legal_points(board, side) or [rules.PASS], vector)


if __name__ == "__main__":
    unittest.main()
