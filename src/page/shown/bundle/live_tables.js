// live_tables.js: the standings and the crosstable of a run that goes on.

const liveTables = (() => {
  const { h, s } = dom;
  const FRESH_FOR = 2_000;
  const TREND_OVER = 60_000;
  const WIDTH = 200;
  const LEAST_REACH = 100;

  /** Ratings of the last minute: `[time, [elo...]]`, the oldest first. */
  const history = [];
  let changes = [];

  /** Notes the ratings, and how much they have changed within the last minute. */
  function note(players, at) {
    history.push([at, players.map(({ elo }) => elo)]);
    while (history.length > 1 && history[1][0] <= at - TREND_OVER) history.shift();
    const [, old] = history[0];
    changes = players.map(({ elo }, i) => (elo === null || (old[i] ?? null) === null ? 0 : Math.round(elo - old[i])));
  }

  /** How far to either side of 0 the bars reach, in whole hundreds of Elo. */
  function reach(players) {
    const ends = players.map(({ elo, e95 }) => Math.abs(elo ?? 0) + (e95 ?? 0));
    return Math.max(LEAST_REACH, Math.ceil(Math.max(0, ...ends) / 100) * 100);
  }

  function bar({ elo, e95 }, width) {
    const place = (value) => +(((Math.max(-width, Math.min(width, value)) + width) / (2 * width)) * WIDTH).toFixed(1);
    const line = (name, x1, x2, y1, y2) => s("line", { class: name, x1, x2, y1, y2 });
    const zero = line("zero", WIDTH / 2, WIDTH / 2, 0, 16);
    const known = [];
    if (elo !== null && e95) {
      const [from, to] = [place(elo - e95), place(elo + e95)];
      known.push(line("ci", from, to, 8, 8), line("ci", from, from, 4, 12), line("ci", to, to, 4, 12));
    }
    if (elo !== null) known.push(s("circle", { class: "dot", cx: place(elo), cy: 8, r: 4 }));
    return s("svg", { class: "bar", viewBox: `0 0 ${WIDTH} 16`, width: WIDTH, height: 16, "aria-hidden": "true" }, zero, known);
  }

  /** An arrow with the change of the rating of the player `index`. */
  function trend(index) {
    const change = changes[index] ?? 0;
    if (change === 0) return "";
    return h("span", { class: change > 0 ? "up" : "down" }, `${change > 0 ? "▲" : "▼"} ${Math.abs(change)}`);
  }

  const sum = (list) => list.reduce((total, value) => total + value, 0);

  const byRank = (players) => players.map((player, index) => ({ ...player, index })).sort((a, b) => a.rank - b.rank || b.pts - a.pts || a.index - b.index);

  const percent = (share) => (share === null || share === undefined ? "–" : `${Math.round(100 * share)} %`);

  const forfeits = ({ f }) => Object.entries(f).map(([kind, times]) => `${times} ${kind}`).join(", ") || "0";

  /** The columns of the standings: the heading, and what a player has there. Texts stand left, numbers right. */
  const columns = (players, width) => [
    { head: "#", cell: ({ rank }) => String(rank) },
    { head: "player", isName: true, cell: ({ s: slug, n }) => h("a", { href: `#p=${slug}` }, n) },
    { head: "Elo", cell: ({ elo }) => (elo === null ? "–" : words.signed(elo)) },
    { head: "± 95 %", cell: ({ e95 }) => (e95 === null ? "–" : String(Math.round(e95))) },
    { head: "last minute", cell: ({ index }) => trend(index) },
    { head: `−${width} to +${width}`, isText: true, cell: (player) => bar(player, width) },
    { head: "games", cell: ({ g }) => String(sum(g)) },
    { head: "W-D-L", cell: ({ g }) => g.join("-") },
    { head: "points", cell: ({ pts }) => String(pts) },
    players.some(({ acc }) => acc) && { head: "kept", cell: ({ acc }) => percent(acc?.kept) },
    { head: "forfeits", cell: forfeits },
    new Set(players.map(({ comp }) => comp).filter(Boolean)).size > 1 && { head: "comp.", cell: ({ comp }) => String(comp || "–") },
  ].filter(Boolean);

  function standings(players) {
    const section = dom.byId("standings");
    if (!section) return;
    const shown = columns(players, reach(players));
    const cell = (player) => (column) =>
      column.isName ? h("th", { scope: "row" }, column.cell(player)) : h("td", { class: column.isText ? null : "num" }, column.cell(player));
    const row = (player) => h("tr", { "data-p": String(player.index) }, shown.map(cell(player)));
    const head = shown.map((column) => h("th", { scope: "col", class: column.isText || column.isName ? null : "num" }, column.head));
    table(section).replaceChildren(h("caption", {}, "All players, the best first"),
      h("thead", {}, h("tr", {}, head)), h("tbody", {}, byRank(players).map(row)));
  }

  /** The `count` best players as lines of a list. */
  const leaders = (players, count) => byRank(players).slice(0, count).map((player) => h("li", {},
    h("span", { class: "rank" }, String(player.rank)), h("span", { class: "who", title: player.n }, player.n),
    h("span", { class: "trend" }, trend(player.index)),
    h("span", { class: "elo" }, player.elo === null ? "–" : words.signed(player.elo))));

  /** The table of a section, which the server's page may lack. */
  function table(section, name) {
    const found = section.querySelector("table");
    if (found) return found;
    const made = h("table", { class: name ?? null });
    section.append(made);
    return made;
  }

  let cells = null;
  let order = "";

  /** Shows who has beaten whom, and outlines for two seconds the cells that change. */
  function crosstable({ players, games }) {
    const section = dom.byId("crosstable");
    if (!section) return;
    const sorted = byRank(players);
    const now = sorted.map(({ index, n }) => `${index} ${n}`).join();
    const renewed = now !== order;
    if (renewed) {
      build(section, sorted);
      order = now;
    }
    const versus = liveModel.versus(players.length, games);
    for (const { node, a, b, text } of cells) {
      const wdl = versus[a][b];
      const next = sum(wdl) ? wdl.join("-") : "–";
      if (next !== text.data) fill(node, text, wdl, next, [a, b].map((index) => players[index].s), renewed);
    }
  }

  function build(section, sorted) {
    cells = [];
    const cell = (a, b) => {
      if (a === b) return h("td", { class: "self" }, "–");
      const text = document.createTextNode("");
      const node = h("td", { "data-a": String(a), "data-b": String(b) }, text);
      cells.push({ node, a, b, text });
      return node;
    };
    const row = ({ n, s: slug, index }, place) => h("tr", {},
      h("th", { scope: "row" }, `${place + 1}. `, h("a", { href: `#p=${slug}` }, n)), sorted.map((other) => cell(index, other.index)));
    const head = h("tr", {}, h("th", { scope: "col" }, "player"), sorted.map(({ n }, i) => h("th", { scope: "col", title: n }, String(i + 1))));
    table(section, "heat").replaceChildren(h("caption", {}, "Won-drawn-lost by the player of the line against the player of the column"),
      h("thead", {}, head), h("tbody", {}, sorted.map(row)));
  }

  function fill(node, text, wdl, next, [a, b], quiet) {
    const known = sum(wdl) > 0;
    text.data = next;
    if (known && text.parentNode === node) node.append(h("a", { href: `#t=games&a=${a}&b=${b}` }, text));
    node.className = known ? `heat${liveModel.tenths(wdl)}` : "";
    if (quiet) return;
    node.classList.add("fresh");
    setTimeout(() => node.classList.remove("fresh"), FRESH_FOR);
  }

  /** The results of `player` against each opponent with each colour. */
  function opponents(player) {
    const { games, players } = page.data;
    const all = liveModel.versus(players.length, games)[player];
    const black = liveModel.versus(players.length, games.filter((entry) => entry[0] === player))[player];
    const num = (text) => h("td", { class: "num" }, text);
    const row = ({ index, n, s: slug, elo }) => {
      const [wins, draws] = all[index];
      const white = all[index].map((count, place) => count - black[index][place]);
      return h("tr", {}, h("th", { scope: "row" }, h("a", { href: `#p=${slug}` }, n)), num(elo === null ? "–" : words.signed(elo)),
        num(black[index].join("-")), num(white.join("-")), num(all[index].join("-")), num(percent((wins + draws / 2) / sum(all[index]))));
    };
    const met = byRank(players).filter(({ index }) => sum(all[index]));
    const head = ["opponent", "Elo", "as black", "as white", "both", "score"].map((text, i) => h("th", { scope: "col", class: i ? "num" : null }, text));
    return h("div", { class: "scroll" }, h("table", {}, h("caption", {}, "Won-drawn-lost by opponent"),
      h("thead", {}, h("tr", {}, head)), h("tbody", {}, met.map(row))));
  }

  return { crosstable, leaders, note, opponents, standings };
})();
