// board.js: draws boards as grids of labelled cells, with marks and with arrows for stones that moved.

const board = (() => {
  const { h, s } = dom;
  /** The classes and the words of stones; the stones of numbered seats differ in shape. */
  const stones = { b: "black", w: "white", ".": "empty", 1: "seat1", 2: "seat2", 3: "seat3", 4: "seat4", 5: "seat5", 6: "seat6" };
  const stoneWords = (letter) => words.side[letter] ?? stones[letter];

  const centre = (point) => [(point % 5) + 0.5, 4.5 - Math.floor(point / 5)];

  /** The first field of each rank of a board, from top to bottom: on boards of squares, rank 1 is at the top. */
  function ranks({ kind, size, first }) {
    const rows = Array.from({ length: size }, (_, rank) => first + rank * size);
    return kind === "squares" ? rows : rows.reverse();
  }

  /** Whether the field in `file` and `rank`, from 0, of a board of points has a dot, as on a wooden board. */
  function isStar(file, rank, size) {
    if (size < 7) return false;
    const edge = size < 13 ? 2 : 3;
    const middle = size % 2 ? (size - 1) / 2 : edge;
    const places = size < 13 ? [edge, size - 1 - edge] : [edge, middle, size - 1 - edge];
    return (places.includes(file) && places.includes(rank)) || (size % 2 === 1 && file === middle && rank === middle);
  }

  /** An arrow from one point to another, shifted to its left by `aside` cells. */
  function arrow(from, to, aside, kind) {
    const [x1, y1] = centre(from);
    const [x2, y2] = centre(to);
    const length = Math.hypot(x2 - x1, y2 - y1);
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const at = (along, left) =>
      `${(x1 + ux * along + uy * left).toFixed(3)},${(y1 + uy * along - ux * left).toFixed(3)}`;
    const [start, tip] = [0.2, length - 0.12];
    const body = `M${at(start, aside)}L${at(tip - 0.16, aside)}`;
    const head = `${at(tip, aside)} ${at(tip - 0.22, aside + 0.13)} ${at(tip - 0.22, aside - 0.13)}`;
    return s(
      "g",
      { class: `arrow ${kind}` },
      s("path", { class: "halo", d: body }),
      s("path", { d: body }),
      s("polygon", { points: head }),
    );
  }

  const moved = (parts) => parts.filter(({ from }) => from !== null);

  function arrows(parts, kind) {
    const list = moved(parts);
    return list.map(({ from, to }) => arrow(from, to, list.length > 1 ? 0.13 : 0, kind));
  }

  /** The words and classes that `ply` and the better ply `better` give to each point. */
  function marks(ply, better) {
    const notes = new Map();
    const note = (point, words, name) => notes.set(point, [...(notes.get(point) ?? []), [words, name]]);
    const parts = ply?.parts ?? [];
    const last = parts.at(-1);
    parts.forEach(({ from, to, flips, gone = [] }, i) => {
      const captured = codes.judges() ? "captured" : "turned over";
      for (const point of flips) note(point, i ? "captured on the way back" : captured, i ? "flip flip2" : "flip");
      for (const point of gone) note(point, "taken off", "left");
      if (from !== null && from !== last.to) note(from, i ? "turned back here" : "left just now", "left");
    });
    for (const { from, to } of standing(parts))
      note(to, from === null ? "just placed" : parts.length > 1 ? "went and came back" : "just moved", "last");
    for (const { from, to } of better ?? [])
      note(to, from === null ? "better" : `better ${codes.pointName(from)}-${codes.pointName(to)}`, "better");
    return notes;
  }

  /** The parts of a ply whose stones are still where they were put: the last part, or both parts of a pair. */
  const standing = (parts) => parts.filter(({ to }, i) => !parts.slice(i + 1).some((later) => later.from === to));

  /** Whether exactly `ply` leads from the position `before` to `after`, so that its stones can be seen to move. */
  function isNext(before, after, ply) {
    if (!ply?.parts.length || before.length !== after.length || before === after) return false;
    const touched = new Set(ply.parts.flatMap(({ from, to, flips, gone = [], set = [] }) => [from, to, ...flips, ...gone, ...set.flatMap(([, fields]) => fields)]));
    const [{ from, to }] = ply.parts;
    const isFree = to === null || (before[to] === "." && (from === null || before[from] !== "."));
    return isFree && Array.from(after).every((letter, point) => letter === before[point] || touched.has(point));
  }

  /** The board with the number `number` of a game. Adds its cells to `cells`. */
  function one(layer, number, small, cells) {
    const { kind, size, first } = layer;
    const title = codes.boardName(number);
    const rows = ranks(layer).map((from) =>
      h(
        "div",
        { class: "row", role: small ? null : "row" },
        Array.from({ length: size }, (_, file) => {
          const point = from + file;
          const stone = h("span", { class: "stone" });
          cells[point] = h(
            "div",
            {
              class: "cell",
              role: small ? null : "gridcell",
              tabindex: small ? null : point === first ? 0 : -1,
              "data-star": kind === "points" && isStar(file, (from - first) / size, size),
            },
            stone,
          );
          return cells[point];
        }),
      ),
    );
    const overlay = s("svg", { class: "overlay", viewBox: `0 0 ${size} ${size}`, "aria-hidden": "true" });
    const grid = h("div", { class: "grid", role: small ? "img" : "grid" }, rows);
    const edge = (name, texts) =>
      h(
        "div",
        { class: name, "aria-hidden": "true" },
        texts.map((text) => h("span", {}, text)),
      );
    const numbers = ranks(layer).map((from) => String((from - first) / size + 1));
    const node = h(
      "div",
      { class: `layer on-${kind} size-${size}${size > 5 ? " fine" : ""}`, "data-name": title || null },
      edge("ranks", numbers),
      h("div", { class: "points" }, grid, overlay),
      edge("files", codes.files(layer)),
    );
    if (!small) walk(cells, layer);
    return { grid, node, overlay, title };
  }

  /**
   * The boards of a game. If `small` is set, they are pictures with one label; otherwise they are grids that can be
   * read cell by cell.
   */
  function create(label, small = false) {
    const node = h("div", { class: small ? "board small" : "board" });
    let cells = [];
    let drawn = [];
    let shape = null;
    let words = label;
    /** The letters of the position that is shown. */
    let shown = "";
    /** How each cell looks. */
    let looks = [];
    let chosen = [];
    /** How many plies in succession have been animated. */
    let made = 0;

    /** Makes the boards, as soon as their kinds are known. */
    function build() {
      shape = codes.layers();
      [cells, looks, chosen] = [[], [], []];
      drawn = shape.map((layer, i) => one(layer, i, small, cells));
      node.replaceChildren(...drawn.map((one) => one.node));
      node.classList.toggle("two", drawn.length > 1);
      node.classList.toggle("of-seats", !codes.isOfTwo());
      name(words);
    }

    /** Labels the boards with `text`. */
    function name(text) {
      words = text;
      drawn.forEach(({ grid, title }) => grid.setAttribute("aria-label", drawn.length > 1 ? `${title}: ${text}` : text));
    }
    build();

    /**
     * Shows `position`, which has a letter for each field, after `ply`, with the better ply `better`, in the mode
     * `mode`.
     */
    function show(position, ply = null, better = null, mode = 0) {
      if (shape !== codes.layers()) build();
      drawn.forEach((one, i) => one.node.classList.toggle("resting", i !== codes.boardOf(mode)));
      choose([]);
      const notes = marks(ply, better);
      const before = isNext(shown, position, ply) ? shown : position;
      shown = position;
      if (before !== position) made += 1;
      cells.forEach((cell, point) => {
        const list = notes.get(point);
        const letter = position[point];
        const was = before[point] === letter ? "" : stones[before[point]];
        const moves = before !== position && list;
        // Most cells stay as they are from ply to ply, and changing all of a large board would take too long for a
        // frame. A stone that moves again looks different.
        const look = letter + was + (list ?? []).join() + (moves ? made : "");
        if (looks[point] === look) return;
        looks[point] = look;
        // An animation of the same name restarts only on a new element.
        if (moves) cell.replaceChildren(cell.firstChild.cloneNode());
        const stone = cell.firstChild;
        const names = (list ?? []).map(([, name]) => name);
        if (moves) names.push("moving");
        stone.className = `stone ${stones[letter]}`;
        stone.dataset.was = was;
        stone.textContent = letter === "." ? (names.includes("better") ? "*" : "") : letter;
        cell.className = ["cell", ...names].join(" ");
        if (!small)
          cell.setAttribute("aria-label", [`${codes.pointName(point)} ${stoneWords(letter)}`, ...(list ?? []).map(([text]) => text)].join(", "));
      });
      drawn[0].overlay.replaceChildren(...arrows(better ?? [], "better"), ...arrows(ply?.parts ?? [], "went"));
    }

    /** Marks the `fields` that the reader has chosen so far. */
    function choose(fields) {
      chosen.forEach((point) => cells[point].classList.remove("chosen"));
      fields.forEach((point) => cells[point].classList.add("chosen"));
      chosen = fields;
    }

    /** Calls `listener` with each field that the reader chooses, by a click, or by Enter or space. */
    function onchoose(listener) {
      const at = ({ target }) => {
        const cell = target.closest(".cell");
        if (cell) listener(cells.indexOf(cell));
      };
      node.addEventListener("click", at);
      node.addEventListener("keydown", (event) => {
        if (!["Enter", " "].includes(event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        at(event);
      });
    }

    /** The cells, which the caller may change: the next position sets all of them again. */
    function open() {
      looks = [];
      return cells;
    }

    return { cells: open, choose, name, node, onchoose, show };
  }

  /** Arrow keys move the focus from cell to cell of a board while one of its cells has the focus. */
  function walk(cells, { kind, size, first }) {
    const up = kind === "squares" ? -size : size;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: up, ArrowDown: -up };
    const last = first + size * size;
    cells.slice(first, last).forEach((cell, i) => {
      const point = first + i;
      cell.addEventListener("mousedown", (event) => event.preventDefault());
      cell.addEventListener("keydown", (event) => {
        const step = steps[event.key];
        if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        const next = point + step;
        const rank = (field) => Math.floor((field - first) / size);
        if (next < first || next >= last || (Math.abs(step) === 1 && rank(next) !== rank(point))) return;
        cell.tabIndex = -1;
        cells[next].tabIndex = 0;
        cells[next].focus();
      });
    });
  }

  return { create, isStar, standing, stones };
})();
