// live_parts.js: the parts of the page that the server writes: ratings over time, endings, the players' pages.

const liveParts = (() => {
  const { h, byId } = dom;
  const PARTS = ["ratings", "endings", "players"];

  const EVERY = 10_000;

  /** How many games the parts speak of, and how many have ended. */
  let written = 0;
  let games = 0;
  let renewed = -Infinity;
  let isAsking = false;
  let problem = "";

  /** How many games the heading of `root`, which the server has written, counts. */
  const counted = (root) => Number(/([0-9,]+) games?/.exec(root.getElementById("summary")?.textContent ?? "")?.[1].replaceAll(",", "") ?? 0);

  const isShown = (id) => byId(id)?.hidden === false;

  /** Puts the parts of the server's page of now in place of those that are here. */
  async function renew() {
    if (isAsking || written >= games) return;
    isAsking = true;
    renewed = Date.now();
    problem = "";
    try {
      const answer = await fetch("./");
      if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
      take(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      problem = "The server does not answer. ";
    }
    isAsking = false;
    note();
  }

  /** Takes the parts from `fresh`, whose scripts never run, and shows the same player as before. */
  function take(fresh) {
    written = counted(fresh);
    for (const id of PARTS) {
      const part = fresh.getElementById(id);
      if (part) byId(id)?.replaceChildren(...document.adoptNode(part).childNodes);
    }
    endings();
    tabs.chooser();
    if (!isShown("players")) return;
    const place = window.scrollY;
    tabs.route();
    window.scrollTo(0, place);
  }

  /** Says how many games the parts do not know yet, and offers to load the latest. */
  function note() {
    const missing = games - written;
    const text = `${problem}${words.count(missing, "game")} ${missing === 1 ? "has" : "have"} ended since this part was written. `;
    for (const id of ["ratings", "players"]) {
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

  /** How the games ended, counted from the games themselves. */
  function endings() {
    const section = byId("endings");
    if (!section || !page.data?.games.length) return;
    const { games: entries, terms } = page.data;
    const counts = terms.map((term) => ({ term, games: 0, results: [0, 0, 0, 0, 0] }));
    for (const [, , , result, , term] of entries) {
      counts[term].games += 1;
      counts[term].results[result] += 1;
    }
    const num = (text) => h("td", { class: "num" }, String(text));
    const row = ({ term, games: all, results: [black, white, draws] }) => h("tr", {}, h("th", { scope: "row" }, term),
      num(all), num(`${((100 * all) / entries.length).toFixed(1)} %`), num(black), num(white), num(draws));
    const head = ["ending", "games", "share", "black won", "white won", "draws"].map((text, i) => h("th", { scope: "col", class: i ? "num" : null }, text));
    const used = counts.filter(({ games: all }) => all).sort((a, b) => b.games - a.games);
    const table = h("table", {}, h("caption", {}, "The words are those of the game logs"), h("thead", {}, h("tr", {}, head)), h("tbody", {}, used.map(row)));
    section.replaceChildren(section.querySelector("h2"), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "How games ended" }, table));
  }

  /** Brings the parts up to date when somebody turns to them. */
  function turn() {
    if (isShown("ratings") || isShown("players")) renew();
  }

  return {
    /** Notes that `count` games have ended, and whether no more come. */
    show(count, isOver, at) {
      const isNew = count !== games;
      games = count;
      if (isNew) endings();
      // A player's page may be long: it stays as it is while somebody reads it.
      const isUnread = isShown("ratings") && !byId("ratings").querySelector("details[open]");
      if (isOver || (isUnread && at - renewed >= EVERY)) renew();
      if (isNew) note();
    },
    /** Begins to look after the parts. */
    start() {
      written = counted(document);
      // Once the tab is shown, which another listener does.
      addEventListener("hashchange", () => setTimeout(turn));
    },
  };
})();
