// score.js: counts the points of each seat in every position of a game, without using values. Pure; it also runs
// under node.

const score = (() => {
  /** For each field of a `size` x `size` board, the numbers of the fields next to it. */
  function beside(size) {
    return Array.from({ length: size * size }, (_, field) => {
      const file = field % size;
      const all = [file > 0 && field - 1, file < size - 1 && field + 1, field - size, field + size];
      return all.filter((next) => next !== false && next >= 0 && next < size * size);
    });
  }

  /**
   * The territory of each seat in `points`, by the seat's letter: the number of empty points from which only stones of
   * this seat can be reached. While only one seat has stones on the board, no point has been disputed yet, so there is
   * no territory unless the game `isOver`.
   */
  function territory(points, size, isOver) {
    const next = beside(size);
    const seen = new Set();
    const found = {};
    const seats = new Set(points.replaceAll(".", ""));
    if (seats.size < 2 && !isOver) return found;
    for (let start = 0; start < points.length; start += 1) {
      if (points[start] !== "." || seen.has(start)) continue;
      const region = [start];
      const borders = new Set();
      seen.add(start);
      for (const field of region) {
        for (const other of next[field]) {
          if (points[other] !== ".") borders.add(points[other]);
          else if (!seen.has(other)) {
            seen.add(other);
            region.push(other);
          }
        }
      }
      const [owner] = borders;
      if (borders.size === 1) found[owner] = (found[owner] ?? 0) + region.length;
    }
    return found;
  }

  const none = () => Object.fromEntries(codes.seats().map((seat) => [seat, 0]));
  const sum = (one, other) => Object.fromEntries(codes.seats().map((seat) => [seat, one[seat] + (other[seat] ?? 0)]));

  /** Counts the stones that `ply` takes off `board`. `proof` contains the fields of the stones placed in Go's proof. */
  function take(board, { side, mode, parts: [part] }, taken, proof) {
    if (!part || !codes.isOnPoints(mode)) return taken;
    // A stone that was removed by its own move was on its point for a moment.
    const owner = (field) => (field === part.to ? side : board[field]);
    const now = { ...taken };
    for (const field of part.to === null ? [] : part.gone) {
      if (proof.has(field) || (codes.isProof(mode) && field === part.to)) continue;
      for (const seat of codes.seats()) {
        if (owner(field) === side ? seat !== side : seat === side) now[seat] += 1;
      }
    }
    if (codes.isProof(mode) && part.to !== null) proof.add(part.to);
    part.gone.forEach((field) => proof.delete(field));
    return now;
  }

  /**
   * For each position of `read`, by the letters of the seats: `counts`, the seat's points in the modes so far, without
   * compensation, and `taken`, the number of stones that the seat has taken off. `byMode` contains the points of each mode
   so far, with the mode's name.
   */
  function of({ boards, modes, plies }) {
    const proof = new Set();
    let [earned, taken, mode, ended] = [none(), none(), 0, []];
    return boards.map((board, i) => {
      for (; mode < modes[i]; mode += 1) {
        if (codes.isOnPoints(mode)) continue;
        const own = stones(board, mode);
        earned = sum(earned, own);
        ended = [...ended, [codes.modeName(mode), own]];
      }
      const own = codes.isOnPoints(mode) ? onPoints(board, mode, taken, proof, i === plies.length) : stones(board, mode);
      const name = codes.modeName(codes.isProof(mode) ? mode - 1 : mode);
      const state = { counts: sum(earned, own), byMode: [...ended, [name, own]], taken };
      if (i < plies.length) taken = take(board, plies[i], taken, proof);
      return state;
    });
  }

  const stones = (board, mode) => Object.fromEntries(codes.seats().map((seat) => [seat, codes.stones(board, seat, mode)]));

  function onPoints(board, mode, taken, proof, isOver) {
    const { first, size } = codes.layers()[codes.boardOf(mode)];
    const letters = Array.from(board.slice(first, first + size * size), (letter, at) => (proof.has(first + at) ? "." : letter));
    const own = territory(letters.join(""), size, isOver);
    return sum(codes.counts() === "area" ? stones(board, mode) : taken, own);
  }

  /** Black's lead, including compensation, in a position with these `counts`. */
  function lead(counts) {
    const [black, white] = codes.compensation();
    return counts.b + black - counts.w - white;
  }

  return { lead, of };
})();
