// ladder_link.js: the link between the page of a ladder and its program, which it polls for news.

const ladderLink = (() => {
  const HEADER = "X-Gothello-Token";
  const [SHORTEST, LONGEST] = [3_000, 60_000];
  const PATIENCE = 20_000;

  /** The visitor's identity: `NAME:TOKEN`, or `:TOKEN` for the teacher. It stays in the fragment of the address. */
  let token = "";
  let seq = null;
  let round = 0;
  let listener = null;
  /** How far the program's clock is ahead of the browser's. */
  let ahead = 0;

  const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

  const shown = () =>
    document.hidden ? new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true })) : null;

  /** Asks the program for `path`. If the program refuses, fails with its reason and its status. */
  async function ask(path) {
    const headers = token ? { [HEADER]: token } : {};
    const signal = AbortSignal.timeout(PATIENCE);
    const answer = await fetch(path, { headers, signal, cache: "no-store", credentials: "omit" });
    if (!answer.ok) throw Object.assign(new Error((await answer.text()).trim()), { status: answer.status });
    const date = Date.parse(answer.headers.get("Date"));
    if (date) ahead = date - Date.now();
    return answer.json();
  }

  /** The program's time, in seconds since the start of 1970. */
  const now = () => (Date.now() + ahead) / 1000;

  async function follow() {
    round += 1;
    const own = round;
    let pause = SHORTEST;
    while (own === round) {
      try {
        const told = await ask(seq ? `ladder?after=${seq}` : "ladder");
        if (own !== round) return;
        listener.found();
        if (told.role) {
          seq = told.seq;
          listener.told(told);
        }
        pause = SHORTEST;
      } catch (error) {
        if (own !== round) return;
        if (error.status === 401 && token) {
          // Everyone may see what guests see.
          token = "";
          seq = null;
          listener.refused(error.message);
          continue;
        }
        listener.lost(error);
        pause = Math.min(2 * pause, LONGEST);
      }
      await sleep(pause);
      await shown();
    }
  }

  /** Reads the token from the address, and from now on calls `told` with all news. */
  function start(told) {
    listener = told;
    const begin = () => {
      token = location.hash.slice(1);
      // A link to a part of the page has no colon.
      if (!token.includes(":")) token = "";
      seq = null;
      follow();
    };
    addEventListener("hashchange", begin);
    begin();
  }

  return { ask, now, start };
})();
