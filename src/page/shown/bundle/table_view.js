// table_view.js: shows a board on which people play: the stones, whose turn it is, the moves so far, requested hints.

/** The drawing of boards under another name, since this file calls the state of its game `board`. */
const drawnBoard = board;

const tableView = (() => {
  const { h, byId } = dom;
  const SIDES = ["b", "w"];
  const SCORES = { 1: "good", 0: "even", "-1": "bad" };

  let parts = null;
  let view = null;
  let board = null;
  let withLegal = false;
  /** The fields chosen so far for a move that needs more fields, as text, and the fields that can follow. */
  let begun = { text: "", next: [] };

  const name = (told, side) => told.players[SIDES.indexOf(side)];
  const isPerson = (told, side) => told.persons[SIDES.indexOf(side)];

  /** The name of `side` in a sentence. */
  function called(told, side) {
    if (!isPerson(told, side)) return `${name(told, side)} (${words.side[side]})`;
    return told.persons.every(Boolean) ? words.side[side] : `you (${words.side[side]})`;
  }

  /** Whose turn it is, in words, or the result. */
  function turn(told) {
    if (told.result) return told.result;
    const side = told.toMove;
    if (told.thinking) return `${name(told, side)} (${words.side[side]}) is thinking`;
    return told.persons.every(Boolean) ? `${words.side[side]} to move` : `your turn (${words.side[side]})`;
  }

  const lastParts = (told) => (told.last ? codes.plies(told.last)[0].parts : null);

  /** The text on a clock with this number of seconds left. */
  const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

  /** Everything that has happened since `before`, in words, which screen readers also announce. */
  function news(before, told) {
    const added = before ? told.moves.slice(before.moves.length) : [];
    const taken = before ? Math.max(0, before.moves.length - told.moves.length) : 0;
    const moves = added.map(([side, text], i) => {
      const captured = i === added.length - 1 ? words.captures(lastParts(told) ?? []) : "";
      return `${called(told, side)}: ${text}${captured && `, ${captured}`}`;
    });
    if (taken) moves.push(`${words.count(taken, "move")} taken back`);
    if (told.left) return `The game was abandoned, and the program has ended. ${words.sentence(told.result ?? "The game has no result")}.`;
    const refused = told.refused ? [told.refused] : [];
    return words.sentence([...refused, ...moves, turn(told)].join("; ")) + ".";
  }

  /** Shows `text` over the board. Screen readers announce it. */
  function say(text) {
    byId("news").textContent = text;
  }

  function seat(side) {
    const [who, stones, mark] = [h("span", { class: "who" }), h("span", { class: "stones" }), h("span", { class: "mark" })];
    const stone = h("span", { class: `stone ${words.side[side]}`, "aria-hidden": "true" }, side);
    return { node: h("li", { class: "side" }, stone, who, mark, stones), mark, stones, who };
  }

  const section = (title, id, ...children) =>
    h("section", { id, hidden: true, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), ...children);

  /** Makes the page's parts; `actions` are its buttons, and `form` is for moves that are typed. */
  function build(actions, form) {
    const seats = { b: seat("b"), w: seat("w") };
    view = drawnBoard.create("Board");
    const [hints, why, moves] = [h("ul", { class: "lines" }), h("ul", { class: "lines" }), h("ol", { class: "moves" })];
    const begun = h("p", { class: "begun", hidden: true });
    parts = { begun, hints, moves, seats, why };
    byId("main").append(
      h("div", { id: "table", hidden: true }, h("ul", { class: "sides", "aria-label": "Sides" }, seats.b.node, seats.w.node), view.node, begun),
      h(
        "div",
        { id: "aside", hidden: true },
        actions,
        form,
        section("Hints", "hints", hints),
        section("The last move", "why", why),
        section("Moves", "moves", moves),
      ),
    );
    return view.node;
  }

  /** The number of the field of the element `cell`; `null` on a board that is not in play. */
  function fieldOf(cell) {
    if (!board || cell.closest(".resting")) return null;
    const field = view.cells().indexOf(cell);
    return field < 0 ? null : field;
  }

  /** The element of the field that has the keyboard's focus, or would receive it. */
  const current = () => view.node.querySelector(".layer:not(.resting) .cell[tabindex='0']");

  /** Makes the middle field of each board the first to receive the keyboard's focus. */
  function centre() {
    for (const layer of view.node.querySelectorAll(".layer")) {
      const cells = layer.querySelectorAll(".cell");
      cells.forEach((cell) => (cell.tabIndex = -1));
      cells[Math.floor(cells.length / 2)].tabIndex = 0;
    }
  }

  const add = (cell, name, text) => {
    cell.classList.add(name);
    cell.setAttribute("aria-label", `${cell.getAttribute("aria-label")}, ${text}`);
  };

  function drawBoard() {
    const ply = lastParts(board);
    view.show(board.letters, ply && { parts: ply }, null, board.mode);
    const cells = view.cells();
    const own = board.toMove !== null && !board.thinking;
    if (own && (withLegal || begun.text)) {
      for (const field of begun.text ? begun.next : board.legal) add(cells[field], "legal", begun.text ? "can follow" : "legal");
    }
    for (const { at, brief, value, score } of board.hint?.fields ?? []) {
      if (board.letters[at] === ".") cells[at].firstChild.textContent = brief;
      add(cells[at], SCORES[score], value);
    }
    parts.begun.hidden = !begun.text;
    parts.begun.textContent = `${begun.text}: choose the next point, or press Escape.`;
  }

  function drawSides() {
    for (const side of SIDES) {
      const { mark, node, stones, who } = parts.seats[side];
      who.textContent = name(board, side);
      const left = board.seconds ? `, ${clock(board.seconds[SIDES.indexOf(side)])} left` : "";
      stones.textContent = words.count(codes.stones(board.letters, side, board.mode), "stone") + left;
      const isNext = board.toMove === side;
      node.classList.toggle("next", isNext);
      mark.textContent = isNext ? (board.thinking ? "is thinking" : "to move") : "";
    }
  }

  const lines = (texts) => texts.map((text) => h("li", {}, text));

  function drawAsked() {
    const { hint, why, moves } = board;
    byId("hints").hidden = !hint;
    if (hint) parts.hints.replaceChildren(...lines(hint.lines), ...(hint.more ? lines(["searching …"]) : []));
    byId("why").hidden = !why;
    if (why) parts.why.replaceChildren(...lines(why.lines), ...(why.more ? lines(["searching …"]) : []));
    byId("moves").hidden = !moves.length;
    parts.moves.replaceChildren(
      ...moves.map(([side, text], i) => {
        const isMistake = why?.mistake && why.ply === i;
        const stone = h("span", { class: `stone ${words.side[side]}`, role: "img", "aria-label": words.side[side] });
        return h("li", { class: i < board.given ? "given" : null }, stone, text, isMistake && h("b", { class: "blunder" }, "?"));
      }),
    );
  }

  /** Whether nothing but the clocks has changed. */
  function isSameButForTime(before, told) {
    const timeless = (state) => JSON.stringify({ ...state, seq: 0, seconds: null });
    return timeless(before) === timeless(told);
  }

  /** Shows the board `told`, and says what has happened since the previous board. */
  function show(told) {
    const before = board;
    board = told;
    if (!before) {
      for (const id of ["table", "aside"]) byId(id).hidden = false;
      codes.use(told);
      byId("head").querySelector("h1").textContent = words.sentence(told.ruleset);
      byId("summary").textContent = told.persons.every(Boolean)
        ? "two people at one board"
        : `you are ${words.side[SIDES[told.persons.indexOf(true)]]}, against ${name(told, SIDES[told.persons.indexOf(false)])}`;
    }
    if (before && isSameButForTime(before, told)) return drawSides();
    if (before?.turn !== told.turn) begun = { text: "", next: [] };
    drawBoard();
    if (!before) centre();
    drawSides();
    drawAsked();
    view.name(`Board, ${turn(told)}`);
    document.title = `${words.sentence(turn(told))} · ${told.ruleset}`;
    if (before?.turn !== told.turn || before?.left !== told.left) say(news(before, told));
    else if (told.why && !told.why.more && (before.why?.more ?? true)) say(`${told.why.lines.join("; ")}.`);
  }

  /** Shows the fields chosen so far for a move that needs more fields. */
  function begin(text, next) {
    begun = { text, next };
    drawBoard();
    if (text) say(`${text}: choose the next point.`);
  }

  /** Shows the fields on which a move is legal, or hides them. Returns whether they are shown. */
  function toggleLegal() {
    withLegal = !withLegal;
    drawBoard();
    return withLegal;
  }

  return { begin, begun: () => begun.text, board: () => board, build, current, fieldOf, say, show, toggleLegal };
})();
