// variation.js: a variation from the game that the viewer shows: the better line after a mistake, or moves that the
// reader tries out; with exact values where they are known.

const variation = (() => {
  const { h, button } = dom;
  const UNKNOWN = { margin: null, winner: null };
  /** How long a search may take before the page can react to a key again, in milliseconds. */
  const SLICE = 12;

  /**
   * Variations of the games that the viewer shows. `listeners.show(at)` shows a position of the variation,
   * `follow(ply)` shows a position of the game, and `leave` shows the game as it was; `chosen` is called with the
   * fields of a turn that needs more fields, and `valued` when the value of the position that is shown becomes known.
   */
  function create(listeners) {
    const title = h("h3", {});
    const list = h("ol", { class: "tried" });
    const hint = h("p", { class: "hint", role: "status" });
    const pass = button("Pass", "", () => make("pass"));
    const node = h(
      "section",
      { class: "variation", hidden: true, "aria-label": "variation" },
      title,
      list,
      hint,
      h("div", { class: "steps" }, pass, button("Back to the game", "Esc", listeners.leave)),
    );
    let game = null;
    let tries = null;
    let branch = null;
    let chosen = [];
    let searching = 0;
    const found = new Map();

    /** Uses the game `read` from now on, by the rules of the page. */
    function use(read) {
      game = read;
      tries = alternatives.of(read, page.data.ruleset);
      close();
    }

    function close() {
      branch = null;
      chosen = [];
      searching += 1;
      node.hidden = true;
    }

    const stateAt = (at) => (at ? branch.plies[at - 1].after : branch.start);
    const numberOf = (i) => Math.floor((branch.from + i) / 2) + 1;

    /** Begins a variation after `from` plies of the game, with the plies `texts`. */
    function begin(from, texts) {
      close();
      const start = tries.state(from);
      branch = { from, start, at: 0, plies: tries.play(start, texts) };
    }

    /** The ply with the number `at` of the variation, in the form of the plies of a game. */
    function ply(at) {
      const one = branch.plies[at - 1];
      return one ? { ...one, number: numberOf(at - 1), mode: undefined } : null;
    }

    /** The value after `at` plies, or `null` while it is not known. */
    function valueAt(at) {
      const state = stateAt(at);
      return tries.stored(state) ?? found.get(state) ?? null;
    }

    /** Goes to the position after `at` plies, and returns what the viewer shows there. */
    function frame(at) {
      branch.at = at;
      chosen = [];
      draw();
      search();
      return { position: stateAt(at).letters, one: ply(at), value: valueAt(at) ?? UNKNOWN, at, count: branch.plies.length, from: branch.from };
    }

    const told = (at) => {
      const value = valueAt(at);
      return value === null ? "…" : value.winner ? words.value(value) : "?";
    };

    function draw() {
      node.hidden = false;
      title.textContent = `Variation from ply ${branch.from}`;
      list.replaceChildren(
        ...branch.plies.map((_, i) => {
          const current = i + 1 === branch.at;
          const move = h("button", { type: "button", "aria-current": current ? "true" : null, onclick: () => listeners.show(i + 1) }, words.numbered(ply(i + 1)));
          // A value that stays the same is shown once, and again at the end.
          const isNews = i === branch.plies.length - 1 || i === 0 || told(i + 1) !== told(i);
          return h("li", {}, move, h("span", { class: "quiet" }, isNews ? told(i + 1) : ""));
        }),
      );
      const legal = tries.moves(stateAt(branch.at));
      pass.hidden = !legal.some(({ text }) => text === "pass");
      hint.textContent = legal.length ? "" : "The game is over here.";
    }

    /** Finds the values of the variation, one after the other, in slices of a few milliseconds. */
    function search() {
      searching += 1;
      const ticket = searching;
      const isOpen = (at) => at > 0 && valueAt(at) === null;
      const next = isOpen(branch.at) ? branch.at : branch.plies.findIndex((_, i) => isOpen(i + 1)) + 1;
      if (!next) return;
      const state = stateAt(next);
      const steps = page.data.ruleset === "gothello" ? endgame.margin(state, page.data.early) : [][Symbol.iterator]();
      const slice = () => {
        if (ticket !== searching) return;
        const end = performance.now() + SLICE;
        let step = steps.next();
        while (!step.done && performance.now() < end) step = steps.next();
        if (!step.done) return setTimeout(slice);
        const margin = step.value ?? null;
        if (margin === null && page.ask) ask(ticket, next);
        else settle(next, margin === null ? UNKNOWN : { margin, winner: margin > 0 ? "b" : margin < 0 ? "w" : "draw" });
      };
      setTimeout(slice);
    }

    /** Asks the arena for the value after `at` plies. Ignores the answer if the reader has gone elsewhere by then. */
    async function ask(ticket, at) {
      const texts = [...game.plies.slice(0, branch.from), ...branch.plies.slice(0, at)].map(({ text }) => text);
      const value = await page.ask(texts);
      if (ticket === searching) settle(at, value);
    }

    /** Shows `value` as the value of the position after `at` plies, and finds the next value. */
    function settle(at, value) {
      found.set(stateAt(at), value);
      draw();
      if (at === branch.at) listeners.valued(valueAt(at));
      search();
    }

    /** Makes the legal turn `text`, in the variation or after `from` plies of the game. */
    function make(text, from) {
      if (!branch && game.plies[from]?.text === text) return listeners.follow(from + 1);
      if (!branch) begin(from, []);
      if (branch.plies[branch.at]?.text !== text) {
        const kept = branch.plies.slice(0, branch.at).map((one) => one.text);
        branch.plies = tries.play(branch.start, [...kept, text]);
      }
      return listeners.show(branch.at + 1);
    }

    const begins = (fields) => (move) => move.orders.some((order) => fields.every((field, i) => field === order[i]));

    /** Handles the reader's choice of `field` in the variation, or in the position after `from` plies of the game. */
    function take(field, from) {
      if (!tries) return;
      const legal = tries.moves(branch ? stateAt(branch.at) : tries.state(from));
      // Choosing the last field again ends a turn that could go on.
      const isEnd = chosen.length > 1 && field === chosen.at(-1);
      const goesOn = legal.some(begins([...chosen, field]));
      const fields = isEnd ? chosen : goesOn ? [...chosen, field] : [field];
      const open = legal.filter(begins(fields));
      const whole = open.find(({ orders }) => orders[0].length === fields.length);
      chosen = whole && (open.length === 1 || isEnd) ? [] : open.length ? fields : [];
      if (!open.length) dom.toast(`No move with ${codes.pointName(field)} is legal here.`);
      else if (!chosen.length) make(whole.text, from);
      else dom.toast(whole ? "Choose the same point again to stay there, or the first one to go back." : "Choose the next point.");
      listeners.chosen(chosen);
    }

    return { begin, close, frame, isOpen: () => branch !== null, length: () => branch.plies.length, at: () => branch.at, from: () => branch.from, line: (ply) => (tries ? tries.line(ply) : []), node, take, use };
  }

  return { create };
})();
