// viewer.js: one game: board, value, graph, think times, moves, and the buttons that step through them.

const viewer = (() => {
  const { h, icon, prose } = dom;
  const PACE = 700;
  /** How far a finger must move for a swipe, in pixels. */
  const SWIPE = 40;
  let opening = 0;
  let entry = null;
  let read = null;
  let controls = [];
  let left = [];
  let ply = 0;
  let timer = null;
  let linked = null;
  let drawn = null;
  let parts = null;
  let branch = null;
  /** The position of a variation that is shown, or `null` if no variation is open. */
  let tried = null;

  const href = (at) => page.link(page.id(entry), at);

  /** Makes the parts of the viewer, once. */
  function build() {
    branch = variation.create({ chosen: (fields) => parts.big.choose(fields), follow: (at) => show(at), leave: () => show(ply), show: (at) => showBranch(at), valued: showValue });
    const actions = { back, betterLine, copy, copyCommand, decisive, first, last, leave, nextMistake, on, other, previousMistake, shown: () => ({ controls, entry, ply, read, tried }), toggle, toggleTable };
    parts = viewerParts.build(actions, branch.node);
    parts.big.onchoose((field) => take(field));
    swipe(parts.big.node);
    dom.byId("viewer").replaceChildren(parts.node);
    new ResizeObserver(() => drawn && parts.plot.clientWidth !== drawn.width && redraw()).observe(parts.plot);
  }

  function redraw() {
    const width = parts.plot.clientWidth || 640;
    drawn = { width, ...graph.draw(read, width, (at) => show(at)) };
    parts.plot.replaceChildren(drawn.node);
    drawn.cursor(ply);
  }

  const plies = () => words.count(read.plies.length, "ply", "plies");

  /** Shows what is known about the game: its id, its result and `more`, and the names of its players in turn order. */
  function facts(...more) {
    const known = [page.id(entry), words.result(entry), ...more].filter(Boolean);
    parts.facts.replaceChildren(...prose(known.join(" · ")));
    const sides = codes.seats();
    page.seated(entry).forEach((index, i) => {
      const { name } = parts.seats[sides[i]];
      name.textContent = page.name(index);
      name.setAttribute("href", `#p=${page.data.players[index].s}`);
    });
  }

  /** Shows which player failed, why, and its stderr if the page contains it. Returns whether a player failed. */
  function fault() {
    const sentence = words.failure(entry);
    const { why, err } = entry[12] ?? {};
    const written = (err ?? []).filter(Boolean);
    const stderr = h("details", { open: !read.plies.length }, h("summary", {}, "What the bot wrote to stderr"), written.map((text) => h("pre", {}, text)));
    parts.fault.hidden = !sentence;
    parts.fault.replaceChildren(
      h("p", {}, h("b", {}, sentence), why ? prose(`: ${why}`) : ""),
      read.plies.length || !sentence ? "" : h("p", { class: "quiet" }, "No move was made."),
      written.length ? stderr : "",
    );
    return Boolean(sentence);
  }

  function headingOfSeats() {
    const names = page.seated(entry).map(page.name);
    parts.title.replaceChildren(names.join(", "));
    facts(plies(), fault() ? null : entry[12]?.why);
  }

  function heading() {
    if (!codes.isOfTwo()) return headingOfSeats();
    const [black, white, , , , termination] = entry;
    parts.title.replaceChildren(
      page.name(black),
      h("span", { class: "quiet" }, " (black) v "),
      page.name(white),
      h("span", { class: "quiet" }, " (white)"),
    );
    const decided = read.decisive ? `decided by ${words.numbered(read.plies[read.decisive - 1])}` : null;
    const failed = fault();
    facts(failed ? null : page.data.terms[termination], failed ? null : entry[12]?.why, read.plies.length ? plies() : null, decided);
  }

  /** Shows the game `shown` at ply `at`, which is clamped to the plies of the game. */
  async function open(shown, at) {
    const same = entry === shown && read && shown[6] === read.moves;
    stop();
    opening += 1;
    const ticket = opening;
    const loaded = await page.load(shown);
    if (ticket !== opening) return;
    if (!parts) build();
    if (!same) {
      entry = loaded;
      read = { ...game.read(entry), moves: entry[6] };
      read.score = score.of(read);
      read.claims = claims.of(entry, read.plies.length);
      branch.use(read);
      controls = codes.seats().map((_, side) => clocks.control(side, entry));
      left = clocks.history(controls, read.plies, entry[9]);
      heading();
      parts.moves.replaceChildren(moveSheet.of(read, entry, href, show));
      dom.scrolls(parts.moves);
      parts.table.hidden = true;
      toggleTable(null, true);
      dom.byId("viewer").hidden = false;
      parts.node.classList.toggle("unjudged", !read.judged);
      parts.node.classList.toggle("unplayed", !read.plies.length && !parts.fault.hidden);
      parts.legend.replaceChildren(...legend());
      parts.table.setAttribute("aria-label", graph.title(read));
      redraw();
    }
    linked = at;
    show(at);
  }

  function legend() {
    const mark = (name, text) => [h("b", { class: name }, words.MARKS[name]), text];
    const marks = read.judged ? [" ", ...mark("blunder", " blunder, "), ...mark("lost", " lost stones, dotted: unknown.")] : [];
    const side = (name) => h("span", { class: `told ${name}` }, name);
    const told = codes.isOfTwo() && read.claims.some((claim) => claim && claim.value !== null) ? [" Dashed: what ", side("black"), " and ", side("white"), " claimed."] : [];
    return [graph.legend(read), ...marks, ...told, " Bars: time per ply (log scale)."];
  }

  /** Shows the position after `at` plies of the game. */
  function show(at) {
    const wasAt = branch.isOpen() ? null : ply;
    branch.close();
    tried = null;
    ply = Math.max(0, Math.min(read.plies.length, at));
    const one = read.plies[ply - 1] ?? null;
    draw({ position: read.boards[ply], one, better: one?.better ?? null, value: read.values[ply] });
    // After the last ply of a game that nobody forfeited, nothing is left to play.
    if (ply === end() && entry[3] < 3 && page.data.terms?.[entry[5]] === "normal") parts.value.textContent = words.sentence(words.result(entry));
    if (one && ply === wasAt + 1) sound.play(one.parts);
    const captured = one ? words.captures(one.parts) : "";
    parts.what.textContent = one
      ? [codes.modeName(one.mode ?? 0), `Ply ${ply} of ${read.plies.length}`, words.numbered(one), captured, claims.text(read.claims[ply - 1])].filter(Boolean).join(" · ")
      : `Start of ${plies()}`;
    parts.mistake.textContent = words.mistake(read, ply);
    parts.spoken.textContent = words.spoken(read, ply, entry);
    drawn.cursor(ply);
    parts.moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = parts.moves.querySelector(`[data-ply="${ply}"]`);
    current?.setAttribute("aria-current", "true");
    playing();
    link();
    // This reads the layout, so the page is not changed after it.
    keepInView(current);
  }

  /** Shows the position after `at` plies of the variation. */
  function showBranch(at) {
    const { one, position, value } = branch.frame(at);
    draw({ position, one, better: null, value });
    if (one) sound.play(one.parts);
    const text = one ? [`Variation, ply ${at} of ${branch.length()}`, words.numbered(one), words.captures(one.parts)].filter(Boolean).join(" · ") : `Before ply ${branch.from() + 1}`;
    parts.what.textContent = parts.spoken.textContent = text;
    tried = { caption: `Variation from ply ${branch.from()}${one ? `: ${words.numbered(one)}` : ""}`, one, position };
    parts.mistake.textContent = "";
    playing();
  }

  function showValue(value) {
    parts.bar.show(value);
    parts.value.textContent = words.sentence(words.valueSentence(value));
  }

  /** Draws a position of the game or of a variation, and the state of each seat at the current ply of the game. */
  function draw({ better, one, position, value }) {
    parts.big.show(position, one, better, read.modes[ply]);
    showValue(value);
    codes.seats().forEach((side, i) => {
      parts.seats[side].state.textContent = stateOf(side, i);
      parts.seats[side].line.classList.toggle("out", read.outs[ply].includes(side));
      parts.seats[side].stones.textContent = branch.isOpen() ? words.count(codes.stones(position, side), "stone") : standing(side, i);
      const used = read.used[ply][side];
      const rest = codes.isOfTwo() ? "" : restOf(side, i);
      const texts = [used !== null && `${words.time(used)} used`, rest && `${rest} left`];
      parts.seats[side].used.textContent = texts.filter(Boolean).join(", ");
    });
    parts.rest.textContent = remaining();
    parts.rest.hidden = !parts.rest.textContent;
  }

  /** Handles the reader's choice of a field. */
  function take(field) {
    stop();
    branch.take(field, ply);
  }

  /** Plays out the line that would have been better than the last ply. */
  function betterLine() {
    if (branch.isOpen()) {
      stop();
      showBranch(0);
      return toggle();
    }
    const line = branch.line(ply);
    if (!line.length) return dom.toast("No better line is known for this ply.");
    stop();
    branch.begin(ply - 1, line);
    showBranch(0);
    return toggle();
  }

  /** The state of the seat `side`, whose number is `i`: its place at the end, or that it is out. */
  function stateOf(side, i) {
    const places = Array.isArray(entry[3]) ? entry[3] : null;
    const isOut = read.outs[ply].includes(side);
    if (places && ply === read.plies.length)
      return [isOut && `out${words.reasonOut(entry, side)}`, words.ordinal(places[i]), entry[4] && `total ${entry[4][i]}`].filter(Boolean).join(", ");
    return isOut ? `out${words.reasonOut(entry, side)}` : "";
  }

  /** The stones, the points with compensation and by mode, and the captures of the seat `side`, whose number is `i`. */
  function standing(side, i) {
    const [{ byMode, counts, taken }, supply, mode] = [read.score[ply], read.supplies[ply], read.modes[ply]];
    const extra = codes.compensation()[i];
    const stones = words.count(codes.stones(read.boards[ply], side, mode), "stone");
    const sum = byMode.length > 1 ? ` (${byMode.map(([name, own]) => `${name}\u00a0${own[side]}`).join(" + ")})` : "";
    const points = `${counts[side]}${extra ? ` + ${+extra.toFixed(2)}` : ""} ${words.plural(extra || counts[side], "point")}${sum}`;
    const counted = codes.compensation().some(Boolean) || codes.counts();
    const gone = taken[side] > 0 && codes.isOnPoints(mode) && `${taken[side]} ${codes.counts() === "area" ? "captured" : words.plural(taken[side], "prisoner")}`;
    return [counted ? (supply ? `${stones}, ${points}` : points) : stones, gone, supply && `${words.count(supply[side], "stone")} to place`].filter(Boolean).join(", ");
  }

  /** The remaining time on the clock of the seat `side`, whose number is `i`, or nothing. */
  const restOf = (side, i) => left[ply][side] && clocks.rest(controls[i], left[ply][side]);

  /** The remaining times on both clocks: `Left: black 0:42 + 1s, white 0:50 in the bank`, or nothing. */
  function remaining() {
    // With more than two seats, the line of each player shows this.
    if (!codes.isOfTwo()) return "";
    const texts = codes.seats().map((side, i) => {
      const rest = restOf(side, i);
      return rest && `${words.side[side]} ${rest}`;
    });
    const known = texts.filter(Boolean);
    return known.length ? `Left: ${known.join(", ")}` : "";
  }

  /** Scrolls only the list of moves, never the page. */
  function keepInView(current) {
    const list = parts.moves;
    if (!current) list.scrollTop = 0;
    else {
      const top = current.getBoundingClientRect().top - list.getBoundingClientRect().top + list.scrollTop;
      if (top < list.scrollTop + 30 || top > list.scrollTop + list.clientHeight - 60)
        list.scrollTop = top - list.clientHeight / 2;
    }
  }

  let due = null;
  /**
   * Puts the ply into the address in place of the previous ply, so "back" leaves the game. Browsers limit how often
   * this is possible.
   */
  function link() {
    if (linked === ply || due) return;
    due = setTimeout(() => {
      due = null;
      if (!isOpen() || linked === ply) return;
      linked = ply;
      history.replaceState(null, "", href(ply));
    }, 250);
  }

  const isOpen = () => Boolean(parts) && !dom.byId("viewer").hidden;

  function playing() {
    const label = timer ? "Pause (space)" : "Play (space)";
    if (parts.play.title === label) return;
    parts.play.replaceChildren(icon(timer ? "pause" : "play"));
    parts.play.setAttribute("aria-label", label);
    parts.play.title = label;
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    if (parts) playing();
  }

  function toggle() {
    if (timer) return stop();
    if (place() === end()) goTo(0);
    timer = setInterval(() => {
      if (place() < end()) goTo(place() + 1);
      if (place() === end()) stop();
    }, PACE);
    playing();
  }

  /** The current place in the variation, or in the game if no variation is open; the last place; a step to a place. */
  const place = () => (branch.isOpen() ? branch.at() : ply);
  const end = () => (branch.isOpen() ? branch.length() : read.plies.length);
  const goTo = (at) => (branch.isOpen() && at >= 0 ? showBranch(Math.min(at, end())) : show(branch.isOpen() ? ply : at));

  function by(step) {
    stop();
    goTo(place() + step);
  }

  /** Steps to the next ply when a finger moves over `node` to the left, and back when it moves to the right. */
  function swipe(node) {
    let from = null;
    node.addEventListener("pointerdown", (event) => (from = event.pointerType === "touch" && event.isPrimary ? event : null));
    node.addEventListener("pointerup", ({ clientX, clientY }) => {
      const [x, y] = [clientX - from?.clientX, clientY - from?.clientY];
      if (Math.abs(x) > Math.max(SWIPE, 2 * Math.abs(y))) by(-Math.sign(x));
    });
  }

  const on = () => by(1);
  const back = () => by(-1);
  const first = () => by(-place());
  const last = () => by(end() - place());

  function jump(at, sentence) {
    stop();
    if (at) show(at);
    else dom.toast(sentence);
  }

  const nextMistake = () =>
    jump(read.plies.findIndex((one, i) => i >= ply && game.isMistake(one)) + 1, "There is no known mistake after this.");
  const previousMistake = () =>
    jump(
      read.plies.findLastIndex((one, i) => i < ply - 1 && game.isMistake(one)) + 1,
      "There is no known mistake before this.",
    );
  const decisive = () => jump(read.decisive, "No single move is known to have decided this game.");

  function toggleTable(_, hide = !parts.table.hidden) {
    parts.table.hidden = hide;
    parts.tableButton.setAttribute("aria-expanded", String(!hide));
    parts.tableButton.textContent = hide ? "Show as a table" : "Hide the table";
    if (!hide) {
      parts.table.replaceChildren(graph.table(read, href));
      dom.scrolls(parts.table);
    }
  }

  function other(step) {
    const next = gamesTable.beside(entry, step);
    if (next) tabs.go(page.link(page.id(next)));
    else dom.toast(step > 0 ? "This is the last game in the list." : "This is the first game in the list.");
  }

  /** Copies `text`, and confirms that with the sentence `done`. If the browser refuses, shows the text as a `kind`. */
  async function put(kind, text, done) {
    try {
      await navigator.clipboard.writeText(text);
      dom.toast(done);
    } catch {
      dom.toast(`The browser does not allow copying. The ${kind} is ${text}`, 30_000);
    }
  }

  const copy = () => put("link", location.href.split("#")[0] + href(ply), "The link to this position was copied.");

  /** Copies the command with which the reader can play on from this ply. */
  function copyCommand() {
    const log = `${page.data.logs}${page.id(entry)}.log`;
    const quoted = /^[\w./-]+$/.test(log) ? log : `'${log.replaceAll("'", "'\\''")}'`;
    const command = `gothello-arena play --from ${quoted} --ply ${ply}`;
    return put("command", command, `Copied: ${command}`);
  }

  /** Goes back from a variation to the game, or from the game to the list of games. */
  function leave() {
    stop();
    if (branch?.isOpen()) show(ply);
    else tabs.go("#t=games");
  }

  function close() {
    stop();
    opening += 1;
    if (parts) dom.byId("viewer").hidden = true;
  }

  const shown = () => (isOpen() ? entry : null);
  const focus = () => parts.title.focus({ preventScroll: true });

  return {
    back,
    betterLine,
    close,
    copy,
    decisive,
    first,
    focus,
    isOpen,
    last,
    leave,
    nextMistake,
    on,
    open,
    other,
    previousMistake,
    shown,
    toggle,
  };
})();
