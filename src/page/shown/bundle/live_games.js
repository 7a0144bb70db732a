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
    const { 6: moves, 7: times, 8: values, 12: extras } = await answer.json();
    return Object.assign(entry, { 6: moves, 7: times, 8: values }, extras && { 12: extras });
  }

  /** Like `complete`, but for the viewer, which shows the error instead of moves if the moves cannot be fetched. */
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
    const ended = games.filter(([, , , result]) => (Array.isArray(result) ? true : result !== null && result < 4)).slice(-count).map(page.id);
    return [...new Set([...told.reverse(), ...ended.reverse()])].slice(0, count);
  }

  return { complete, latest, load };
})();
