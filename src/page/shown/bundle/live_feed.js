// live_feed.js: receives the server's events, once for all tabs of a browser.
//
// One tab listens to the server and passes everything on to the others, because a browser opens only six connections to
// one server. A tab that has been hidden for a minute lets a visible tab listen instead.

const feed = (() => {
  const WAIT_FOR_ANSWER = 500;
  const HIDDEN_FOR = 60_000;
  const BEAT = 2_000;
  const SILENCE = 7_000;
  const AGAIN = 3_000;

  const self = Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(36)).join("");
  const channel = "BroadcastChannel" in window ? new BroadcastChannel("gothello-arena") : null;

  let source = null;
  let role = "idle";
  let timer = 0;
  let hidden = 0;
  let heard = 0;
  let told = null;

  const tell = (kind, data = null, to = null) => channel?.postMessage({ from: self, to, kind, data });

  /** Handles an event from the server, or from the tab that listens. */
  function take(kind, data) {
    if (kind === "end") role = "over";
    told[kind](data);
  }

  function after(delay, action) {
    clearTimeout(timer);
    timer = setTimeout(action, delay);
  }

  /** Asks whether another tab is already listening, and listens if not. */
  function ask() {
    if (role === "over") return;
    role = "asking";
    tell("ask");
    after(channel ? WAIT_FOR_ANSWER : 0, lead);
  }

  function lead() {
    role = "leading";
    close();
    tell("beat");
    open();
    after(BEAT, beat);
  }

  function beat() {
    tell("beat");
    after(BEAT, beat);
  }

  function open() {
    const mine = new EventSource("events");
    source = mine;
    const pass = (kind) => mine.addEventListener(kind, (event) => {
      if (source !== mine) return;
      const data = JSON.parse(event.data || "null");
      take(kind, data);
      tell(kind, data);
      if (kind === "end") close();
    });
    ["state", "frame", "end"].forEach(pass);
    mine.onopen = () => status(true);
    mine.onerror = () => {
      if (source !== mine) return;
      status(false);
      // The browser retries automatically, unless the server has refused the connection.
      if (mine.readyState === EventSource.CLOSED) setTimeout(() => source === mine && open(), AGAIN);
    };
  }

  function close() {
    source?.close();
    source = null;
  }

  function status(connected) {
    take("status", connected);
    tell("status", connected);
  }

  function follow() {
    close();
    role = "following";
    watch();
  }

  /** Asks again if the tab that listens has fallen silent. */
  function watch() {
    heard = Date.now();
    after(SILENCE, () => {
      if (document.hidden) role = "idle";
      else ask();
    });
  }

  function resign() {
    if (role === "leading") {
      close();
      tell("gone");
    }
    if (role !== "over") role = "idle";
    clearTimeout(timer);
  }

  /** Handles another tab's message. If two tabs listen at the same time, the tab with the smaller name continues. */
  function hear({ data: { from, to, kind, data } }) {
    if (to && to !== self) return;
    if (kind === "ask") {
      if (role === "leading" || role === "over") answer(from);
    } else if (kind === "gone") {
      if (role === "following" && !document.hidden) ask();
    } else if (role === "leading") {
      if (from < self) {
        follow();
        tell("ask");
      } else tell("beat", null, from);
    } else if (role !== "over") {
      if (role !== "following") follow();
      else watch();
      if (kind !== "beat") take(kind, data);
    }
  }

  function answer(from) {
    tell("beat", null, from);
    const state = told.now();
    if (state) tell("state", state, from);
    if (role === "over") tell("end", null, from);
  }

  function seen() {
    clearTimeout(hidden);
    if (document.hidden) hidden = setTimeout(resign, HIDDEN_FOR);
    else if (role === "idle") ask();
    else if (role === "following" && Date.now() - heard > SILENCE) ask();
  }

  /**
   * Begins to receive events. `listeners` contains functions for `state`, `frame`, `end` and `status`, and the function
   * `now`, which returns the state for another tab.
   */
  function start(listeners) {
    told = listeners;
    channel?.addEventListener("message", hear);
    document.addEventListener("visibilitychange", seen);
    addEventListener("pagehide", resign);
    addEventListener("pageshow", ({ persisted }) => persisted && ask());
    if (document.hidden) seen();
    ask();
  }

  /** Requests the whole state again after a frame was missed. */
  function renew() {
    if (role === "leading") lead();
    else if (role === "following") tell("ask");
  }

  /**
   * Applies `frame` to `state` and to the page, and returns `{ hasNewPlayers }`. If a frame was missed, requests the whole state
   * again instead, and returns `null`.
   */
  function apply(state, frame) {
    if (frame.seq !== state.seq + 1) {
      renew();
      return null;
    }
    liveModel.apply(state, frame, Date.now());
    const hasNewPlayers = Boolean(frame.standings) && page.meet();
    for (const [id, values] of frame.judged ?? []) page.judge(id, values);
    if (frame.done.length) page.add(frame.done);
    return { hasNewPlayers };
  }

  return { apply, start };
})();
