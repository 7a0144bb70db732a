// live_boards.js: the boards of games in progress, with their clocks, and of games that have ended, with their results.

const liveBoards = (() => {
  const { h } = dom;
  const CHOOSE_EVERY = 5_000;
  const LISTED = 200;
  /** The maximum number of boards for each size, the largest size first. */
  const SIZES = [1, 2, 3, 4, 6];

  const pins = new Set();
  let cards = [];
  let chosen = -Infinity;
  let order = "rating";
  let peak = { now: 0, before: 0 };

  /** A player's line above or below a board. */
  function seat(side) {
    const { clock, fate, name, node: line, said, supply } = liveSeats.line(side);
    function show(game, at) {
      const text = page.name(liveModel.seated(game)[side]);
      if (name.textContent !== text) name.textContent = name.title = text;
      line.classList.toggle("turn", liveModel.isOnMove(game, side));
      liveSeats.show({ fate, line, said, supply }, game, side);
      tick(game, at);
    }
    function tick(game, at) {
      const { text, short } = liveModel.clock(game, side, at);
      if (clock.textContent !== text) clock.textContent = text;
      clock.classList.toggle("short", short);
      // On a small board, the clock of a control with several parts needs its own line.
      line.classList.toggle("parts", text.includes(" "));
    }
    return { line, show, tick };
  }

  /** The result of a game that has ended, with the names of its players: `Pia won by 12`, `Pia won (crash)`. */
  function outcome(entry) {
    const [, , , result, , term] = entry;
    if (codes.seats().length > 2) return entry[3] ? liveSeats.winners(entry) : words.result(entry);
    const text = words.result(entry).replace(/^(black|white)/, (side) => page.name(entry[side === "black" ? 0 : 1]));
    return result > 2 || page.data.terms[term] === "normal" ? text : `${text} (${page.data.terms[term]})`;
  }

  /** A place in the grid, which shows one game after another. */
  function card(onpin) {
    const picture = board.create("", true);
    const seats = codes.seats().map((_, side) => seat(side));
    const [above, below] = liveSeats.around(seats.map(({ line }) => line));
    const ply = h("span", {});
    const opening = h("p", { class: "opening", hidden: true });
    const result = h("span", {});
    const across = h("p", { class: "outcome", hidden: true }, result);
    const pin = dom.button("Pin", "", () => onpin(self.game), { class: "pin", "aria-pressed": "false" });
    const node = h("li", { class: "card" }, above, h("div", { class: "middle" }, picture.node, across), below, h("p", { class: "ply" }, ply, pin), opening);
    const self = { game: null, node, slot: null, show, tick };
    function show(game, at) {
      const last = liveModel.change(game, self.game);
      self.game = game;
      picture.show(liveModel.fromBelow(game.board), last.length ? { parts: last } : null, null, game.at?.[1]);
      seats.forEach((seat) => seat.show(game, at));
      const names = liveModel.seated(game).map((player, side) => `${page.name(player)} (${words.side[codes.seats()[side]]})`).join(" v ");
      picture.name(`${names}, ply ${game.ply}, ${spelled(game.board, game.at?.[1])}`);
      const entry = game.ended && page.game(game.id);
      across.hidden = !entry;
      result.textContent = entry ? outcome(entry) : "";
      node.classList.toggle("ended", Boolean(game.ended));
      ply.textContent = liveModel.lastPly(game);
      opening.hidden = !game.opening;
      opening.textContent = opening.title = game.opening ? `opening ${game.opening}` : "";
      pin.setAttribute("aria-pressed", pins.has(game.id));
      pin.setAttribute("aria-label", `Pin ${names}`);
      node.classList.toggle("pinned", pins.has(game.id));
    }
    function tick(at) {
      if (self.game?.run) seats.forEach((seat) => seat.tick(self.game, at));
    }
    return self;
  }

  const spelled = (letters, mode) => `${codes.seats().map((seat) => `${words.side[seat]} ${codes.stones(letters, seat, mode)}`).join(", ")} stones`;

  const restLine = (game, onpin) =>
    h("li", {}, dom.button("Pin", "", () => onpin(game), { class: "pin", "aria-label": `Pin ${game.id}` }),
      ` ${liveModel.seated(game).map(page.name).join(" v ")}, ply ${game.ply}`);

  /** The part of the page with the boards. `changed` is called when the user selects other boards. */
  function create(changed) {
    const grid = h("ul", { class: "boards", "aria-label": "Boards" });
    const pages = pager.create(grid);
    const rest = h("ul", { class: "rest" });
    const count = h("summary", {});
    const more = h("details", { hidden: true }, count, rest);
    const choice = h("select", { id: "order", onchange: () => {
      order = choice.value;
      chosen = -Infinity;
      changed();
    } }, h("option", { value: "rating" }, "the best players"), h("option", { value: "leads" }, "the most lead changes"));
    const choose = h("p", { class: "choose", hidden: true }, h("label", { for: "order" }, "Show first "), choice);
    const node = h("div", { class: "playing" }, choose, pages.node, grid, more);

    function toggle(game) {
      if (!pins.delete(game.id)) pins.add(game.id);
      changed();
    }

    /** Shows the boards of `scene`. */
    function show(scene, players, at) {
      const anew = at - chosen >= CHOOSE_EVERY;
      if (anew) chosen = at;
      size(scene.length, anew);
      const ids = new Set(scene.map(({ id }) => id));
      for (const id of pins) if (!ids.has(id)) pins.delete(id);
      const ranking = liveModel.ranked(scene, players, order, pins);
      const before = cards.map(({ game }) => game);
      const games = liveModel.placed(ranking, before, pins, anew);
      while (cards.length < games.length) {
        cards.push(card(toggle));
        grid.append(cards.at(-1).node);
      }
      for (const extra of cards.splice(games.length)) extra.node.remove();
      cards.forEach((place, i) => place.show(games[i], at));
      pages.show(cards.length);
      list(ranking.filter((game) => !game.ended && !games.includes(game)));
      choose.hidden = ranking.length <= games.length;
      node.classList.toggle("choosy", !choose.hidden || pins.size > 0);
    }

    /** Sets the size of the boards: the fewer boards there were in the last seconds, the larger they are. */
    function size(count, anew) {
      peak = anew ? { now: count, before: peak.now } : { ...peak, now: Math.max(peak.now, count) };
      const most = Math.max(peak.now, peak.before);
      const next = String(SIZES.find((boards) => most <= boards) ?? "");
      if (grid.dataset.boards !== next) grid.dataset.boards = next;
    }

    function list(games) {
      more.hidden = games.length === 0;
      count.textContent = `${games.length} more`;
      if (more.open) rest.replaceChildren(...games.slice(0, LISTED).map((game) => restLine(game, toggle)));
    }
    more.addEventListener("toggle", () => more.open && changed());

    return { node, show, tick: (at) => cards.forEach((place) => place.tick(at)), turn: pages.turn };
  }

  return { create, outcome, spelled };
})();
