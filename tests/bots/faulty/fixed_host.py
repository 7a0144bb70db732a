"""D02: has a hard-coded host."""

import sys

from correct import Player


SERVER_MACHINE = "barton.example.edu"  # where the course's server runs


class Bot(Player):
    def connect(self):
        self.host = SERVER_MACHINE
        super().connect()

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
