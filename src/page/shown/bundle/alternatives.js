// alternatives.js: the legal moves in each position of a game, the better lines, and the values that are known. Pure;
// it also runs under node.

const alternatives = (() => {
  /** The fields by which a reader names the turn `parts`, in order; none for a pass. */
  const fieldsOf = (parts) => parts.flatMap(({ from, to }, i) => (from === null || i ? [to] : [from, to]));

  const keyOf = ({ letters, side, passes }) => side + (passes ? "!" : "") + letters;

  /** Whether the turn `parts` drops two stones, which a reader may name in either order. */
  const isPair = (parts) => parts.length > 1 && parts[1].from === null;

  /** The game `read` under the rule set `ruleset`, or `null` if the page does not have its rules. */
  function of(read, ruleset) {
    const game = rules.of(ruleset);
    if (!game) return null;
    const states = [rules.start()];
    let known = null;

    /** The state after `ply` plies of the game. */
    function state(ply) {
      while (states.length <= ply) states.push(rules.after(states.at(-1), read.plies[states.length - 1].parts));
      return states[ply];
    }

    /** The legal turns in the state `from`: the text, the parts, and the orders in which the fields can be named. */
    function moves(from) {
      if (game.end(from) !== null) return [];
      return game.moves(from).map((parts) => {
        const fields = fieldsOf(parts);
        return { parts, text: codes.plyText(parts), orders: isPair(parts) ? [fields, fields.toReversed()] : [fields] };
      });
    }

    /** The better move for the ply with the number `ply`, and what would have followed; empty if none is known. */
    function line(ply) {
      const { better, line: more } = read.plies[ply - 1] ?? {};
      return better ? [better, ...more].map(codes.plyText) : [];
    }

    /** The turns `texts`, played from the state `from`, up to the first turn that is not legal. */
    function play(from, texts) {
      const plies = [];
      for (let now = from; plies.length < texts.length; now = plies.at(-1).after) {
        const found = moves(now).find(({ text }) => text === texts[plies.length]);
        if (!found) break;
        plies.push({ ...found, side: now.side, after: rules.after(now, found.parts) });
      }
      return plies;
    }

    /** Collects the values that are stored with the analysis, by position. */
    function collect() {
      known = new Map();
      const keep = (at, value) => value.winner && (known.get(keyOf(at))?.margin ?? null) === null && known.set(keyOf(at), value);
      read.values.forEach((value, ply) => keep(state(ply), value));
      // Best play does not change the value.
      read.plies.forEach((_, i) => play(state(i), line(i + 1)).forEach(({ after }) => keep(after, read.values[i])));
    }

    /** The value of `at` that is known without a search, or `null`. */
    function stored(at) {
      const margin = game.end(at);
      if (margin !== null) return { margin, winner: margin > 0 ? "b" : margin < 0 ? "w" : "draw" };
      if (!known) collect();
      return known.get(keyOf(at)) ?? null;
    }

    return { line, moves, play, state, stored };
  }

  return { of };
})();
