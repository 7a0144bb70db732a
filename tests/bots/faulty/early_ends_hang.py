"""D12: waits forever when its opponent has gone."""

import sys
import time

from correct import Player


class Bot(Player):
    def over(self, code):
        if code in (391, 392):
            time.sleep(3600)
        super().over(code)

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
