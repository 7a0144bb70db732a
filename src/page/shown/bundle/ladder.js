// ladder.js: the page of a ladder. It shows what the program sends; this depends on the visitor's link.

(() => {
  const { breakable, byId, h } = dom;
  const { bar, count, date, rating, scale, signed, spark, table, tick, time } = ladderParts;
  const main = byId("main");

  /** Which parts are open, by key. */
  const open = new Set();
  /** The data that each section shows, as text. */
  const kept = new Map();
  let reports = { of: null, texts: new Map() };
  let losses = { of: null, told: null };
  let latest = null;

  const ORDER = ["you", "queue", "troubles", "ranking", "versions", "losses", "everything"];

  /** Fills the section `id` with what `make` returns if `data` has changed, or removes it if `data` is `null`. */
  function section(id, data, make) {
    const text = JSON.stringify(data);
    if (kept.get(id) === text) return;
    kept.set(id, text);
    const old = byId(id);
    if (data === null) {
      old?.remove();
      return;
    }
    const node = h("section", { id, "aria-labelledby": `${id}-title` }, ...[make(data)].flat());
    if (old) {
      old.replaceWith(node);
      return;
    }
    const next = ORDER.slice(ORDER.indexOf(id) + 1).map(byId).find(Boolean);
    main.insertBefore(node, next ?? null);
  }

  const heading = (id, text) => h("h2", { id: `${id}-title` }, text);

  /** Contents that users can open and close. Open contents stay open when their section is made again. */
  function fold(key, summary, contents, opened = () => {}) {
    const toggle = ({ target }) => {
      if (target.open) open.add(key);
      else open.delete(key);
      if (target.open) opened();
    };
    return h("details", { open: open.has(key), ontoggle: toggle }, h("summary", {}, ...[summary].flat()), ...contents);
  }

  function activity({ activity: word, in_flight: games, frozen, closes, target_error: error }) {
    const closing = closes && !frozen ? ` It closes on ${date(closes)}.` : "";
    const sentence = {
      playing: games ? "Games are being played." : "Games are about to begin.",
      idle: `Idle: every rating has a standard error of at most ${error} Elo. Games continue when a new version arrives.`,
      frozen: `Frozen on ${date(frozen ?? 0)}: the last round robin is being played, and no more versions are accepted.`,
      over: `The ladder is over. It froze on ${date(frozen ?? 0)}.`,
      stopped: "The arena has stopped. This page shows the last state of the ladder.",
    }[word];
    return sentence + closing;
  }

  function ranking(told) {
    const { rows, unnamed, zero, anonymous } = told;
    const ends = scale(rows);
    const name = (row) => [
      breakable(row.player),
      row.baseline ? h("span", { class: "tag" }, "baseline") : null,
      row.own ? h("span", { class: "tag you" }, "you") : null,
      h("span", { class: "narrow quiet" }, count(row.games, "game"), row.handed_in ? [", ", time(row.handed_in)] : null),
    ].flat(2);
    const columns = [
      ["#", "num", ({ rank }) => rank ?? "–"],
      ["player", "", name],
      ["Elo ±95%", "num", ({ elo, error95 }) => rating(elo, error95)],
      ["95% interval", "wide", (row) => bar(row, ends)],
      ["week", "num", ({ change }) => (change === null ? "–" : signed(change))],
      ["versions", "wide", (row) => spark(row.spark)],
      ["games", "num wide", ({ games }) => games.toLocaleString("en")],
      ["last hand-in", "wide", ({ handed_in: at }) => time(at)],
    ];
    const others = unnamed ? `${count(unnamed, "other player")} ${unnamed === 1 ? "takes" : "take"} part.` : "";
    const hidden = anonymous ? "Only the teacher sees all names." : "";
    const legend = [
      "Each player is listed with its best active version.",
      zero ? `The thin line marks 0, the rating of ${zero}.` : "",
      "The column “week” shows the change over the past week.",
      others,
      hidden,
    ];
    const row = ({ own }) => (own ? { class: "own" } : {});
    return [
      heading("ranking", "Ranking"),
      rows.length ? table("Players by rating", columns, rows, { row }) : h("p", {}, "No versions have been handed in yet."),
      h("p", { class: "legend" }, legend.filter(Boolean).join(" ")),
    ];
  }

  function you({ own, rows }) {
    const row = rows.find(({ own: is }) => is);
    const place = own.rank
      ? `You are number ${own.rank}, with a rating of ${rating(row.elo, row.error95)}.`
      : "You have no rank yet: you will get one when one of your versions has played its first games.";
    const before = (number) => (number ? `${count(number, "hand-in")} ahead of it` : "it is next");
    const waits = own.waiting.map(({ arrived, before: number, checking }) =>
      h("li", {}, "Your hand-in from ", time(arrived), checking ? " is being checked." : ` is waiting to be checked: ${before(number)}.`),
    );
    const ahead = own.ahead.map(({ rank, elo, error95 }) => `number ${rank}: ${rating(elo, error95)}`).join("; ");
    return [
      heading("you", own.player),
      h("p", { class: "place" }, place),
      ahead ? h("p", {}, `Ahead of you: ${ahead}.`) : null,
      waits.length ? h("ul", {}, ...waits) : null,
    ].filter(Boolean);
  }

  const wdl = ({ won, drawn, lost }) => `${won}-${drawn}-${lost}`;

  function versionColumns(name, more) {
    return [
      ["version", "", ({ version }) => name(version)],
      ["state", "", ({ state }) => state],
      ["Elo ±95%", "num", ({ elo, error95 }) => rating(elo, error95)],
      ["won-drawn-lost", "num wide", (entry) => (entry.state === "refused" ? "–" : wdl(entry))],
      ["arrived", "wide", ({ arrived }) => time(arrived)],
      ...more,
    ];
  }

  function versions({ list }) {
    const columns = versionColumns((version) => version.slice(version.lastIndexOf(".") + 1), [["why", "why", ({ reason }) => dom.prose(reason)]]);
    const refused = list.filter(({ state }) => state === "refused").reverse();
    const report = ({ version }) => {
      const text = reports.texts.get(version);
      return text ? fold(`report ${version}`, `Why ${version} was refused: the report`, [h("pre", { tabindex: "0" }, text)]) : null;
    };
    return [
      heading("versions", "Your versions"),
      list.length ? table("Your versions, latest first", columns, list.toReversed(), { head: 0, name: "standings short" }) : h("p", {}, "You have not handed in anything yet."),
      ...refused.map(report).filter(Boolean),
    ];
  }

  function loss(game) {
    const { number, version, opponent, side, date: day, ending, margin, reason, moves, claims, judgement, stderr } = game;
    const by = margin ? ` by ${margin}` : "";
    const how = ending === "normal" ? `lost${by}` : `lost${by} (${ending})`;
    const found = judgement?.judged ? count(judgement.mistakes.length, "mistake") : "";
    const summary = [`${version}, ${side}, against ${opponent ?? "another player"}: ${how}`, h("span", { class: "quiet" }, [day?.replaceAll(".", "-"), found].filter(Boolean).map((text) => `, ${text}`).join(""))];
    const line = ({ ply, move, comment, blunder }) => h("li", {}, `Ply ${ply}, `, h("b", { class: blunder ? "blunder" : "lost" }, move), `: ${comment}`);
    const judged = judgement?.moves && `${judgement.judged} of your ${count(judgement.moves, "move")} judged by exact values.`;
    return fold(`loss ${number}`, summary, [
      reason ? h("p", {}, `What happened: ${reason}`) : null,
      judgement?.mistakes.length ? h("ul", {}, ...judgement.mistakes.map(line)) : null,
      judged ? h("p", { class: "quiet" }, judgement.mistakes.length || !judgement.judged ? judged : `No mistake found. ${judged}`) : null,
      moves.length ? h("p", { class: "moves" }, h("span", { class: "quiet" }, "Moves: "), moves.map((move, ply) => `${ply + 1}. ${move}`).join("  ")) : null,
      claims.length ? h("pre", { tabindex: "0", "aria-label": "What your bot claimed" }, claims.map(([ply, text]) => `Ply ${ply}, ${moves[ply - 1]}: ${text}`).join("\n")) : null,
      stderr ? h("pre", { tabindex: "0", "aria-label": "What your bot wrote to stderr" }, stderr) : h("p", { class: "quiet" }, "Your bot wrote nothing to stderr."),
    ].filter(Boolean));
  }

  function lossesSection({ number, told }) {
    const wait = told?.pending ? [h("p", { role: "status" }, "The moves are judged whenever no game needs the processor.")] : [];
    const none = told && !told.judges ? [h("p", { class: "quiet" }, "Games under these rules are not judged.")] : [];
    const games = told ? told.games.map(loss) : [h("p", {}, "Loading the games.")];
    return [heading("losses", "Games you lost"), fold("losses", `The last ${count(number, "game")} that you lost`, [...wait, ...none, ...games], fetchLosses)];
  }

  function queue({ waiting, checking }) {
    const line = ({ player, arrived }, i) => h("li", {}, `${player}, `, time(arrived), checking && !i ? ": being checked" : "");
    return [heading("queue", "Waiting hand-ins"), waiting.length ? h("ol", {}, ...waiting.map(line)) : h("p", {}, "None.")];
  }

  function troubles({ troubles: list, selection }) {
    const lines = Object.entries(list).map(([player, text]) => h("li", {}, ...dom.prose(player ? `${player}: ${text}` : text)));
    const p = selection?.p_value;
    const test = !selection
      ? "Not tested yet."
      : `${count(selection.drawn, "game")} had players that were drawn at random. ` +
        (p === null ? "There are too few of these games for a test." : selection.disagrees ? `Their results disagree with those of the other games (p = ${p.toFixed(4)}): the ratings may be distorted.` : `Their results agree with those of the other games (p = ${p.toFixed(2)}).`);
    return [
      heading("troubles", "Doors and selection"),
      lines.length ? h("ul", {}, ...lines) : h("p", {}, "All doors work."),
      h("p", {}, test),
    ];
  }

  function everything({ versions: list }) {
    const columns = versionColumns(breakable, [
      ["from", "why", ({ door, origin }) => [door, origin].filter(Boolean).join(": ")],
      ["why", "why", ({ reason }) => dom.prose(reason)],
    ]);
    return [heading("everything", "All versions"), table("All versions of all players, for the teacher", columns, list, { head: 0 })];
  }

  /** Fetches the player's private data if it may have changed. */
  async function fetchReports(list) {
    const refused = list.filter(({ state }) => state === "refused").map(({ version }) => version).join();
    if (reports.of === refused) return;
    reports.of = refused;
    if (!refused) return;
    try {
      const told = await ladderLink.ask("reports");
      reports.texts = new Map(told.reports.map(({ version, text }) => [version, text]));
      show(latest);
    } catch {
      reports.of = null;
    }
  }

  let fetching = false;
  let again = 0;

  async function fetchLosses() {
    const of = latest.own ? `${latest.own.player} ${latest.seq}` : null;
    if (!of || fetching || (losses.of === of && !losses.told?.pending)) return;
    fetching = true;
    try {
      losses = { of, told: await ladderLink.ask("lost") };
      show(latest);
    } catch {
      // The program's next answer leads to another attempt.
    }
    fetching = false;
    // At most one further request is scheduled at a time.
    clearTimeout(again);
    if (losses.told?.pending) again = setTimeout(() => open.has("losses") && fetchLosses(), 3_000);
  }

  function show(told) {
    latest = told;
    const viewer = told.own ? told.own.player : told.all ? "Teacher" : "";
    document.title = viewer ? `${viewer} · ${told.title}` : told.title;
    document.querySelector("h1").textContent = told.title;
    byId("summary").textContent = `${count(told.games, "game")} played`;
    byId("news").textContent = activity(told);
    section("ranking", [told.rows, told.unnamed, told.zero, told.anonymous], () => ranking(told));
    const { own, all } = told;
    section("you", own ? [own.rank, own.ahead, own.waiting, told.rows.find((row) => row.own)] : null, () => you(told));
    section("versions", own ? { list: own.versions, texts: [...reports.texts] } : null, versions);
    section("losses", own?.lost ? { number: own.lost, told: losses.told } : null, lossesSection);
    section("queue", all ? { waiting: all.waiting, checking: all.checking } : null, queue);
    section("troubles", all ? { troubles: all.troubles, selection: all.selection } : null, troubles);
    section("everything", all ? { versions: all.versions } : null, everything);
  }

  document.documentElement.classList.add("js");
  theme.start(byId("tools"));
  setInterval(tick, 30_000);
  let refusal = "";
  const warn = (text) => {
    const node = byId("trouble") ?? h("p", { id: "trouble", role: "alert" });
    if (text === node.textContent) return;
    node.textContent = text;
    if (text) main.prepend(node);
    else node.remove();
  };
  ladderLink.start({
    told(told) {
      // A visitor with another link sees other data.
      if (latest?.own?.player !== told.own?.player) {
        reports = { of: null, texts: new Map() };
        losses = { of: null, told: null };
      }
      if (told.role !== "guest") refusal = "";
      warn(refusal);
      show(told);
      if (told.own) fetchReports(told.own.versions);
      if (told.own && open.has("losses")) fetchLosses();
    },
    found: () => warn(refusal),
    refused(text) {
      refusal = `${text[0].toUpperCase()}${text.slice(1)}. Until then, you see what guests see.`;
      warn(refusal);
    },
    lost(error) {
      warn(error.status ? error.message : "The program does not answer. It may have ended. This page keeps trying.");
    },
  });
})();
