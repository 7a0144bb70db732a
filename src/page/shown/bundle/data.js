// data.js: the page's data. Unpacks the data in the document, and finds games and players in it.

const page = (() => {
  const games = new Map();
  const players = new Map();
  const listeners = [];

  /** The data in the document, or `null` if there is none. */
  async function embedded() {
    const packed = dom.byId("d")?.textContent.trim();
    if (!packed) return null;
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(plain).text());
  }

  const id = (entry) => entry[10] ?? `r${entry[2]}-${self.data.players[entry[0]].s}-${self.data.players[entry[1]].s}`;

  const self = {
    data: null,
    embedded,
    id,
    game: (name) => games.get(name),
    player: (slug) => players.get(slug),
    /** The players of `entry`, in turn order. */
    seated: ([first, second]) => (Array.isArray(first) ? first : [first, second]),
    name: (index) => self.data.players[index].n,
    /** The address of the game `name` after `ply` plies. */
    link: (name, ply = 0) => `#g=${encodeURIComponent(name)}&p=${ply}`,

    /** Sets the data of the whole page to `data`, and notifies the views. */
    use(data) {
      self.data = data;
      codes.use(data);
      clocks.use(data);
      games.clear();
      players.clear();
      self.meet();
      for (const entry of data.games) games.set(id(entry), entry);
      self.changed();
    },

    /** Looks for new players in the data. Returns whether there are any. */
    meet() {
      const known = players.size;
      self.data.players.forEach((player, index) => players.set(player.s, index));
      return players.size > known;
    },

    /** Adds `entries` to the games, replacing those with the same ids, and notifies the views. */
    add(entries) {
      for (const entry of entries) {
        const old = games.get(id(entry));
        if (old) Object.assign(old, entry);
        else {
          self.data.games.push(entry);
          games.set(id(entry), entry);
        }
      }
      self.changed();
    },

    /**
     * Records the values of the positions of the game `name`. If the game's moves have not been loaded, its values
     * arrive together with them.
     */
    judge(name, values) {
      const entry = games.get(name);
      if (entry?.[6]) entry[8] = values;
    },

    /** Calls `listener` whenever the data has changed. */
    onchange: (listener) => listeners.push(listener),
    changed: () => listeners.forEach((listener) => listener()),

    /** Follows a run in progress, and shows the tabs as soon as there is data. Only a live page has this function. */
    follow: null,

    /**
     * Asks the arena for the value of the position after the given moves. Returns `null` if the arena does not
     * answer. Only a live page has this function.
     */
    ask: null,

    /** Makes the table of a player's opponents if the markup has none. Only a live page has this function. */
    opponents: null,

    /** The parts for the tree of openings, the sorting of tables, and the chart of ratings. Only a report has these. */
    openings: null,
    sortedTable: null,
    ratingChart: null,

    /** Completes an entry whose moves have not been loaded yet. A live page fetches the moves. */
    load: async (entry) => entry,

    /**
     * The number of Elo points by which the winner of `entry` was rated below the loser; 0 if the winner was not
     * rated lower.
     */
    upset([black, white, , result]) {
      if (Array.isArray(black)) return 0;
      if (result > 1) return 0;
      const [winner, loser] = result === 0 ? [black, white] : [white, black];
      const gap = self.data.players[loser].elo - self.data.players[winner].elo;
      return gap > 0 ? gap : 0;
    },
  };
  return self;
})();
