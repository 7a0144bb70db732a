"""No cause: sleeps before its first move. It flushes its output, but several lines after the write."""

import sys
import time

from correct import Player


class Bot(Player):
    def connect(self):
        super().connect()
        self.output = self.socket.makefile("w")

    def say(self, line):
        print(
            line,
            end="\r\n",
            file=self.output,
        )
        self.last_line = line
        self.lines = getattr(self, "lines", 0) + 1
        self.output.flush()

    def choose(self):
        time.sleep(120)
        return super().choose()

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
