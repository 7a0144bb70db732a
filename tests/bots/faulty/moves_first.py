"""D19: as white, moves before black has moved. It numbers its moves by the moves that it has read, and exits after a
refusal."""

import sys

from correct import Player


class Bot(Player):
    def hear(self, words):
        super().hear(words)
        if words[0] == "100" and self.side == "white":
            self.say("0 ... a5")

    def refused(self, code):
        sys.exit(1)

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
