// live.js: a run in progress: follows the server's events and shows them.

(() => {
  const { h, byId } = dom;
  const TICK = 100;
  const LINES = 200;
  const LEADERS = 10;
  const kinds = { forfeit: "forfeit", out: "out", void: "void" };

  let state = null;
  let paused = false;
  let started = false;
  let lines = 0;
  let parts = null;
  let stale = true;
  let lost = null;
  let drawn = "";

  /** The ids of the games in `scene`, by which scenes are compared. */
  const keyOf = (scene) => scene.map(({ id }) => id).join();

  const listeners = {
    now: () => state,
    state(news) {
      state = liveModel.begin(news, Date.now(), state);
      state.lost = lost !== null;
      page.use(state.page);
      page.ask = state.answers ? liveValues.ask : null;
      lines = 0;
      parts.log.replaceChildren();
      if (!started) {
        started = true;
        tabs.start();
      } else tabs.chooser();
      stale = true;
      show();
    },
    frame(frame) {
      if (!state) return;
      const news = feed.apply(state, frame);
      if (!news) return;
      if (news.hasNewPlayers) tabs.chooser();
      if (!frame.done.length && (frame.standings || frame.judged)) page.changed();
      stale ||= frame.done.length > 0 || Boolean(frame.standings ?? frame.ending);
      show();
    },
    end() {
      if (state) {
        state.over = true;
        state.now = [];
      }
      status(true);
      show();
    },
    status,
  };

  /** Shows since when the server has been silent, if it is silent. The clocks stop until it answers. */
  function status(connected) {
    if (connected) lost = null;
    else lost ??= Date.now();
    if (state) state.lost = lost !== null;
    const since = lost && new Date(lost).toLocaleTimeString("en-GB");
    parts.status.textContent = lost
      ? state
        ? `The connection is lost. The page shows the state at ${since}, and keeps trying to reach the server …`
        : "The server does not answer. Trying again …"
      : "";
    parts.status.hidden = !lost;
  }

  function title() {
    const { done, total, most } = state.progress;
    document.title = `${total === null || most ? done : `${done}/${total}`} ${state.page.title}`;
  }

  /** Shows the state, unless the page is hidden or the view is paused. */
  function show() {
    if (!state) return;
    title();
    if (document.hidden || paused) return;
    const at = Date.now();
    const { done, total, most } = state.progress;
    parts.count.textContent = liveModel.progress(state.progress, state.over, state.delay_s);
    parts.bar.hidden = total === null || most;
    if (total !== null) {
      parts.bar.max = Math.max(1, total);
      parts.bar.value = done;
    }
    const scene = liveModel.scene(state, at);
    drawn = keyOf(scene);
    parts.boards.show(scene, state.page.players, at);
    parts.idle.show(state, !scene.length, at);
    next();
    log();
    heading();
    if (stale) tables(at);
    liveParts.show(state.page.games.length);
    projector.show(state, at);
  }

  function tables(at) {
    stale = false;
    liveTables.note(state.page.players, at);
    liveTables.standings(state.page, state.ending);
    liveTables.crosstable(state.page);
    parts.waiting.hidden = state.over || !liveTables.isWaiting(state.page.players);
    parts.leaders.replaceChildren(...liveTables.leaders(state.page.players, LEADERS));
    parts.best.textContent = state.ending?.complete ? "Final standings" : "Standings";
    liveParts.figures(state.figures);
  }

  /** Writes the text about the run in the heading. */
  function heading() {
    const { players, games, date } = state.page;
    document.body.classList.toggle("unplayed", !games.length);
    byId("summary").textContent = [words.count(players.length, "player"), words.count(games.length, "game"), date, liveModel.behind(state.delay_s).replaceAll(" ", "\u00a0")].filter(Boolean).join(" · ");
  }

  /** Lists the next games that are known. */
  function next() {
    const games = (state.over ? null : state.next) ?? [];
    parts.next.hidden = !games.length;
    parts.coming.replaceChildren(...games.map((game) => h("li", {}, h("span", { class: "quiet" }, `round ${game.round}`), " ", liveModel.seated(game).map(page.name).join(" v "))));
  }

  /** Adds the new lines, the latest on top. */
  function log() {
    const news = state.log.filter(({ n }) => n > lines);
    if (!news.length) return;
    lines = news.at(-1).n;
    parts.log.prepend(...news.reverse().map(line));
    while (parts.log.children.length > LINES) parts.log.lastChild.remove();
  }

  function line({ kind, text, game: id }) {
    const told = id && page.game(id) ? h("a", { href: page.link(id) }, text) : text;
    return h("li", { "data-tone": kind }, kinds[kind] ? h("b", {}, `${kinds[kind]}: `) : null, told);
  }

  function pause() {
    paused = !paused;
    parts.pause.setAttribute("aria-pressed", paused);
    parts.paused.hidden = !paused;
    stale = true;
    show();
  }

  function build() {
    const boards = liveBoards.create(show);
    const pauseButton = dom.button("Pause the view", "v", pause, { "aria-pressed": "false" });
    const bar = h("progress", { "aria-label": "games that have ended" });
    const count = h("p", { class: "count" }, "Waiting for the server …");
    const paused = h("p", { class: "paused", hidden: true }, "The view is paused; the run continues.");
    const status = h("p", { id: "lost", role: "status", hidden: true });
    const log = h("ol", { class: "log" });
    const leaders = h("ol", { class: "leaders" });
    const best = h("h3", {}, "Standings");
    const waiting = h("p", { class: "quiet", hidden: true }, liveTables.WAITING);
    const idle = liveIdle.create();
    const coming = h("ol", { class: "coming" });
    const next = h("section", { class: "next", "aria-label": "Next games", hidden: true }, h("h3", {}, "Next"), coming);
    byId("say").before(status);
    byId("live").replaceChildren(h("h2", {}, "Live"),
      h("div", { class: "progress" }, bar, count, pauseButton, dom.button("Projector", "P", projector.toggle)), paused,
      h("div", { class: "columns" }, h("div", {}, boards.node, idle.node),
        h("div", { class: "aside" }, byId("test"), h("section", { class: "best", "aria-label": "The best players" }, best, waiting, leaders), next,
          h("section", { class: "events", "aria-label": "Events" }, h("h3", {}, "Events"),
            liveTables.region("Latest events", log)))));
    parts = { bar, best, boards, coming, count, idle, next, leaders, log, pause: pauseButton, paused, status, waiting };
  }

  page.follow = () => {
    page.load = liveGames.load;
    page.opponents = liveTables.opponents;
    build();
    liveParts.start();
    projector.start();
    keys.add(["v"], "pause the live view", pause);
    keys.add(["P"], "projector", projector.toggle);
    keys.add(["ArrowRight", "ArrowLeft"], "next, previous board on a phone", (key) => parts.boards.turn(key === "ArrowRight" ? 1 : -1), () => byId("live").hidden === false && pager.isOn(), pager.isNarrow);
    document.addEventListener("visibilitychange", show);
    setInterval(() => {
      if (document.hidden || paused || !state) return;
      const at = Date.now();
      if (lost === null) {
        if (keyOf(liveModel.scene(state, at)) !== drawn) show();
        parts.boards.tick(at);
      }
      if (byId("live").hidden === false) parts.idle.tick(state, at);
      projector.tick(at);
    }, TICK);
    feed.start(listeners);
  };
})();
