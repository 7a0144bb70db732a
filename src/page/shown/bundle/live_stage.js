// live_stage.js: one board with its players: a game that people can follow, or the game of the moment, ply by ply.

const liveStage = (() => {
  const { h } = dom;
  /** How long a position stays, and how long one stays about which there is something to read. */
  const PLY = 700;
  const TOLD = 2_100;
  const AFTER_END = 6_000;
  const AGAIN = 5_000;
  /** The number of plies at the beginning in which a change of lead means nothing. */
  const OPENING = 12;
  const UNKNOWN = { margin: null, winner: null };

  /** The best game that people can follow, or `null`. */
  function followed({ now, page: { players }, moment }) {
    const [first] = liveModel.ranked(now.filter(({ calm }) => calm || moment === null), players, "rating", new Set());
    return first ?? null;
  }

  /** The game to replay: the game of the moment, or the latest game if there is none. */
  const replayed = (state) => state.moment ?? liveGames.latest(state, 1)[0] ?? null;

  /** The seat with the most stones in `position`, in words; `null` on a tie, and on boards of points. */
  function lead(position, mode) {
    if (codes.isOnPoints(mode)) return null;
    const counts = codes.seats().map((seat) => [codes.stones(position, seat, mode), seat]);
    const most = Math.max(...counts.map(([count]) => count));
    const ahead = counts.filter(([count]) => count === most);
    return ahead.length === 1 ? words.side[ahead[0][1]] : null;
  }

  /** What happens with the ply before the position `index`: the decisive move, a drop-out, a change of lead; or `null`. */
  function event(read, index) {
    if (index === read.decisive) return "the decisive move";
    const outs = read.outs[index].filter((seat) => !read.outs[index - 1].includes(seat));
    if (outs.length) return `${outs.map((seat) => words.side[seat]).join(" and ")} ${outs.length > 1 ? "drop" : "drops"} out`;
    const [before, now] = [index - 1, index].map((i) => lead(read.boards[i], read.modes[i]));
    const mode = read.modes[index] === read.modes[index - 1] ? null : codes.modeName(read.modes[index]);
    if (mode) return `${mode} begins`;
    // With few stones, the lead changes with almost every ply.
    return now && now !== before && index >= OPENING ? `${now} leads` : null;
  }

  /** The text about the position `index` of a game, and how long it stays. */
  function story({ entry, read }, index) {
    if (index === read.plies.length) return { text: liveBoards.outcome(entry), time: AFTER_END };
    if (index === 0) return { text: "the game of the moment", time: TOLD };
    const text = words.numbered(read.plies[index - 1]);
    const what = event(read, index);
    if (what) return { text: `${text}: ${what}`, time: TOLD };
    return { text: read.values[index].winner ? `${text} · ${words.value(read.values[index])}` : text, time: PLY };
  }

  /** The game that is most worth watching: a game that people can follow, or if there is none, a game to replay. */
  function worthWatching(state) {
    const game = followed(state);
    return game ? { game } : { id: replayed(state), text: "No game has begun yet." };
  }

  /**
   * A board. `pick` chooses what the board shows of a state: `game`, a game that the server sends; or a replay of the
   * game `id`, which has ended; or `text`, if `id` is `null`.
   */
  function create(pick = worthWatching) {
    let seats = [];
    const picture = board.create("", true);
    const bar = viewerParts.valueBar();
    bar.node.removeAttribute("aria-hidden");
    bar.node.setAttribute("role", "img");
    const caption = h("p", { class: "caption" });
    const node = h("div", { class: "stage" });
    let replay = null;
    let picked = null;
    let wanted = null;
    let asked = -Infinity;

    /** Makes the players' lines as soon as the number of seats is known. */
    function build() {
      if (seats.length === codes.seats().length) return;
      seats = codes.seats().map((_, side) => liveSeats.line(side));
      const [above, below] = liveSeats.around(seats.map(({ node: line }) => line));
      node.classList.toggle("of-seats", seats.length > 2);
      node.dataset.seats = String(seats.length);
      node.replaceChildren(above, h("div", { class: "withbar" }, picture.node, bar.node), below, caption);
    }
    build();

    function names(players) {
      build();
      seats.forEach(({ name }, side) => {
        const text = page.name(players[side]);
        if (name.textContent !== text) name.textContent = name.title = text;
      });
    }

    function draw(position, ply, worth, mode) {
      picture.show(position, ply, null, mode);
      picture.name(liveBoards.spelled(position, mode));
      bar.show(worth);
      bar.node.setAttribute("aria-label", `value: ${words.value(worth)}`);
    }

    function clocks(game, at) {
      seats.forEach(({ clock, fate, node: line, said, supply }, side) => {
        const { text, short } = liveModel.clock(game, side, at);
        if (clock.textContent !== text) clock.textContent = text;
        clock.classList.toggle("short", short);
        line.classList.toggle("turn", liveModel.isOnMove(game, side));
        liveSeats.show({ fate, line, said, supply }, game, side);
      });
    }

    /** Shows a game that is being played. */
    function follow(game, at) {
      const last = liveModel.change(game, replay?.game);
      replay = { game };
      wanted = null;
      node.classList.remove("judged");
      names(liveModel.seated(game));
      draw(liveModel.fromBelow(game.board), last.length ? { parts: last } : null, UNKNOWN, game.at?.[1]);
      const entry = game.ended && page.game(game.id);
      caption.textContent = entry ? liveBoards.outcome(entry) : liveModel.lastPly(game);
      caption.classList.remove("decisive");
      clocks(game, at);
    }

    /**
     * Begins to replay the game `id` once its moves have been loaded. Retries after a while if they cannot be loaded.
     */
    async function begin(id, at) {
      if (id === shown() || (id === wanted && at - asked < AGAIN)) return;
      [wanted, asked] = [id, at];
      const entry = id && page.game(id);
      if (!entry) return;
      try {
        await liveGames.complete(entry);
      } catch {
        return;
      }
      if (wanted !== id) return;
      replay = { entry, index: 0 };
      reread(Date.now());
      names(page.seated(entry));
    }

    /**
     * Reads the game that is being replayed, and reads it again if it has been judged in the meantime. The position that
     * is shown begins again.
     */
    function reread(at) {
      replay.read = game.read(replay.entry);
      replay.values = replay.entry[8];
      replay.stories = replay.read.boards.map((_, index) => story(replay, index));
      replay.starts = [0];
      for (const { time } of replay.stories) replay.starts.push(replay.starts.at(-1) + time);
      replay.since = at - replay.starts[Math.max(0, replay.index)];
      replay.index = -1;
      node.classList.toggle("judged", replay.read.judged);
    }

    function step(index) {
      const { read } = replay;
      replay.index = index;
      draw(read.boards[index], index ? read.plies[index - 1] : null, read.values[index], read.modes[index]);
      caption.textContent = replay.stories[index].text;
      caption.classList.toggle("decisive", index > 0 && index === read.decisive);
      const { entry } = replay;
      seats.forEach(({ clock, fate, letter, node: line, said, supply }, side) => {
        clock.classList.remove("short");
        clock.textContent = words.count(codes.stones(read.boards[index], letter, read.modes[index]), "stone");
        line.classList.toggle("turn", read.plies[index]?.side === letter);
        if (said) said.textContent = "";
        if (!fate) return;
        const isOut = read.outs[index].includes(letter);
        const isEnd = index === read.plies.length;
        line.classList.toggle("out", isOut);
        line.classList.toggle("first", isEnd && entry[3]?.[side] === 1);
        supply.textContent = "";
        fate.textContent = isEnd ? liveSeats.standing(entry, side) : isOut ? `out (${entry[5].find(([seat]) => seat === side + 1)?.[1]})` : "";
      });
    }

    /** Shows `state`. */
    function show(state, at) {
      const { game, id, text } = pick(state);
      if (game) follow(game, at);
      else {
        if (replay?.game) replay = null;
        picked = id;
        // A replay that has begun is shown to its end.
        if (!replay) begin(id, at);
        if (!replay && id === null) caption.textContent = text;
      }
      tick(at);
    }

    /** Advances the clocks or the replay. */
    function tick(at) {
      if (!replay) return;
      if (replay.game) {
        clocks(replay.game, at);
        return;
      }
      if (replay.values !== replay.entry[8]) reread(at);
      const time = at - replay.since;
      const index = Math.min(replay.read.plies.length, replay.starts.findLastIndex((start) => start <= time));
      if (index !== replay.index) step(index);
      if (time < replay.starts.at(-1)) return;
      // Without a newer game, the same game is replayed.
      if (picked === null || picked === shown()) replay.since = at;
      else begin(picked, at);
    }

    /** The id of the game that is being replayed, or `null`. */
    const shown = () => (replay?.entry ? page.id(replay.entry) : null);

    return {
      node,
      show,
      tick,
      /** Whether the board shows a game that is being played, a game that has ended, or none. */
      mode: () => (replay ? (replay.game ? "live" : "replay") : ""),
      shown,
    };
  }

  return { create };
})();
