// projector.js: one big board for a whole room, with the best players and the latest events.

const projector = (() => {
  const { h, s, byId } = dom;
  const READING = 4_000;
  const TOP = 10;
  const FEW = 6;
  const LINES = 5;

  let parts = null;
  let state = null;
  let news = { lines: [], n: 0, since: -Infinity };

  const isOn = () => location.hash === "#projector";

  const toggle = () => tabs.go(isOn() ? "#t=live" : "#projector");

  /** Shows the projector or the page, depending on the address. */
  function route() {
    document.documentElement.classList.toggle("projecting", isOn());
    parts.node.hidden = !isOn();
    const test = byId("test");
    if (test) (isOn() ? parts.top : document.querySelector(".best")).before(test);
    if (!isOn() || !state) return;
    show(state, Date.now());
    fit();
  }

  function build() {
    const stage = liveStage.create();
    const heading = h("h2", {});
    const mode = h("p", { class: "mode" });
    const count = h("p", { class: "count" });
    const top = h("ol", { class: "top", "aria-label": `The best ${TOP}` });
    const next = h("p", { class: "next", hidden: true });
    const code = h("div", { class: "code", hidden: true });
    const ticker = h("ol", { class: "ticker", "aria-label": "Latest events" });
    const leave = h("button", { type: "button", class: "leave", onclick: toggle }, "Leave");
    const node = h("div", { id: "projector", role: "region", "aria-label": "Projector", hidden: true },
      h("div", { class: "title" }, heading, mode, count, leave), stage.node, h("div", { class: "side" }, top, next, ticker, code));
    parts = { code, count, heading, mode, next, node, stage, ticker, top };
    return node;
  }

  function show(told, at) {
    state = told;
    if (!isOn()) return;
    const { page: { title, players } } = state;
    if (parts.heading.textContent !== title) {
      parts.heading.textContent = parts.heading.title = title;
      fit();
    }
    parts.count.textContent = liveModel.progress(state.progress, state.over, state.delay_s);
    parts.top.replaceChildren(...liveTables.leaders(players, TOP));
    parts.top.classList.toggle("few", players.length <= FEW);
    const [coming] = (state.over ? null : state.next) ?? [];
    parts.next.hidden = !coming;
    parts.next.textContent = coming ? `next: ${liveModel.seated(coming).map(page.name).join(" v ")}` : "";
    code();
    parts.stage.show(state, at);
    tick(at);
  }

  /** Advances the board and the ticker. */
  function tick(at) {
    if (!isOn() || !state) return;
    if (!state.lost || parts.stage.mode() !== "live") parts.stage.tick(at);
    const mode = state.lost ? "no connection" : parts.stage.mode();
    if (parts.mode.textContent !== mode) {
      parts.mode.textContent = mode;
      // On a narrow screen, the title may now have another line.
      fit();
    }
    parts.mode.classList.toggle("lost", Boolean(state.lost));
    tell(at);
  }

  /**
   * Adds the latest lines on top, but only after there was time to read the previous ones. If there are more than fit,
   * the highlights among them come first.
   */
  function tell(at) {
    // A server that was restarted counts its lines from 1.
    if ((state.log.at(-1)?.n ?? 0) < news.n) news = { lines: [], n: 0, since: -Infinity };
    const fresh = state.log.filter(({ n }) => n > news.n);
    if (!fresh.length || at - news.since < READING) return;
    const marked = fresh.filter(({ kind }) => kind === "highlight");
    const others = fresh.filter(({ kind }) => kind !== "highlight");
    const chosen = [...marked.slice(-2), ...others.slice(-2)].sort((a, b) => b.n - a.n);
    const older = news.lines.length ? news.lines : others.slice(0, -2).reverse();
    news = { lines: [...chosen, ...older].slice(0, LINES), n: fresh.at(-1).n, since: at };
    fit();
  }

  /** Writes a long title on two lines, in smaller letters, and shows as many events as fit. */
  function fit() {
    parts.heading.classList.remove("long");
    parts.heading.classList.toggle("long", parts.heading.scrollWidth > parts.heading.clientWidth);
    parts.ticker.replaceChildren(...news.lines.map(({ kind, text }) => h("li", { "data-tone": kind }, text)));
    while (parts.ticker.children.length > 1 && parts.ticker.scrollHeight > parts.ticker.clientHeight) parts.ticker.lastChild.remove();
  }

  /** The address as a QR code, if other machines can reach it: `qr` has a line of `0` and `1` for each row. */
  function code() {
    const { address, qr } = state;
    parts.code.hidden = !address;
    if (!address || parts.code.dataset.shows === address) return;
    parts.code.dataset.shows = address;
    const size = qr?.length ?? 0;
    const dark = (qr ?? []).flatMap((row, y) => Array.from(row, (module, x) => (module === "1" ? `M${x} ${y}h1v1h-1z` : ""))).join("");
    const picture = size && s("svg", { viewBox: `-4 -4 ${size + 8} ${size + 8}`, role: "img", "aria-label": "QR code of the address" },
      s("rect", { class: "paper", x: -4, y: -4, width: size + 8, height: size + 8 }), s("path", { class: "ink", d: dark }));
    parts.code.replaceChildren(...[picture, h("span", {}, address.replace(/^https?:../, "").replace(/\/$/, ""))].filter(Boolean));
  }

  function start() {
    document.body.append(build());
    addEventListener("hashchange", route);
    addEventListener("resize", () => isOn() && state && fit());
    keys.add(["Escape"], "leave the projector", toggle, isOn);
    route();
  }

  return { show, start, tick, toggle };
})();
