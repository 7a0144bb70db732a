// live_idle.js: what the page shows while there is no game to follow: the state of the run, the game of the moment, the
// latest games.

const liveIdle = (() => {
  const { h } = dom;
  const LATEST = 9;
  /** How long the latest games stay on the page, so that spectators can look at them. */
  const READING = 4_000;

  /** The text that is shown while the run has no game that people can follow. */
  function sentence({ ending, fast, next, page: { games } }) {
    if (ending) return ending.text;
    if (fast) return "Games end too fast to follow.";
    if (games.length) return "No game is being played at the moment.";
    return `No game has begun yet.${next?.length ? ` Waiting for ${liveModel.seated(next[0]).map(page.name).join(" v ")}.` : ""}`;
  }

  /** A finished game as a link with its final board. */
  function past(id) {
    const entry = page.game(id);
    const picture = board.create("", true);
    const names = page.seated(entry).map(page.name).join(" v ");
    picture.node.setAttribute("aria-hidden", "true");
    const link = h("a", { href: page.link(id) }, picture.node, h("span", { class: "who", title: names }, names),
      h("span", { class: "quiet" }, liveBoards.outcome(entry)));
    const node = h("li", { class: "past" }, link);
    liveGames.complete(entry).then(
      () => {
        const plies = codes.plies(entry[6]);
        picture.show(codes.boards(plies).at(-1), plies.at(-1), null, plies.at(-1)?.mode);
        link.setAttribute("href", page.link(id, plies.length));
      },
      () => picture.node.remove(),
    );
    return node;
  }

  function create() {
    const told = h("p", { class: "told" });
    const stage = liveStage.create();
    const open = h("p", {});
    const moment = h("section", { class: "moment", "aria-label": "Game of the moment" }, h("h3", {}, "Game of the moment"), stage.node, open);
    const list = h("ul", {});
    const latest = h("section", { class: "latest", "aria-label": "Latest games" }, h("h3", {}, "Latest games"), list);
    const node = h("div", { class: "idle", hidden: true }, told, moment, latest);
    let listed = new Map();
    let since = -Infinity;
    let prepared = null;

    /** Fetches the game of the moment while the server is running: the server may exit at the end of the run. */
    function prepare({ moment: id }) {
      const entry = id !== prepared && page.game(id);
      if (!entry) return;
      prepared = id;
      liveGames.complete(entry).catch(() => {});
    }

    /** Shows this part of the page if `isIdle`. */
    function show(state, isIdle, at) {
      prepare(state);
      node.hidden = !isIdle;
      if (!isIdle) return;
      told.textContent = sentence(state);
      stage.show(state, at);
      tick(state, at);
    }

    /** Shows the latest games once spectators have had time to look at the previous ones. */
    function wall(state, at) {
      const ids = liveGames.latest(state, LATEST);
      moment.hidden = latest.hidden = !ids.length;
      if (at - since < READING || [...listed.keys()].join() === ids.join()) return;
      since = at;
      listed = new Map(ids.map((id) => [id, listed.get(id) ?? past(id)]));
      list.replaceChildren(...listed.values());
    }

    function tick(state, at) {
      if (node.hidden) return;
      wall(state, at);
      stage.tick(at);
      const id = stage.shown();
      moment.hidden = id === null;
      if (open.dataset.game === (id ?? "")) return;
      open.dataset.game = id ?? "";
      open.replaceChildren(id ? h("a", { href: page.link(id) }, "Step through this game") : "");
    }

    return { node, show, tick };
  }

  return { create };
})();
