// live_idle.js: what the page shows while no game is being played: how things stand, the game of the moment, the latest games.

const liveIdle = (() => {
  const { h } = dom;
  const PATIENCE = 3_000;
  const LATEST = 9;

  /** What there is to say of a run in which nothing is being played. */
  function sentence({ over, page: { players, games } }) {
    if (!over) return games.length ? "No game is being played at the moment." : "No game has begun yet. Boards appear here as soon as one does.";
    const best = players.filter(({ rank, elo }) => rank === 1 && elo !== null);
    if (!best.length) return "The run is over.";
    const [{ elo, pts }] = best;
    const names = best.map(({ n }) => n).join(" and ");
    const first = best.length > 1 ? `${names} share the first place` : `${names} is first`;
    return `The run is over: ${first}, with ${words.signed(elo)} Elo${best.length > 1 ? "" : ` and ${words.count(pts, "point")}`}.`;
  }

  /** A finished game as a link with its last board. */
  function past(id) {
    const entry = page.game(id);
    const picture = board.create("", true);
    const names = `${page.name(entry[0])} v ${page.name(entry[1])}`;
    picture.node.setAttribute("aria-hidden", "true");
    const link = h("a", { href: `#g=${encodeURIComponent(id)}&p=0` }, picture.node, h("span", { class: "who", title: names }, names),
      h("span", { class: "quiet" }, words.result(entry)));
    const node = h("li", { class: "past" }, link);
    liveGames.complete(entry).then(
      () => {
        const plies = codes.plies(entry[6]);
        picture.show(codes.boards(plies).at(-1), plies.at(-1), null, plies.at(-1)?.mode);
        link.setAttribute("href", `#g=${encodeURIComponent(id)}&p=${plies.length}`);
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
    let since = null;
    let listed = "";
    let prepared = null;

    /** Fetches the game of the moment while the server is there: a run may end together with its server. */
    function prepare({ moment: id }) {
      const entry = id !== prepared && page.game(id);
      if (!entry) return;
      prepared = id;
      liveGames.complete(entry).catch(() => {});
    }

    /** Shows itself once nothing has been played for a while, so that the page does not flicker between two games. */
    function show(state, at) {
      if (state.now.length) since = null;
      else since ??= at;
      prepare(state);
      const isIdle = since !== null && (state.over || !state.page.games.length || at - since >= PATIENCE);
      node.hidden = !isIdle;
      if (!isIdle) return;
      told.textContent = sentence(state);
      stage.show(state, at);
      const ids = liveGames.latest(state, LATEST);
      moment.hidden = latest.hidden = !ids.length;
      if (listed === ids.join()) return;
      listed = ids.join();
      list.replaceChildren(...ids.map(past));
    }

    function tick(state, at) {
      const wasHidden = node.hidden;
      if (wasHidden && since !== null && at - since >= PATIENCE) show(state, at);
      if (node.hidden) return;
      stage.tick(at);
      const id = stage.shown();
      moment.hidden = id === null;
      if (open.dataset.game === (id ?? "")) return;
      open.dataset.game = id ?? "";
      open.replaceChildren(id ? h("a", { href: `#g=${encodeURIComponent(id)}&p=0` }, "Step through this game") : "");
    }

    return { node, show, tick };
  }

  return { create };
})();
