"""Plays the games of games.txt by the rules, and asks the bot for a turn in each of their positions.

Run it with `make test`. Each line of games.txt contains the rule set; the turns, black first; the number of legal turns
before each turn; the board at the end, rank 5 first; and the result. SEEGOVER_GAMES can name another file in this
format.
"""

import os
import unittest

import bot
import rules

GAMES = os.environ.get("SEEGOVER_GAMES") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "games.txt")


def games():
    with open(GAMES, encoding="ascii") as file:
        return [line.rstrip("\n").split(";") for line in file if not line.startswith("#")]


def positions(ruleset, turns):
    """The positions of a game: board, side to move, positions before it, and the turn that follows, None at the end."""
    the_rules, board, side, seen = rules.Rules(ruleset), rules.START, "b", set()
    for turn in turns:
        yield board, side, seen, turn
        board = dict(the_rules.legal_turns(board, side, seen))[turn]
        side = rules.opponent(side)
        if not rules.is_dropping(board):
            if (board, side) in seen:
                yield board, "repeated", seen, None
                return
            seen.add((board, side))
    yield board, side, seen, None


class Rules(unittest.TestCase):
    def test_legal_turns_and_captures(self):
        for ruleset, turns, counts, end, _ in games():
            numbers = iter(counts.split())
            for board, side, seen, turn in positions(ruleset, turns.split()):
                if turn:
                    legal = rules.Rules(ruleset).legal_turns(board, side, seen)
                    self.assertEqual(len(legal), int(next(numbers)), (ruleset, turns, turn))
            self.assertEqual("/".join(board[row : row + 5] for row in range(0, 25, 5)), end, turns)

    def test_who_wins(self):
        for ruleset, turns, _, _, result in games():
            *_, (board, side, _, _) = positions(ruleset, turns.split())
            losers = [loser for loser in "bw" if rules.has_lost(board, loser)]
            self.assertEqual(losers, {"black": ["w"], "white": ["b"], "draw": []}[result], turns)
            if result == "draw":
                self.assertEqual(side, "repeated")

    def test_other_games_are_refused(self):
        for ruleset in ("gothello", "seegover size=7", ""):
            self.assertRaises(ValueError, rules.Rules, ruleset)


class Bot(unittest.TestCase):
    def test_it_chooses_a_legal_turn(self):
        for ruleset, turns, _, _, _ in games()[:8]:
            the_rules = rules.Rules(ruleset)
            for board, side, seen, turn in positions(ruleset, turns.split()):
                if turn:
                    legal = dict(the_rules.legal_turns(board, side, seen))
                    self.assertIn(bot.choose(the_rules, board, side, seen, 0.01), legal, board)
                    if len(legal) > 1:
                        self.assertNotEqual(bot.choose(the_rules, board, side, seen, 0.01, refused=[turn]), turn, board)

    def test_it_wins_where_it_can(self):
        # b1-a1-b1 takes a2 and c1, which leaves White four stones.
        board = "bwbbw" "wbbbw" "bbbbb" "wbbbb" ".bwbb"
        the_rules = rules.Rules()
        wins = [turn for turn, after in the_rules.turns(board, "b") if rules.has_lost(after, "w")]
        self.assertTrue(wins)
        self.assertIn(bot.choose(the_rules, board, "b", set(), 1), wins)


if __name__ == "__main__":
    unittest.main()
