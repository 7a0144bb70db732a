// viewer.js: one game: board, value, graph, think times, moves, and the buttons that step through them.

const viewer = (() => {
  const { h, s, button, icon, prose } = dom;
  const PACE = 700;
  let opening = 0;
  let entry = null;
  let read = null;
  let controls = [];
  let left = [];
  let ply = 0;
  let timer = null;
  let linked = null;
  let drawn = null;
  let parts = null;

  const href = (at) => `#g=${encodeURIComponent(page.id(entry))}&p=${at}`;

  const mute = (text) => h("span", { "aria-hidden": "true" }, text);
  const unseen = (text) => h("span", { class: "sr" }, text);

  const isOfTwo = () => codes.seats().length === 2;

  function playerLine(side) {
    const name = h("a", {});
    const [state, stones, used] = ["state", "count", "used"].map((name) => h("span", { class: name }));
    const line = h(
      "p",
      { class: `seat ${board.stones[side]}` },
      h("span", { class: `stone ${board.stones[side]}`, "aria-hidden": "true" }, side),
      name,
      unseen(`, ${words.side[side]}, `),
      state,
      stones,
      used,
    );
    return { line, name, state, stones, used };
  }

  /** Black's part of a bar next to the board, or nothing while the value is unknown. */
  function valueBar() {
    const black = s("rect", { class: "black", x: 0, width: 10, y: 0, height: 0 });
    const node = s(
      "svg",
      { class: "valuebar", viewBox: "0 0 10 100", preserveAspectRatio: "none", "aria-hidden": "true" },
      s("rect", { class: "white", x: 0, y: 0, width: 10, height: 100 }),
      black,
      s("line", { x1: 0, x2: 10, y1: 50, y2: 50 }),
    );
    const show = (value) => {
      const share = value.margin !== null ? 50 + value.margin * 2 : ({ b: 100, w: 0, draw: 50 }[value.winner] ?? 0);
      node.classList.toggle("unknown", !value.winner);
      black.setAttribute("height", share);
      black.setAttribute("y", 100 - share);
    };
    return { node, show };
  }

  /** Makes the parts of the viewer, once. */
  function build() {
    const big = board.create("board");
    const sides = codes.seats();
    const seats = Object.fromEntries(sides.map((side) => [side, playerLine(side)]));
    // The players sit around the board: the first half below it, and the others above it, in the opposite direction.
    const lines = (from, to) => sides.slice(from, to).map((side) => seats[side].line);
    const half = sides.length / 2;
    const beside = (nodes) => (sides.length > 2 ? h("div", { class: "seats" }, nodes) : nodes);
    const bar = valueBar();
    const title = h("h2", { tabindex: -1 });
    const facts = h("p", { class: "facts" });
    const value = h("p", { class: "value" });
    const what = h("p", { class: "what" });
    const rest = h("p", { class: "what", hidden: true });
    const mistake = h("p", { class: "mistake" });
    const spoken = h("p", { class: "sr", "aria-live": "polite" });
    const play = h("button", { type: "button", class: "iconic", onclick: toggle });
    const iconic = (name, title, onclick) =>
      h("button", { type: "button", class: "iconic", "aria-label": title, title, onclick }, icon(name));
    const steps = h(
      "div",
      { class: "steps", role: "group", "aria-label": "plies" },
      iconic("first", "First position (Home)", first),
      iconic("back", "Previous ply (k)", back),
      play,
      iconic("on", "Next ply (j)", on),
      iconic("last", "Last position (End)", last),
    );
    const worth = h(
      "div",
      { class: "steps", role: "group", "aria-label": "mistakes" },
      button([mute("◂ "), unseen("Previous "), "Mistake"], "p", previousMistake),
      button([unseen("Next "), "Mistake", mute(" ▸")], "n", nextMistake),
      button("Decisive move", "d", decisive),
    );
    const command = h("button", { type: "button", title: "Copy the command that plays on from here", onclick: copyCommand }, "Play on");
    const plot = h("div", { class: "plot" });
    const table = h("div", {
      class: "scroll",
      id: "values",
      hidden: true,
      tabindex: 0,
      role: "region",
      "aria-label": codes.judges() ? "values and think times" : "think times",
    });
    const tableButton = h(
      "button",
      { type: "button", "aria-expanded": "false", "aria-controls": "values", onclick: toggleTable },
      "Show as a table",
    );
    const moves = h("div", { class: "moves" });
    const node = h(
      "div",
      { class: "game" },
      h(
        "div",
        { class: "gametop" },
        h("div", { class: "gamehead" }, title, facts),
        h(
          "div",
          { class: "steps gamenav" },
          button("Previous game", "[", () => other(-1)),
          button("Next game", "]", () => other(1)),
          button("Copy link", "c", copy),
          page.data.logs && isOfTwo() ? command : [],
          button("All games", "Esc", leave),
        ),
      ),
      h(
        "div",
        { class: "table" },
        beside(lines(half).reverse()),
        h("div", { class: "withbar" }, bar.node, big.node),
        beside(lines(0, half)),
        steps,
        worth,
      ),
      h(
        "div",
        { class: "judged" },
        value,
        what,
        rest,
        mistake,
        plot,
        h(
          "p",
          { class: "legend" },
          ...(codes.judges()
            ? ["Value with best play, black above. ", h("b", { class: "blunder" }, "x"), " blunder, ", h("b", { class: "lost" }, "o"), " lost stones, dotted: unknown. Bars:"]
            : ["Bars:"]),
          " time per ply (log scale).",
        ),
        tableButton,
        table,
      ),
      h("div", { class: "sheet" }, h("h3", {}, "Moves"), moves),
      spoken,
    );
    // Positions on other boards have no known values.
    for (const one of codes.judges() ? [] : [bar.node, worth, value, mistake]) one.remove();
    dom.byId("viewer").replaceChildren(node);
    new ResizeObserver(() => drawn && plot.clientWidth !== drawn.width && redraw()).observe(plot);
    parts = { bar, big, facts, mistake, moves, play, plot, rest, seats, spoken, table, tableButton, title, value, what };
  }

  function redraw() {
    const width = parts.plot.clientWidth || 640;
    drawn = { width, ...graph.draw(read, width, (at) => show(at)) };
    parts.plot.replaceChildren(drawn.node);
    drawn.cursor(ply);
  }

  const moveLink = (i) => {
    const { text, mark } = read.plies[i];
    const name = { blunder: "blunder", lost: "lost stones" }[mark];
    return h(
      "a",
      {
        href: href(i + 1),
        "data-ply": i + 1,
        onclick: (event) => {
          event.preventDefault();
          show(i + 1);
        },
      },
      text,
      name && h("b", { class: mark, title: name }, words.MARKS[mark]),
    );
  };

  /** The mode that begins with the ply with the index `i`, or nothing. */
  function newMode(i) {
    const { mode } = read.plies[i];
    return i && mode === read.plies[i - 1].mode ? null : codes.modeName(mode ?? 0);
  }

  /** A row for a mode or a note, over `columns` columns. */
  const note = (text, columns) => h("tr", { class: "mode" }, h("th", { scope: "rowgroup", colspan: columns }, text));

  /** A table of moves, whose `heads` are only for screen readers. */
  const movesTable = (heads, rows, attributes) =>
    h(
      "table",
      attributes,
      h("thead", { class: "sr" }, h("tr", {}, heads.map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, rows),
    );

  /** The moves of more than two seats: a row for each round, a column for each seat, and a row where a seat drops out. */
  function sheetOfSeats() {
    const sides = codes.seats();
    const rows = [];
    const tell = (text) => rows.push(note(text, sides.length + 1));
    const drop = (outs) => outs.forEach((seat) => tell(`${words.side[seat]} is out${reasonOf(seat)}`));
    let cells = null;
    read.plies.forEach((one, i) => {
      const mode = newMode(i);
      drop(one.outs ?? []);
      if (mode) tell(mode);
      const column = sides.indexOf(one.side);
      if (!cells || mode || one.outs?.length || cells.number !== one.number || cells[column].firstChild) {
        cells = sides.map(() => h("td"));
        cells.number = one.number;
        rows.push(h("tr", {}, h("th", { scope: "row", class: "num" }, `${one.number}.`), cells));
      }
      cells[column].append(moveLink(i));
      cells[column].title = words.time(one.time);
    });
    drop(read.outs.at(-1).slice(read.outs.at(-2)?.length ?? 0));
    return movesTable(["number", ...sides.map((side) => words.side[side])], rows, { class: "of-seats" });
  }

  /** Why `seat` dropped out, after a comma, or nothing if that is not known. */
  function reasonOf(seat) {
    const why = (entry[5] ?? []).find(([number]) => String(number) === seat)?.[1];
    return why ? `, ${why}` : "";
  }

  /** The moves as on a score sheet: a row for black's ply and white's answer, with their times. */
  function sheet() {
    if (!isOfTwo()) return sheetOfSeats();
    const rows = [];
    read.plies.forEach((one, i) => {
      const mode = newMode(i);
      if (mode) rows.push({ mode });
      if (one.number !== rows.at(-1)?.number) rows.push({ number: one.number, b: null, w: null });
      rows.at(-1)[one.side] = i;
    });
    const cells = (i) =>
      i === null
        ? [h("td"), h("td")]
        : [h("td", {}, moveLink(i)), h("td", { class: "num" }, words.time(read.plies[i].time))];
    return movesTable(
      ["number", "black", "time", "white", "time"],
      rows.map(({ number, mode, b, w }) =>
        mode ? note(mode, 5) : h("tr", {}, h("th", { scope: "row", class: "num" }, `${number}.`), cells(b), cells(w)),
      ),
    );
  }

  const plies = () => words.count(read.plies.length, "ply", "plies");

  /** What is known of the game: its id, its result and `more`; and the name of each player, in turn order. */
  function facts(...more) {
    const known = [page.id(entry), words.result(entry), ...more].filter(Boolean);
    parts.facts.replaceChildren(...prose(known.join(" · ")));
    const sides = codes.seats();
    page.seated(entry).forEach((index, i) => {
      const { name } = parts.seats[sides[i]];
      name.textContent = page.name(index);
      name.setAttribute("href", `#p=${page.data.players[index].s}`);
    });
  }

  function headingOfSeats() {
    const names = page.seated(entry).map(page.name);
    parts.title.replaceChildren(names.join(", "));
    facts(plies(), entry[12]?.why);
  }

  function heading() {
    if (!isOfTwo()) return headingOfSeats();
    const [black, white, , result, , termination] = entry;
    parts.title.replaceChildren(
      page.name(black),
      h("span", { class: "quiet" }, " (black) v "),
      page.name(white),
      h("span", { class: "quiet" }, " (white)"),
    );
    const decided = read.decisive ? `decided by ${words.numbered(read.plies[read.decisive - 1])}` : null;
    facts(result > 3 ? null : page.data.terms[termination], entry[12]?.why, plies(), decided);
  }

  /** Shows the game `shown` at ply `at`, which is clamped to the plies of the game. */
  async function open(shown, at) {
    const same = entry === shown && read && shown[6] === read.moves;
    stop();
    opening += 1;
    const ticket = opening;
    const loaded = await page.load(shown);
    if (ticket !== opening) return;
    if (!parts) build();
    if (!same) {
      entry = loaded;
      read = { ...game.read(entry), moves: entry[6] };
      controls = codes.seats().map((_, side) => clocks.control(side, entry));
      left = clocks.history(controls, read.plies, entry[9]);
      heading();
      parts.moves.replaceChildren(sheet());
      parts.table.hidden = true;
      toggleTable(null, true);
      dom.byId("viewer").hidden = false;
      redraw();
    }
    linked = at;
    show(at);
  }

  function show(at) {
    const before = parts.moves.querySelector("[aria-current]");
    ply = Math.max(0, Math.min(read.plies.length, at));
    const one = read.plies[ply - 1] ?? null;
    const position = read.boards[ply];
    const value = read.values[ply];
    parts.big.show(position, one, one?.better ?? null, read.modes[ply]);
    parts.bar.show(value);
    codes.seats().forEach((side, i) => {
      parts.seats[side].state.textContent = stateOf(side, i);
      parts.seats[side].line.classList.toggle("out", read.outs[ply].includes(side));
      const supply = read.supplies[ply];
      const stones = words.count(codes.stones(position, side, read.modes[ply]), "stone");
      parts.seats[side].stones.textContent = supply ? `${stones}, ${supply[side]} to place` : stones;
      const used = read.used[ply][side];
      const rest = isOfTwo() ? "" : restOf(side, i);
      const texts = [used !== null && `${words.time(used)} used`, rest && `${rest} left`];
      parts.seats[side].used.textContent = texts.filter(Boolean).join(", ");
    });
    parts.value.textContent = words.sentence(words.valueSentence(value));
    const captured = one ? words.captures(one.parts) : "";
    parts.what.textContent = one
      ? [codes.modeName(one.mode ?? 0), `Ply ${ply} of ${read.plies.length}`, words.numbered(one), captured].filter(Boolean).join(" · ")
      : `Start of ${plies()}`;
    parts.rest.textContent = remaining();
    parts.rest.hidden = !parts.rest.textContent;
    parts.mistake.textContent = words.mistake(read, ply);
    parts.spoken.textContent = words.spoken(read, ply, entry);
    drawn.cursor(ply);
    before?.removeAttribute("aria-current");
    const current = parts.moves.querySelector(`[data-ply="${ply}"]`);
    current?.setAttribute("aria-current", "true");
    keepInView(current);
    playing();
    link();
  }

  /** How the seat `side`, with the number `i`, stands: its place at the end, or that it is out. */
  function stateOf(side, i) {
    const places = Array.isArray(entry[3]) ? entry[3] : null;
    const isOut = read.outs[ply].includes(side);
    if (places && ply === read.plies.length)
      return [isOut && `out${reasonOf(side)}`, words.ordinal(places[i]), entry[4] && `total ${entry[4][i]}`].filter(Boolean).join(", ");
    return isOut ? `out${reasonOf(side)}` : "";
  }

  /** What is left on the clock of the seat `side`, with the number `i`, or nothing. */
  const restOf = (side, i) => left[ply][side] && clocks.rest(controls[i], left[ply][side]);

  /** What is left of the clocks: `Left: black 0:42 + 1s, white 0:50 in the bank`, or nothing. */
  function remaining() {
    // With more than two seats, the line of each player says it.
    if (!isOfTwo()) return "";
    const texts = codes.seats().map((side, i) => {
      const rest = restOf(side, i);
      return rest && `${words.side[side]} ${rest}`;
    });
    const known = texts.filter(Boolean);
    return known.length ? `Left: ${known.join(", ")}` : "";
  }

  /** Scrolls only the list of moves, never the page. */
  function keepInView(current) {
    const list = parts.moves;
    if (!current) list.scrollTop = 0;
    else {
      const top = current.getBoundingClientRect().top - list.getBoundingClientRect().top + list.scrollTop;
      if (top < list.scrollTop + 30 || top > list.scrollTop + list.clientHeight - 60)
        list.scrollTop = top - list.clientHeight / 2;
    }
  }

  let due = null;
  /**
   * Puts the ply into the address in place of the previous ply, so "back" leaves the game. Browsers limit how often
   * this is possible.
   */
  function link() {
    if (linked === ply || due) return;
    due = setTimeout(() => {
      due = null;
      if (!isOpen() || linked === ply) return;
      linked = ply;
      history.replaceState(null, "", href(ply));
    }, 250);
  }

  const isOpen = () => Boolean(parts) && !dom.byId("viewer").hidden;

  function playing() {
    const label = timer ? "Pause (space)" : "Play (space)";
    parts.play.replaceChildren(icon(timer ? "pause" : "play"));
    parts.play.setAttribute("aria-label", label);
    parts.play.title = label;
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    if (parts) playing();
  }

  function toggle() {
    if (timer) return stop();
    if (ply === read.plies.length) show(0);
    timer = setInterval(() => {
      if (ply < read.plies.length) show(ply + 1);
      if (ply === read.plies.length) stop();
    }, PACE);
    playing();
  }

  function by(step) {
    stop();
    show(ply + step);
  }

  const on = () => by(1);
  const back = () => by(-1);
  const first = () => by(-ply);
  const last = () => by(read.plies.length - ply);

  function jump(at, sentence) {
    stop();
    if (at) show(at);
    else dom.toast(sentence);
  }

  const nextMistake = () =>
    jump(read.plies.findIndex((one, i) => i >= ply && game.isMistake(one)) + 1, "There is no known mistake after this.");
  const previousMistake = () =>
    jump(
      read.plies.findLastIndex((one, i) => i < ply - 1 && game.isMistake(one)) + 1,
      "There is no known mistake before this.",
    );
  const decisive = () => jump(read.decisive, "No single move is known to have decided this game.");

  function toggleTable(_, hide = !parts.table.hidden) {
    parts.table.hidden = hide;
    parts.tableButton.setAttribute("aria-expanded", String(!hide));
    parts.tableButton.textContent = hide ? "Show as a table" : "Hide the table";
    if (!hide) {
      parts.table.replaceChildren(graph.table(read, href));
      dom.scrolls(parts.table);
    }
  }

  function other(step) {
    const next = gamesTable.beside(entry, step);
    if (next) tabs.go(`#g=${encodeURIComponent(page.id(next))}&p=0`);
    else dom.toast(step > 0 ? "This is the last game in the list." : "This is the first game in the list.");
  }

  /** Copies `text`, and says so with the sentence `done`. If that is not possible, shows the text, which is a `kind`. */
  async function put(kind, text, done) {
    try {
      await navigator.clipboard.writeText(text);
      dom.toast(done);
    } catch {
      dom.toast(`The browser does not allow copying. The ${kind} is ${text}`, 30_000);
    }
  }

  const copy = () => put("link", location.href.split("#")[0] + href(ply), "The link to this position was copied.");

  /** Copies the command that begins a game of the reader at this ply. */
  function copyCommand() {
    const log = `${page.data.logs}${page.id(entry)}.log`;
    const quoted = /^[\w./-]+$/.test(log) ? log : `'${log.replaceAll("'", "'\\''")}'`;
    const command = `gothello-arena play --from ${quoted} --ply ${ply}`;
    return put("command", command, `Copied: ${command}`);
  }

  /** Back to the list of games. */
  const leave = () => tabs.go("#t=games");

  function close() {
    stop();
    opening += 1;
    if (parts) dom.byId("viewer").hidden = true;
  }

  const shown = () => (isOpen() ? entry : null);
  const focus = () => parts.title.focus({ preventScroll: true });

  return {
    back,
    close,
    copy,
    decisive,
    first,
    focus,
    isOpen,
    last,
    leave,
    nextMistake,
    on,
    open,
    other,
    previousMistake,
    shown,
    toggle,
    valueBar,
  };
})();
