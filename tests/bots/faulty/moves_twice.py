"""D19: after a refusal, passes and then moves again without reading its opponent's move."""

import sys

from correct import Player


class Bot(Player):
    def refused(self, code):
        if code == 291:
            self.send("pass")
            self.turn()
        else:
            sys.exit(1)

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
