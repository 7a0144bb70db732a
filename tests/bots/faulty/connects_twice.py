"""Says hello on two connections: with `before`, on both at the same time; with `after`, on the second only once it has
a seat."""

import socket
import sys

from correct import Player


class Bot(Player):
    def connect(self):
        super().connect()
        if self.when == "before":
            self.again()

    def hear(self, words):
        if words[0] == "100" and self.when == "after":
            self.again()
        super().hear(words)

    def again(self):
        try:
            self.second = socket.create_connection((self.host, 29068 + int(self.server)))
            self.second.sendall(f"0.9.1 player {self.side}\r\n".encode())
        except OSError:
            pass

if __name__ == "__main__":
    bot = Bot(sys.argv[2:])
    bot.when = sys.argv[1]
    bot.run()
