// endgame.js: the exact margins of Gothello positions: with few stones, they come from a table, and with few empty
// points from a search. Pure; it also runs under node.

const endgame = (() => {
  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const ALL = (1 << 25) - 1;
  const MOST_EMPTY = 10;
  /** With at most this many empty points, a search takes a few milliseconds at most, and is not interrupted. */
  const AT_ONCE = 4;

  const bits = (set) => {
    const list = [];
    for (let rest = set; rest; rest &= rest - 1) list.push(31 - Math.clz32(rest & -rest));
    return list;
  };
  const size = (set) => bits(set).length;
  const FILE_A = 0x108421;
  const FILE_E = FILE_A << 4;
  const beside = (set) => (((set & ~FILE_E) << 1) | ((set & ~FILE_A) >> 1) | (set << 5) | (set >> 5)) & ALL;

  /** All points of `within` that are connected to `seed`. */
  function flood(seed, within) {
    for (let group = seed; ; ) {
      const grown = (group | beside(group)) & within;
      if (grown === group) return group;
      group = grown;
    }
  }

  /** The stones that a stone on `point` captures, or -1 if it may not be placed there. */
  function captures(own, theirs, point) {
    const empty = ALL & ~(own | theirs | point);
    if (!(beside(flood(point, own | point)) & empty)) return -1;
    let captured = 0;
    for (let touched = beside(point) & theirs; touched; ) {
      const group = flood(touched & -touched, theirs);
      touched &= ~group;
      if (!(beside(group) & empty)) captured |= group;
    }
    return captured;
  }

  /** The positions after each placement by the side with the stones `own`. In them, the sides are swapped. */
  function placements(own, theirs) {
    const list = [];
    for (let empty = ALL & ~(own | theirs); empty; empty &= empty - 1) {
      const point = empty & -empty;
      const captured = captures(own, theirs, point);
      if (captured >= 0) list.push({ gain: size(captured), own: theirs & ~captured, theirs: own | point | captured });
    }
    return list.sort((one, two) => two.gain - one.gain);
  }

  /**
   * The value of a position for the side to move, after a pass if `passed`. The value is exact if it is between `low`
   * and `high`. Yields now and then, so that the search can be interrupted.
   */
  function* search(own, theirs, passed, low, high, known) {
    const lead = size(own) - size(theirs);
    if (passed && lead >= high) return lead;
    const empty = ALL & ~(own | theirs);
    if (size(empty) <= AT_ONCE) {
      yield;
      return quick(own, theirs, passed, low, high);
    }
    const key = (own * 33554432 + theirs) * 2 + (passed ? 1 : 0);
    const seen = known.get(key) ?? { lower: -25, upper: 25 };
    if (seen.lower >= high || seen.lower === seen.upper) return seen.lower;
    if (seen.upper <= low) return seen.upper;
    let best = passed ? lead : -25;
    let reach = Math.max(low, best);
    for (const next of placements(own, theirs)) {
      if (best >= high) break;
      best = Math.max(best, -(yield* search(next.own, next.theirs, false, -high, -reach, known)));
      reach = Math.max(reach, best);
    }
    if (best < high && !passed) best = Math.max(best, -(yield* search(theirs, own, true, -high, -reach, known)));
    const lower = best > low ? Math.max(seen.lower, best) : seen.lower;
    known.set(key, { lower, upper: best < high ? Math.min(seen.upper, best) : seen.upper });
    return best;
  }

  /** Like `search`, but never yields. */
  function quick(own, theirs, passed, low, high) {
    const lead = size(own) - size(theirs);
    if (passed && lead >= high) return lead;
    let best = passed ? lead : -25;
    let reach = Math.max(low, best);
    for (const next of placements(own, theirs)) {
      if (best >= high) break;
      best = Math.max(best, -quick(next.own, next.theirs, false, -high, -reach));
      reach = Math.max(reach, best);
    }
    if (best < high && !passed) best = Math.max(best, -quick(theirs, own, true, -high, -reach));
    return best;
  }

  const setOf = (letters, side) => POINTS.reduce((set, point) => (letters[point] === side ? set | (1 << point) : set), 0);
  const POINTS = Array.from({ length: 25 }, (_, point) => point);

  /** The eight symmetries of the board, each as a list of the images of all points. */
  const SYMMETRIES = Array.from({ length: 8 }, (_, n) =>
    POINTS.map((point) => {
      let [x, y] = [point % 5, Math.floor(point / 5)];
      if (n & 1) x = 4 - x;
      if (n & 2) y = 4 - y;
      return n & 4 ? x * 5 + y : y * 5 + x;
    }),
  );
  const image = (set, symmetry) => bits(set).reduce((all, point) => all | (1 << symmetry[point]), 0);

  /** The sets of empty points on boards with `stones` stones, in ascending order; of symmetric sets only the lowest. */
  function classes(stones) {
    const found = new Set();
    const add = (images, from, left) => {
      if (!left) {
        let lowest = ALL;
        for (const occupied of images) lowest = Math.min(lowest, ALL & ~occupied);
        found.add(lowest);
        return;
      }
      for (let point = from; point < 25; point += 1) {
        add(images.map((occupied, n) => occupied | (1 << SYMMETRIES[n][point])), point + 1, left - 1);
      }
    };
    add(SYMMETRIES.map(() => 0), 0, stones);
    return Array.from(found).sort((one, two) => one - two);
  }

  /** A function that looks up margins in `text`: a digit for each position of few stones. Yields like `search`. */
  function* table(text) {
    const starts = [];
    for (let [stones, at] = [0, 0]; at < text.length; stones += 1) {
      const blocks = new Map();
      for (const empty of classes(stones)) {
        blocks.set(empty, at);
        at += 1 << stones;
      }
      starts.push(blocks);
      yield;
    }
    return (own, theirs) => {
      const occupied = own | theirs;
      const blocks = starts[size(occupied)];
      if (!blocks) return null;
      const lowest = SYMMETRIES.map((symmetry) => [ALL & ~image(occupied, symmetry), symmetry]).reduce((one, two) => (two[0] < one[0] ? two : one));
      const mine = image(own, lowest[1]);
      const index = bits(ALL & ~lowest[0]).reduce((sum, point, i) => sum + (mine & (1 << point) ? 1 << i : 0), 0);
      const code = DIGITS.indexOf(text[blocks.get(lowest[0]) + index]);
      return code > 50 ? null : code - 25;
    };
  }

  let early = null;

  /**
   * The margin of `state`, black's stones minus white's, or `null` if this file cannot find it. `text` contains the
   * margins of positions with few stones. The generator yields now and then, so that it can be interrupted.
   */
  function* margin({ letters, side, passes }, text, known = new Map()) {
    const [own, theirs] = [setOf(letters, side), setOf(letters, side === "b" ? "w" : "b")];
    const lead = size(own) - size(theirs);
    const sign = side === "b" ? 1 : -1;
    if (passes > 1) return sign * lead;
    early ??= yield* table(text ?? "");
    const listed = early(own, theirs);
    if (listed !== null) return sign * (passes ? Math.max(listed, lead) : listed);
    if (size(ALL & ~(own | theirs)) > MOST_EMPTY) return null;
    return sign * (yield* search(own, theirs, passes > 0, -25, 25, known)) + 0;
  }

  return { margin };
})();
