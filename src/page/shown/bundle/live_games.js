// live_games.js: the moves of games that have ended, which the page fetches one game at a time.

const liveGames = (() => {
  const GONE = "the server does not answer";

  /** Fetches the moves of `entry`, unless they have been loaded. Throws an error with a message for users. */
  async function complete(entry) {
    if (entry[6]) return entry;
    const answer = await fetch(`game/${encodeURIComponent(page.id(entry))}`).catch(() => {
      throw new Error(GONE);
    });
    if (!answer.ok) throw new Error(`the server answered with status ${answer.status}`);
    const [, , , , , , moves, times, values] = await answer.json();
    return Object.assign(entry, { 6: moves, 7: times, 8: values });
  }

  /** The same for the viewer, which shows the error instead of moves if this fails. */
  async function load(entry) {
    try {
      await complete(entry);
    } catch (error) {
      dom.say(`The moves of game ${page.id(entry)} cannot be shown (${error.message}).`);
    }
    return entry;
  }

  /** The ids of the last `count` games to end, the latest first. */
  function latest({ log, page: { games } }, count) {
    const told = log.filter(({ kind, game: id }) => (kind === "game" || kind === "forfeit") && page.game(id)).map(({ game: id }) => id);
    const ended = games.filter(([, , , result]) => result < 4).slice(-count).map(page.id);
    return [...new Set([...told.reverse(), ...ended.reverse()])].slice(0, count);
  }

  return { complete, latest, load };
})();
