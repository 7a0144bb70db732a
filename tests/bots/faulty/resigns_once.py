"""Resigns as black on its second move, in one game only: a file in its directory records that it has resigned."""

import pathlib
import sys

from correct import Player


class Bot(Player):
    def choose(self):
        note = pathlib.Path("has-resigned")
        if self.side == "white" or self.number < 2 or note.exists():
            return super().choose()
        note.touch()
        return "resign"

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
