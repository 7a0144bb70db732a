"""Arguments: SECONDS MOVES WAY, and then those of a correct player. Before each of its first MOVES moves, the bot
spends SECONDS in the way that WAY names: `computes` or `sleeps`."""

import sys
import time

from correct import Player


class Bot(Player):
    def __init__(self, arguments):
        self.seconds, self.moves, self.way = float(arguments[0]), int(arguments[1]), arguments[2]
        super().__init__(arguments[3:])

    def choose(self):
        if self.number <= self.moves:
            if self.way == "sleeps":
                time.sleep(self.seconds)
            else:
                until = time.process_time() + self.seconds
                while time.process_time() < until:
                    pass
        return super().choose()

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
