// table_link.js: the link between the page of a board and its program: asks for the board, and sends people's choices.

const tableLink = (() => {
  const HEADER = "X-Gothello-Token";
  const [SHORTEST, LONGEST] = [500, 8_000];
  /** The program answers within 20 seconds. */
  const PATIENCE = 40_000;

  let token = "";
  let board = null;
  let round = 0;
  let queue = Promise.resolve();
  let listener = null;

  /** Calls the program. If the program refuses, fails with its reason and its status. */
  async function called(path, options = {}) {
    const headers = { ...options.headers, [HEADER]: token };
    const signal = AbortSignal.timeout(PATIENCE);
    const answer = await fetch(path, { ...options, headers, signal, cache: "no-store", credentials: "omit" });
    if (!answer.ok) throw Object.assign(new Error((await answer.text()).trim()), { status: answer.status });
    return answer.json();
  }

  /** Shows `told` unless a newer board is shown already. */
  function take(told) {
    if (board && told.seq <= board.seq) return;
    board = told;
    listener.board(board);
  }

  const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

  /** Asks for the board repeatedly, until the game has been left. */
  async function follow() {
    round += 1;
    const own = round;
    let pause = SHORTEST;
    while (own === round && !board?.left) {
      try {
        const told = await called(board ? `board?after=${board.seq}` : "board");
        if (own !== round) return;
        take(told);
        listener.found();
        pause = SHORTEST;
      } catch (error) {
        if (own !== round) return;
        listener.lost(error);
        // Status 503 means that all connections are in use for the moment; other refusals are final.
        if (error.status && error.status !== 503) return;
        await sleep(pause);
        pause = Math.min(2 * pause, LONGEST);
      }
    }
  }

  async function send(ask, more) {
    const body = JSON.stringify({ ask, turn: board.turn, ...more });
    try {
      const told = await called("act", { method: "POST", headers: { "Content-Type": "application/json" }, body });
      take(told.board);
      return told;
    } catch (error) {
      listener.lost(error);
      return null;
    }
  }

  /** Asks the program to do something, one request after another. Returns its answer, or `null` if there is none. */
  function act(ask, more = {}) {
    const answer = queue.then(() => (board && !board.left ? send(ask, more) : null));
    queue = answer;
    return answer;
  }

  /**
   * Reads the token from the address, and calls `listener` with each new board, with each error, and when the program
   * has answered again.
   */
  function start(told) {
    listener = told;
    const begin = () => {
      token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
      board = null;
      if (token) follow();
      else listener.lost(Object.assign(new Error("open the full link that the program printed"), { status: 401 }));
    };
    addEventListener("hashchange", begin);
    begin();
  }

  return { act, start };
})();
