// tabs.js: reads the address, shows a tab, a game or a player, and reports what it cannot find.

const tabs = (() => {
  const { h } = dom;
  const TABS = [
    { id: "standings", title: "Standings", sections: ["standings", "headline", "result", "ratings", "endings"] },
    { id: "crosstable", title: "Crosstable", sections: ["crosstable"] },
    { id: "games", title: "Games", sections: ["games", "viewer"] },
    { id: "players", title: "Players", sections: ["players"] },
    { id: "openings", title: "Openings", sections: ["openings"] },
    { id: "live", title: "Live", sections: ["live"] },
  ];
  const scrolled = new Map();
  const here = () => TABS.filter(({ sections }) => dom.byId(sections[0]));
  const home = () => (dom.byId("live") ? "live" : here()[0].id);
  let current = null;

  /** Goes to `hash`, which becomes an entry of the browser's history. */
  function go(hash) {
    if (location.hash === hash) route();
    else location.hash = hash;
  }

  /** The part of the page that the address `hash` refers to. */
  function wanted(hash) {
    const text = hash.replace(/^#/, "");
    if (text === "" || text === "main") return { tab: home() };
    if (text === "projector" && dom.byId("live")) return { tab: "live" };
    if (text.startsWith("p-")) return { player: text.slice(2) };
    const section = TABS.find(({ sections }) => sections.includes(text));
    if (section) return { tab: section.id };
    const values = new URLSearchParams(text);
    if (values.has("g")) return { game: values.get("g"), ply: Number(values.get("p") ?? 0) };
    if (values.has("p")) return { player: values.get("p") };
    return { tab: values.get("t"), values };
  }

  function route() {
    dom.say("");
    const want = wanted(location.hash);
    if (want.game !== undefined) return showGame(want);
    if (want.player !== undefined) return showPlayer(want.player);
    if (!here().some(({ id }) => id === want.tab))
      return fallback(`This page has no part “${want.tab ?? location.hash}”.`);
    const left = viewer.shown();
    viewer.close();
    if (want.tab === "openings" && page.data && !page.openings.show(want.values?.get("o"))) return fallback("No game on this page has that opening.");
    if (want.tab === "players" && page.data) return showPlayer(page.data.players[0].s, false);
    show(want.tab);
    const unsorted = want.tab === "standings" && page.sortedTable?.follow(want.values);
    if (unsorted) dom.say(unsorted);
    const unknown = want.tab === "games" && page.data && gamesTable.follow(want.values ?? new URLSearchParams());
    if (unknown) dom.say(unknown);
    if (want.tab === "games" && left) gamesTable.focusRow(page.id(left));
    return undefined;
  }

  function fallback(sentence) {
    viewer.close();
    show(home());
    dom.say(`${sentence} Showing ${home() === "live" ? "the games in progress" : "the standings"} instead.`);
  }

  /** Completes all players' pages for printing, unless that would take too long. */
  function beforePrint() {
    const { players, games } = page.data ?? { players: [], games: [] };
    if (players.length * games.length < 200_000) players.forEach((_, player) => playerPage.show(player));
  }

  async function showGame({ game: id, ply }) {
    const entry = page.game(id);
    if (!entry) return fallback(`This page has no game “${id}”.`);
    const wasOpen = viewer.isOpen();
    if (!wasOpen) show("games", "viewer");
    try {
      await viewer.open(entry, Number.isInteger(ply) ? ply : 0);
    } catch (error) {
      return fallback(`The game “${id}” cannot be shown (${error.message}).`);
    }
    if (!wasOpen) viewer.focus();
    name(page.seated(entry).map(page.name).join(" v "));
    if (!Number.isInteger(ply) || ply < 0 || ply > codes.plies(entry[6]).length)
      dom.say("The game has no such ply; here is the nearest.");
    return undefined;
  }

  function mark(link, isCurrent, value) {
    if (isCurrent) link.setAttribute("aria-current", value);
    else link.removeAttribute("aria-current");
  }

  function showPlayer(slug, focus = true) {
    const player = page.player(slug);
    if (player === undefined) return fallback(`This page has no player “${slug}”.`);
    viewer.close();
    playerPage.show(player);
    show("players", `player ${slug}`, page.name(player));
    for (const article of document.querySelectorAll("article.player"))
      article.classList.toggle("shown", article === playerPage.article(slug));
    for (const link of document.querySelectorAll("#chooser a")) {
      const isShown = link.getAttribute("href") === `#p=${slug}`;
      mark(link, isShown, "true");
      const list = link.closest("ul");
      if (isShown) list.scrollTop += link.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
    }
    if (focus) window.scrollTo(0, 0);
    return undefined;
  }

  /** Names the page after its visible part, for the browser's tabs and history. A live page shows its progress. */
  function name(part) {
    if (page.data && !page.follow) document.title = `${part} · ${page.data.title}`;
  }

  /** Shows the sections of `tab`; `part` is its visible part, whose scroll position is kept. */
  function show(tab, part = tab, title = titleOf(tab, TABS.find(({ id }) => id === tab).title)) {
    name(title);
    if (current) scrolled.set(current, window.scrollY);
    for (const { id, sections } of here()) {
      for (const section of sections) {
        const node = dom.byId(section);
        if (node)
          node.hidden =
            id !== tab || (section === "games" && part === "viewer") || (section === "viewer" && part !== "viewer");
      }
    }
    for (const link of dom.byId("tabs").querySelectorAll("a")) {
      mark(link, link.dataset.tab === tab, "page");
    }
    if (tab === "crosstable") linkCells();
    if (part === "games") gamesTable.show();
    current = part;
    window.scrollTo(0, part === "viewer" ? 0 : (scrolled.get(part) ?? 0));
  }

  /** Turns the cells of `row` into links. On a narrow screen, they show points instead of their text. */
  function linkRow(row) {
    for (const cell of row.querySelectorAll("td[data-a]:not(:has(a))")) {
      const [wins, draws] = cell.textContent.split("-").map(Number);
      const [a, b] = [cell.dataset.a, cell.dataset.b].map((index) => page.data.players[index].s);
      const link = { href: `#t=games&a=${a}&b=${b}`, "data-points": wins >= 0 ? words.points(wins + draws / 2) : null };
      cell.replaceChildren(h("a", link, ...cell.childNodes));
    }
  }

  const inView = new IntersectionObserver(
    (rows) => rows.filter(({ isIntersecting }) => isIntersecting).forEach(({ target }) => linkRow(target)),
    { rootMargin: "200px" },
  );

  /** Turns the cells of the crosstable into links to games as their rows come into view: there may be 20,000 cells. */
  function linkCells() {
    inView.disconnect();
    if (page.data && dom.byId("games"))
      document.querySelectorAll("#crosstable tbody tr").forEach((row) => inView.observe(row));
  }

  /** Adds a list of all players above their pages. */
  function chooser() {
    const section = dom.byId("players");
    if (!section || !page.data) return;
    const nav = h(
      "nav",
      { id: "chooser", "aria-label": "players" },
      h(
        "ul",
        { class: "fades" },
        page.data.players.map(({ n, s }) => h("li", {}, h("a", { href: `#p=${s}` }, n))),
      ),
    );
    dom.byId("chooser")?.remove();
    section.querySelector("h2").after(nav);
    dom.scrolls(nav.firstChild);
  }

  /** The title of a tab: with more than two seats, the crosstable says who was placed ahead of whom. */
  const titleOf = (id, title) => (id === "crosstable" && codes.seats().length > 2 ? "Head to head" : title);

  function start() {
    dom
      .byId("tabs")
      .replaceChildren(
        ...here().map(({ id, title }, i) =>
          h("a", { href: `#t=${id}`, "data-tab": id, "aria-keyshortcuts": String(i + 1) }, titleOf(id, title)),
        ),
      );
    page.sortedTable?.start();
    page.ratingChart?.start();
    addEventListener("hashchange", route);
    addEventListener("beforeprint", beforePrint);
    chooser();
    route();
  }

  const byNumber = (number) => go(`#t=${here()[number - 1].id}`);

  /** The numbers of the tabs, which are also their keys. */
  const numbers = () => here().map((_, i) => String(i + 1));

  return { byNumber, chooser, go, home, linkCells, numbers, route, start };
})();
