// live_tables.js: the standings and the crosstable of a run in progress.

const liveTables = (() => {
  const { h, s } = dom;
  const FRESH_FOR = 2_000;
  const TREND_OVER = 60_000;
  const WIDTH = 200;
  const LEAST_REACH = 100;
  /** The maximum extent of the bars. Longer bars are cut off, and end in an arrow. */
  const MOST_REACH = 2_000;

  /** The ratings of the last minute: `[time, [elo...]]`, the oldest first. */
  const history = [];
  let changes = [];

  /** Records the ratings, and how much they changed within the last minute. */
  function note(players, at) {
    history.push([at, players.map(({ elo }) => elo)]);
    while (history.length > 1 && history[1][0] <= at - TREND_OVER) history.shift();
    const [, old] = history[0];
    changes = players.map(({ elo }, i) => (elo === null || (old[i] ?? null) === null ? 0 : Math.round(elo - old[i])));
  }

  /** The extent of the bars to either side of 0, in whole hundreds of Elo. */
  function reach(players) {
    const ends = players.map(({ elo, e95 }) => Math.abs(elo ?? 0) + (e95 ?? 0));
    return Math.min(MOST_REACH, Math.max(LEAST_REACH, Math.ceil(Math.max(0, ...ends) / 100) * 100));
  }

  function bar({ elo, e95 }, width) {
    const place = (value) => +(((Math.max(-width, Math.min(width, value)) + width) / (2 * width)) * WIDTH).toFixed(1);
    const line = (name, x1, x2, y1, y2) => s("line", { class: name, x1, x2, y1, y2 });
    const end = (value) => {
      const at = place(value);
      if (Math.abs(value) <= width) return line("ci", at, at, 4, 12);
      const back = at - 6 * Math.sign(value);
      return s("path", { class: "ci cut", d: `M${back} 4L${at} 8L${back} 12`, fill: "none" });
    };
    const zero = line("zero", WIDTH / 2, WIDTH / 2, 0, 16);
    const known = [];
    if (elo !== null && e95) known.push(line("ci", place(elo - e95), place(elo + e95), 8, 8), end(elo - e95), end(elo + e95));
    if (elo !== null && Math.abs(elo) <= width) known.push(s("circle", { class: "dot", cx: place(elo), cy: 8, r: 4 }));
    return s("svg", { class: "bar", viewBox: `0 0 ${WIDTH} 16`, width: WIDTH, height: 16, "aria-hidden": "true" }, zero, known);
  }

  /** The heading of the column of bars, with the ends and the middle of the scale. */
  const scale = (width) => h("span", { class: "scale" },
    [`−${words.grouped(width)}`, "0", `+${words.grouped(width)}`].flatMap((text, i) => [i && " ", h("span", {}, text)]).slice(1));

  /** The text of a player's rank: there are no ranks before the first result. */
  const rank = ({ rank: number, elo }) => (elo === null ? "–" : String(number));

  /** The text of a rating. */
  const rated = ({ elo }) => (elo === null ? "–" : words.signed(elo));

  /** An arrow with the recent change in the rating of the player `index`. */
  function trend(index) {
    const change = changes[index] ?? 0;
    if (change === 0) return "";
    return h("span", { class: change > 0 ? "up" : "down" }, `${change > 0 ? "▲" : "▼"} ${Math.abs(change)}`);
  }

  /** A box with the name `label` that scrolls if the table `node` does not fit. */
  const region = (label, node) => dom.scrolls(h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, node));

  /** Cells with the numbers `texts`. */
  const numbers = (texts) => texts.map((text) => h("td", { class: "num" }, text));

  /** A table with headings, of which all but the first are above numbers. */
  const plain = (caption, heads, rows) => h("table", {}, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, heads.map((text, i) => h("th", { scope: "col", class: i ? "num" : null }, text)))), h("tbody", {}, rows));

  const WAITING = "Waiting for the first result.";

  const isWaiting = (players) => players.every(({ elo }) => elo === null);

  const sum = (list) => list.reduce((total, value) => total + value, 0);

  const byRank = (players) => players.map((player, index) => ({ ...player, index })).sort((a, b) => a.rank - b.rank || b.pts - a.pts || a.index - b.index);

  const percent = (share) => (share === null || share === undefined ? "–" : `${Math.round(100 * share)}%`);

  const forfeits = ({ f }) => Object.entries(f).map(([kind, times]) => `${times} ${kind}`).join(", ") || "0";

  /** The columns of the standings, each with its heading and its cell for a player. Only numbers are aligned right. */
  const columns = (players, width) => [
    { head: "#", kind: "rank", cell: rank },
    { head: "player", isName: true, cell: ({ s: slug, n }) => h("a", { href: `#p=${slug}` }, n) },
    { head: "Elo", kind: "elo", cell: rated },
    { head: "±95%", isWide: true, cell: ({ e95 }) => (e95 === null ? "–" : String(Math.round(e95))) },
    changes.some(Boolean) && { head: "last minute", kind: "trend", isWide: true, cell: ({ index }) => trend(index) },
    !isWaiting(players) && { head: scale(width), kind: "scaled", isText: true, cell: (player) => bar(player, width) },
    { head: "games", kind: "games", cell: (player) => words.grouped(played(player)) },
    { head: "W-D-L", cell: ({ g }) => g.join("-") },
    { head: "points", kind: "points", cell: ({ pts }) => words.grouped(pts) },
    players.some(({ acc }) => acc) && { head: "kept", kind: "kept", cell: ({ acc }) => percent(acc?.kept) },
    { head: "forfeits", kind: "forfeits", cell: forfeits },
    new Set(players.map(({ comp }) => comp).filter(Boolean)).size > 1 && { head: "group", kind: "component", cell: ({ comp }) => String(comp || "–") },
  ].filter(Boolean);

  /** How many games of `player` have ended. */
  const played = ({ g, games }) => (g ? sum(g) : games);

  /** The columns for the games, points and places of a player or a seat in games with more than two seats. */
  const placing = () => [
    { head: "games", kind: "games", cell: ({ games }) => words.grouped(games) },
    { head: "points", kind: "points", cell: ({ pts }) => words.grouped(pts) },
    { head: "mean place", kind: "mean", cell: ({ mean }) => (mean === null ? "–" : mean.toFixed(2)) },
    ...codes.seats().map((_, i) => ({ head: words.ordinal(i + 1), isWide: true, cell: ({ places }) => words.grouped(places[i]) })),
  ];

  /** The columns of the standings for games with more than two seats. */
  const columnsOfSeats = (players, width) => {
    const shared = columns(players, width);
    const at = shared.findIndex(({ head }) => head === "games");
    return [...shared.slice(0, at), ...placing(), ...shared.slice(at).filter(({ head }) => head === "forfeits" || head === "group")];
  };

  /** The table of seats: how many Elo points each seat is worth, and the games of all players in that seat. */
  function seats(section, rows) {
    const width = reach(rows);
    const shown = [
      { head: "seat", isName: true, cell: ({ index }) => String(index + 1) },
      { head: "advantage", kind: "elo", cell: rated },
      { head: "±95%", isWide: true, cell: ({ e95 }) => (e95 === null ? "–" : String(e95)) },
      { head: scale(width), kind: "scaled", isText: true, cell: (row) => bar(row, width) },
      ...placing(),
    ];
    const found = section.querySelectorAll("table")[1];
    const made = found ?? h("table", { class: "standings cards of-seats" });
    fill(made, "Each seat's advantage over the average seat, in Elo, and the games that players played in it", shown, rows.map((row, index) => ({ ...row, index })));
    if (found) return;
    section.append(h("h3", {}, "Seats"), region("Seats", made));
  }

  /** Writes a table with the columns `shown`. */
  function fill(node, caption, shown, rows) {
    const style = ({ isText, isName, isWide }, kind) => [isText || isName ? null : "num", isWide && "wide", kind].filter(Boolean).join(" ") || null;
    const cell = (row) => (column) => {
      const content = column.cell(row);
      // A phone leaves out cells that say nothing.
      const isNone = ["kept", "forfeits"].includes(column.kind) && ["–", "0"].includes(content);
      return h(column.isName ? "th" : "td", { scope: column.isName ? "row" : null, class: style(column, isNone ? `${column.kind} none` : column.kind) }, content);
    };
    const head = shown.map((column) => h("th", { scope: "col", class: style(column) }, column.head));
    node.replaceChildren(h("caption", {}, caption), h("thead", {}, h("tr", {}, head)),
      h("tbody", {}, rows.map((row) => h("tr", {}, shown.map(cell(row))))));
  }

  /** Writes the standings, and on top of their tab how the run has ended. */
  function standings({ players, seatRows }, ending) {
    const section = dom.byId("standings");
    if (!section) return;
    const shown = (seatRows ? columnsOfSeats : columns)(players, reach(players));
    const decides = document.querySelector(".bracket") ? "the bracket decides" : "points and tiebreaks decide";
    const caption = isWaiting(players) ? WAITING : dom.byId("result") ? `By Elo, all games: ${decides} the places, the ratings count every game` : "All players, best first";
    const made = table(section, "standings cards");
    const sorted = byRank(players);
    fill(made, caption, shown, sorted);
    made.querySelectorAll("tbody tr").forEach((row, i) => row.setAttribute("data-p", String(sorted[i].index)));
    if (seatRows && !isWaiting(players)) seats(section, seatRows);
    const verdict = document.querySelector(".verdict") ?? h("p", { class: "verdict" });
    verdict.textContent = ending?.text ?? "";
    (dom.byId("result") ?? section).querySelector("h2").after(verdict);
  }

  /** The `count` best players as items of a list, by the rules of the format, with the figure that decides, if these decide the places. */
  const leaders = (players, count) => byRank(players).sort((a, b) => a.place?.[0] - b.place?.[0] || 0).slice(0, count).map((player) => h("li", {},
    h("span", { class: "rank" }, player.place && player.elo !== null ? String(player.place[1] ?? "–") : rank(player)), h("span", { class: "who", title: player.n }, player.n),
    h("span", { class: "trend", title: "Elo, last minute" }, trend(player.index)),
    h("span", { class: "wdl" }, player.elo === null ? "" : player.g?.join("-") ?? words.count(player.pts, "point")),
    h("span", { class: "elo" }, player.elo === null ? "–" : player.place?.[2] ?? rated(player))));

  /** The table of a section. If the server's page contains a sentence instead, the table replaces it. */
  function table(section, name) {
    const found = section.querySelector("table");
    if (found) return found;
    const made = h("table", { class: name });
    section.replaceChildren(section.querySelector("h2"), h("div", { class: "scroll" }, made));
    dom.scrolls(section.lastChild);
    return made;
  }

  let cells = [];
  let order = "";

  /** Shows the crosstable, and outlines changed cells for two seconds. */
  function crosstable({ players, games }) {
    const section = dom.byId("crosstable");
    if (!section || players.length < 2) return;
    const sorted = byRank(players);
    const now = sorted.map((player) => `${player.index} ${rank(player)} ${player.n}`).join();
    const renewed = now !== order;
    if (renewed) {
      build(section, sorted);
      order = now;
    }
    const versus = liveModel.versus(players.length, games);
    for (const { node, a, b, text } of cells) {
      const wdl = versus[a][b];
      const next = sum(wdl) ? wdl.join("-") : "–";
      if (next !== text.data) fillCell(node, text, wdl, next, [a, b].map((index) => players[index].s), renewed);
    }
  }

  /**
   * The labels of the rows and columns of the crosstable: ranks, with a letter after a rank that several players share.
   */
  function labels(sorted) {
    const letters = (number) => (number < 26 ? "" : letters(Math.floor(number / 26) - 1)) + String.fromCharCode(97 + (number % 26));
    const ranks = sorted.map(rank);
    return ranks.map((own, i) => (own === "–" || ranks.indexOf(own) === ranks.lastIndexOf(own) ? own : own + letters(i - ranks.indexOf(own))));
  }

  function build(section, sorted) {
    cells = [];
    const lines = labels(sorted);
    const cell = (a, b) => {
      if (a === b) return h("td", { class: "self" }, "–");
      const text = document.createTextNode("");
      const node = h("td", { "data-a": String(a), "data-b": String(b) }, text);
      cells.push({ node, a, b, text });
      return node;
    };
    const row = ({ n, s: slug, index }, place) => h("tr", {},
      h("th", { scope: "row" }, h("a", { href: `#p=${slug}` }, h("span", { class: "line" }, lines[place]), " ", h("span", { class: "who" }, n))), sorted.map((other) => cell(index, other.index)));
    const head = h("tr", {}, h("th", { scope: "col" }, "player"), sorted.map(({ n }, i) => h("th", { scope: "col", title: n }, lines[i])));
    table(section, "heat").replaceChildren(h("caption", {}, h("span", { class: "wdl" }, codes.seats().length > 2 ? "Placed ahead, in the same place, placed behind:" : "Won-drawn-lost by"), h("span", { class: "pts" }, "Points of"),
      " the row's player against the column's player. Blue: ahead. Orange: behind."),
      h("thead", {}, head), h("tbody", {}, sorted.map(row)));
  }

  function fillCell(node, text, wdl, next, [a, b], quiet) {
    const known = sum(wdl) > 0;
    text.data = next;
    if (known && text.parentNode === node) node.append(h("a", { href: `#t=games&a=${a}&b=${b}` }, text));
    if (known) text.parentNode.dataset.points = words.points(wdl[0] + wdl[1] / 2);
    node.className = known ? `heat${liveModel.tenths(wdl)}` : "";
    if (quiet) return;
    node.classList.add("fresh");
    setTimeout(() => node.classList.remove("fresh"), FRESH_FOR);
  }

  /** The games of `player` with each opponent: `cells` makes the cells from the counts, and the opponent's number. */
  function against(player, caption, heads, cells) {
    const { games, players } = page.data;
    const all = liveModel.versus(players.length, games)[player];
    const row = (one) => h("tr", {}, h("th", { scope: "row" }, h("a", { href: `#p=${one.s}` }, one.n)),
      numbers([rated(one), ...cells(all[one.index], one.index)]));
    return dom.scrolls(h("div", { class: "scroll" }, plain(caption, heads, byRank(players).filter(({ index }) => sum(all[index])).map(row))));
  }

  /** The results of `player` against each opponent, with each colour or by the order of their places. */
  function opponents(player) {
    if (codes.seats().length > 2)
      return against(player, "Games with each other player", ["player", "Elo", "placed ahead", "same place", "placed behind"], (counts) => counts.map(words.grouped));
    const { games, players } = page.data;
    const black = liveModel.versus(players.length, games.filter((entry) => entry[0] === player))[player];
    return against(player, "Won-drawn-lost by opponent", ["opponent", "Elo", "as black", "as white", "both", "score"], (counts, index) => [
      ...[black[index], counts.map((count, i) => count - black[index][i]), counts].map((wdl) => wdl.join("-")),
      percent((counts[0] + counts[1] / 2) / sum(counts)),
    ]);
  }

  return { WAITING, crosstable, isWaiting, leaders, note, numbers, opponents, plain, region, standings };
})();
