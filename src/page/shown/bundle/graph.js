// graph.js: draws the values of a game's positions, or the leads if there are no values, above the time of each ply.

const graph = (() => {
  const { h, s } = dom;
  const LEFT = 54;
  const RIGHT = 10;
  const TOP = 28;
  const VALUES = 182;
  const GAP = 26;
  const TIMES = 84;
  const SCALES = [5, 10, 15, 20, 25, 40, 60, 80, 100, 150, 200, 300, 400, 600];

  const topOf = (numbers) => SCALES.find((size) => size >= Math.max(...numbers)) ?? SCALES.at(-1);

  /** Black's lead as a value. */
  const asValue = (lead) => ({ margin: lead, winner: lead > 0 ? "b" : lead < 0 ? "w" : "draw" });

  /** The values of the positions of `read`, or black's leads if no value is known. */
  const course = (read) => (read.judged ? read.values : read.score.map(({ counts }) => asValue(score.lead(counts))));

  /** Whether modes are counted in points, not only in stones. */
  const inPoints = () => Boolean(codes.counts()) || codes.compensation().some(Boolean);

  /** What the graph of `read` shows, in a sentence. */
  function legend(read) {
    if (read.judged) return "Value with best play, black above.";
    if (!codes.isOfTwo()) return "Each seat's points.";
    return `${inPoints() ? "Points" : "Stones"} ahead, black above.`;
  }

  /** The heights of values: on the scale of margins, or in the bands for wins by unknown margins. */
  function scale(values, claimed) {
    const most = codes.layers().reduce((sum, { size }) => sum + size * size, 0);
    const margins = [...values.filter(({ margin }) => margin !== null).map(({ margin }) => Math.abs(margin)), ...claimed.map((value) => Math.min(Math.abs(value), most))];
    const bands = values.some(({ margin, winner }) => margin === null && (winner === "b" || winner === "w"));
    const top = margins.length ? topOf(margins) : 0;
    const room = VALUES / 2 - (bands && top ? 20 : 0);
    const middle = TOP + VALUES / 2;
    const height = ({ margin, winner }) => {
      if (margin !== null && top) return middle - (margin / top) * room;
      return winner === "b" ? TOP : winner === "w" ? TOP + VALUES : middle;
    };
    const lines = [[middle, top ? "0" : "draw"]];
    if (top) lines.push([middle - room, `+${top}`], [middle + room, `−${top}`]);
    if (bands || !top) lines.push([TOP, "black"], [TOP + VALUES, "white"]);
    return { height, lines, middle, top };
  }

  /**
   * The line of the values: horizontal while the value stays the same, vertical where a ply changed it, dotted where it
   * is unknown.
   */
  function trace(values, x, { height, middle }) {
    let known = "";
    let unknown = "";
    let area = "";
    for (let i = 1; i < values.length; i += 1) {
      const [before, after] = [values[i - 1], values[i]];
      if (!before.winner) unknown += `M${x(i - 1)} ${middle}H${x(i)}`;
      else {
        known += `M${x(i - 1)} ${height(before)}H${x(i)}` + (after.winner ? `V${height(after)}` : "");
        area += `M${x(i - 1)} ${middle}V${height(before)}H${x(i)}V${middle}z`;
      }
    }
    return [
      s("path", { class: "area", d: area }),
      s("path", { class: "unknown", d: unknown }),
      s("path", { class: "known", d: known }),
    ];
  }

  /** A line for the points of each seat, on a scale from 0. */
  function seatLines(read, x) {
    const extra = codes.compensation();
    const points = codes.seats().map((seat, i) => read.score.map(({ counts }) => counts[seat] + extra[i]));
    const top = topOf(points.flat());
    const bottom = TOP + VALUES;
    const height = (number) => +(bottom - (number / top) * VALUES).toFixed(2);
    const path = (list) => list.slice(1).reduce((d, number, i) => `${d}H${x(i + 1)}V${height(number)}`, `M${x(0)} ${height(list[0])}`);
    const lines = [
      [bottom, "0"],
      [TOP, String(top)],
    ];
    return {
      nodes: points.map((list, i) => s("path", { class: `points ${board.stones[codes.seats()[i]]}`, d: path(list) })),
      lines,
      middle: bottom,
    };
  }

  /** A dashed line through the values that each player claimed, at the positions for which it claimed them. */
  function told(read, x, { height, top }) {
    if (!top) return [];
    return ["b", "w"].flatMap((side) => {
      const at = ([position, value]) => `${x(position)} ${height(asValue(Math.max(-top, Math.min(top, value))))}`;
      const points = claims.values(read, side).map(at);
      return points.length ? s("path", { class: `told ${board.stones[side]}`, d: `M${points.join("L")}` }) : [];
    });
  }

  function marks(read, x, { height }) {
    return read.plies.flatMap((ply, i) => {
      if (!game.isMistake(ply)) return [];
      const y = height(read.values[i + 1]);
      const below = ply.side === "b";
      return s(
        "text",
        { class: `mark ${ply.mark}`, x: x(i + 1), y: y + (below ? 14 : -5), "text-anchor": "middle" },
        words.MARKS[ply.mark],
      );
    });
  }

  /** Bars of think times on a logarithmic scale: black's upwards, white's downwards; with more seats, all upwards. */
  function bars(read, x, width) {
    const known = read.plies
      .map(({ time }) => time)
      .filter((time) => time !== null)
      .map((time) => Math.max(1, time));
    if (!known.length) return [];
    const low = Math.floor(Math.log10(Math.min(...known)));
    const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...known))));
    const isOfTwo = codes.seats().length === 2;
    const middle = TOP + VALUES + GAP + (isOfTwo ? TIMES / 2 : TIMES);
    const tall = (isOfTwo ? TIMES / 2 : TIMES) - 2;
    const size = (time) => 2 + ((Math.log10(Math.max(1, time)) - low) / (high - low)) * (tall - 2);
    const wide = Math.max(1.5, Math.min(12, (width / Math.max(1, read.plies.length)) * 0.6));
    const label = (y, text) => s("text", { class: "tick", x: LEFT - 6, y: y + 4, "text-anchor": "end" }, text);
    const line = (y) => s("line", { class: "rule", x1: LEFT, x2: LEFT + width, y1: y, y2: y });
    return [
      line(middle - tall),
      isOfTwo && line(middle + tall),
      s("line", { class: "zero", x1: LEFT, x2: LEFT + width, y1: middle, y2: middle }),
      label(middle - tall, words.power(high)),
      label(middle, words.power(low)),
      isOfTwo && label(middle + tall, words.power(high)),
      ...read.plies.flatMap(({ side, time }, i) => {
        if (time === null) return [];
        const tallness = size(time);
        return s("rect", {
          class: `time ${board.stones[side]}${wide < 3 ? " fine" : ""}`,
          x: x(i + 1) - wide / 2,
          y: side === "w" ? middle : middle - tallness,
          width: wide,
          height: tallness,
        });
      }),
    ];
  }

  const rules = ({ lines, middle }, wide) =>
    lines.flatMap(([y, text]) => [
      s("line", { class: y === middle ? "zero" : "rule", x1: LEFT, x2: LEFT + wide, y1: y, y2: y }),
      s("text", { class: "tick", x: LEFT - 6, y: y + 4, "text-anchor": "end" }, text),
    ]);

  /** The upper part of the graph: the line of the values or leads, or a line for each seat. */
  function upper(read, x, wide) {
    if (!codes.isOfTwo()) {
      const seats = seatLines(read, x);
      return [...rules(seats, wide), ...seats.nodes];
    }
    const values = course(read);
    const heights = scale(values, ["b", "w"].flatMap((side) => claims.values(read, side).map(([, value]) => value)));
    return [...rules(heights, wide), ...trace(values, x, heights), ...told(read, x, heights), ...marks(read, x, heights)];
  }

  /** A line where each mode begins, and its name below the line; names alternate between two rows. */
  function modes(read, x) {
    const first = (one, i) => codes.modeName(one.mode ?? 0) && one.mode !== read.plies[i - 1]?.mode && !codes.isProof(one.mode);
    const starts = read.plies.map((one, i) => first(one, i) && i).filter(Number.isInteger);
    return starts.flatMap((at, i) => [
      s("line", { class: "rule mode", x1: x(at), x2: x(at), y1: TOP, y2: TOP + VALUES + 12 }),
      s("text", { class: "tick", x: x(at) + 2, y: TOP + VALUES + 11 + 12 * (i % 2) }, codes.modeName(read.plies[at].mode)),
    ]);
  }

  /** A summary of the position `ply` in one line. */
  function brief(read, ply) {
    const one = read.plies[ply - 1];
    const known = read.judged ? words.value(read.values[ply]) : ahead(read, ply);
    const claimed = one && claims.text(read.claims[ply - 1]);
    return [one ? words.numbered(one) : "start", known, claimed, one && one.time !== null && words.time(one.time)].filter(Boolean).join(" · ");
  }

  /** Who is ahead at the position `ply` of `read`; with more than two seats, the points of each seat. */
  function ahead(read, ply) {
    const { counts } = read.score[ply];
    if (codes.isOfTwo()) return words.ahead(score.lead(counts));
    return codes.seats().map((seat, i) => +(counts[seat] + codes.compensation()[i]).toFixed(2)).join(", ");
  }

  /** The graph of a game, `width` pixels wide. `pick` is called with the ply that the user selects. */
  function draw(read, width, pick) {
    const count = read.plies.length;
    const wide = width - LEFT - RIGHT;
    const x = (ply) => +(LEFT + (wide * ply) / Math.max(1, count)).toFixed(2);
    const height = TOP + VALUES + GAP + TIMES + 8;
    const line = (name) => s("line", { class: name, y1: TOP - 4, y2: height });
    const [cursor, hover] = [line("cursor"), line("hover")];
    const tip = s("text", { class: "tip", x: LEFT, y: 12 });
    const node = s(
      "svg",
      { class: "graph", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": summary(read) },
      modes(read, x),
      bars(read, x, wide),
      hover,
      cursor,
      upper(read, x, wide),
      tip,
    );
    const place = (one, ply) => ["x1", "x2"].forEach((name) => one.setAttribute(name, x(ply)));
    const at = (event) => {
      const box = node.getBoundingClientRect();
      const share = ((event.clientX - box.left) * (width / box.width) - LEFT) / wide;
      return Math.max(0, Math.min(count, Math.round(share * count)));
    };
    const leave = () => {
      node.classList.remove("hovered");
      tip.textContent = "";
    };
    node.addEventListener("pointerdown", (event) => pick(at(event)));
    node.addEventListener("pointermove", (event) => {
      const ply = at(event);
      place(hover, ply);
      tip.textContent = brief(read, ply);
      node.classList.add("hovered");
      if (event.buttons) pick(ply);
    });
    node.addEventListener("pointerleave", leave);
    return { node, cursor: (ply) => place(cursor, ply) };
  }

  function summary(read) {
    if (!read.judged) return `${legend(read)} Think times of ${words.count(read.plies.length, "ply", "plies")}`;
    const blunders = read.plies.filter(({ mark }) => mark === "blunder").length;
    const lost = read.plies.filter(({ mark }) => mark === "lost").length;
    const judged = `${words.count(blunders, "blunder")}, ${words.count(lost, "ply", "plies")} that lost stones`;
    return `Values and think times of ${read.plies.length} plies: ${judged}`;
  }

  const title = (read) => `${read.judged ? "Values" : codes.isOfTwo() ? "Who is ahead" : "Points"} and think times`;

  /** The graph as a table. */
  function table(read, link) {
    const hasClaims = read.claims.some(Boolean);
    const judged = (cells, others) => (read.judged ? cells : others);
    const head = ["ply", "move", ...judged(["value", "mark", "better"], [codes.isOfTwo() ? "ahead" : "points"]), "time", ...(hasClaims ? ["claimed"] : [])];
    const rows = read.plies.map((ply, i) =>
      h(
        "tr",
        {},
        h("td", { class: "num" }, String(i + 1)),
        h("th", { scope: "row" }, h("a", { href: link(i + 1) }, words.numbered(ply))),
        ...judged(
          [
            h("td", {}, words.value(read.values[i + 1])),
            h("td", {}, { blunder: "blunder", lost: "lost stones", opening: "opening" }[ply.mark] ?? ""),
            h("td", {}, ply.better ? codes.plyText(ply.better) : ""),
          ],
          [h("td", {}, ahead(read, i + 1))],
        ),
        h("td", { class: "num" }, words.time(ply.time)),
        hasClaims ? h("td", {}, claims.short(read.claims[i])) : [],
      ),
    );
    return h(
      "table",
      { class: "values" },
      h("caption", {}, title(read)),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((text) => h("th", { scope: "col" }, text)),
        ),
      ),
      h("tbody", {}, rows),
    );
  }

  return { draw, legend, table, title };
})();
