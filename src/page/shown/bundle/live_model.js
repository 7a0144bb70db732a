// live_model.js: what a live page knows of a run, and which boards it shows. Pure; it also runs under node.

const liveModel = (() => {
  const LINES = 200;
  const SHOWN = 24;

  /** The board that the server sends as a letter for each field: one of 5x5 comes from rank 5 down. */
  const fromBelow = (letters) =>
    codes.judges() ? [20, 15, 10, 5, 0].map((start) => letters.slice(start, start + 5)).join("") : letters;

  const pointOf = (name) => "abcde".indexOf(name[0]) + 5 * (name[1] - 1);

  /**
   * The parts of the last ply of `game`, which is written like `c3`, `a1+c4`, `b1-a1` or `b1-a1-b1`; what it captured is not
   * known. On other boards, the server says which field it is.
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

  const stamped = (boards, at) => boards.map((game) => ({ ...game, at }));

  /** What the server's `state` says at the time `at`, in milliseconds. */
  const begin = (state, at) => ({ ...state, now: stamped(state.now, at) });

  /** Changes `state` as `frame` says, but for the games that are done: those are the page's. */
  function apply(state, frame, at) {
    const gone = new Set([...frame.off, ...frame.on.map(({ slot }) => slot)]);
    state.now = [...state.now.filter(({ slot }) => !gone.has(slot)), ...stamped(frame.on, at)];
    state.log = [...state.log, ...frame.log].slice(-LINES);
    state.seq = frame.seq;
    for (const key of ["progress", "moment"]) if (frame[key] !== undefined) state[key] = frame[key];
    if (frame.standings) state.page.players = frame.standings;
    if (frame.ratings) state.page.over = frame.ratings;
  }

  /** The milliseconds on the clock of `side` (0 black, 1 white) of `game` at the time `at`, or `null` without a clock. */
  function left(game, side, at) {
    const rest = game.left[side];
    if (rest === null || !game.run || "bw"[side] !== game.to) return rest;
    return Math.max(0, rest - (at - game.at));
  }

  /** A clock in words: `1:05`, and `0:07.3` below ten seconds. */
  function clock(rest) {
    if (rest === null) return "";
    const tenths = Math.floor(rest / 100);
    const seconds = Math.floor(tenths / 10);
    const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    return seconds < 10 ? `${text}.${tenths % 10}` : text;
  }

  /** How long something lasts, in words. */
  function duration(seconds) {
    if (seconds < 60) return `${seconds} s`;
    const minutes = Math.round(seconds / 60);
    return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  }

  /** How far the run is: `412 of 660 games · 3 min left · 3 workers, 10 games at a time`. */
  function progress({ done, total, eta_s: eta, test, workers, missed }, over) {
    const count = total === null ? `${done} games` : `${done} of ${total} games`;
    const rest = over ? "the run is over" : eta === null ? null : `${duration(eta)} left`;
    return [count, rest, over ? null : workers, test, missed ? `${missed} moves not shown` : null].filter(Boolean).join(" · ");
  }

  const orders = {
    rating: (players) => ({ black, white }) => (players[black]?.elo ?? 0) + (players[white]?.elo ?? 0),
    leads: () => ({ leads }) => leads,
  };

  /** The games in the order in which they deserve a place: pinned ones first, then by `order`. */
  function ranked(now, players, order, pins) {
    const worth = orders[order](players);
    const value = (game) => [pins.has(game.id) ? 1 : 0, worth(game), -game.slot];
    const keyed = now.map((game) => [value(game), game]);
    return keyed.sort(([a], [b]) => b[0] - a[0] || b[1] - a[1] || b[2] - a[2]).map(([, game]) => game);
  }

  /**
   * Which game stands at which place of the grid. A game keeps its place while it lasts, and the next game of its slot
   * follows there; only if `anew` do games that are ranked higher take places of others. `places` are the ids and slots
   * of before.
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

  /** Wins, draws and losses of each player against each other one, from the entries of the data's `games`. */
  function versus(count, games) {
    const table = Array.from({ length: count }, () => Array.from({ length: count }, () => [0, 0, 0]));
    const add = (player, other, place) => (table[player][other][place] += 1);
    for (const [black, white, , result] of games) {
      const places = [[0, 2], [2, 0], [1, 1], [2, 2]][result];
      if (!places || black >= count || white >= count) continue;
      add(black, white, places[0]);
      add(white, black, places[1]);
    }
    return table;
  }

  /** The score in tenths, as the classes of the heat map count it. */
  const tenths = ([wins, draws, losses]) => {
    const games = wins + draws + losses;
    return Math.floor(((2 * wins + draws) * 10 + games) / (2 * games));
  };

  return { SHOWN, apply, begin, clock, duration, fromBelow, left, partsOf, placed, progress, ranked, tenths, versus };
})();
