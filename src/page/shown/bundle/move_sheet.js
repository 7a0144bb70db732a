// move_sheet.js: the moves of a game as a table of links.

const moveSheet = (() => {
  const { h } = dom;

  /** A row for a mode or a note that spans `columns` columns. */
  const note = (text, columns) => h("tr", { class: "mode" }, h("th", { scope: "rowgroup", colspan: columns }, text));

  /** A table of moves, whose `heads` are only for screen readers. */
  const table = (heads, rows, attributes) =>
    h(
      "table",
      attributes,
      h("thead", { class: "sr" }, h("tr", {}, heads.map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, rows),
    );

  /** The mode that begins with the ply with the index `i`, or nothing. */
  function newMode({ plies }, i) {
    const { mode } = plies[i];
    return i && mode === plies[i - 1].mode ? null : codes.modeName(mode ?? 0);
  }

  /** The link for the ply with the index `i`, to the address `href`; `show` shows the position after the ply. */
  function link({ plies }, i, href, show) {
    const { text, mark } = plies[i];
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
  }

  /** The moves of more than two seats: a row for each round, a column for each seat, and a row where a seat drops out. */
  function ofSeats(read, entry, href, show) {
    const sides = codes.seats();
    const rows = [];
    const tell = (text) => rows.push(note(text, sides.length + 1));
    const drop = (outs) => outs.forEach((seat) => tell(words.sentence(`${words.side[seat]} is out${words.reasonOut(entry, seat)}`)));
    let cells = null;
    read.plies.forEach((one, i) => {
      const mode = newMode(read, i);
      drop(one.outs ?? []);
      if (mode) tell(mode);
      const column = sides.indexOf(one.side);
      if (!cells || mode || one.outs?.length || cells.number !== one.number || cells[column].firstChild) {
        cells = sides.map(() => h("td"));
        cells.number = one.number;
        rows.push(h("tr", {}, h("th", { scope: "row", class: "num" }, `${one.number}.`), cells));
      }
      cells[column].append(link(read, i, href, show));
      cells[column].title = words.time(one.time);
    });
    drop(read.outs.at(-1).slice(read.outs.at(-2)?.length ?? 0));
    return table(["number", ...sides.map((side) => words.side[side])], rows, { class: "of-seats" });
  }

  /** The moves as on a score sheet: a row for black's ply and white's answer, with their times. */
  function ofTwo(read, href, show) {
    const rows = [];
    read.plies.forEach((one, i) => {
      const mode = newMode(read, i);
      if (mode) rows.push({ mode });
      if (one.number !== rows.at(-1)?.number) rows.push({ number: one.number, b: null, w: null });
      rows.at(-1)[one.side] = i;
    });
    const cells = (i) =>
      i === null
        ? [h("td"), h("td")]
        : [h("td", {}, link(read, i, href, show)), h("td", { class: "num" }, words.time(read.plies[i].time))];
    return table(
      ["number", "black", "time", "white", "time"],
      rows.map(({ number, mode, b, w }) =>
        mode ? note(mode, 5) : h("tr", {}, h("th", { scope: "row", class: "num" }, `${number}.`), cells(b), cells(w)),
      ),
    );
  }

  /** The moves of the game `read` of `entry`. */
  const of = (read, entry, href, show) => (codes.isOfTwo() ? ofTwo(read, href, show) : ofSeats(read, entry, href, show));

  return { of };
})();
