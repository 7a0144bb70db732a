// projector.js: one big board for a whole room: a game that people can follow, or the game of the moment, ply by ply.

const projector = (() => {
  const { h, s, byId } = dom;
  const PLY = 700;
  const AFTER_END = 6_000;
  const TICKER = 4_000;
  const TOP = 10;
  const sides = ["black", "white"];

  let parts = null;
  let state = null;
  let replay = null;
  let wanted = null;
  let line = { n: 0, since: 0 };

  const isOn = () => location.hash === "#projector";

  const toggle = () => tabs.go(isOn() ? "#t=live" : "#projector");

  /** Shows the projector, or the page, as the address says. */
  function route() {
    document.documentElement.classList.toggle("projecting", isOn());
    parts.node.hidden = !isOn();
    if (isOn() && state) show(state, Date.now());
  }

  function seat(side) {
    const name = h("span", { class: "who" });
    const clock = h("span", { class: "clock" });
    const node = h("p", { class: `seat ${sides[side]}` }, h("span", { class: `stone ${sides[side]}`, "aria-hidden": "true" }, "bw"[side]), name, clock);
    return { clock, name, node };
  }

  function build() {
    const seats = [seat(0), seat(1)];
    const picture = board.create("", true);
    const caption = h("p", { class: "caption" });
    const worth = h("meter", { min: -25, max: 25, low: -1, high: 1, "aria-label": "value for black", hidden: true });
    const heading = h("h2", {});
    const count = h("p", { class: "count" });
    const top = h("ol", { class: "top", "aria-label": `The best ${TOP}` });
    const code = h("div", { class: "code", hidden: true });
    const ticker = h("p", { class: "ticker" });
    const leave = h("button", { type: "button", class: "leave", onclick: toggle }, "Leave");
    const node = h("div", { id: "projector", role: "region", "aria-label": "Projector", hidden: true },
      h("div", { class: "title" }, heading, count, leave),
      h("div", { class: "stage" }, seats[1].node, picture.node, seats[0].node, h("p", { class: "story" }, caption, worth)),
      h("div", { class: "side" }, top, code), ticker);
    parts = { caption, code, count, heading, node, picture, seats, ticker, top, worth };
    return node;
  }

  /** The best game that people can follow, or `null`. */
  function followed({ now, page: { players }, moment }) {
    const [first] = liveModel.ranked(now.filter(({ calm }) => calm || moment === null), players, "rating", new Set());
    return first ?? null;
  }

  function show(news, at) {
    state = news;
    if (!isOn()) return;
    const { page: { title, players } } = state;
    parts.heading.textContent = title;
    parts.count.textContent = liveModel.progress(state.progress, state.over);
    const best = liveTables.byRank(players).slice(0, TOP);
    parts.top.replaceChildren(...best.map((player) => h("li", {},
      h("span", { class: "rank" }, String(player.rank)), h("span", { class: "who" }, player.n),
      h("span", { class: "trend" }, liveTables.trend(player.index)),
      h("span", { class: "elo" }, player.elo === null ? "–" : words.signed(player.elo)))));
    code();
    const game = followed(state);
    if (game) follow(game, at);
    else if (state.moment !== wanted) fetchMoment(state.moment);
    tick(at);
  }

  function names(black, white) {
    [black, white].forEach((player, side) => {
      const text = page.name(player);
      if (parts.seats[side].name.textContent !== text) parts.seats[side].name.textContent = text;
    });
  }

  /** Shows a game that is being played. */
  function follow(game, at) {
    replay = { game };
    wanted = null;
    names(game.black, game.white);
    const last = liveModel.partsOf(game.last);
    draw(liveModel.fromBelow(game.board), last.length ? { parts: last } : null);
    parts.caption.textContent = game.last ? `${game.ply}. ${game.last}` : "begins";
    parts.worth.hidden = true;
    clocks(game, at);
  }

  function clocks(game, at) {
    parts.seats.forEach(({ clock, node }, side) => {
      const text = liveModel.clock(liveModel.left(game, side, at));
      if (clock.textContent !== text) clock.textContent = text;
      node.classList.toggle("turn", game.to === "bw"[side]);
    });
  }

  function draw(position, ply) {
    parts.picture.show(position, ply);
    const count = (letter) => position.split(letter).length - 1;
    parts.picture.grid.setAttribute("aria-label", `black ${count("b")}, white ${count("w")} stones`);
  }

  /** Begins to show the game of the moment `id`, once it has been fetched. */
  async function fetchMoment(id) {
    wanted = id;
    const entry = id && page.game(id);
    if (!entry) return;
    const loaded = await page.load(entry);
    if (wanted !== id || !loaded[6]) return;
    const highlight = state.log.findLast((told) => told.kind === "highlight" && told.game === id);
    replay = { entry: loaded, read: game.read(loaded), highlight: highlight?.text ?? "", since: Date.now(), index: -1 };
    names(loaded[0], loaded[1]);
  }

  /** Which lead in stones `position` has: `black`, `white` or nobody. */
  function lead(position) {
    const count = (letter) => position.split(letter).length;
    return [null, "black", "white"][count("b") > count("w") ? 1 : count("b") < count("w") ? 2 : 0];
  }

  /** What there is to say about the position `index` of a game: its end, its decisive move, a change of the lead. */
  function story({ entry, read, highlight }, index) {
    if (index === read.plies.length) return words.result(entry);
    if (index === 0) return highlight || "the game of the moment";
    const ply = read.plies[index - 1];
    const text = words.numbered(ply);
    if (index === read.decisive) return `${text}: the decisive move`;
    const [before, now] = [lead(read.boards[index - 1]), lead(read.boards[index])];
    if (now && now !== before && index > 1) return `${text}: ${now} leads`;
    return text;
  }

  function step(index) {
    const { read } = replay;
    replay.index = index;
    draw(read.boards[index], index ? read.plies[index - 1] : null);
    parts.caption.textContent = story(replay, index);
    parts.caption.classList.toggle("decisive", index > 0 && index === read.decisive);
    const worth = read.values[index];
    parts.worth.hidden = !worth.winner;
    if (worth.winner) parts.worth.value = worth.margin ?? { b: 25, w: -25, draw: 0 }[worth.winner];
    parts.seats.forEach(({ clock, node }, side) => {
      clock.textContent = words.count(read.boards[index].split("bw"[side]).length - 1, "stone");
      node.classList.toggle("turn", read.plies[index]?.side === "bw"[side]);
    });
  }

  /** Moves on what moves by itself: clocks, the replay and the ticker. */
  function tick(at) {
    if (!isOn() || !state) return;
    tell(at);
    if (replay?.game) return clocks(replay.game, at);
    if (!replay) return undefined;
    const { plies } = replay.read;
    const index = Math.min(plies.length, Math.floor((at - replay.since) / PLY));
    if (index !== replay.index) step(index);
    // Without a newer game, the same one begins again.
    if (at - replay.since > plies.length * PLY + AFTER_END) replay.since = at;
    return undefined;
  }

  /** One line after the other, and none before there was time to read the last one. */
  function tell(at) {
    if (at - line.since < TICKER) return;
    const next = state.log.filter(({ n }) => n > line.n).slice(-3)[0];
    if (!next) return;
    line = { n: next.n, since: at };
    parts.ticker.textContent = next.text;
  }

  /** The address as a QR code, if others can reach it: `qr` has a line of `0` and `1` for each row. */
  function code() {
    const { address, qr } = state;
    parts.code.hidden = !address;
    if (!address || parts.code.dataset.shows === address) return;
    parts.code.dataset.shows = address;
    const size = qr?.length ?? 0;
    const dark = (qr ?? []).flatMap((row, y) => Array.from(row, (module, x) => (module === "1" ? `M${x} ${y}h1v1h-1z` : ""))).join("");
    const picture = size && s("svg", { viewBox: `-4 -4 ${size + 8} ${size + 8}`, role: "img", "aria-label": "QR code of the address" },
      s("rect", { class: "paper", x: -4, y: -4, width: size + 8, height: size + 8 }), s("path", { class: "ink", d: dark }));
    parts.code.replaceChildren(...[picture, h("span", {}, address.replace(/^https?:../, ""))].filter(Boolean));
  }

  function start() {
    document.body.append(build());
    addEventListener("hashchange", route);
    keys.add(["Escape"], "leave the projector", toggle, isOn);
    route();
  }

  return { show, start, tick, toggle };
})();
