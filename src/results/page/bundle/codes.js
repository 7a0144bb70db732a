// codes.js: reads the letters of the data: points, plies, times and values of one game. Pure; it also runs under node.

const codes = (() => {
  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const PART = "[a-y]?[A-Y](?:\\([A-Y]+\\))?";
  const PLY = new RegExp(`(~?)(Z|${PART}(?:\\+${PART})*)`, "y");
  const VALUE = /([A-Za-z0-9_-])(?:!(Z|[a-y]?[A-Y](?:\+[a-y]?[A-Y])*))?/y;
  const UNKNOWN_TIME = 4095;
  const EMPTY = ".".repeat(25);

  /** All matches of the sticky `pattern`, which must cover `text` from its first to its last letter. */
  function cut(text, pattern) {
    const found = [];
    pattern.lastIndex = 0;
    while (pattern.lastIndex < text.length) {
      const match = pattern.exec(text);
      if (!match) throw new Error(`letter ${found.length} of the data of a game is not understood`);
      found.push(match);
    }
    return found;
  }

  const pointOf = (letter) => letter.toUpperCase().charCodeAt(0) - 65;

  /** The name of a point: 0 is `a1`, 4 is `e1`, 5 is `a2`. */
  const pointName = (point) => "abcde"[point % 5] + (Math.floor(point / 5) + 1);

  function part(text) {
    const lifted = text[0] > "Z";
    return {
      from: lifted ? pointOf(text[0]) : null,
      to: pointOf(text[lifted ? 1 : 0]),
      flips: Array.from(text.slice(lifted ? 3 : 2).replace(")", ""), pointOf),
    };
  }

  const parts = (text) => (text === "Z" ? [] : text.split("+").map(part));

  /** Plies as `{ side, parts }`. A pass has no parts. */
  function plies(text) {
    let side = "w";
    return cut(text, PLY).map(([, again, ply]) => {
      if (!again) side = side === "b" ? "w" : "b";
      return { side, parts: parts(ply) };
    });
  }

  /** How players write a ply: `c3`, `a1+c4`, `b1-a1`, `b1-a1-b1`, `pass`. */
  function plyText(ply) {
    let text = "";
    let at = null;
    for (const { from, to } of ply) {
      if (from === null) text += (text && "+") + pointName(to);
      else text += (from === at ? "" : (text && "+") + pointName(from)) + "-" + pointName(to);
      at = to;
    }
    return text || "pass";
  }

  const toggled = { b: "w", w: "b", ".": "." };

  /** `board`, 25 letters of `b`, `w` and `.` from a1 to e5, after `part` of a ply by `side`. */
  function after(board, side, { from, to, flips }) {
    const points = Array.from(board);
    if (from !== null) points[from] = ".";
    points[to] = side;
    for (const point of flips) points[point] = toggled[points[point]];
    return points.join("");
  }

  /** The boards before the first ply and after each ply. */
  function boards(list) {
    let board = EMPTY;
    return [board, ...list.map(({ side, parts }) => (board = parts.reduce((b, p) => after(b, side, p), board)))];
  }

  /** Microseconds for each ply, or `null` where they are unknown. */
  function times(text) {
    const list = [];
    for (let i = 0; i + 1 < text.length; i += 2) {
      const code = DIGITS.indexOf(text[i]) * 64 + DIGITS.indexOf(text[i + 1]);
      list.push(code === UNKNOWN_TIME ? null : 2 ** (code / 128) - 1);
    }
    return list;
  }

  function value(digit) {
    const code = DIGITS.indexOf(digit);
    if (code <= 50) return { margin: code - 25, winner: code > 25 ? "b" : code < 25 ? "w" : "draw" };
    return { margin: null, winner: ["b", "w", "draw"][code - 51] ?? null };
  }

  /** Values `{ margin, winner, better }` of the positions; `better` is the better ply where a mistake follows. */
  const values = (text) =>
    cut(text, VALUE).map(([, digit, better]) => ({ ...value(digit), better: better ? parts(better) : null }));

  return { EMPTY, after, boards, plies, plyText, pointName, times, values };
})();
