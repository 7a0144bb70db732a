// board.js: draws a board as a grid of labelled cells, with marks and with arrows for stones that moved.

const board = (() => {
  const { h, s } = dom;
  const stones = { b: "black", w: "white", ".": "empty" };
  const POINTS = Array.from({ length: 25 }, (_, i) => (4 - Math.floor(i / 5)) * 5 + (i % 5));

  const centre = (point) => [(point % 5) + 0.5, 4.5 - Math.floor(point / 5)];

  /** A line with a head from one point to another, moved aside by `aside` cells to its left. */
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

  /** The words and classes that `ply` and the better ply `better` put on each point. */
  function marks(ply, better) {
    const notes = new Map();
    const note = (point, words, name) => notes.set(point, [...(notes.get(point) ?? []), [words, name]]);
    const parts = ply?.parts ?? [];
    const last = parts.at(-1);
    parts.forEach(({ from, to, flips }, i) => {
      for (const point of flips) note(point, i ? "captured on the way back" : "captured", i ? "flip flip2" : "flip");
      if (from !== null && from !== last.to) note(from, i ? "turned back here" : "left just now", "left");
    });
    for (const { from, to } of standing(parts))
      note(to, from === null ? "just placed" : parts.length > 1 ? "went and came back" : "just moved", "last");
    for (const { from, to } of better ?? [])
      note(to, from === null ? "better" : `better ${codes.pointName(from)}-${codes.pointName(to)}`, "better");
    return notes;
  }

  /** The parts of a ply whose stones still stand where they were put: the last one, or both of a pair. */
  const standing = (parts) => parts.filter(({ to }) => !parts.some((other) => other.from === to));

  /** A board; `label` names it. A `small` one is a picture with one label, a big one a grid to read cell by cell. */
  function create(label, small = false) {
    const cells = [];
    const rows = [0, 1, 2, 3, 4].map((row) =>
      h(
        "div",
        { class: "row", role: small ? null : "row" },
        POINTS.slice(row * 5, row * 5 + 5).map((point) => {
          const stone = h("span", { class: "stone" });
          cells[point] = h(
            "div",
            { class: "cell", role: small ? null : "gridcell", tabindex: small ? null : point === 0 ? 0 : -1 },
            stone,
          );
          return cells[point];
        }),
      ),
    );
    const overlay = s("svg", { class: "overlay", viewBox: "0 0 5 5", "aria-hidden": "true" });
    const grid = h("div", { class: "grid", role: small ? "img" : "grid", "aria-label": label }, rows);
    const files = h(
      "div",
      { class: "files", "aria-hidden": "true" },
      ["a", "b", "c", "d", "e"].map((file) => h("span", {}, file)),
    );
    const ranks = h(
      "div",
      { class: "ranks", "aria-hidden": "true" },
      ["5", "4", "3", "2", "1"].map((rank) => h("span", {}, rank)),
    );
    const node = h(
      "div",
      { class: small ? "board small" : "board" },
      ranks,
      h("div", { class: "points" }, grid, overlay),
      files,
    );
    if (!small) walk(cells);

    /** Shows `position`, 25 letters, after `ply`, with the better ply `better`. */
    function show(position, ply = null, better = null) {
      const notes = marks(ply, better);
      cells.forEach((cell, point) => {
        const list = notes.get(point) ?? [];
        const letter = position[point];
        const stone = cell.firstChild;
        stone.className = `stone ${stones[letter]}`;
        stone.textContent = letter === "." ? (list.some(([, name]) => name === "better") ? "*" : "") : letter;
        cell.className = ["cell", ...list.map(([, name]) => name)].join(" ");
        if (!small)
          cell.setAttribute(
            "aria-label",
            [`${codes.pointName(point)} ${stones[letter]}`, ...list.map(([text]) => text)].join(", "),
          );
      });
      overlay.replaceChildren(...arrows(better ?? [], "better"), ...arrows(ply?.parts ?? [], "went"));
    }

    return { node, grid, show };
  }

  /** Arrow keys walk from cell to cell while one of `cells` has the focus. */
  function walk(cells) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 5, ArrowDown: -5 };
    cells.forEach((cell, point) => {
      cell.addEventListener("mousedown", (event) => event.preventDefault());
      cell.addEventListener("keydown", (event) => {
        const step = steps[event.key];
        if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        const next = point + step;
        const sideways = Math.abs(step) === 1 && Math.floor(next / 5) !== Math.floor(point / 5);
        if (!cells[next] || sideways) return;
        cell.tabIndex = -1;
        cells[next].tabIndex = 0;
        cells[next].focus();
      });
    });
  }

  return { create };
})();
