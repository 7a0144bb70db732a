// data.js: the data of the page: unpacks those in the document, and finds games and players in them.

const page = (() => {
  const games = new Map();
  const players = new Map();
  const listeners = [];

  /** The data that the document holds, or `null` if it holds none. */
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
    name: (index) => self.data.players[index].n,

    /** Takes `data` for all of the page, and tells the views. */
    use(data) {
      self.data = data;
      codes.use(data);
      games.clear();
      players.clear();
      self.meet();
      for (const entry of data.games) games.set(id(entry), entry);
      self.changed();
    },

    /** Looks for players that are new in the data. Returns whether there are any. */
    meet() {
      const known = players.size;
      self.data.players.forEach((player, index) => players.set(player.s, index));
      return players.size > known;
    },

    /** Adds `entries` to the games, or replaces those with the same ids, and tells the views. */
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

    /** Notes what the positions of the game `name` are worth. A game without its moves gets its values together with them. */
    judge(name, values) {
      const entry = games.get(name);
      if (entry?.[6]) entry[8] = values;
    },

    /** Calls `listener` whenever the data have changed. */
    onchange: (listener) => listeners.push(listener),
    changed: () => listeners.forEach((listener) => listener()),

    /** Follows a run that goes on, and shows the tabs once there are data. Only a live page has it. */
    follow: null,

    /** Makes the table of a player's opponents, where the markup has none. Only a live page has it. */
    opponents: null,

    /** Completes an entry whose moves are not here yet. The live page fetches them. */
    load: async (entry) => entry,

    /** By how much Elo the winner of `entry` was rated below the loser; 0 if the winner was not. */
    upset([black, white, , result]) {
      if (result > 1) return 0;
      const [winner, loser] = result === 0 ? [black, white] : [white, black];
      const gap = self.data.players[loser].elo - self.data.players[winner].elo;
      return gap > 0 ? gap : 0;
    },
  };
  return self;
})();
