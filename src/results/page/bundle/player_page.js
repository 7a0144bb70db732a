// player_page.js: what the data add to a player's page: mistakes as small boards, accuracy, think times, best win.

const playerPage = (() => {
  const { h, s } = dom;
  const WORST = 10;
  const PHASES = [
    ["opening", "18 empty points or more", 18],
    ["middle", "9 to 17", 9],
    ["end", "8 or fewer", 0],
  ];
  const done = new Map();

  const link = (entry, ply) => `#g=${encodeURIComponent(page.id(entry))}&p=${ply}`;

  /** Everything about the plies of `player` in all games: mistakes, counts of judged and kept plies, times. */
  function gather(player) {
    const sums = {
      mistakes: [],
      times: [],
      phases: PHASES.map(() => ({ kept: 0, all: 0 })),
      sides: { b: { kept: 0, all: 0 }, w: { kept: 0, all: 0 } },
    };
    for (const entry of page.data.games) {
      const side = entry[0] === player ? "b" : entry[1] === player ? "w" : null;
      if (side) collect(sums, entry, side);
    }
    return sums;
  }

  function collect(sums, entry, side) {
    const times = codes.times(entry[7]);
    const { worth, marks } = game.judge(entry);
    const filled = marks.length ? stones(entry) : [];
    const plies = Math.max(times.length, marks.length);
    for (let i = 0; i < plies; i += 1) {
      const mine = marks[i] ? marks[i].side === side : "bw"[i % 2] === side;
      if (!mine) continue;
      if (times[i] !== null && times[i] !== undefined) sums.times.push(times[i]);
      const { mark, lost } = marks[i] ?? {};
      if (!mark || mark === "opening") continue;
      const phase = sums.phases[PHASES.findIndex(([, , least]) => 25 - filled[i] >= least)];
      for (const count of [phase, sums.sides[side]]) {
        count.all += 1;
        count.kept += mark === "kept" ? 1 : 0;
      }
      if (mark !== "kept")
        sums.mistakes.push({ entry, ply: i + 1, halves: game.halves(worth[i], worth[i + 1]), lost: lost ?? 0 });
    }
  }

  /** The number of stones before each ply: a ply adds one for each part that does not move a stone. */
  function stones(entry) {
    let count = 0;
    return codes.plies(entry[6]).map(({ parts }) => {
      const before = count;
      count += parts.filter(({ from }) => from === null).length;
      return before;
    });
  }

  function smallBoard({ entry, ply }, player) {
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

  function worst(sums, player) {
    const list = sums.mistakes.sort((one, two) => two.halves - one.halves || two.lost - one.lost).slice(0, WORST);
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

  function accuracyRow([label, { kept, all }]) {
    const share = all ? kept / all : 0;
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, label),
      h(
        "td",
        {},
        s(
          "svg",
          { class: "accuracy", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
          s("rect", { class: "all", width: 100, height: 10 }),
          s("rect", { class: "kept", width: 100 * share, height: 10 }),
        ),
      ),
      h("td", { class: "num" }, all ? `${Math.round(100 * share)} %` : "–"),
      h("td", { class: "num" }, words.count(all, "move")),
    );
  }

  function accuracy({ phases, sides }) {
    if (!sides.b.all && !sides.w.all) return null;
    const rows = [
      ["as black", sides.b],
      ["as white", sides.w],
      ...PHASES.map(([name, what], i) => [[name, h("span", { class: "quiet" }, ` ${what}`)], phases[i]]),
    ];
    return h(
      "section",
      {},
      h("h4", {}, "Moves that kept their value"),
      h(
        "table",
        { class: "kept" },
        h(
          "thead",
          { class: "sr" },
          h(
            "tr",
            {},
            ["moves", "share", "kept", "judged"].map((text) => h("th", { scope: "col" }, text)),
          ),
        ),
        h("tbody", {}, rows.filter(([, { all }]) => all).map(accuracyRow)),
      ),
    );
  }

  /** How often the player thought for how long, in steps of half a power of ten. */
  function histogram({ times }) {
    if (!times.length) return null;
    const step = (time) => Math.floor(2 * Math.log10(Math.max(1, time)));
    const steps = times.map(step);
    const [low, high] = [steps.reduce((a, b) => Math.min(a, b)), steps.reduce((a, b) => Math.max(a, b))];
    const counts = Array.from({ length: high - low + 1 }, (_, i) => steps.filter((one) => one === low + i).length);
    const top = Math.max(...counts);
    const wide = 44;
    const sorted = [...times].sort((a, b) => a - b);
    const [median, longest] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map(words.time);
    const facts = `Median ${median}, longest ${longest}, ${words.count(times.length, "move")}.`;
    const width = wide * counts.length + 40;
    return h(
      "section",
      {},
      h("h4", {}, "Think times"),
      h("p", {}, facts),
      s(
        "svg",
        {
          class: "histogram",
          viewBox: `0 0 ${width} 128`,
          width,
          height: 128,
          role: "img",
          "aria-label": `Histogram of think times. ${facts}`,
        },
        counts.flatMap((count, i) => {
          const tall = count ? Math.max(2, (count / top) * 88) : 0;
          const x = 20 + i * wide;
          return [
            s("rect", { x: x + 2, y: 104 - tall, width: wide - 4, height: tall }),
            s(
              "text",
              { class: "tick", x: x + wide / 2, y: 100 - tall, "text-anchor": "middle" },
              count ? String(count) : "",
            ),
            (low + i) % 2
              ? null
              : s("text", { class: "tick", x, y: 122, "text-anchor": "middle" }, words.power((low + i) / 2)),
          ];
        }),
        s("line", { class: "zero", x1: 20, x2: width - 20, y1: 104, y2: 104 }),
      ),
    );
  }

  function strongest(player) {
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

  /** Completes the page of `player` from the games that are here. */
  function show(player) {
    const { s: slug } = page.data.players[player];
    const place = article(slug);
    if (!place || !page.data.games.length) return;
    // A live page may have put a new article in place of the one that was completed.
    const more = place.querySelector(".more");
    if (more && done.get(player) === page.data.games.length) return;
    done.set(player, page.data.games.length);
    more?.remove();
    // The markup has a shorter form of what follows, which stays where games have no moves. A live page has those of some.
    const hasMoves = !page.follow && page.data.games.some(([, , , , , , moves]) => moves);
    if (hasMoves) place.querySelector(".static")?.remove();
    const sums = hasMoves ? gather(player) : null;
    place.append(
      h(
        "div",
        { class: "more" },
        h("p", {}, h("a", { href: `#t=games&a=${slug}` }, "All games of this player")),
        strongest(player),
        page.opponents?.(player),
        sums && [worst(sums, player), accuracy(sums), histogram(sums)],
      ),
    );
  }

  return { article, show };
})();
