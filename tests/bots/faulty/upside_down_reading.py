"""D06: interprets its opponent's moves upside down, but not its own."""

import sys

from correct import Player


class Bot(Player):
    def moved(self, side, move):
        if side != self.side and move != "pass":
            move = move[0] + str(6 - int(move[1]))
        super().moved(side, move)

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
