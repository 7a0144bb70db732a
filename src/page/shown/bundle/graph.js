// graph.js: draws the values of a game's positions, and below them the time of each ply.

const graph = (() => {
  const { h, s } = dom;
  const LEFT = 54;
  const RIGHT = 10;
  const TOP = 20;
  /** The heights of the values and of the gap between them and the times: zero if nothing is judged. */
  let [VALUES, GAP] = [190, 26];
  const TIMES = 84;
  const SCALES = [5, 10, 15, 20, 25];

  /** The heights of values: on the scale of margins, or in the bands for wins by an unknown margin. */
  function scale(values) {
    const margins = values.filter(({ margin }) => margin !== null).map(({ margin }) => Math.abs(margin));
    const bands = values.some(({ margin, winner }) => margin === null && (winner === "b" || winner === "w"));
    const top = margins.length ? (SCALES.find((size) => size >= Math.max(...margins)) ?? 25) : 0;
    const room = VALUES / 2 - (bands && top ? 20 : 0);
    const middle = TOP + VALUES / 2;
    const height = ({ margin, winner }) => {
      if (margin !== null && top) return middle - (margin / top) * room;
      return winner === "b" ? TOP : winner === "w" ? TOP + VALUES : middle;
    };
    const lines = [[middle, top ? "0" : "draw"]];
    if (top) lines.push([middle - room, `+${top}`], [middle + room, `−${top}`]);
    if (bands || !top) lines.push([TOP, "black"], [TOP + VALUES, "white"]);
    return { height, lines, middle };
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
          class: `time ${board.stones[side]}`,
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

  const unjudged = (x) =>
    s("text", { class: "tick", x, y: TOP + VALUES / 2, "text-anchor": "middle" }, "No position of this game is judged.");

  /** The graph of a game, `width` pixels wide. `pick` is called with the ply that the user selects. */
  function draw(read, width, pick) {
    if (!codes.judges()) [VALUES, GAP] = [0, 0];
    const count = read.plies.length;
    const wide = width - LEFT - RIGHT;
    const x = (ply) => +(LEFT + (wide * ply) / Math.max(1, count)).toFixed(2);
    const values = scale(read.values);
    const height = TOP + VALUES + GAP + TIMES + 8;
    const cursor = s("line", { class: "cursor", y1: TOP - 16, y2: height });
    const node = s(
      "svg",
      { class: "graph", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": summary(read) },
      read.judged ? [...rules(values, wide), ...trace(read.values, x, values)] : codes.judges() && unjudged(LEFT + wide / 2),
      bars(read, x, wide),
      cursor,
      marks(read, x, values),
    );
    const at = (event) => {
      const box = node.getBoundingClientRect();
      const share = ((event.clientX - box.left) * (width / box.width) - LEFT) / wide;
      pick(Math.max(0, Math.min(count, Math.round(share * count))));
    };
    node.addEventListener("pointerdown", at);
    node.addEventListener("pointermove", (event) => event.buttons && at(event));
    return {
      node,
      cursor: (ply) => {
        cursor.setAttribute("x1", x(ply));
        cursor.setAttribute("x2", x(ply));
      },
    };
  }

  function summary(read) {
    if (!codes.judges()) return `Think times of ${words.count(read.plies.length, "ply", "plies")}`;
    const blunders = read.plies.filter(({ mark }) => mark === "blunder").length;
    const lost = read.plies.filter(({ mark }) => mark === "lost").length;
    const judged = read.judged
      ? `${words.count(blunders, "blunder")}, ${words.count(lost, "ply", "plies")} that lost stones`
      : "not judged";
    return `Values and think times of ${read.plies.length} plies: ${judged}`;
  }

  /** The graph as a table. */
  function table(read, link) {
    const judged = (...cells) => (codes.judges() ? cells : []);
    const head = ["ply", "move", ...judged("value after it", "mark", "better"), "time"];
    const rows = read.plies.map((ply, i) =>
      h(
        "tr",
        {},
        h("td", { class: "num" }, String(i + 1)),
        h("th", { scope: "row" }, h("a", { href: link(i + 1) }, words.numbered(ply))),
        ...judged(
          h("td", {}, words.value(read.values[i + 1])),
          h("td", {}, { blunder: "blunder", lost: "lost stones", opening: "opening" }[ply.mark] ?? ""),
          h("td", {}, ply.better ? codes.plyText(ply.better) : ""),
        ),
        h("td", { class: "num" }, words.time(ply.time)),
      ),
    );
    return h(
      "table",
      { class: "values" },
      h("caption", {}, codes.judges() ? "Values and think times" : "Think times"),
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

  return { draw, table };
})();
