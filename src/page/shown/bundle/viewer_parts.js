// viewer_parts.js: makes the parts of the viewer: seats, board, value bar, buttons, graph and moves.

const viewerParts = (() => {
  const { button, h, icon, s } = dom;

  const mute = (text) => h("span", { "aria-hidden": "true" }, text);
  const unseen = (text) => h("span", { class: "sr" }, text);

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

  /** A bar next to the board. Black's part of it shows the value, and is empty while the value is unknown. */
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

  const group = (label, ...buttons) => h("div", { class: "steps", role: "group", "aria-label": label }, ...buttons);

  /** The buttons that step through the game, and the button among them that plays it. */
  function stepButtons({ back, first, last, on, toggle }) {
    const play = h("button", { type: "button", class: "iconic", onclick: toggle });
    const iconic = (name, title, onclick) =>
      h("button", { type: "button", class: "iconic", "aria-label": title, title, onclick }, icon(name));
    const steps = group(
      "plies",
      iconic("first", "First position (Home)", first),
      iconic("back", "Previous ply (k)", back),
      play,
      iconic("on", "Next ply (j)", on),
      iconic("last", "Last position (End)", last),
    );
    return { play, steps };
  }

  function mistakeButtons({ betterLine, decisive, nextMistake, previousMistake }) {
    const node = group(
      "mistakes",
      button([mute("◂ "), unseen("Previous "), "Mistake"], "p", previousMistake),
      button([unseen("Next "), "Mistake", mute(" ▸")], "n", nextMistake),
      button("Decisive move", "d", decisive),
      button("Better line", "b", betterLine),
    );
    node.classList.add("worth");
    return node;
  }

  /** The heading of the game, and the buttons that lead away from this position. */
  function top({ copy, copyCommand, leave, other }, head) {
    const command = h("button", { type: "button", class: "onward", title: "Copy the command to play on from here", onclick: copyCommand }, "Play on");
    return h(
      "div",
      { class: "gametop" },
      h("div", { class: "gamehead" }, head),
      h(
        "div",
        { class: "steps gamenav" },
        button("Previous game", "[", () => other(-1)),
        button("Next game", "]", () => other(1)),
        button("Copy link", "c", copy),
        page.data.logs && codes.isOfTwo() ? command : [],
        button("All games", "Esc", leave),
      ),
    );
  }

  /** The graph, its legend, and its data as a table. */
  function graphParts({ toggleTable }) {
    const plot = h("div", { class: "plot" });
    const legend = h("p", { class: "legend" });
    const table = h("div", { class: "scroll", id: "values", hidden: true, tabindex: 0, role: "region" });
    const tableButton = h(
      "button",
      { type: "button", "aria-expanded": "false", "aria-controls": "values", onclick: toggleTable },
      "Show as a table",
    );
    return { legend, plot, table, tableButton };
  }

  /** Makes the viewer for the games of the page. Its buttons call `actions`. */
  function build(actions, variation) {
    const big = board.create("board");
    const isLarge = !codes.judges();
    const sides = codes.seats();
    const seats = Object.fromEntries(sides.map((side) => [side, playerLine(side)]));
    // White sits above the board and black below it. The players at a large board are next to it.
    const lines = sides.map((side) => seats[side].line);
    const around = (line) => (isLarge ? [] : line);
    const bar = valueBar();
    const title = h("h2", { tabindex: -1 });
    const fault = h("div", { class: "fault", hidden: true });
    const [facts, value, what, rest, mistake] = ["facts", "value", "what", "what", "mistake"].map((name) => h("p", { class: name }));
    const spoken = h("p", { class: "sr", "aria-live": "polite" });
    const { play, steps } = stepButtons(actions);
    const { legend, plot, table, tableButton } = graphParts(actions);
    const moves = dom.scrolls(h("div", { class: "moves fades" }));
    const told = [what, rest];
    const node = h(
      "div",
      { class: isLarge ? "game large" : "game" },
      top(actions, [title, facts, fault]),
      h(
        "div",
        { class: "table" },
        around(lines[1]),
        h("div", { class: "withbar" }, bar.node, big.node),
        around(lines[0]),
        isLarge ? told : [],
        steps,
        mistakeButtons(actions),
      ),
      h(
        "div",
        { class: "judged" },
        isLarge ? h("div", { class: "seats" }, lines) : [],
        value,
        isLarge ? [] : told,
        mistake,
        plot,
        legend,
        tableButton,
        table,
      ),
      h(
        "div",
        { class: "sheet" },
        h("h3", {}, "Moves"),
        moves,
        variation,
        h("div", { class: "steps saving", role: "group", "aria-label": "save" }, saving.buttons(actions.shown)),
      ),
      spoken,
    );
    return { bar, big, facts, fault, legend, mistake, moves, node, play, plot, rest, seats, spoken, table, tableButton, title, value, what };
  }

  return { build, valueBar };
})();
