// ladder_parts.js: figures, times and small pictures for the page of a ladder.

const ladderParts = (() => {
  const { h, s } = dom;
  const MINUS = "\u2212";

  const signed = (figure) => `${figure > 0 ? "+" : ""}${whole(figure)}`;
  const whole = (figure) => String(figure).replace("-", MINUS);
  const count = (number, thing) => `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;

  /** How long ago `at` was, in words. */
  function ago(at) {
    const minutes = Math.max(0, Math.floor((ladderLink.now() - at) / 60));
    if (minutes < 1) return "just now";
    if (minutes < 60) return `${minutes} min ago`;
    if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`;
    return `${Math.floor(minutes / 1440)} days ago`;
  }

  const DATE = { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" };
  const date = (at) => new Date(at * 1000).toLocaleString("en-GB", DATE);

  /** The time since `at`, which `tick` keeps up to date. */
  function time(at) {
    if (at === null) return h("span", {}, "–");
    return h("time", { datetime: new Date(at * 1000).toISOString(), "data-at": at, title: date(at) }, ago(at));
  }

  /** Brings all times on the page up to date. */
  function tick() {
    document.querySelectorAll("time[data-at]").forEach((node) => (node.textContent = ago(Number(node.dataset.at))));
  }

  const rating = (elo, error95) => (elo === null ? "–" : `${whole(elo)} ±${error95}`);

  /** The scale of the bars of `rows`, from the lowest end of any interval to the highest. */
  function scale(rows) {
    const rated = rows.filter(({ elo }) => elo !== null);
    const ends = rated.flatMap(({ elo, error95 }) => [elo - Math.min(error95, 400), elo + Math.min(error95, 400)]);
    return ends.length ? [Math.min(0, ...ends) - 10, Math.max(0, ...ends) + 10] : [-100, 100];
  }

  const WIDTH = 200;

  /** A rating as a dot with its 95% interval, on a scale from `low` to `high`. */
  function bar({ elo, error95 }, [low, high]) {
    const svg = s("svg", { viewBox: `0 0 ${WIDTH} 20`, width: WIDTH, height: 20, class: "bar", "aria-hidden": "true" });
    const x = (figure) => (Math.min(1, Math.max(0, (figure - low) / (high - low))) * (WIDTH - 8) + 4).toFixed(1);
    svg.append(s("line", { class: "zero", x1: x(0), x2: x(0), y1: 2, y2: 18 }));
    if (elo === null) return svg;
    const [from, to] = [x(elo - error95), x(elo + error95)];
    svg.append(s("line", { class: "ci", x1: from, x2: to, y1: 10, y2: 10 }), s("circle", { class: "dot", cx: x(elo), cy: 10, r: 4 }));
    return svg;
  }

  /** A line through the ratings of a player's versions, oldest first. */
  function spark(ratings) {
    if (ratings.length < 2) return null;
    const [wide, high] = [96, 24];
    const [least, most] = [Math.min(...ratings), Math.max(...ratings)];
    const x = (i) => 3 + (i / (ratings.length - 1)) * (wide - 6);
    const y = (elo) => high - 4 - ((elo - least) / Math.max(1, most - least)) * (high - 8);
    const points = ratings.map((elo, i) => `${x(i).toFixed(1)},${y(elo).toFixed(1)}`);
    const label = `Ratings of the versions: ${ratings.map(whole).join(", ")}`;
    const svg = s("svg", { viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, class: "spark", role: "img", "aria-label": label });
    const [cx, cy] = points.at(-1).split(",");
    svg.append(s("polyline", { points: points.join(" ") }), s("circle", { class: "dot", cx, cy, r: 3 }));
    return svg;
  }

  /** A table. Each of `columns` is a heading, the class of its cells, and a function from an entry to the contents of a cell. */
  function table(caption, columns, entries, { name = "standings", head = 1, row = () => ({}) } = {}) {
    const cell = (entry) => ([, kind, content], i) => {
      const inside = [content(entry)].flat();
      return i === head ? h("th", { scope: "row", class: kind }, ...inside) : h("td", { class: kind }, ...inside);
    };
    const headings = columns.map(([heading, kind]) => h("th", { scope: "col", class: kind }, heading));
    const node = h(
      "table",
      { class: name },
      h("caption", { class: "sr" }, caption),
      h("thead", {}, h("tr", {}, ...headings)),
      h("tbody", {}, ...entries.map((entry) => h("tr", row(entry), ...columns.map(cell(entry))))),
    );
    return dom.scrolls(h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, node));
  }

  return { ago, bar, count, date, rating, scale, signed, spark, table, tick, time, whole };
})();
