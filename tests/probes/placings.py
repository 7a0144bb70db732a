"""Fits tests/data/ratings/placings.csv with programs that share no code with the arena, and prints the results that the
tests expect.

Usage: placings.py GAMES

It needs the packages `choix`, `numpy` and `scipy`. `choix` fits the games without equal places, without seats and
without a prior (`ilsr_rankings`, L. Maystre and M. Grossglauser, "Fast and accurate inference of Plackett-Luce models",
2015). `scipy` maximises the likelihood with Efron's ties, with seats, and with the weak prior or none; this program
computes the likelihood from its definition. All values are Elo on the 400-point scale. The output is
tests/data/ratings/placing_fits.csv.
"""

import csv
import math
import sys

import choix
import numpy as np
from scipy.optimize import minimize

ELO = 400 / math.log(10)


def read(path):
    """Each game as its players by seat and their places."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    return [(row[:4], [int(place) for place in row[4].split()]) for row in rows]


def log_likelihood(games, names, values):
    total = 0.0
    for players, placing in games:
        strength = [values[names.index(player)] + values[len(names) + seat] for seat, player in enumerate(players)]
        for place in sorted(set(placing)):
            sharing = [s for s, p in zip(strength, placing) if p == place]
            behind = sum(math.exp(s) for s, p in zip(strength, placing) if p >= place)
            own = sum(math.exp(s) for s in sharing)
            total += sum(sharing)
            total -= sum(math.log(behind - k / len(sharing) * own) for k in range(len(sharing)))
    return total


def penalty(names, values, sd):
    ratings, seats = values[: len(names)], values[len(names) :]
    return np.dot(ratings, ratings) / (2 * sd**2) + np.dot(seats, seats) / sd**2


def hessian(function, at, step=1e-3):
    size = len(at)
    result = np.zeros((size, size))
    for i in range(size):
        for j in range(size):
            corners = []
            for one, other in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                moved = np.array(at)
                moved[i] += one * step
                moved[j] += other * step
                corners.append(function(moved))
            result[i, j] = (corners[0] - corners[1] - corners[2] + corners[3]) / (4 * step**2)
    return result


def bars(covariance):
    """Half the widths of the 95% intervals of the values, relative to their mean."""
    size = len(covariance)
    centre = np.eye(size) - np.ones((size, size)) / size
    return 1.96 * ELO * np.sqrt(np.diag(centre @ covariance @ centre))


def fit(games, names, sd):
    """Ratings, their bars, the advantages of the seats, and their bars."""
    def loss(values):
        return penalty(names, values, sd) - log_likelihood(games, names, values)

    at = np.zeros(len(names) + 4)
    for _ in range(3):
        at = minimize(loss, at, method="BFGS", options={"gtol": 1e-9}).x
    # Newton steps with a numerical Hessian remove the rest of the error.
    for _ in range(5):
        step = 1e-5
        slope = np.array([(loss(at + step * e) - loss(at - step * e)) / (2 * step) for e in np.eye(len(at))])
        at = at - np.linalg.solve(hessian(loss, at), slope)
    covariance = np.linalg.inv(hessian(loss, at))
    n = len(names)
    ratings, seats = at[:n] - at[:n].mean(), at[n:] - at[n:].mean()
    return ELO * ratings, bars(covariance[:n, :n]), ELO * seats, bars(covariance[n:, n:])


def text(values):
    return " ".join(f"{value:.4f}" for value in values)


def main():
    games = read(sys.argv[1])
    names = sorted({player for players, _ in games for player in players})
    untied = [(players, placing) for players, placing in games if sorted(placing) == [1, 2, 3, 4]]
    rankings = [[names.index(players[placing.index(place)]) for place in (1, 2, 3, 4)] for players, placing in untied]
    print("model,ratings,bars,seats,seat_bars")
    strengths = ELO * choix.ilsr_rankings(len(names), rankings, alpha=0.0, tol=1e-12)
    print(f"choix,{text(strengths - strengths.mean())},,,")
    print("weak," + ",".join(text(values) for values in fit(games, names, math.log(10))))
    # A prior that is a thousand times as wide as the weak prior, as in the arena.
    print("none," + ",".join(text(values) for values in fit(games, names, 1000 * math.log(10))))


if __name__ == "__main__":
    main()
