"""D19: after a refusal it passes, and moves again without reading what its opponent plays."""

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
