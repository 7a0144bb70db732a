"""D01: uses names that do not exist when it reads line 101."""

import sys

from correct import Player


class Bot(Player):
    def clocks(self, own, opponent):
        if self.side == "white":
            self.my_time = white_time_control
            self.opp_time = black_time_control
        else:
            self.my_time = black_time_control
            self.opp_time = white_time_control

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
