// words.js: results, values, times and plies in words. Pure; it also runs under node.

const words = (() => {
  const side = { b: "black", w: "white", 1: "seat 1", 2: "seat 2", 3: "seat 3", 4: "seat 4", 5: "seat 5", 6: "seat 6" };
  const MARKS = { blunder: "x", lost: "o" };

  function value({ margin, winner }) {
    if (!winner) return "unknown";
    if (winner === "draw") return "draw";
    return margin === null ? `${side[winner]} wins` : `${side[winner]} by ${Math.abs(margin)}`;
  }

  function valueSentence(worth) {
    if (!worth.winner) return "value unknown";
    if (worth.winner === "draw") return "a draw with best play";
    return (
      value({ ...worth, margin: null }) +
      (worth.margin === null ? "" : ` by ${Math.abs(worth.margin)}`) +
      " with best play"
    );
  }

  /** The winner's lead in points, in words. With its compensation, a side may win without being ahead. */
  function lead(points) {
    if (points > 0) return ` by ${points}`;
    return points ? `, ${count(-points, "point")} behind` : ", level on points";
  }

  /** Who is ahead, in words, if `lead` is black's lead in points: `white by 3.5`. */
  const ahead = (lead) => (lead ? `${side[lead > 0 ? "b" : "w"]} by ${Math.abs(lead)}` : "level");

  /** The result of an entry of `games`: `black won by 7`. */
  function result([players, , , result, margin, outs]) {
    if (Array.isArray(players)) return placing(result, players, outs);
    // The margin does not include the compensation, which may decide who won.
    const [own, theirs] = codes.compensation();
    const total = margin + own - theirs;
    const ahead = (result ? total < 0 : total > 0) ? total : margin;
    const [black, white] = margin === null ? ["", ""] : [ahead, -ahead].map(lead);
    return [`black won${black}`, `white won${white}`, "draw", "both lost", "void", "being played"][result] ?? "unknown";
  }

  /** The result of a game with more than two seats: `1st carol, 2nd bob, 3rd ada`. */
  function placing(places, players) {
    if (places === 5) return "being played";
    if (!places) return "void";
    const order = players.map((player, seat) => [places[seat], page.name(player)]).sort(([one], [other]) => one - other);
    return order.map(([place, name]) => `${ordinal(place)} ${name}`).join(", ");
  }

  const ordinal = (place) => `${place}${["th", "st", "nd", "rd"][place] ?? "th"}`;

  const FAILURES = {
    time: "ran out of time",
    illegal: "made an illegal move",
    protocol: "broke the protocol",
    disconnect: "ended its connection",
    crash: "crashed",
    "no show": "did not show up",
    "not started": "did not start",
    "limit memory": "used too much memory",
    "limit cpu": "used too much CPU time",
    "limit processes": "started too many processes",
    "limit scratch": "wrote too much to its scratch space",
    "limit output": "wrote too much to files",
  };

  /** Who failed in the game of `entry`, and how, such as `ada crashed`; nothing if the game was played to its end. */
  function failure([players, white, , result, , ending]) {
    const failed = (player, kind) => `${page.name(player)} ${FAILURES[kind]}`;
    if (Array.isArray(players)) {
      if (result === null) return "The game is void";
      return ending.filter(([, kind]) => FAILURES[kind]).map(([seat, kind]) => failed(players[seat - 1], kind)).join(", ");
    }
    if (result === 4) return "The game is void";
    if (result === 3) return "Both players failed before the game began";
    const kind = page.data.terms[ending];
    return result < 2 && FAILURES[kind] ? failed(result ? players : white, kind) : "";
  }

  /** A time with its unit, in about three digits. */
  function time(micros) {
    if (micros === null) return "–";
    if (micros < 1000) return `${Math.round(micros)} µs`;
    if (micros < 1e6) return `${(micros / 1000).toFixed(micros < 1e4 ? 1 : 0)} ms`;
    if (micros < 6e7) return `${(micros / 1e6).toFixed(micros < 1e7 ? 2 : 1)} s`;
    const seconds = Math.round(micros / 1e6);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }

  /** A power of ten in microseconds, for a scale. */
  const power = (exponent) => time(10 ** exponent).replace(/\.0+/, "");

  /** Why `seat` dropped out of the game of `entry`, after a comma, or nothing if that is not known. */
  function reasonOut(entry, seat) {
    const why = (entry[5] ?? []).find(([number]) => String(number) === seat)?.[1];
    return why ? `, ${why}` : "";
  }

  const names = (points) => points.map(codes.pointName).join(" ");

  /**
   * The captures by the parts of a ply: `captured b2 c2, on the way back captured d4`. On other boards, stones can also
   * be removed.
   */
  function captures(parts) {
    const turned = codes.judges() ? "captured" : "turned over";
    return parts
      .flatMap(({ to, flips, gone = [] }, i) => [
        flips.length && `${i ? "on the way back " : ""}${turned} ${names(flips)}`,
        gone.length && `${to === null ? "taken off" : "captured"} ${names(gone)}`,
      ])
      .filter(Boolean)
      .join(", ");
  }

  const numbered = (ply) =>
    codes.seats().length > 2 ? `${ply.number}. ${ply.text} (${side[ply.side]})` : `${ply.number}${ply.side === "b" ? "." : "…"} ${ply.text}`;

  /** The cost of a mistake: `e3? lost 6: better c2 ("draw" instead of "white by 6")`. */
  function mistake(read, index) {
    const ply = read.plies[index - 1];
    if (!ply || !game.isMistake(ply)) return "";
    const cost =
      ply.lost === null ? "blunder" : ply.mark === "blunder" ? `blunder, lost ${ply.lost}` : `lost ${ply.lost}`;
    const better = ply.better ? `: better ${codes.plyText(ply.better)}` : "";
    const [before, after] = [index - 1, index].map((i) => value(read.values[i]));
    return `${ply.text}? ${cost}${better} (“${before}” instead of “${after}”)`;
  }

  /** One line about a step through a game, for a screen reader. */
  function spoken(read, index, entry) {
    const end = index === read.plies.length ? `; end, ${result(entry)}` : "";
    if (index === 0) return `Start${codes.judges() ? ", empty board" : ""}${end}`;
    const ply = read.plies[index - 1];
    const captured = captures(ply.parts);
    const instead = `${value(read.values[index])} instead of ${value(read.values[index - 1])}`;
    const better = ply.better ? `, better ${codes.plyText(ply.better)}` : "";
    const judged = game.isMistake(ply)
      ? `; ${ply.mark === "lost" ? "lost stones" : "blunder"}, ${instead}${better}`
      : "";
    const mode = ply.mode === read.plies[index - 2]?.mode ? null : codes.modeName(ply.mode);
    return `${index}, ${mode ? `${mode}, ` : ""}${side[ply.side]} ${ply.text}${captured && `, ${captured}`}${judged}${end}`;
  }

  /** A whole number with its sign: `+174`, `−154`, `0`. */
  const signed = (number) => (number < 0 ? "−" : number > 0 ? "+" : "") + Math.abs(number);

  /** `1,560`, `20.5`. */
  const grouped = (number) => number.toLocaleString("en");

  /** `8½` for 8.5 points. */
  const points = (number) => `${number >= 1 || number === 0 ? grouped(Math.floor(number)) : ""}${number % 1 ? "½" : ""}`;

  /** `text` with a capital first letter. */
  const sentence = (text) => text[0].toUpperCase() + text.slice(1);

  const plural = (number, noun, nouns = `${noun}s`) => (number === 1 ? noun : nouns);

  /** `1 ply`, `12 plies`. */
  const count = (number, noun, nouns) => `${grouped(number)} ${plural(number, noun, nouns)}`;

  return { MARKS, ahead, captures, count, failure, grouped, mistake, names, numbered, ordinal, plural, points, power, reasonOut, result, sentence, side, signed, spoken, time, value, valueSentence };
})();
