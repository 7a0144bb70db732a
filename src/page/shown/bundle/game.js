// game.js: one game as the viewer shows it: boards, text, marks, used times. Pure; it also runs under node.

const game = (() => {
  const UNKNOWN = { margin: null, winner: null, better: null, line: [] };

  /** How good the ply between two positions was for `side`: `kept`, `lost`, `blunder`, or `null` if unknown. */
  function judged(before, after, side) {
    if (!before.winner || !after.winner) return { mark: null, lost: null };
    const known = before.margin !== null && after.margin !== null;
    const lost = known ? (before.margin - after.margin) * (side === "b" ? 1 : -1) : null;
    const mark = before.winner !== after.winner ? "blunder" : lost > 0 ? "lost" : "kept";
    return { mark, lost };
  }

  /** Numbers `plies` as on a score sheet: 1 for black's first ply and the answer to it. */
  function numbered(plies) {
    if (codes.seats().length > 2) return numberedBySeat(plies);
    let number = 0;
    plies.forEach((ply, i) => {
      if (ply.side === "b" || plies[i - 1]?.side === "w" || i === 0) number += 1;
      ply.number = number;
    });
  }

  /** Numbers the plies of each seat from 1. */
  function numberedBySeat(plies) {
    const count = {};
    for (const ply of plies) ply.number = count[ply.side] = (count[ply.side] ?? 0) + 1;
  }

  /** The index of the ply that decided the game if all later plies were judged; otherwise 0. */
  function decisive(plies, values, winner) {
    if (!winner || values[plies.length].winner !== winner) return 0;
    for (let i = plies.length; i > 0; i -= 1) {
      if (plies[i - 1].mark === "blunder") return i;
      if (plies[i - 1].mark === null) return 0;
    }
    return 0;
  }

  /** The total time of each side before each ply; `null` while no time of that side is known. */
  function used(plies) {
    const sum = Object.fromEntries(codes.seats().map((seat) => [seat, null]));
    const list = [{ ...sum }];
    for (const { side, time } of plies) {
      if (time !== null) sum[side] = (sum[side] ?? 0) + time;
      list.push({ ...sum });
    }
    return list;
  }

  /** The values of the positions of `entry`, and `{ side, mark, lost }` for each ply; no boards are made. */
  function judge(entry) {
    const [, , , , , , moves, times, values, opening] = entry;
    const worth = values ? codes.values(values) : [];
    const sides = moves.includes("~") ? codes.plies(moves).map(({ side }) => side) : null;
    const marks = worth.slice(1).map((after, i) => {
      const side = sides ? sides[i] : "bw"[i % 2];
      const { mark, lost } = judged(worth[i], after, side);
      return i < opening ? { side, mark: mark && "opening", lost: null } : { side, mark, lost };
    });
    return { worth, marks };
  }

  /**
   * The game of an entry in the data's `games`. Boards, values and used times are listed by position, everything else
   * by ply.
   */
  function read(entry) {
    const { worth, marks } = judge(entry);
    const plies = codes.plies(entry[6]);
    const micros = codes.times(entry[7]);
    numbered(plies);
    plies.forEach((ply, i) => {
      Object.assign(ply, marks[i] ?? { mark: null, lost: null });
      ply.text = codes.plyText(ply.parts);
      ply.time = micros[i] ?? null;
      ply.better = isMistake(ply) ? worth[i].better : null;
      ply.line = ply.better ? worth[i].line : [];
    });
    const values = Array.from({ length: plies.length + 1 }, (_, i) => worth[i] ?? UNKNOWN);
    return {
      plies,
      boards: codes.boards(plies),
      values,
      judged: worth.some(({ winner }) => winner),
      used: used(plies),
      outs: outs(plies),
      supplies: supplies(plies, entry[12]?.supplies ?? []),
      modes: [...plies, plies.at(-1)].map((ply) => ply?.mode ?? 0),
      decisive: decisive(plies, values, ["b", "w", "draw"][entry[3]]),
    };
  }

  /** The seats that have dropped out at each position. */
  function outs(plies) {
    let gone = [];
    const list = plies.map((ply) => (gone = [...gone, ...(ply.outs ?? [])]));
    return [...list, [...gone, ...(plies.outs ?? [])]];
  }

  /**
   * How many stones each seat can still place at each position, or `null` without a limit. `starts` contains the
   * numbers before the first ply of each mode.
   */
  function supplies(plies, starts) {
    let mode = null;
    let left = null;
    const list = plies.map((ply) => {
      if (ply.mode !== mode) {
        mode = ply.mode;
        left = starts[mode] ? Object.fromEntries(codes.seats().map((seat, i) => [seat, starts[mode][i]])) : null;
      }
      const before = left;
      if (left && ply.parts[0].to !== null) left = { ...left, [ply.side]: left[ply.side] - 1 };
      return before;
    });
    return [...list, left];
  }

  const isMistake = ({ mark }) => mark === "blunder" || mark === "lost";

  /** The numbers of blunders and of plies that lost stones in `entry`, by side. */
  function mistakes(entry) {
    const count = { b: { blunder: 0, lost: 0 }, w: { blunder: 0, lost: 0 } };
    if (entry[8]) {
      for (const ply of judge(entry).marks) if (isMistake(ply)) count[ply.side][ply.mark] += 1;
    }
    return count;
  }

  return { isMistake, judge, mistakes, read };
})();
