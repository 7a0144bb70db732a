// rules.js: the rules of the games on 5x5 fields, Gothello and Seegover, for trying out moves. Pure; it also runs
// under node.

const rules = (() => {
  const POINTS = Array.from({ length: 25 }, (_, point) => point);
  const CENTRE = 12;
  const FULL = 24;
  const MOST_OF_A_LOSER = 4;
  const other = { b: "w", w: "b" };

  /** The points next to each point, and the points in each direction from it, the nearest first. */
  const rays = POINTS.map((point) => {
    const [file, rank] = [point % 5, Math.floor(point / 5)];
    const ray = (step, length) => Array.from({ length }, (_, i) => point + step * (i + 1));
    return [ray(1, 4 - file), ray(-1, file), ray(5, 4 - rank), ray(-5, rank)];
  });
  const beside = rays.map((all) => all.flatMap((ray) => ray.slice(0, 1)));

  const count = (letters, side) => letters.split(side).length - 1;

  /** `letters` with `letter` on all `points`. */
  function put(letters, points, letter) {
    const list = Array.from(letters);
    for (const point of points) list[point] = letter;
    return list.join("");
  }

  /** The points of the group of `point`, and whether it has a liberty. */
  function group(letters, point) {
    const found = [point];
    let isFree = false;
    for (const at of found) {
      for (const next of beside[at]) {
        if (letters[next] === ".") isFree = true;
        else if (letters[next] === letters[point] && !found.includes(next)) found.push(next);
      }
    }
    return { found, isFree };
  }

  const gothello = {
    /** The legal turns, as lists of parts: the placements and the pass. */
    moves(state) {
      const { letters, side } = state;
      const placed = POINTS.filter((point) => letters[point] === ".").flatMap((to) => {
        const stands = put(letters, [to], side);
        if (!group(stands, to).isFree) return [];
        const taken = new Set();
        for (const next of beside[to]) {
          if (stands[next] !== other[side] || taken.has(next)) continue;
          const { found, isFree } = group(stands, next);
          if (!isFree) found.forEach((point) => taken.add(point));
        }
        return [[{ from: null, to, flips: Array.from(taken).sort((one, two) => one - two) }]];
      });
      return [...placed, []];
    },

    /** Black's final margin if the game ends at `state`, or `null` if it goes on. */
    end: ({ letters, passes }) => (passes > 1 ? count(letters, "b") - count(letters, "w") : null),
  };

  /** The rules of Seegover with the options that the words `options` specify. */
  function seegover(options) {
    const has = (option) => options.includes(option);
    const stones = has("drop=2") ? 2 : 1;

    /** The stones that a stone of `side` captures by arriving at `at`. */
    function captures(letters, side, at) {
      return rays[at].flatMap((ray) => {
        const length = ray.findIndex((point) => letters[point] !== other[side]);
        const isTaken = length > 0 && letters[ray[length]] === side && (length === 1 || !has("capture=single"));
        return isTaken ? ray.slice(0, length) : [];
      });
    }

    function drops({ letters }) {
      const free = POINTS.filter((point) => letters[point] === "." && point !== CENTRE);
      const drop = (to) => ({ from: null, to, flips: [] });
      if (stones === 1) return free.map((to) => [drop(to)]);
      return free.flatMap((one, i) => free.slice(i + 1).map((two) => [drop(one), drop(two)]));
    }

    /** The part of a turn that moves a stone of `side` from one field to another. */
    function carry(letters, side, from, to) {
      const flips = captures(put(put(letters, [from], "."), [to], side), side, to);
      return { from, to, flips: flips.sort((one, two) => one - two) };
    }

    /** The turns in which the stone on `from` steps into `hole`, and in which it also steps back. */
    function steps({ letters, side }, from, hole) {
      const step = carry(letters, side, from, hole);
      if (!step.flips.length) return [[step]];
      const back = carry(codes.after(letters, side, step), side, hole, from);
      return back.flips.length || !has("back=capture") ? [[step], [step, back]] : [[step]];
    }

    function moves(state) {
      const { letters, side, seen } = state;
      const hole = letters.indexOf(".");
      if (count(letters, ".") > 1) return drops(state);
      const allowed = (turns) =>
        has("cycle=superko") ? turns.filter((turn) => !seen.has(other[side] + board(state, turn))) : turns;
      const found = allowed(beside[hole].toSorted((one, two) => one - two).flatMap((from) => (letters[from] === side ? steps(state, from, hole) : [])));
      if (found.length) return found;
      return allowed(POINTS.filter((from) => letters[from] === side).map((from) => [carry(letters, side, from, hole)]));
    }

    function end(state) {
      const { letters, repeats } = state;
      if (count(letters, ".") > 1) return null;
      if (["b", "w"].some((side) => count(letters, side) <= MOST_OF_A_LOSER)) return count(letters, "b") - count(letters, "w");
      return repeats || (has("cycle=superko") && !moves(state).length) ? 0 : null;
    }

    return { end, moves };
  }

  const board = ({ letters, side }, parts) => parts.reduce((now, part) => codes.after(now, side, part), letters);

  /** The rules of the rule set `name`, which may have options; `null` for games that are not on 5x5 fields. */
  function of(name) {
    const [game, ...options] = name.split(" ");
    return { gothello, seegover: game === "seegover" && seegover(options) }[game] ?? null;
  }

  /** The state before the first turn. */
  const start = () => ({ letters: ".".repeat(25), side: "b", passes: 0, seen: new Set(), repeats: false });

  /** The state after the legal turn `parts`. A state with a full board remembers the states before it. */
  function after(state, parts) {
    const letters = board(state, parts);
    const side = other[state.side];
    const isFull = count(letters, ".") === 25 - FULL && parts.length > 0;
    const key = side + letters;
    const seen = isFull ? new Set(state.seen).add(key) : state.seen;
    return { letters, side, passes: parts.length ? 0 : state.passes + 1, seen, repeats: isFull && state.seen.has(key) };
  }

  return { after, of, start };
})();
