"""D06: writes ranks upside down."""

import sys

from correct import Player


class Bot(Player):
    def form(self, move):
        if move != "pass":
            move = move[0] + str(6 - int(move[1]))
        return super().form(move)

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
