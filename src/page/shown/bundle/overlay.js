// overlay.js: a page with one board: an overlay for streaming software, or a page for frames on other sites.
//
// The address chooses the board: `?game=ID`, `?table=N`, or the game that is most worth watching.

const overlay = (() => {
  const { h, byId } = dom;
  const TICK = 100;
  const THEMES = ["light", "dark", "contrast"];

  const query = new URLSearchParams(location.search);
  let state = null;
  /** The last known board of the chosen game. */
  let kept = null;
  let lost = false;
  let parts = null;

  /** Follows the game `id`; once it has ended, its last board stays. A game that ended earlier is replayed. */
  const ofGame = (id) => ({ now, ended }) => {
    const game = now.find((one) => one.id === id) ?? ended.find((one) => one.id === id);
    if (game) kept = game;
    else if (kept) kept = { ...kept, ended: true, run: false, to: null };
    if (kept) return { game: kept };
    return page.game(id) ? { id } : { id: null, text: `Waiting for the game ${id}.` };
  };

  /** Follows the games of the table `number`, from 1. The last board stays until the next game begins. */
  const ofTable = (number) => ({ now, ended }) => {
    const game = [...now, ...ended].find(({ slot }) => slot === number - 1);
    if (game) kept = game;
    return kept ? { game: game ?? { ...kept, ended: true, run: false, to: null } } : { id: null, text: `Waiting for a game at table ${number}.` };
  };

  /** A function that chooses the board as the address says; `undefined` means the game that is most worth watching. */
  function chosen() {
    if (query.has("game")) return ofGame(query.get("game"));
    const table = Number(query.get("table"));
    return Number.isInteger(table) && table > 0 ? ofTable(table) : undefined;
  }

  const listeners = {
    now: () => state,
    state(news) {
      state = liveModel.begin(news, Date.now(), state);
      page.use(state.page);
      show();
    },
    frame(frame) {
      if (state && feed.apply(state, frame)) show();
    },
    end() {
      if (!state) return;
      state.over = true;
      state.now = [];
      show();
    },
    status(connected) {
      lost = !connected;
      notes();
    },
  };

  /** Writes the text below the board. */
  function notes() {
    const progress = state && !isOverlay() ? liveModel.progress(state.progress, state.over, state.delay_s) : "";
    const behind = state && isOverlay() ? liveModel.behind(state.delay_s) : "";
    const text = lost ? "no connection" : progress || behind;
    if (parts.notes.textContent !== text) parts.notes.textContent = text;
    parts.notes.classList.toggle("lost", lost);
  }

  const isOverlay = () => document.documentElement.dataset.kind === "overlay";

  function show() {
    const { title } = state.page;
    if (parts.title.textContent !== title) parts.title.textContent = document.title = title;
    parts.stage.show(state, Date.now());
    notes();
  }

  function start() {
    const theme = query.get("theme");
    if (THEMES.includes(theme)) document.documentElement.dataset.theme = theme;
    const title = h("h1", { class: isOverlay() ? "sr" : null });
    parts = { notes: h("p", { class: "notes", role: "status" }), stage: liveStage.create(chosen()), title };
    byId("stage").replaceChildren(title, parts.stage.node, parts.notes);
    feed.start(listeners);
    setInterval(() => {
      if (state && !lost) parts.stage.tick(Date.now());
    }, TICK);
  }

  return { start };
})();

overlay.start();
