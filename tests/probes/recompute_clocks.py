"""Recomputes every clock in game logs from their text alone, according to each log's time control.

Usage: recompute_clocks.py LOG...

The arithmetic follows the documentation, with main times, periods and banks, and shares no code with the arena. All
times are whole microseconds. Prints one line for each clock that differs and a count at the end; exits with 1 if any
clock differs.
"""

import re
import sys

MOVE = re.compile(r"(?:(\d+)(\.+)\s+)?([a-z][a-z0-9+-]*)\s*(?:\{([^}]*)\})?")


def micros(text):
    """`0:01:02.500000` or `62.5` as microseconds."""
    total = 0
    for part in text.split(":"):
        whole, _, fraction = part.partition(".")
        total = total * 60 + int(whole) * 10**6 + int(fraction.ljust(6, "0") or 0)
        last = int(whole) * 10**6 + int(fraction.ljust(6, "0") or 0)
    hours = text.split(":")
    if len(hours) == 3:
        return (int(hours[0]) * 3600 + int(hours[1]) * 60) * 10**6 + last
    return last


def control_of(text, scale):
    """The time control of a side as a dictionary of its parts."""
    def part(word, least):
        if scale == 100:
            return micros(word)
        return max(micros(word) * scale // 100, min(micros(word), least))

    def time(word):
        # Main times, periods and times for a move are not scaled below a second if they are a second or more.
        return part(word, 10**6)

    if "/move" in text:
        move_time, rest = text.split("/move")
        bank = part(rest[1:-len("bank")], 0) if rest else 0
        return {"kind": "move", "move_time": time(move_time), "bank": bank, "has_bank": bank > 0}
    if "+" in text:
        start, increment = text.split("+")
        # An increment of a millisecond or more is not scaled below a millisecond.
        return {"kind": "game", "time": time(start), "increment": part(increment, 1000)}
    if ":" in text:
        start, overtime = text.split(":")
        periods, period = overtime.split("x")
        return {"kind": "periods", "time": time(start), "periods": int(periods), "period": time(period)}
    return {"kind": "game", "time": time(text), "increment": 0}


def usable(clock):
    """The time that the side may use for its next turn."""
    if clock["kind"] == "game":
        return clock["time"]
    if clock["kind"] == "periods":
        return clock["time"] + clock["periods"] * clock["period"]
    return clock["move_time"] + clock["bank"]


def spend(clock, elapsed):
    """Charges the clock for a turn that took `elapsed`."""
    assert elapsed <= usable(clock), "the flag had fallen"
    if clock["kind"] == "game":
        clock["time"] += clock["increment"] - elapsed
    elif clock["kind"] == "move":
        clock["bank"] -= max(0, elapsed - clock["move_time"])
    else:
        over = elapsed - clock["time"]
        clock["time"] = max(0, -over)
        # A period is lost for each whole period that was used up before the turn ended.
        while over > clock["period"]:
            over -= clock["period"]
            clock["periods"] -= 1


def check(path):
    """The number of clocks in the log, and one line about each clock that differs."""
    head, moves = open(path, encoding="utf-8").read().split("\n\n", 1)
    tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', head, re.M))
    words = tags["TimeControl"].split()
    if words == ["-"]:
        return 0, []
    scale = round(float(tags.get("TimeScale", "1")) * 100)
    sides = {"black": words[0], "white": words[0]} if len(words) == 1 else {"black": words[1], "white": words[3]}
    clocks = {side: control_of(text, scale) for side, text in sides.items()}
    # The comments about refused lines and about the turn that was cut off contain no clocks.
    moves = re.sub(r'\{\[%(?:illegal|garbled|note|more|unfinished)(?:[^"}]|"(?:\\.|[^"\\])*")*\}', " ", moves)
    counted, wrong, side = 0, [], "black"
    for number, dots, move, comment in MOVE.findall(moves):
        if dots:
            side = "black" if dots == "." else "white"
        fields = dict(re.findall(r"\[%(\w+) ([^\]]*)\]", comment))
        if "emt" in fields:
            clock = clocks[side]
            spend(clock, micros(fields["emt"]))
            expected = {"clk": usable(clock)}
            if clock["kind"] == "periods":
                expected["period"] = clock["periods"]
            if clock["kind"] == "move" and clock["has_bank"]:
                expected["bank"] = clock["bank"]
            found = {name: int(fields[name]) if name == "period" else micros(fields[name])
                     for name in ("clk", "period", "bank") if name in fields}
            counted += 1
            if found != expected:
                wrong.append(f"{path}: {number or ''}{dots} {move}: {found}, but the times give {expected}")
        side = "white" if side == "black" else "black"
    return counted, wrong


def main():
    counted, wrong = 0, []
    for path in sys.argv[1:]:
        number, lines = check(path)
        counted += number
        wrong += lines
    print("\n".join(wrong + [f"{counted} clocks in {len(sys.argv) - 1} logs, {len(wrong)} wrong"]))
    return 1 if wrong or not counted else 0


if __name__ == "__main__":
    sys.exit(main())
