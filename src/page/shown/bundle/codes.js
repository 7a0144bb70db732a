// codes.js: decodes the data of one game: points, plies, times and values. Pure; it also runs under node.

const codes = (() => {
  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const PART = "[a-y]?[A-Y](?:\\([A-Y]+\\))?";
  const PLY = new RegExp(`(~?)(Z|${PART}(?:\\+${PART})*)`, "y");
  const MOVE = "(?:Z|[a-y]?[A-Y](?:\\+[a-y]?[A-Y])*)";
  const VALUE = new RegExp(`([A-Za-z0-9_-])(?:!(${MOVE})(?:\\(((?:${MOVE})+)\\))?)?`, "y");
  const UNKNOWN_TIME = 4095;
  const PLAIN = [{ kind: "board", size: 5, first: 0 }];

  /** The boards of the page's games: each with its kind, its number of ranks, and the number of its first field. */
  let layers = PLAIN;
  let modes = [];
  /** What counts in Go, and the points that each seat has in addition to its counts. */
  let counted = null;
  let extra = null;
  let start = ".".repeat(25);
  let digits = 0;
  let changes = null;
  /** The letters that stand for the seats on boards, in turn order. */
  let letters = "bw";

  /** Reads the boards from `data`, which describes none if all games are on the 5x5 board. */
  function use(data) {
    if (data.seats > 2) letters = "123456".slice(0, data.seats);
    if (!data.layers) return;
    let first = 0;
    layers = data.layers.map(([kind, size]) => {
      first += size * size;
      return { kind, size, first: first - size * size };
    });
    ({ modes, start } = data);
    [counted, extra] = [data.count, data.compensation];
    digits = first > 64 ? 2 : 1;
    const field = `[\\w-]{${digits}}`;
    const before = "((?:>|[\\^@][1-6])*)";
    const after = `(?:((?:[:.()[\\]{}](?:${field})+)+);)?`;
    changes = new RegExp(`${before}(?:!|(\\$)|(${field})(?:/(${field}))?)${after}`, "y");
  }

  const fieldOf = (text) => Array.from(text).reduce((sum, digit) => sum * 64 + DIGITS.indexOf(digit), 0);
  const fieldsOf = (text) => (text ?? "").match(new RegExp(`.{${digits}}`, "g"))?.map(fieldOf) ?? [];

  /** The first `most` matches of the sticky `pattern`, which must follow one another in `text` without gaps. */
  function cut(text, pattern, most = Infinity) {
    const found = [];
    pattern.lastIndex = 0;
    while (pattern.lastIndex < text.length && found.length < most) {
      const match = pattern.exec(text);
      if (!match) throw new Error(`letter ${found.length} of a game's data cannot be decoded`);
      found.push(match);
    }
    return found;
  }

  const pointOf = (letter) => letter.toUpperCase().charCodeAt(0) - 65;

  const layerOf = (point) => layers.findLast(({ first }) => point >= first);

  /** The letters of the files of a board. Boards of points have no file i. */
  const files = ({ kind, size }) =>
    Array.from(kind === "points" ? "abcdefghjklmnopqrstuvwxyz" : "abcdefghijklmnopqrstuvwxyz").slice(0, size);

  /** The name of a field: on the 5x5 board, 0 is `a1`, 4 is `e1`, 5 is `a2`. */
  function pointName(point) {
    const layer = layerOf(point);
    const at = point - layer.first;
    return files(layer)[at % layer.size] + (Math.floor(at / layer.size) + 1);
  }

  function part(text) {
    const lifted = text[0] > "Z";
    return {
      from: lifted ? pointOf(text[0]) : null,
      to: pointOf(text[lifted ? 1 : 0]),
      flips: Array.from(text.slice(lifted ? 3 : 2).replace(")", ""), pointOf),
    };
  }

  const parts = (text) => (text === "Z" ? [] : text.split("+").map(part));

  /**
   * The plies of games on other boards: each ply has one part, which describes the changes. `outs` contains the seats
   * that dropped out before the ply. The seats that dropped out after the last ply are in the list's `outs`.
   */
  function changing(text, most) {
    let mode = 0;
    let next = 0;
    const gone = new Set();
    const list = [];
    list.outs = [];
    for (const [, signs, end, at, far, more] of cut(text, changes, most)) {
      const outs = Array.from(signs.matchAll(/\^(\d)/g), ([, seat]) => seat);
      outs.forEach((seat) => gone.add(seat));
      if (end) {
        list.outs = outs;
        break;
      }
      mode += signs.split(">").length - 1;
      while (gone.has(letters[next]) && gone.size < letters.length) next = (next + 1) % letters.length;
      const named = /@(\d)/.exec(signs);
      if (named) next = letters.indexOf(named[1]);
      const part = { from: null, to: at ? fieldOf(at) : null, far: far ? fieldOf(far) : null, flips: [], gone: [], set: [] };
      for (const [sign, ...rest] of more?.match(/[:.()[\]{}][^:.()[\]{}]+/g) ?? []) {
        const fields = fieldsOf(rest.join(""));
        if (sign === ":") part.flips = fields;
        else if (sign === ".") part.gone = fields;
        else part.set.push([letters["()[]{}".indexOf(sign)], fields]);
      }
      list.push({ side: letters[next], mode, outs, parts: [part] });
      next = (next + 1) % letters.length;
    }
    return list;
  }

  /** The plies of `text`, or only the first `most` of them, as `{ side, parts }`. A pass has no parts. */
  function plies(text, most) {
    if (changes) return changing(text, most);
    let side = "w";
    return cut(text, PLY, most).map(([, again, ply]) => {
      if (!again) side = side === "b" ? "w" : "b";
      return { side, parts: parts(ply) };
    });
  }

  /** A ply in the players' notation: `c3`, `a1+c4`, `b1-a1`, `b1-a1-b1`, `pass`. */
  function plyText(ply) {
    let text = "";
    let at = null;
    for (const { from, to, far } of ply) {
      if (to === null) return "pass";
      if (Number.isInteger(far)) return `${pointName(to)}-${pointName(far)}`;
      if (from === null) text += (text && "+") + pointName(to);
      else text += (from === at ? "" : (text && "+") + pointName(from)) + "-" + pointName(to);
      at = to;
    }
    return text || "pass";
  }

  const toggled = { b: "w", w: "b", ".": "." };

  /** `board` (for each field, a seat's letter or `.`) after the given part of a ply by `side`. */
  function after(board, side, { from, to, flips, gone = [], set = [] }) {
    const points = Array.from(board);
    if (from !== null) points[from] = ".";
    if (to !== null) points[to] = side;
    for (const point of flips) points[point] = letters === "bw" ? toggled[points[point]] : side;
    for (const [letter, fields] of [[".", gone], ...set]) for (const point of fields) points[point] = letter;
    return points.join("");
  }

  /** The boards before the first ply and after each ply. */
  function boards(list) {
    let board = start;
    return [board, ...list.map(({ side, parts }) => (board = parts.reduce((b, p) => after(b, side, p), board)))];
  }

  /** The microseconds for each ply, or `null` if they are unknown. */
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

  /**
   * The values `{ margin, winner, better, line }` of the positions. If a mistake follows, `better` is the better ply,
   * and `line` contains the plies that would have followed it.
   */
  const values = (text) =>
    cut(text, VALUE).map(([, digit, better, line]) => ({
      ...value(digit),
      better: better ? parts(better) : null,
      line: line ? cut(line, new RegExp(MOVE, "y")).map(([one]) => parts(one)) : [],
    }));

  /** The letters of the seats: `b` and `w`, or `1` to `4`, or `1` to `6`. */
  const seats = () => Array.from(letters);

  const isOfTwo = () => letters.length === 2;

  /** Whether positions can have values: only those on the 5x5 board can. */
  const judges = () => !changes;

  /** The number of the board on which the mode `mode` is played. */
  const boardOf = (mode) => modes[mode]?.[1] ?? 0;

  /** The name of the mode `mode`, if games have several. */
  const modeName = (mode) => (modes.length > 1 ? modes[mode][0].replace(/^./, (letter) => letter.toUpperCase()) : null);

  const isOnPoints = (mode) => layers[boardOf(mode)].kind === "points";

  /** Whether `mode` is the part of Go in which stones are proven dead. */
  const isProof = (mode) => mode > 0 && isOnPoints(mode) && boardOf(mode) === boardOf(mode - 1);

  /** The names of the modes on the board with the number `number`: `Reverse, Othello`. */
  const boardName = (number) =>
    modes
      .map((_, mode) => boardOf(mode) === number && !isProof(mode) && modeName(mode))
      .filter(Boolean)
      .join(", ");

  /** The points that each seat has in addition to its counts, in turn order. */
  const compensation = () => extra ?? Array.from(letters, () => 0);

  /** The number of stones of `side` on the board on which `mode` is played. */
  function stones(position, side, mode = 0) {
    const { first, size } = layers[boardOf(mode)];
    return position.slice(first, first + size * size).split(side).length - 1;
  }

  return { after, boardName, boardOf, boards, compensation, counts: () => counted, files, isOfTwo, isOnPoints, isProof, judges, layers: () => layers, modeName, plies, plyText, pointName, seats, start: () => start, stones, times, use, values };
})();
