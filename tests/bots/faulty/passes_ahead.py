"""Sound: passes when a pass wins, and sometimes by choice."""

import sys

from correct import Player


class Bot(Player):
    def choose(self):
        legal = self.legal()
        own = sum(stone == self.side for stone in self.board.values())
        others = sum(stone == self.other for stone in self.board.values())
        if self.opponent_passed and own > others:
            return "pass"
        # If few moves are left, each of them fills one of the bot's own eyes.
        if len(legal) <= 2 and own > others:
            return "pass"
        return super().choose()

if __name__ == "__main__":
    Bot(sys.argv[1:]).run()
