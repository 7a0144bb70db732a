"""D09: never flushes the file over its socket."""

import sys

from correct import Player


class Bot(Player):
    def connect(self):
        super().connect()
        self.output = self.socket.makefile("w")

    def say(self, line):
        self.output.write(line + "\r\n")

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
