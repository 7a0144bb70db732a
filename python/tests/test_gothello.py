"""Tests of the package `gothello`: `python3 -m unittest discover python/tests`.

Tests that need the program are skipped unless GOTHELLO_ARENA names it, and those of the environment are skipped
without PettingZoo.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import gothello
from gothello import BLACK, WHITE, IllegalMove, MarginTable, Position

PROGRAM = os.environ.get("GOTHELLO_ARENA")

try:
    import pettingzoo
except ImportError:
    pettingzoo = None


class Rules(unittest.TestCase):
    def test_the_rules_agree_with_those_of_the_arena(self):
        vectors = json.loads((ROOT / "examples/vectors.json").read_text())
        self.assertEqual(len(vectors), 500)
        for vector in vectors:
            position = Position.parse(vector["board"], vector["to_move"])
            self.assertEqual(position.moves(), vector["legal"].split() + ["pass"])
            after = position.play(vector["move"])
            self.assertEqual(str(after).replace("\n", ""), vector["after"])
            self.assertEqual(after.to_move, -position.to_move)

    def test_two_passes_end_the_game(self):
        position = Position().play("c3").play("pass")
        self.assertFalse(position.is_over)
        over = position.play("pass")
        self.assertTrue(over.is_over)
        self.assertEqual((over.lead, over.moves()), (1, []))
        self.assertEqual(position.play("a1").passes, 0)

    def test_illegal_moves_are_refused(self):
        position = Position.parse(".w... w.... ..... ..... .....")
        for move in ["a5", "b5", "f1", "PASS", 26, -1]:
            with self.assertRaises(IllegalMove):
                position.play(move)

    def test_a_position_reads_back(self):
        position = Position().play("c3").play("b3").play("pass")
        self.assertEqual(eval(repr(position)), position)


@unittest.skipUnless(PROGRAM, "GOTHELLO_ARENA does not name the program")
class Arena(unittest.TestCase):
    def test_the_margin_of_a_position_is_found(self):
        position = Position.parse(".bbw. .wwb. w.bww .b.bw bww..", "black")
        solution = gothello.solve(position, PROGRAM)
        self.assertEqual((solution.margin, solution.best), (-4, ("a4",)))
        self.assertEqual(gothello.margin(position, program=PROGRAM), -4)
        with self.assertRaises(gothello.ArenaError):
            gothello.solve(position, PROGRAM + "-missing")

    def test_the_exported_table_has_the_margins_of_the_program(self):
        with tempfile.TemporaryDirectory() as directory:
            file = str(pathlib.Path(directory) / "seven.table")
            subprocess.run([PROGRAM, "tablebase", "export", file], check=True, capture_output=True)
            table = MarginTable(file)
            self.assertEqual(table.stones, 7)
            self.assertEqual(table.margin(Position()), gothello.solve(Position(), PROGRAM).margin)
            position = Position()
            for move in ["c3", "a1", "d4", "pass", "b2", "e5", "a2", "d2"]:
                position = position.play(move)
                known = table.margin(position)
                self.assertEqual(known, gothello.solve(position, PROGRAM).margin, repr(position))
            deep = position.play("e1")
            self.assertIsNone(table.margin(deep))

    def test_a_built_in_bot_plays_a_whole_game(self):
        for side in (BLACK, WHITE):
            with gothello.ArenaBot("greedy", side, program=PROGRAM) as bot:
                position = Position()
                if side == BLACK:
                    position = position.play(bot.first())
                while not position.is_over:
                    move = position.moves()[0]
                    position = position.play(move)
                    if not position.is_over:
                        position = position.play(bot.reply(move))
                self.assertTrue(position.is_over)


@unittest.skipUnless(pettingzoo, "PettingZoo is not installed")
class Environment(unittest.TestCase):
    def test_the_environment_passes_the_test_of_pettingzoo(self):
        from gothello.env import GothelloEnv
        from pettingzoo.test import api_test

        api_test(GothelloEnv(), num_cycles=500, verbose_progress=False)
        api_test(GothelloEnv(margins=True), num_cycles=500, verbose_progress=False)

    @unittest.skipUnless(PROGRAM, "GOTHELLO_ARENA does not name the program")
    def test_an_agent_plays_against_a_bot_of_the_arena(self):
        from gothello.env import AgainstBot
        from pettingzoo.test import api_test

        for agent in ("black", "white"):
            env = AgainstBot("greedy", agent, program=PROGRAM)
            env.reset(seed=3)
            while not any(env.terminations.values()):
                self.assertEqual(env.agent_selection, agent)
                env.step(int(env.observe(agent)["action_mask"].argmax()))
            self.assertEqual(sum(env.rewards.values()), 0)
            api_test(env, num_cycles=100, verbose_progress=False)
            env.close()

    @unittest.skipUnless(PROGRAM, "GOTHELLO_ARENA does not name the program")
    def test_each_game_gives_the_bot_a_new_seed_which_a_seed_of_the_environment_repeats(self):
        from gothello.env import AgainstBot

        def first_moves(env, seed):
            env.reset(seed=seed)
            boards = [env.position.board]
            for _ in range(7):
                env.reset()
                boards.append(env.position.board)
            return [tuple(board) for board in boards]

        # The agent is white, so the bot has made its first move.
        env = AgainstBot("random", "white", program=PROGRAM)
        found = first_moves(env, 5)
        self.assertGreater(len(set(found)), 1)
        self.assertEqual(first_moves(env, 5), found)
        env.close()


if __name__ == "__main__":
    unittest.main()
