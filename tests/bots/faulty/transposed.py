"""D06: writes the rank as the file."""

import sys

from correct import Player


class Bot(Player):
    def form(self, move):
        if move != "pass":
            move = "abcde"["12345".index(move[1])] + "12345"["abcde".index(move[0])]
        return super().form(move)

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
