"""Gothello: its rules, its exact values, and an environment for learning to play it.

    from gothello import MarginTable, Position, margin

    position = Position().play("c3").play("b3")
    position.moves()                          # the legal moves, as names
    margin(position)                          # the margin for the side to move, by `gothello-arena solve`

    table = MarginTable("gothello-7.table")   # `gothello-arena tablebase export gothello-7.table`
    table.margin(position)                    # without a search

`gothello.env` contains an environment for PettingZoo, which needs `pip install gothello[pettingzoo]`.
"""

from .arena import ArenaBot, ArenaError, Solution, margin, solve
from .dataset import load
from .rules import BLACK, MOVES, PASS, WHITE, IllegalMove, Position
from .table import MarginTable

__all__ = [
    "BLACK", "MOVES", "PASS", "WHITE", "ArenaBot", "ArenaError", "IllegalMove", "MarginTable", "Position", "Solution",
    "load", "margin", "solve",
]
