"""Before it connects, sleeps for the number of seconds in its first argument."""

import sys
import time

from correct import Player

if __name__ == "__main__":
    time.sleep(float(sys.argv[1]))
    Player(sys.argv[2:]).run()
