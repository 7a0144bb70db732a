"""No cause: thinks for a while, and waits for its opponent after the server has rejected a line as garbled."""

import sys
import time

from correct import Player


class Bot(Player):
    def choose(self):
        time.sleep(0.6)
        return super().choose()

    def refused(self, code):
        if code != 299:
            super().refused(code)

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
