// games_table.js: the list of games: filters, sorted columns, and 200 rows at a time. Filters and order are kept in the
// address.

const gamesTable = (() => {
  const { h } = dom;
  const ROWS = 200;
  const AT_ONCE = 40;
  const mistakesOf = new Map();
  const NONE = { player: "", against: "", opening: "", result: "", term: "", upset: false, blunder: false, out: false };
  const filter = { ...NONE };
  let sorted = { column: "number", down: false };
  let list = [];
  let from = 0;
  let parts = null;
  let stale = false;
  let warming = null;
  let filling = null;

  /** The mistakes in a game, counted on first use. */
  function mistakes(entry) {
    const known = mistakesOf.get(entry);
    if (known && known.values === entry[8]) return known;
    const { b, w } = game.mistakes(entry);
    const count = { values: entry[8], blunder: b.blunder + w.blunder, lost: b.lost + w.lost };
    mistakesOf.set(entry, count);
    return count;
  }

  /** Counts the mistakes of all games, a few at a time, before the user filters by them. */
  function warm(at) {
    page.data.games.slice(at, at + 250).forEach(mistakes);
    if (at < page.data.games.length) warming = setTimeout(warm, 20, at + 250);
  }

  /** Greater than the difference between any two margins: the largest board has 400 squares and 441 points. */
  const MARGINS = 2000;

  const number = new Map();
  const NUMBER = { id: "number", title: "#", value: (entry) => number.get(entry) };
  const PLIES = { id: "plies", title: "plies", number: true, value: (entry) => plyCount(entry) };
  /** The columns for games with more than two seats. */
  const COLUMNS_OF_SEATS = [
    NUMBER,
    { id: "places", title: "players by place", value: (entry) => words.result(entry) },
    { id: "outs", title: "dropped out", value: (entry) => outsOf(entry) },
    PLIES,
  ];

  /** The seats that dropped out, and why: `2 time, 4 crash`. */
  const outsOf = (entry) => entry[5].map(([seat, why]) => `${seat} ${why}`).join(", ");

  const COLUMNS_OF_TWO = [
    NUMBER,
    { id: "black", title: "black", value: ([black]) => page.name(black) },
    { id: "white", title: "white", value: ([, white]) => page.name(white) },
    {
      id: "result",
      title: "result",
      // Black's wins come first, in descending order of their margins, then white's in the same order, then the other
      // results.
      value: ([, , , result, margin]) => result * MARGINS - (margin ?? 0) * (result === 1 ? -1 : 1),
    },
    { id: "term", title: "ended", value: (entry) => page.data.terms[entry[5]] },
    PLIES,
    {
      id: "mistakes",
      title: "mistakes",
      number: true,
      // In descending order, games that are not judged come last.
      value: (entry) => (entry[8] ? mistakes(entry).blunder * 100 + mistakes(entry).lost : -1),
    },
    { id: "upset", title: "upset", number: true, value: (entry) => page.upset(entry) },
  ];

  /** The number of plies of a game: its times have two letters per ply. */
  const plyCount = (entry) => entry[7].length / 2 || (entry[6] && codes.plies(entry[6]).length);

  const isOfTwo = () => codes.seats().length === 2;
  const columns = () => (isOfTwo() ? COLUMNS_OF_TWO : COLUMNS_OF_SEATS);

  /** A test of whether a player's name is `wanted`, or contains it if no player has exactly that name. */
  function matcher(wanted) {
    if (!wanted) return () => true;
    const exact = gamesLink.slugOf(wanted) !== undefined;
    const small = wanted.toLowerCase();
    const fits = page.data.players.map(({ n }) => (exact ? n === wanted : n.toLowerCase().includes(small)));
    return (index) => fits[index];
  }

  function passes() {
    const [one, two] = [matcher(filter.player), matcher(filter.against)];
    const opening = filter.opening ? page.openings.games(filter.opening) : null;
    if (!isOfTwo())
      return (entry) => {
        const players = page.seated(entry);
        const met = players.some((player, i) => one(player) && players.some((other, j) => i !== j && two(other)));
        return met && (!filter.out || entry[5].length > 0);
      };
    return (entry) => {
      const [black, white, , result, , term] = entry;
      return (
        ((one(black) && two(white)) || (one(white) && two(black))) &&
        (!opening || opening.has(entry)) &&
        (filter.result === "" || result === Number(filter.result)) &&
        (filter.term === "" || term === Number(filter.term)) &&
        (!filter.upset || page.upset(entry) > 0) &&
        (!filter.blunder || mistakes(entry).blunder > 0)
      );
    };
  }

  /** Filters and sorts the games again, and shows those rows of the list that include the index `at`. */
  function select(at = 0) {
    list = page.data.games.filter(passes());
    const { value } = columns().find(({ id }) => id === sorted.column);
    const keys = new Map(list.map((entry) => [entry, value(entry)]));
    const sign = sorted.down ? -1 : 1;
    list.sort((one, two) => {
      const [a, b] = [keys.get(one), keys.get(two)];
      return a === b ? number.get(one) - number.get(two) : (a < b ? -1 : 1) * sign;
    });
    from = at < list.length ? Math.floor(at / ROWS) * ROWS : 0;
    render();
  }

  const playerLink = (index) => h("a", { href: `#p=${page.data.players[index].s}`, title: page.name(index) }, dom.breakable(page.name(index)));

  /** The mistakes of both sides in words: `2 blunders, 5 small`; a dash if no position is judged. */
  function mistakesText(entry) {
    if (!entry[8]) return "–";
    const { blunder, lost } = mistakes(entry);
    if (!blunder) return lost ? `${lost} small` : "none";
    return [h("b", { class: "blunder" }, words.count(blunder, "blunder"), lost ? "," : ""), lost ? ` ${lost} small` : ""];
  }

  /** The players of `entry` by place, each with its seat's stone. */
  function places(entry) {
    const places = entry[3];
    const seats = page.seated(entry).map((player, seat) => ({ player, seat, place: places?.[seat] }));
    seats.sort((one, other) => one.place - other.place);
    return seats.map(({ player, seat, place }) => {
      const letter = codes.seats()[seat];
      return h(
        "span",
        { class: place === 1 ? "placed won" : "placed" },
        place ? `${place}. ` : "",
        h("span", { class: `stone ${board.stones[letter]}`, "aria-hidden": "true" }, letter),
        playerLink(player),
      );
    });
  }

  /** The row of `entry`: its number, which is a link, and `cells`. */
  function rowOf(entry, ...cells) {
    const id = page.id(entry);
    const link = h("a", { href: page.link(id) }, h("span", { class: "sr" }, "game "), `#${number.get(entry)}`);
    return h("tr", { role: "row", "data-game": id }, h("th", { role: "rowheader", scope: "row" }, link), cells);
  }

  const rowOfSeats = (entry) =>
    rowOf(
      entry,
      h("td", { role: "cell" }, entry[3] ? null : "void: ", places(entry)),
      h("td", { role: "cell", class: "outs" }, outsOf(entry)),
      h("td", { role: "cell", class: "num wide" }, String(plyCount(entry))),
    );

  function row(entry) {
    if (!isOfTwo()) return rowOfSeats(entry);
    const [black, white, , result] = entry;
    const gap = page.upset(entry);
    const name = (index, side) =>
      h(
        "td",
        { role: "cell", class: result === (side === "b" ? 0 : 1) ? "who won" : "who" },
        h("span", { class: `stone ${words.side[side]}`, "aria-hidden": "true" }, side),
        playerLink(index),
      );
    return rowOf(
      entry,
      name(black, "b"),
      name(white, "w"),
      h("td", { role: "cell" }, words.result(entry).replace("won by", "by")),
      h("td", { role: "cell", class: "wide" }, result > 3 ? "" : page.data.terms[entry[5]]),
      h("td", { role: "cell", class: "num wide" }, String(plyCount(entry))),
      h("td", { role: "cell", class: "num marks" }, mistakesText(entry)),
      h("td", { role: "cell", class: "num wide upset" }, gap ? words.signed(gap) : ""),
    );
  }

  /** Adds the rows of the games from `at` to `to`, a few at a time, so that key presses are never delayed for long. */
  function fill(at, to) {
    const end = Math.min(at + AT_ONCE, to);
    parts.body.append(...list.slice(at, end).map(row));
    if (end < to) filling = setTimeout(fill, 0, end, to);
  }

  function render() {
    const to = Math.min(from + ROWS, list.length);
    parts.body.replaceChildren();
    clearTimeout(filling);
    fill(from, to);
    const [first, last, found, all] = [from + 1, to, list.length, page.data.games.length].map((n) => n.toLocaleString("en"));
    const of = found === all ? "" : ` (${all} in all)`;
    const none = page.data.games.length ? `No games match${of}.` : "This page contains no games.";
    parts.count.textContent = list.length ? `Games ${first} to ${last} of ${found}${of}` : none;
    for (const { before, after } of parts.pagers) {
      before.hidden = after.hidden = list.length <= ROWS;
      before.disabled = from === 0;
      after.disabled = to === list.length;
    }
    parts.clear.hidden = Object.values(filter).every((value) => !value);
    for (const { id, th } of parts.heads)
      th.setAttribute("aria-sort", id !== sorted.column ? "none" : sorted.down ? "descending" : "ascending");
    const judged = page.data.games.some((entry) => entry[8]);
    leaveOut("unjudged", !judged, "blunder");
    leaveOut("even", isOfTwo() && !page.data.games.some((entry) => page.upset(entry)), "upset");
    leaveOut("intact", !isOfTwo() && !page.data.games.some((entry) => entry[5].length), "out");
    parts.opening.replaceChildren(
      filter.opening ? h("a", { href: `#t=openings&o=${encodeURIComponent(filter.opening)}` }, `Opening ${page.openings.sheet(page.openings.find(filter.opening))} (or its mirror)`) : "",
    );
  }

  /** Leaves out a column, and the filter `key`, if no game has anything to show (`isEmpty`). */
  function leaveOut(name, isEmpty, key) {
    dom.byId("games").classList.toggle(name, isEmpty);
    parts.controls[key].hidden = isEmpty && !filter[key];
  }

  /** Filters and sorts the games after the user has changed the filters or the order. */
  function change() {
    select();
    keep();
  }

  /** Keeps the filters and the order in the address, without a new entry in the browser's history. */
  function keep() {
    const address = gamesLink.write(filter, sorted, from);
    const isShown = !dom.byId("games").hidden && new URLSearchParams(location.hash.slice(1)).get("t") === "games";
    if (isShown && location.hash !== address) history.replaceState(null, "", address);
  }

  /**
   * Shows the list that the parameters `values` of an address describe. An address without parameters leaves the list
   * as it was. If the page does not contain some of the values, returns a sentence about them.
   */
  function follow(values) {
    const wanted = gamesLink.read(values, columns());
    if (!wanted) return keep();
    sorted = wanted.sorted;
    set(wanted.filter);
    select(wanted.from);
    const { unknown } = wanted;
    return unknown.length ? `This page contains no games with “${unknown.join("”, “")}”; that part of the link is ignored.` : undefined;
  }

  function turn(step) {
    from = Math.max(0, Math.min(list.length - 1, from + step * ROWS));
    render();
    keep();
    parts.count.scrollIntoView({ block: "center" });
  }

  function sortBy(column) {
    const numeric = columns().find(({ id }) => id === column).number;
    sorted = sorted.column === column ? { column, down: !sorted.down } : { column, down: Boolean(numeric) };
    change();
  }

  const field = (label, control) => h("label", {}, h("span", {}, label), control);

  /** A listener that sets the filter `key` to what `read` finds in the control. */
  const sets = (key, read) => ({ target }) => {
    filter[key] = read(target);
    change();
  };

  const choice = (key, options) =>
    h("select", { onchange: sets(key, ({ value }) => value) }, options.map(([value, text]) => h("option", { value }, text)));

  const tick = (key, label) =>
    h(
      "label",
      { class: "tick" },
      h("input", { type: "checkbox", onchange: sets(key, ({ checked }) => checked) }),
      label,
    );

  const text = (key) =>
    h("input", {
      type: "search",
      list: "names",
      autocomplete: "off",
      oninput: sets(key, ({ value }) => value.trim()),
    });

  /** Makes the filters and the empty table, once. */
  function build() {
    const controls = {
      player: text("player"),
      against: text("against"),
      result: choice("result", [
        ["", "any"],
        [0, "black won"],
        [1, "white won"],
        [2, "draw"],
        [3, "both lost"],
        [4, "void"],
      ]),
      term: choice("term", [["", "any"], ...(page.data.terms ?? []).map((term, i) => [i, term])]),
      upset: tick("upset", "upset"),
      blunder: tick("blunder", "blunder"),
      out: tick("out", "with a drop-out"),
    };
    const clear = dom.button("Clear", "", () => {
      set({});
      change();
    });
    const heads = columns().map(({ id, title, number: numeric }) => {
      const wide = ["term", "plies", "upset"].includes(id) ? " wide" : "";
      return {
        id,
        th: h(
          "th",
          { role: "columnheader", scope: "col", class: `${numeric ? "num" : ""}${wide} ${{ mistakes: "marks", outs: "outs", upset: "upset" }[id] ?? ""}` },
          dom.button(title, "", () => sortBy(id)),
        ),
      };
    });
    const body = h("tbody", { role: "rowgroup", onclick: openRow });
    const count = h("p", { role: "status" });
    const pagers = [0, 1].map(() => ({
      before: dom.button("Previous 200", "", () => turn(-1)),
      after: dom.button("Next 200", "", () => turn(1)),
    }));
    const table = h(
      "table",
      { role: "table", class: isOfTwo() ? "list" : "list of-seats" },
      h("caption", { class: "sr" }, "Games, sortable by column header"),
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads.map(({ th }) => th))),
      body,
    );
    const opening = h("span", { class: "tick" });
    parts = { body, count, pagers, clear, heads, controls, opening, table };
    dom.byId("games").replaceChildren(
      h("h2", {}, "Games"),
      h(
        "datalist",
        { id: "names" },
        page.data.players.map(({ n }) => h("option", { value: n })),
      ),
      h(
        "form",
        { class: "filter", role: "search", "aria-label": "games", onsubmit: (event) => event.preventDefault() },
        field("Player", controls.player),
        field("Against", controls.against),
        isOfTwo() && field("Result", controls.result),
        isOfTwo() && field("Ended", controls.term),
        isOfTwo() && controls.upset,
        codes.judges() && controls.blunder,
        !isOfTwo() && controls.out,
        opening,
        clear,
      ),
      h("div", { class: "pager" }, count, pagers[0].before, pagers[0].after),
      h(
        "p",
        { class: "legend" },
        ...(codes.judges()
          ? [h("span", { class: "marks" }, "Mistakes by both sides in judged positions: a blunder changes who wins with best play, a small one only loses stones. ")]
          : []),
        isOfTwo() ? h("span", { class: "upset" }, "Upset: how much lower the winner is rated, in Elo.") : "Dropped out: the seats that dropped out, and why.",
      ),
      table,
      h("div", { class: "pager" }, pagers[1].before, pagers[1].after),
    );
  }

  function openRow(event) {
    if (event.target.closest("a")) return;
    const id = event.target.closest("tr")?.dataset.game;
    if (id && !String(getSelection())) tabs.go(page.link(id));
  }

  /** Sets all filters; those that `wanted` does not contain are cleared. */
  function set(wanted) {
    Object.assign(filter, NONE, wanted);
    for (const [key, control] of Object.entries(parts.controls)) {
      if (gamesLink.TICKS.includes(key)) control.firstChild.checked = filter[key];
      else control.value = filter[key];
    }
  }

  /** Shows the list again after the data has changed. */
  function refresh() {
    if (!dom.byId("games")) return;
    page.data.games.forEach((entry, i) => number.set(entry, i + 1));
    if (!parts) build();
    stale = true;
    clearTimeout(warming);
    warming = setTimeout(warm, 300, 0);
    if (!dom.byId("games").hidden) show();
  }

  /** Updates the list from the data, unless the list has the keyboard focus. */
  function show() {
    if (!stale || parts.body.contains(document.activeElement)) return;
    stale = false;
    select(from);
  }

  /** The game `step` places after `entry` in the filtered and sorted list. */
  function beside(entry, step) {
    show();
    const place = list.indexOf(entry);
    const all = place < 0 ? page.data.games : list;
    return all[(place < 0 ? all.indexOf(entry) : place) + step] ?? null;
  }

  function focusFilter() {
    parts.controls.player.focus();
    parts.controls.player.select();
  }

  const focusRow = (id) =>
    parts.body.querySelector(`[data-game="${CSS.escape(id)}"] a`)?.focus({ preventScroll: true });

  return { beside, focusFilter, focusRow, follow, refresh, show };
})();
