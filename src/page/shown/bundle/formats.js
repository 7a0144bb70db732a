// formats.js: games in the formats of other programs: SGF for Go viewers, and GGF for programs that play Othello.
// Pure; it also runs under node.

const formats = (() => {
  /** Whether the games of `data` are Othello for two, the only game that readers of GGF support. */
  const hasGgf = (data) => codes.isOfTwo() && data.modes?.length === 1 && data.modes[0][0] === "othello";

  /** Whether the games of `data` have a single board for two colours. */
  const hasSgf = () => codes.isOfTwo() && codes.layers().length === 1;

  /** By how much white's compensation exceeds black's. */
  function komi() {
    const [black, white] = codes.compensation();
    return white - black;
  }

  /** Black's lead, including the compensation, or `null` without a margin. */
  const leadOf = ([, , , , margin]) => (margin === null ? null : margin - komi());

  /** `position` as rows of letters from the top. */
  function rowsOf(position) {
    const [{ kind, size }] = codes.layers();
    const rows = Array.from({ length: size }, (_, i) => position.slice(i * size, (i + 1) * size));
    return kind === "squares" ? rows : rows.reverse();
  }

  /** The row (from the top) and the file of the field `at`, both counted from 0. */
  function placeOf(at) {
    const [{ kind, size }] = codes.layers();
    const rank = Math.floor(at / size);
    return [kind === "squares" ? rank : size - 1 - rank, at % size];
  }

  const twoDigits = (number) => String(number).padStart(2, "0");

  /** A clock as `05:00/00:01`, or nothing if GGF cannot express it: its times are whole seconds. */
  function ggfClock(control) {
    if (!control || control.move || control.period || control.time % 1e6 || control.increment % 1e6) return null;
    const text = (micros) => {
      const all = micros / 1e6;
      const [hours, minutes] = [Math.floor(all / 3600), Math.floor(all / 60) % 60];
      return `${hours ? `${hours}:` : ""}${twoDigits(minutes)}:${twoDigits(all % 60)}`;
    };
    return text(control.time) + (control.increment ? `/${text(control.increment)}` : "");
  }

  /** The result of the game of `entry` from black's side, in GGF. */
  function ggfResult(entry, data) {
    const [, , , result, , ending] = entry;
    const [lead, [{ size }], word] = [leadOf(entry), codes.layers(), data.terms[ending]];
    const signed = (points) => (points < 0 ? "" : "+") + points.toFixed(3);
    if (["normal", "adjudicated"].includes(word)) return lead === null ? "?" : signed(lead);
    return result > 1 ? "?" : `${signed(result ? -size * size : size * size)}:${word === "time" ? "t" : "r"}`;
  }

  /** The game `read` of `entry` in GGF, whose values cannot contain brackets. `controls` are the clocks of both sides. */
  function ggf({ controls, data, entry, names, read }) {
    const value = (text) => text.replaceAll("[", "(").replaceAll("]", ")");
    const [{ size }] = codes.layers();
    // The first four stones of an open start turn no stones over, so they would be illegal moves elsewhere.
    const from = data.ruleset.includes("start=open") ? Math.min(4, read.plies.length) : 0;
    const board = rowsOf(read.boards[from]).join(" ").replaceAll("b", "*").replaceAll("w", "O").replaceAll(".", "-");
    const first = read.plies[from]?.side ?? "b";
    const [black, white] = controls.map(ggfClock);
    const clock = black === white ? black && `TI[${black}]` : [black && `TB[${black}]`, white && `TW[${white}]`].filter(Boolean).join("");
    const moves = read.plies.slice(from).map(({ side, text, time }, i) => {
      const claim = read.claims?.[from + i]?.value ?? null;
      const told = claim === null ? "" : (claim < 0 ? "" : "+") + claim.toFixed(2);
      const spent = time === null ? "" : `/${(time / 1e6).toFixed(2)}`;
      return `${side.toUpperCase()}[${text === "pass" ? text : text.toUpperCase()}${told || spent ? `/${told}${spent}` : ""}]`;
    });
    const tags = `(;GM[Othello]PC[gothello-arena]PB[${value(names[0])}]PW[${value(names[1])}]${clock || ""}TY[${size}]`;
    return `${tags}RE[${ggfResult(entry, data)}]BO[${size} ${board} ${first === "b" ? "*" : "O"}]${moves.join("")};)\n`;
  }

  /** The result of the game of `entry` in SGF. */
  function sgfResult(entry, data) {
    const [, , , result, , ending] = entry;
    if (result > 1) return result === 2 ? "0" : "Void";
    const word = data.terms[ending];
    const lead = (leadOf(entry) ?? 0) * (result ? -1 : 1);
    const how = { normal: lead > 0 ? lead : "", adjudicated: lead > 0 ? lead : "", resignation: "Resign", time: "Time" }[word] ?? "Forfeit";
    return `${"BW"[result]}+${how}`;
  }

  const point = (row, file) => String.fromCharCode(97 + file, 97 + row);

  /** The set-up properties that turn the rows `before` into the rows `after`. */
  function changes(before, after) {
    const sets = [["AB", "b"], ["AW", "w"], ["AE", "."]].map(([name, letter]) => {
      const at = after.flatMap((row, i) => Array.from(row, (now, file) => (now === letter && (before?.[i][file] ?? ".") !== now ? `[${point(i, file)}]` : "")));
      return [name, at.join("")];
    });
    return sets.map(([name, points]) => points && name + points).join("");
  }

  /** The game `read` of `entry` in SGF: ordinary moves in Go, and otherwise set-up nodes, because stones change sides. */
  function sgf({ data, entry, id, names, read }) {
    const value = (text) => String(text).replace(/[\]\\:]/g, "\\$&");
    const rows = read.boards.map(rowsOf);
    const isGo = (ply) => codes.isOnPoints(ply.mode ?? 0) && !codes.isProof(ply.mode ?? 0);
    const mover = (ply) => (ply ? `PL[${ply.side.toUpperCase()}]` : "");
    const own = { SZ: rows[0].length, PB: names[0], PW: names[1], RE: sgfResult(entry, data), RU: data.ruleset, RO: entry[2], GN: id };
    if (codes.counts()) own.KM = komi();
    const handicap = /handicap=1,(\d)/.exec(data.ruleset)?.[1];
    if (handicap) own.HA = handicap;
    const set = changes(null, rows[0]);
    const root = `;FF[4]GM[1]CA[UTF-8]AP[gothello-arena]${Object.entries(own).map(([name, text]) => `${name}[${value(text)}]`).join("")}`;
    const nodes = read.plies.map((ply, i) => {
      const placed = board.standing(ply.parts).filter(({ to }) => to !== null).map(({ to }) => point(...placeOf(to)));
      const move = `${ply.side.toUpperCase()}[${placed[0] ?? ""}]`;
      const rings = placed.length ? `CR${placed.map((at) => `[${at}]`).join("")}` : "";
      const node = isGo(ply) ? move : changes(rows[i], rows[i + 1]) + mover(read.plies[i + 1]) + rings;
      return `;${node}C[${value(`${ply.number}${ply.side === "b" ? "." : "..."} ${ply.text}`)}]\n`;
    });
    return `(${root}${set && set + mover(read.plies[0])}\n${nodes.join("")})\n`;
  }

  return { ggf, hasGgf, hasSgf, sgf };
})();
