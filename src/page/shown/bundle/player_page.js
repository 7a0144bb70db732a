// player_page.js: additions to a player's page from the data: the worst mistakes as small boards, and links to games.

const playerPage = (() => {
  const { h } = dom;
  const WORST = 10;
  const done = new Map();

  const link = (entry, ply) => `#g=${encodeURIComponent(page.id(entry))}&p=${ply}`;

  function smallBoard([entry, ply], player) {
    const read = game.read(entry);
    const one = read.plies[ply - 1];
    const other = page.name(entry[0] === player ? entry[1] : entry[0]);
    const text = words.mistake(read, ply);
    const picture = board.create(`${words.numbered(one)}, board after it`, true);
    picture.show(read.boards[ply], one, one.better);
    return h(
      "li",
      {},
      h(
        "a",
        { href: link(entry, ply) },
        picture.node,
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
      h("h4", {}, list.length < WORST ? "Mistakes, the worst first" : "The 10 worst mistakes"),
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
      h("a", { href: link(best, 0) }, n),
      elo === null ? "" : ` (${words.signed(elo)} Elo)`,
      ".",
    );
  }

  const article = (slug) => dom.byId(`p=${slug}`) ?? dom.byId(`p-${slug}`);

  /** Completes the page of `player` from the games that have been loaded. */
  function show(player) {
    const { s: slug } = page.data.players[player];
    const place = article(slug);
    if (!place || !page.data.games.length) return;
    // A live page may have replaced the completed article by a new one.
    const more = place.querySelector(".more");
    if (more && done.get(player) === page.data.games.length) return;
    done.set(player, page.data.games.length);
    more?.remove();
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
