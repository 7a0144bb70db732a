// live_values.js: asks the arena for the values of a variation's positions, one question at a time.

const liveValues = (() => {
  const UNKNOWN = { margin: null, winner: null };
  /** The status with which the arena answers when it has too many questions. */
  const BUSY = 503;
  const TRIES = 4;
  const PAUSE = 1_000;
  const LETTERS = { black: "b", white: "w", draw: "draw" };

  const reader = Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(36)).join("");
  let open = null;

  const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE));

  /**
   * The value of the position after the moves `texts`; unknown if the arena does not find the value in time. Abandons
   * the previous question.
   */
  async function ask(texts) {
    open?.abort();
    const mine = new AbortController();
    open = mine;
    for (let times = 0; times < TRIES && open === mine; times += 1) {
      if (times) await pause();
      const answer = await fetch(`value?reader=${reader}&moves=${encodeURIComponent(texts.join(","))}`, { signal: mine.signal }).catch(() => null);
      if (answer?.ok) {
        const { winner, margin } = await answer.json();
        return winner ? { margin, winner: LETTERS[winner] } : UNKNOWN;
      }
      if (answer?.status !== BUSY) return UNKNOWN;
    }
    return UNKNOWN;
  }

  return { ask };
})();
