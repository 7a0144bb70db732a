// openings.js: the tree of the first moves of all games. Positions that are images of one another under a symmetry of
// the board count as one position, drawn as in the first game that reaches it.

page.openings = (() => {
  const { h, s } = dom;
  const WIDTH = 160;
  const PAGE = 40;
  let root = null;
  let parts = null;
  /** The next position for each field on which a stone was placed in the position shown. */
  let nexts = new Map();
  let symmetries = [];

  /** The images of all fields under each of the eight symmetries. Boards of squares have rank 1 at the top. */
  function images() {
    const turns = [
      (x, y) => [x, y],
      (x, y, n) => [n - y, x],
      (x, y, n) => [n - x, n - y],
      (x, y, n) => [y, n - x],
    ];
    const all = [...turns, ...turns.map((turn) => (x, y, n) => turn(n - x, y, n))];
    return all.map((turn) =>
      codes.layers().flatMap(({ kind, size, first }) => {
        const height = (rank) => (kind === "squares" ? size - 1 - rank : rank);
        return Array.from({ length: size * size }, (_, at) => {
          const [x, y] = turn(at % size, height(Math.floor(at / size)), size - 1);
          return first + height(y) * size + x;
        });
      }),
    );
  }

  /** `board` under the symmetry `image`. */
  function turned(board, image) {
    const fields = new Array(board.length);
    for (let field = 0; field < board.length; field += 1) fields[image[field]] = board[field];
    return fields.join("");
  }

  /** `parts` of a ply under the symmetry `image`. */
  function turnedParts(parts, image) {
    const one = (field) => (Number.isInteger(field) ? image[field] : field);
    const all = (fields = []) => fields.map(one);
    const set = (list = []) => list.map(([letter, fields]) => [letter, all(fields)]);
    return parts.map((part) => ({ ...part, from: one(part.from), to: one(part.to), far: one(part.far), flips: all(part.flips), gone: all(part.gone), set: set(part.set) }));
  }

  /** The move of `ply` under the symmetry `image`. */
  function imageOf(ply, image) {
    const parts = turnedParts(ply.parts, image);
    return { ply: { ...ply, parts }, text: codes.plyText(parts) };
  }

  /** The symmetry that applies `first` and then `second`. */
  const then = (first, second) => symmetries.find((image) => image.every((field, i) => field === second[first[i]]));

  function node(from, ply, text, board) {
    return { from, ply, text, board, depth: from ? from.depth + 1 : 0, games: [], children: null };
  }

  /** The position before the first ply, with all games that have moves and a result for both sides. */
  function start() {
    symmetries = images();
    root = node(null, null, "", codes.start());
    root.games = page.data.games.filter(([, , , result, , , moves]) => result <= 2 && moves).map((entry) => ({ entry, image: symmetries[0] }));
    return root;
  }

  /** The moves that were played in `position`, the most frequent first. */
  function children(position) {
    position.children ??= grouped(position);
    return position.children;
  }

  function grouped(position) {
    const moves = new Map();
    // In one position, a move's image is found only once for each symmetry: there may be 10,000 games.
    const images = new Map(symmetries.map((image) => [image, new Map()]));
    for (const { entry, image } of position.games) {
      const ply = codes.plies(entry[6], position.depth + 1)[position.depth];
      if (!ply) continue;
      const name = ply.side + codes.plyText(ply.parts);
      const known = images.get(image);
      if (!known.has(name)) known.set(name, imageOf(ply, image));
      const move = known.get(name);
      const key = ply.side + move.text;
      if (!moves.has(key)) moves.set(key, { ...move, games: [] });
      moves.get(key).games.push({ entry, image });
    }
    const found = new Map();
    for (const { ply, text, games } of Array.from(moves.values()).sort((one, other) => (one.text < other.text ? -1 : 1))) {
      const board = ply.parts.reduce((board, part) => codes.after(board, ply.side, part), position.board);
      const key = ply.side + (ply.mode ?? 0) + symmetries.map((image) => turned(board, image)).sort()[0];
      if (!found.has(key)) found.set(key, node(position, ply, text, board));
      const child = found.get(key);
      const turn = symmetries.find((image) => turned(board, image) === child.board);
      const turns = new Map(symmetries.map((image) => [image, then(image, turn)]));
      for (const { entry, image } of games) child.games.push({ entry, image: turns.get(image) });
    }
    return Array.from(found.values()).sort((one, other) => other.games.length - one.games.length);
  }

  /** The exact value of `position`, if it is known for any of its games. */
  function value({ games, depth }) {
    for (const { entry } of games) {
      const text = entry[8] || entry[12]?.early;
      const worth = text && codes.values(text)[depth];
      if (worth?.winner) return worth;
    }
    return null;
  }

  /** The position after `moves`, such as `c3,b2`; `undefined` if no game contains it. */
  function find(moves) {
    let position = root ?? start();
    for (const text of moves ? moves.split(",") : []) position = position && children(position).find((child) => child.text === text);
    return position;
  }

  /** The positions from the start to `position`. */
  const line = (position) => (position.from ? [...line(position.from), position] : [position]);

  const moves = (position) => line(position).slice(1).map(({ text }) => text).join(",");

  /** The moves that lead to `position`, as on a score sheet: `1. c3 b2 2. d4`. */
  const sheet = (position) =>
    line(position).slice(1).map(({ text, depth }) => `${depth % 2 ? `${(depth + 1) / 2}. ` : ""}${text}`).join(" ");

  /** The move that leads to `position` with its number: `2. d4` or `2… e4`. */
  const numbered = ({ text, depth }) => `${Math.ceil(depth / 2)}${depth % 2 ? "." : "…"} ${text}`;

  /** The entries of the games with the position after `moves`; `undefined` if there are none. */
  const games = (moves) => {
    const position = find(moves);
    return position && new Set(position.games.map(({ entry }) => entry));
  };

  /** The address of a position in the part `tab` of the page. */
  const address = (tab) => (position) => `#t=${tab}${position.from ? `&o=${encodeURIComponent(moves(position))}` : ""}`;
  const [link, gamesLink] = ["openings", "games"].map(address);

  /** The numbers of games that black won, that were drawn, and that white won. */
  function results({ games }) {
    const counts = [0, 0, 0];
    for (const { entry } of games) counts[entry[3] === 2 ? 1 : entry[3] * 2] += 1;
    return counts;
  }

  function bar(counts) {
    const all = counts.reduce((sum, count) => sum + count);
    let x = 0;
    const rects = counts.map((count, i) => {
      const width = +((count / all) * WIDTH).toFixed(1);
      x += width;
      return s("rect", { class: ["black", "drawn", "white"][i], x: +(x - width).toFixed(1), y: 0, width, height: 14 });
    });
    return s("svg", { class: "wdlbar", viewBox: `0 0 ${WIDTH} 14`, width: WIDTH, height: 14, preserveAspectRatio: "none", "aria-hidden": "true" }, rects);
  }

  /** The row of the move that leads to `child`, with its value if `hasValues`; `best` is the value before the move. */
  function row(child, hasValues, best) {
    const counts = results(child);
    const worth = value(child);
    const isBest = best && worth && best.winner === worth.winner && best.margin === worth.margin;
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, h("a", { href: link(child) }, numbered(child))),
      h("td", { class: "num" }, h("a", { href: gamesLink(child) }, words.grouped(child.games.length), h("span", { class: "sr" }, " games"))),
      h("td", {}, bar(counts)),
      h("td", { class: "num wide" }, counts.map(words.grouped).join("-")),
      hasValues && h("td", { class: isBest ? "best" : null }, worth ? words.value(worth) : "–", isBest && h("span", { class: "sr" }, ", best")),
    );
  }

  /** The moves so far, each a link to its position. */
  const trail = (position) =>
    line(position).map((one) =>
      h("li", {}, h("a", { href: link(one), "aria-current": one === position ? "true" : null }, one.from ? numbered(one) : "Start")),
    );

  function build() {
    const picture = board.create("the position", true);
    picture.onchoose((field) => nexts.has(field) && tabs.go(link(nexts.get(field))));
    const [nav, facts, table] = [h("ol", { class: "trail" }), h("p"), h("div", { class: "scroll" })];
    dom.byId("openings").replaceChildren(
      h("h2", {}, "Openings"),
      h("nav", { "aria-label": "moves so far" }, nav),
      h("div", { class: "opening" }, h("div", { class: "at" }, picture.node, facts), dom.scrolls(table)),
      h("p", { class: "legend" }, "Games with a result. Click a ringed point or a move to go on, or a number of games to list them. Turned or mirrored positions count as one. Bar: black won, drawn, white won.",
        codes.judges() && " Best play: the exact result from there, if known; ✓ marks moves that keep it."),
    );
    parts = { picture, nav, facts, table };
  }

  /** Shows the position after `moves`. Returns whether any game contains it. */
  function show(moves) {
    const position = find(moves ?? "");
    if (!position) return false;
    if (!parts) build();
    const worth = value(position);
    const found = children(position);
    const [black, drawn, white] = results(position).map(words.grouped);
    parts.picture.show(position.board, position.ply, null, position.ply?.mode ?? 0);
    nexts = new Map();
    for (const child of found.slice(0, PAGE).reverse()) {
      const [{ from, to }, ...more] = child.ply.parts.length ? child.ply.parts : [{ from: 0 }];
      if (from === null && Number.isInteger(to) && !more.length) nexts.set(to, child);
    }
    const cells = parts.picture.cells();
    nexts.forEach((child, field) => cells[field].classList.add("known"));
    parts.picture.name(`position after ${sheet(position) || "no moves"}`);
    parts.nav.replaceChildren(...trail(position));
    parts.facts.replaceChildren(
      h("a", { href: gamesLink(position) }, words.count(position.games.length, "game")),
      `: black won ${black}, ${drawn} drawn, white won ${white}.`,
      worth ? ` Best play: ${words.value(worth)}.` : "",
    );
    // A column in which no move has a value would only have dashes.
    const hasValues = found.some(value);
    const head = ["move", "games", h("span", { class: "sr" }, "share"), "black-draw-white", hasValues && "best play"].filter(Boolean);
    const rows = found.slice(0, PAGE).map((child) => row(child, hasValues, worth));
    parts.table.replaceChildren(
      found.length
        ? h("table", { class: "next" },
            h("caption", {}, `Moves played here${found.length > PAGE ? `: the most frequent ${PAGE} of ${found.length}` : ""}`),
            h("thead", {}, h("tr", {}, head.map((text, i) => h("th", { scope: "col", class: [null, "num", null, "num wide", null][i] }, text)))),
            h("tbody", {}, rows))
        : h("p", {}, "No game continued from here."),
    );
    return true;
  }

  return { find, games, sheet, show };
})();
