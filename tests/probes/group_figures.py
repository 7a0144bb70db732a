"""Recomputes the figures of a run of four- or six-player games from its logs only, and compares them with its tables.

Usage: group_figures.py RUN STANDINGS_JSON STANDINGS_CSV STANDINGS_MARKDOWN

RUN is a results directory. The other files are the output of `standings RUN --show head-to-head` in three formats.
From the tags and moves of each log, the program derives whose turn each move was, who dropped out and when, the places,
points and counts of each player, and the ratings of the Plackett-Luce model with seats, Efron's ties and the weak
prior. It shares no code with the arena. It prints each difference, and a count at the end; it exits with 1 if there is
any difference.
"""

import csv
import json
import math
import pathlib
import re
import sys
from collections import Counter, defaultdict
from fractions import Fraction

TOKEN = re.compile(r"\{((?:[^\"}]|\"(?:\\.|[^\"\\])*\")*)\}|(\d+)\.(?= )|(\*)|([a-z][a-z0-9-]*)")
# How a player can drop out without a forfeit.
NO_FORFEIT = {"resignation"}
ELO = 400 / math.log(10)
# The weak prior's standard deviation of a rating, and of the difference between two seats.
SD = math.log(10)

differences = []


def equal(where, found, expected, tolerance=0.0):
    """Notes a difference between a figure of the run and the expected figure."""
    if isinstance(expected, float):
        same = math.isclose(float(found), expected, abs_tol=tolerance)
    else:
        same = found == expected
    if not same:
        differences.append(f"{where}: {found}, but the logs say {expected}")


def read(path):
    """Reads a game: its players, the order in which seats dropped out and why, its places, and the number of moves."""
    head, body = path.read_text(encoding="utf-8").split("\n\n", 1)
    pairs = re.findall(r'^\[(\w+) "(.*)"\]$', head, re.M)
    tags = dict(pairs)
    n = int(tags["Seats"])
    players = [tags[f"Player{seat}"] for seat in range(1, n + 1)]
    # `moved` contains the seats that have moved since the last move number, in order.
    outs, plies, full, moved = [], 0, 0, []
    for comment, number, end, move in TOKEN.findall(body):
        if end:
            break
        if number:
            full += 1
            equal(f"{path}, move number", int(number), full)
            moved = []
        elif move:
            plies += 1
            moved.append(next((s for s in range(n) if s not in outs and s > max(moved, default=-1)), None))
            equal(f"{path}, move {full}, {move}: whether a remaining seat has this turn", moved[-1] is not None, True)
        elif out := re.search(r"\[%out (\d+)\]", comment):
            outs.append(int(out[1]) - 1)
    tagged = [(int(name[3:]) - 1, value) for name, value in pairs if re.fullmatch(r"Out\d", name)]
    equal(f"{path}, seats that drop out", [s for s, _ in tagged], outs)
    why = dict(tagged)
    totals = [Fraction(text) for text in tags["Totals"].split()]
    # The remaining seats are ordered by their totals; behind them, a seat that drops out later has a better place.
    key = {s: (1, totals[s]) for s in range(n)}
    key.update({s: (0, Fraction(index)) for index, s in enumerate(outs)})
    places = [1 + sum(key[other] > key[s] for other in range(n)) for s in range(n)]
    if "modes" not in tags["Ruleset"]:
        equal(f"{path}, Placing", tags["Placing"], " ".join(map(str, places)))
    forfeits = {s: how for s, how in why.items() if how not in NO_FORFEIT}
    game = {"id": tags["Game"], "players": players, "places": places, "outs": outs, "why": why, "forfeits": forfeits}
    return game | {"totals": tags["Totals"], "plies": plies, "odds": "Odds" in tags}


def points(game, seat):
    """1 for each player behind, 1/2 for each other player in the same place; 0 if all players have forfeited."""
    places = game["places"]
    if len(game["forfeits"]) == len(places):
        return 0.0
    behind = sum(place > places[seat] for place in places)
    same = sum(place == places[seat] for place in places) - 1
    return behind + same / 2


def mean(values):
    return sum(values) / len(values)


def fit(games, names, n):
    """The ratings and the seats' advantages in Elo, by Newton's method on each value in turn."""
    rated = [game for game in games if len(game["forfeits"]) < n and not game["odds"]]
    index = {name: i for i, name in enumerate(names)}
    size = len(names)
    value = [0.0] * (size + n)
    stages = []
    for game in rated:
        owners = [(index[player], size + seat) for seat, player in enumerate(game["players"])]
        for place in sorted(set(game["places"])):
            behind = [owners[s] for s in range(n) if game["places"][s] >= place]
            sharing = [owners[s] for s in range(n) if game["places"][s] == place]
            stages.append((sharing, behind))
    of_value = defaultdict(list)
    for stage in stages:
        for i in {i for owner in stage[1] for i in owner}:
            of_value[i].append(stage)
    for _ in range(4000):
        largest = 0.0
        for i in range(size + n):
            width = SD**2 if i < size else SD**2 / 2
            slope, curve = -value[i] / width, -1 / width
            for sharing, behind in of_value[i]:
                weight = {owner: math.exp(value[owner[0]] + value[owner[1]]) for owner in behind}
                slope += sum(i in owner for owner in sharing)
                for k in range(len(sharing)):
                    kept = {o: w * (1 - k / len(sharing) if o in sharing else 1) for o, w in weight.items()}
                    share = sum(w for o, w in kept.items() if i in o) / sum(kept.values())
                    slope -= share
                    curve -= share * (1 - share)
            step = max(-1.0, min(1.0, -slope / curve))
            value[i] += step
            largest = max(largest, abs(step))
        if largest < 1e-7:
            break
    ratings, seats = value[:size], value[size:]
    centred = [ELO * (rating - mean(ratings)) for rating in ratings]
    return dict(zip(names, centred)), [ELO * (seat - mean(seats)) for seat in seats]


def check_rows(run, games):
    with open(run / "results.csv", newline="", encoding="utf-8") as file:
        rows = {row["game"]: row for row in csv.DictReader(file)}
    equal("results.csv, games", sorted(rows), sorted(game["id"] for game in games))
    for game in games:
        row, n = rows[game["id"]], len(game["places"])
        where = f"results.csv, {game['id']}"
        equal(f"{where}, players", [row[f"player{seat + 1}"] for seat in range(n)], game["players"])
        equal(f"{where}, placing", row["placing"], " ".join(map(str, game["places"])))
        equal(f"{where}, totals", row["totals"], game["totals"])
        equal(f"{where}, plies", int(row["plies"]), game["plies"])
        outs = ",".join(f"{seat + 1} {game['why'][seat]}" for seat in game["outs"])
        equal(f"{where}, outs", re.sub(r"\s*[,;]\s*", ",", row["outs"].replace(":", " ")), outs)
        at_fault = " ".join(str(seat + 1) for seat in game["outs"] if seat in game["forfeits"])
        equal(f"{where}, at_fault", " ".join(sorted(row["at_fault"].split())), " ".join(sorted(at_fault.split())))


def check_standings(run, games, json_file, csv_file, markdown_file):
    table = json.loads(pathlib.Path(json_file).read_text(encoding="utf-8"))
    with open(csv_file, newline="", encoding="utf-8") as file:
        lines = {row["player"]: row for row in csv.DictReader(file)}
    with open(run / "standings.csv", newline="", encoding="utf-8") as file:
        kept = {row["player"]: row for row in csv.DictReader(file)}
    markdown = {}
    rows = pathlib.Path(markdown_file).read_text(encoding="utf-8").split("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in row.strip("| ").split("|")] for row in rows]
    for cells in rows[2:]:
        markdown[cells[1]] = dict(zip(rows[0], cells))
    names = sorted({player for game in games for player in game["players"]})
    equal("standings, players", sorted(row["player"] for row in table), names)
    n = len(games[0]["places"])
    ratings, seats = fit(games, names, n)
    for row in table:
        name = row["player"]
        own = [(game, game["players"].index(name)) for game in games if name in game["players"]]
        places = [game["places"][seat] for game, seat in own]
        earned = sum(points(game, seat) for game, seat in own)
        failed = Counter(game["forfeits"][seat] for game, seat in own if seat in game["forfeits"])
        counts = [places.count(place) for place in range(1, n + 1)]
        for what, expected in (
            ("games", len(own)),
            ("points", earned),
            ("places", counts),
            ("forfeits", sum(failed.values())),
            ("forfeits_by_kind", dict(failed)),
        ):
            equal(f"standings, {name}, {what}", row[what], expected)
        equal(f"standings, {name}, mean place", row["mean_placing"], mean(places), 5e-5)
        equal(f"standings, {name}, score", row["score"], earned / (len(own) * (n - 1)), 5e-5)
        equal(f"standings, {name}, Elo", row["elo"], ratings[name], 0.02)
        for seat in range(n):
            here = [points(game, seat) for game, own_seat in own if own_seat == seat]
            equal(f"standings, {name}, seat {seat + 1}", row["by_seat"][seat], {"games": len(here), "points": sum(here)})
            advantage = row["seat_advantages"][seat]
            equal(f"standings, seat {seat + 1}, Elo", advantage["elo"], seats[seat], 0.02)
            equal(f"standings, seat {seat + 1}, points", advantage["points"], sum(points(game, seat) for game in games))
        for other in names:
            both = [(game["places"][seat], game["places"][game["players"].index(other)])
                    for game, seat in own if other != name and other in game["players"]]
            against = {"games": len(both), "before": sum(a < b for a, b in both), "equal": sum(a == b for a, b in both),
                       "behind": sum(a > b for a, b in both)}
            equal(f"standings, {name} against {other}", row["head_to_head"].get(other), against if both else None)
            if both:
                equal(f"CSV, {name} against {other}", int(lines[name][f"before_against_{other}"]), against["before"])
        for where, line in (("CSV", lines[name]), ("standings.csv", kept[name])):
            equal(f"{where}, {name}, points", float(line["points"]), earned)
            equal(f"{where}, {name}, mean place", line["mean_placing"], mean(places), 5e-5)
            equal(f"{where}, {name}, places", [int(line[f"place{place}"]) for place in range(1, n + 1)], counts)
            equal(f"{where}, {name}, forfeits", int(line["forfeits"]), sum(failed.values()))
        cells = markdown[name]
        equal(f"Markdown, {name}, games and points", [float(cells["games"]), float(cells["points"])], [float(len(own)), earned])
        equal(f"Markdown, {name}, mean place", cells["mean place"], mean(places), 0.00501)
        ordinals = ["1st", "2nd", "3rd", "4th", "5th", "6th"][:n]
        equal(f"Markdown, {name}, places", [int(cells[ordinal]) for ordinal in ordinals], counts)
        equal(f"Markdown, {name}, forfeits", int(cells["forfeits"]), sum(failed.values()))


def main():
    run = pathlib.Path(sys.argv[1])
    games = [read(path) for path in sorted((run / "games").glob("*.log"))]
    check_rows(run, games)
    check_standings(run, games, *sys.argv[2:5])
    print("\n".join([*differences, f"{len(games)} games, {len(differences)} differences"]))
    return 1 if differences or not games else 0


if __name__ == "__main__":
    sys.exit(main())
