"""D18: adds up the time of its own turns without the increments, and gives up when it believes that its time is over."""

import sys
import time

from correct import Player


class Bot(Player):
    spent = 0

    def choose(self):
        time.sleep(0.35)
        self.spent += 0.35
        if self.own_time is not None and self.spent > self.own_time:
            raise RuntimeError("my time is over")
        return super().choose()

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
