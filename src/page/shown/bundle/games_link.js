// games_link.js: the address of the list of games, with its filters, its order, and the number of its first game.

const gamesLink = (() => {
  /** The words for the results of games with two seats, in the order of the results' numbers. */
  const RESULTS = ["black", "white", "draw", "both-lost", "void"];
  const PLAYERS = [["a", "player"], ["b", "against"]];
  const TICKS = ["upset", "blunder", "out"];

  const slugOf = (name) => page.data.players.find(({ n }) => n === name)?.s;

  /** The address of the list with `filter` and the order `sorted`, starting at the game with the index `from`. */
  function write(filter, sorted, from) {
    const values = new URLSearchParams({ t: "games" });
    for (const [name, key] of PLAYERS) {
      // Text that is not a player's name is kept as it was typed.
      const slug = slugOf(filter[key]);
      if (filter[key]) values.set(slug ? name : `${name}text`, slug ?? filter[key]);
    }
    if (filter.result !== "") values.set("result", RESULTS[filter.result]);
    if (filter.term !== "") values.set("ended", page.data.terms[filter.term]);
    if (filter.opening) values.set("o", filter.opening);
    for (const key of TICKS) if (filter[key]) values.set(key, "1");
    if (sorted.column !== "number" || sorted.down) values.set("sort", (sorted.down ? "-" : "") + sorted.column);
    if (from) values.set("from", String(from + 1));
    return `#${values}`;
  }

  /**
   * Reads the parameters `values` of an address for a list with `columns`: the filter, the order, the index of the
   * first game, and any values that do not exist on this page. Returns `null` if there are no parameters.
   */
  function read(values, columns) {
    if (Array.from(values.keys()).every((key) => key === "t")) return null;
    const [filter, unknown] = [{}, []];
    let sorted = { column: "number", down: false };
    const take = (name, find) => {
      const text = values.get(name);
      if (text === null) return;
      const found = find(text);
      if (found === undefined) unknown.push(text);
      else Object.assign(filter, found);
    };
    const index = (list, key) => (text) => (list?.includes(text) ? { [key]: String(list.indexOf(text)) } : undefined);
    for (const [name, key] of PLAYERS) {
      take(`${name}text`, (text) => ({ [key]: text }));
      take(name, (slug) => (page.player(slug) === undefined ? undefined : { [key]: page.name(page.player(slug)) }));
    }
    take("result", index(RESULTS, "result"));
    take("ended", index(page.data.terms, "term"));
    take("o", (text) => (page.openings?.find(text) ? { opening: text } : undefined));
    for (const key of TICKS) take(key, () => ({ [key]: true }));
    take("sort", (text) => {
      const column = text.replace(/^-/, "");
      if (!columns.some(({ id }) => id === column)) return undefined;
      sorted = { column, down: text.startsWith("-") };
      return {};
    });
    return { filter, sorted, from: Math.max(0, Number(values.get("from")) - 1 || 0), unknown };
  }

  return { TICKS, read, slugOf, write };
})();
