// live_model.js: the state of a run on a live page, and the boards that it shows. Pure; it also runs under node.

const liveModel = (() => {
  const LINES = 200;
  const SHOWN = 24;
  /** How long the boards of ended games stay visible while no game is being played, to prevent flicker. */
  const QUIET_TIME = 3_000;
  /**
   * Games end fast if more than `FAST` have ended within `WINDOW`, about one every two seconds. From then on, games
   * count as fast until at most half that number end within `WINDOW`.
   */
  const WINDOW = 10_000;
  const FAST = 5;

  /** Reorders the letters of a board so that rank 1 comes first: the server sends 5x5 boards from rank 5 down. */
  const fromBelow = (letters) =>
    codes.judges() ? [20, 15, 10, 5, 0].map((start) => letters.slice(start, start + 5)).join("") : letters;

  const pointOf = (name) => "abcde".indexOf(name[0]) + 5 * (name[1] - 1);

  /**
   * The parts of the last ply of `game`, without captures, which are not known. The ply is written like `c3`, `a1+c4`,
   * `b1-a1` or `b1-a1-b1`. On other boards, the server sends the field.
   */
  function partsOf({ last: text, at }) {
    if (at) return at[0] === null ? [] : [{ from: null, to: at[0], flips: [] }];
    if (!text || text === "pass") return [];
    return text.split("+").flatMap((way) => {
      const points = way.split("-").map(pointOf);
      if (points.length === 1) return [{ from: null, to: points[0], flips: [] }];
      return points.slice(1).map((to, i) => ({ from: points[i], to, flips: [] }));
    });
  }

  /**
   * Like `partsOf(game)`, but if there is a single part, with the stones that it captured or took off, so that the page
   * can show the change. These stones are found by comparison with `before`, the same game one ply earlier; without
   * `before`, they are not known.
   */
  function change(game, before) {
    const parts = partsOf(game);
    const isNext = before?.id === game.id && before.ply === game.ply - 1 && before.at?.[1] === game.at?.[1];
    if (!isNext || parts.length !== 1) return parts;
    const [then, now] = [before, game].map(({ board }) => fromBelow(board));
    const { from, to } = parts[0];
    const changed = Array.from(now, (_, field) => field).filter((field) => now[field] !== then[field] && field !== to && field !== from);
    return [{ ...parts[0], flips: changed.filter((field) => now[field] !== "."), gone: changed.filter((field) => now[field] === ".") }];
  }

  /** `boards`, each with the time at which the browser received it; a time recorded by another tab is kept. */
  const stamped = (boards, at) => boards.map((game) => ({ seen: at, ...game }));

  /**
   * The state of the page from the server's `state` at the time `at`, in milliseconds, and the page's previous state
   * `before`. `ended` contains games that have ended, until others take their slots; `ends` contains the times at
   * which the latest games ended; `fast` means that games end fast; `still` is the time of the last game's end if no
   * game is being played.
   */
  function begin(state, at, before = null) {
    const { ends = [], fast = false } = before ?? {};
    const ended = (state.ended ?? []).map((game) => ({ ...game, ended: true }));
    return { ends, fast, still: null, ...state, ended, now: stamped(state.now, at) };
  }

  /** Applies `frame` to `state`, except for its finished games, which become part of the page's data. */
  function apply(state, frame, at) {
    const gone = new Set([...frame.off, ...frame.on.map(({ slot }) => slot)]);
    const others = (games) => games.filter(({ slot }) => !gone.has(slot));
    state.now = [...others(state.now), ...stamped(frame.on, at)];
    state.ended = [...others(state.ended), ...frame.ended.map((game) => ({ ...game, ended: true }))];
    state.ends = [...state.ends, ...frame.done.map(() => at)].slice(-FAST - 1);
    state.log = [...state.log, ...frame.log].slice(-LINES);
    state.seq = frame.seq;
    for (const key of ["progress", "moment", "next", "figures", "ending"]) if (frame[key] !== undefined) state[key] = frame[key];
    if (frame.standings) state.page.players = frame.standings;
    if (frame.seatRows) state.page.seatRows = frame.seatRows;
    if (frame.ratings) state.page.over = frame.ratings;
  }

  /**
   * The games whose boards are shown at the time `at`: games in progress, and ended games whose slots are still empty.
   * While games end fast, only those that people can follow are included. If there are none, the page shows the state
   * of the run. Updates `state` for the passage of time.
   */
  function scene(state, at) {
    state.ends = state.ends.filter((end) => end > at - WINDOW);
    state.fast = state.ends.length > (state.fast ? FAST / 2 : FAST);
    state.still = state.now.length ? null : (state.still ?? at);
    const isStill = state.still !== null && at - state.still >= QUIET_TIME;
    if (isStill || state.over) state.ended = [];
    return [...state.now, ...state.ended].filter(({ calm }) => calm || !state.fast);
  }

  /** The numbers of the players of `game`, in turn order. */
  const seated = ({ black, white, players }) => players ?? [black, white];

  /** Whether the seat `side` (counted from 0) is to move in `game`. */
  const isOnMove = ({ to }, side) => to !== null && String(to) === codes.seats()[side];

  /** The drop-out of the seat `side` (counted from 0) in `game`; `undefined` if the seat is still in. */
  const dropOut = ({ outs = [] }, side) => outs.find(({ seat }) => seat === side + 1);

  /** The last ply of `game` in words: `4. e1`, or `104. c1 · go` if games have several modes. */
  function lastPly({ ply, last, at, behind }) {
    if (behind) return `after ply ${ply}, moves missed`;
    return last ? [`${ply}. ${last}`, codes.modeName(at?.[1] ?? 0)].filter(Boolean).join(" · ") : "begins";
  }

  /**
   * The text of the clock of the seat `side` (counted from 0) in `game` at the time `at`, and whether the side is short
   * of time. The text is empty without a clock.
   */
  function clock(game, side, at) {
    const control = clocks.control(side);
    if (!control || game.left[side] === null) return { text: "", short: false };
    const left = clocks.parse(game.left[side]);
    const since = game.run && isOnMove(game, side) ? at - game.seen : 0;
    const spent = 1000 * (game.spent[side] + since);
    return { text: clocks.shown(control, left, spent), short: clocks.isShort(control, left, spent) };
  }

  /** A duration in words. */
  function duration(seconds) {
    if (seconds < 60) return `${seconds} s`;
    const minutes = Math.round(seconds / 60);
    return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  }

  /** How far the page is behind the run: `30 s behind`; nothing if it is not. */
  const behind = (seconds) => (seconds ? `${duration(seconds)} behind` : "");

  /** The progress of the run, on a page that is `delay` seconds behind: `412 of 660 games · 3 min left · 3 workers, 10 games at a time`. */
  function progress({ done, total, most, eta_s: eta, test, workers, missed }, over, delay = 0) {
    const bound = most ? "at most " : "";
    const games = words.count(done, "game");
    const all = total === null || (most && over) ? games : most ? `${games} (${bound}${words.grouped(total)})` : `${words.grouped(done)} of ${words.count(total, "game")}`;
    const rest = over ? "the run has ended" : !eta || test ? null : `${bound}${duration(eta)} left`;
    return [all, rest, over ? null : workers, test, missed ? `${words.count(missed, "move")} not shown` : null, behind(delay)].filter(Boolean).join(" · ");
  }

  const orders = {
    rating: (players) => (game) => seated(game).reduce((sum, player) => sum + (players[player]?.elo ?? 0), 0),
    leads: () => ({ leads }) => leads,
  };

  /**
   * The games in the order in which they get a place: pinned games first, ended games last, and otherwise by `order`.
   */
  function ranked(games, players, order, pins) {
    const worth = orders[order](players);
    const value = (game) => [pins.has(game.id) ? 1 : 0, game.ended ? 0 : 1, worth(game), -game.slot];
    const keyed = games.map((game) => [value(game), game]);
    const compare = (a, b) => a.map((part, i) => b[i] - part).find((gap) => gap) ?? 0;
    return keyed.sort(([a], [b]) => compare(a, b)).map(([, game]) => game);
  }

  /**
   * Assigns games to places in the grid. A game keeps its place until it ends, and the next game in its slot gets the
   * same place; games that are ranked higher take the places of others only if `anew`. `places` are the previous ids
   * and slots.
   */
  function placed(ranking, places, pins, anew) {
    const alive = new Map(ranking.map((game) => [game.id, game]));
    const kept = anew ? [] : places.filter((place) => place && alive.has(place.id)).map(({ id }) => id);
    const wanted = [...ranking.filter(({ id }) => pins.has(id)), ...kept.map((id) => alive.get(id)), ...ranking];
    const chosen = [...new Set(wanted)].slice(0, SHOWN);
    const waiting = new Set(chosen);
    const result = places.map((place) => {
      const game = place && chosen.find(({ id }) => id === place.id);
      if (game) waiting.delete(game);
      return game ?? null;
    });
    const take = (at, game) => {
      result[at] = game;
      waiting.delete(game);
    };
    places.forEach((place, at) => {
      const heir = !result[at] && place && [...waiting].find(({ slot }) => slot === place.slot);
      if (heir) take(at, heir);
    });
    for (const game of [...waiting]) {
      const free = result.findIndex((other) => !other);
      take(free < 0 ? result.length : free, game);
    }
    return result.filter(Boolean);
  }

  /**
   * Wins, draws and losses of each player against each other player, from the entries of the data's `games`. With more
   * than two seats, a player wins against each player that is placed behind it.
   */
  function versus(count, games) {
    const table = Array.from({ length: count }, () => Array.from({ length: count }, () => [0, 0, 0]));
    const add = (player, other, place) => (table[player][other][place] += 1);
    for (const [black, white, , result] of games) {
      if (Array.isArray(black)) {
        const pairs = result ? black.flatMap((player, i) => black.map((other, j) => [player, other, result[i] - result[j]])) : [];
        for (const [player, other, gap] of pairs) if (player !== other) add(player, other, 1 + Math.sign(gap));
        continue;
      }
      const places = [[0, 2], [2, 0], [1, 1], [2, 2]][result];
      if (!places || black >= count || white >= count) continue;
      add(black, white, places[0]);
      add(white, black, places[1]);
    }
    return table;
  }

  /** The score in tenths, which determines the class in the heat map. */
  const tenths = ([wins, draws, losses]) => {
    const games = wins + draws + losses;
    return Math.floor(((2 * wins + draws) * 10 + games) / (2 * games));
  };

  return { SHOWN, apply, begin, behind, change, clock, dropOut, duration, fromBelow, isOnMove, lastPly, partsOf, placed, progress, ranked, scene, seated, tenths, versus };
})();
