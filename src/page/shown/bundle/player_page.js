// player_page.js: additions to a player's page from the data: the worst mistakes as small boards, and links to games.

const playerPage = (() => {
  const { h, s } = dom;
  const WORST = 10;
  const done = new Map();

  function smallBoard([entry, ply], player) {
    const read = game.read(entry);
    const one = read.plies[ply - 1];
    const other = page.name(entry[0] === player ? entry[1] : entry[0]);
    const text = words.mistake(read, ply);
    const before = board.create(`before ${words.numbered(one)}, with the better move`, true);
    before.show(read.boards[ply - 1], null, one.better);
    const after = board.create(`after ${words.numbered(one)}`, true);
    after.show(read.boards[ply], one);
    return h(
      "li",
      {},
      h(
        "a",
        { href: page.link(page.id(entry), ply) },
        h("div", { class: "pair" }, before.node, after.node),
        h("span", { class: one.mark }, text),
        h("span", { class: "quiet" }, `${words.numbered(one)} against ${other}`),
      ),
    );
  }

  /** The worst mistakes of `player` in the games whose moves have been loaded. */
  function worst(player) {
    const list = (page.data.players[player].worst ?? [])
      .map(([game, ply]) => [page.data.games[game], ply])
      .filter(([entry]) => entry[6]);
    if (!list.length) return null;
    return h(
      "section",
      {},
      h("h4", {}, list.length < WORST ? "Mistakes, worst first" : "The 10 worst mistakes"),
      h(
        "ol",
        { class: "worst" },
        list.map((mistake) => smallBoard(mistake, player)),
      ),
    );
  }

  function strongest(player) {
    if (codes.seats().length > 2) return null;
    const wins = page.data.games.filter(
      ([black, white, , result]) => (result === 0 && black === player) || (result === 1 && white === player),
    );
    const rated = (entry) => page.data.players[entry[0] === player ? entry[1] : entry[0]];
    const best = wins.reduce(
      (one, two) => (one && (rated(one).elo ?? -Infinity) >= (rated(two).elo ?? -Infinity) ? one : two),
      null,
    );
    if (!best) return null;
    const { n, elo } = rated(best);
    return h(
      "p",
      {},
      "Strongest opponent beaten: ",
      h("a", { href: page.link(page.id(best)) }, n),
      elo === null ? "" : ` (${words.signed(elo)} Elo)`,
      ".",
    );
  }

  /** Turns the results of `player` against each opponent into links to the games, and their scores into bars. */
  function duels(place, player) {
    for (const { cells } of place.querySelectorAll(".met:not(.done) tbody tr")) {
      const [both, score] = [cells[4], cells[5]];
      const other = cells[0].querySelector("a").getAttribute("href").slice(3);
      const wide = Math.round(Number.parseInt(score.textContent, 10) * 0.6) || 0;
      both.replaceChildren(h("a", { href: `#t=games&a=${page.data.players[player].s}&b=${other}` }, ...both.childNodes));
      score.append(s("svg", { class: "score", viewBox: "0 0 60 8", width: 60, height: 8, "aria-hidden": "true" }, s("rect", { class: "part", width: wide, height: 8 })));
    }
    place.querySelector(".met")?.classList.add("done");
  }

  const article = (slug) => dom.byId(`p=${slug}`) ?? dom.byId(`p-${slug}`);

  /** Completes the page of `player` from the games that have been loaded. */
  function show(player) {
    const { s: slug } = page.data.players[player];
    const place = article(slug);
    if (!place || !page.data.games.length) return;
    // A live page may have replaced the completed article with a new one.
    const more = place.querySelector(".more");
    if (more && done.get(player) === page.data.games.length) return;
    done.set(player, page.data.games.length);
    more?.remove();
    duels(place, player);
    const boards = worst(player);
    const table = place.querySelector(".mistakes");
    if (boards && table) table.replaceWith(boards);
    (place.querySelector("p") ?? place.firstChild).after(
      h(
        "div",
        { class: "more" },
        h("p", {}, h("a", { href: `#t=games&a=${slug}` }, "All games of this player")),
        // The markup of a report already names the strongest opponent.
        place.querySelector(".best") ? null : strongest(player),
        page.opponents?.(player),
        table ? null : boards,
      ),
    );
  }

  return { article, show };
})();
