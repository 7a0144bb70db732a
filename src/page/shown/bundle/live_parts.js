// live_parts.js: the parts of the page that the server writes when the page is loaded, and the table of endings.

const liveParts = (() => {
  const { h, byId } = dom;

  /** The number of games that these parts include, and the number of games that have ended. */
  let written = 0;
  let games = 0;
  let problem = "";

  /** The number of games in the heading, which the server wrote. */
  const counted = () => Number(/([0-9,]+) games?/.exec(byId("summary")?.textContent ?? "")?.[1].replaceAll(",", "") ?? 0);

  /** Reloads the page at its current position. Without a server, the page stays as it is. */
  async function renew() {
    try {
      const answer = await fetch("healthz");
      if (!answer.ok) throw new Error(`the server answered with status ${answer.status}`);
      location.reload();
    } catch {
      problem = "The server does not answer. ";
      note();
    }
  }

  /** Shows how many games these parts do not include yet, and offers to load the page again. */
  function note() {
    const missing = games - written;
    const text = `${problem}${words.count(missing, "game")} ${missing === 1 ? "has" : "have"} ended since this part was written. `;
    for (const id of ["result", "ratings", "players"]) {
      const line = byId(id)?.querySelector(".dated") ?? dated(id);
      line.hidden = missing <= 0;
      if (line.firstChild.data !== text) line.firstChild.data = text;
    }
  }

  function dated(id) {
    const line = h("p", { class: "quiet dated" }, " ", dom.button("Load the latest", "", renew));
    byId(id)?.querySelector("h2")?.after(line);
    return line;
  }

  /** The table of drop-outs in games with more than two seats. */
  function outs(section) {
    const seats = codes.seats();
    const kinds = new Map();
    for (const [seat, why] of page.data.games.flatMap((entry) => entry[5])) {
      if (!kinds.has(why)) kinds.set(why, seats.map(() => 0));
      kinds.get(why)[seat - 1] += 1;
    }
    const title = section.querySelector("h2");
    if (!kinds.size) {
      section.replaceChildren(title, h("p", {}, "No player dropped out of a game."));
      return;
    }
    const row = ([why, counts]) => h("tr", {}, h("th", { scope: "row" }, why),
      liveTables.numbers([...counts, counts.reduce((sum, count) => sum + count)].map(words.grouped)));
    const heads = ["ending", ...seats.map((seat) => words.side[seat]), "all"];
    section.replaceChildren(title, liveTables.region("Who dropped out", liveTables.plain("How many times a player dropped out while the others played on", heads, Array.from(kinds, row))));
  }

  /** The table of endings, counted from the games themselves. */
  function endings() {
    const section = byId("endings");
    if (!section || !page.data?.games.length) return;
    if (codes.seats().length > 2) {
      outs(section);
      return;
    }
    const { games: entries, terms } = page.data;
    const counts = terms.map((term) => ({ term, games: 0, results: [0, 0, 0, 0, 0] }));
    for (const [, , , result, , term] of entries) {
      counts[term].games += 1;
      counts[term].results[result] += 1;
    }
    const row = ({ term, games: all, results: [black, white, draws] }) => h("tr", {}, h("th", { scope: "row" }, term),
      liveTables.numbers([words.grouped(all), `${((100 * all) / entries.length).toFixed(1)}%`, ...[black, white, draws].map(words.grouped)]));
    const heads = ["ending", "games", "share", "black won", "white won", "draws"];
    const used = counts.filter(({ games: all }) => all).sort((a, b) => b.games - a.games);
    section.replaceChildren(section.querySelector("h2"), liveTables.region("How games ended", liveTables.plain("Endings as recorded in the game logs", heads, used.map(row))));
  }

  /** Writes `values` into the figures of a sequential test, which the server has drawn. */
  function figures(values) {
    let next = 0;
    if (!values) return;
    for (const node of document.querySelectorAll("[data-v]"))
      for (const name of node.dataset.v.split(" ")) {
        const value = values[next];
        next += 1;
        if (name === "text") node.textContent = value;
        else node.setAttribute(name, value);
      }
  }

  return {
    figures,
    /** Records that `count` games have ended. */
    show(count) {
      if (count === games) return;
      games = count;
      problem = "";
      endings();
      note();
    },
    /** Begins to maintain these parts. */
    start() {
      written = counted();
    },
  };
})();
