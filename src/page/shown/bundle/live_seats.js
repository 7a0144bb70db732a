// live_seats.js: the players' lines around a board: glyph, name, clock, stones left, and the player's standing.

const liveSeats = (() => {
  const { h } = dom;

  /** The line of the seat `side` (counted from 0). Only games with more than two seats have `fate` and `supply`. */
  function line(side) {
    const letter = codes.seats()[side];
    const kind = board.stones[letter];
    const isOfTwo = codes.seats().length === 2;
    const name = h("span", { class: "who" });
    const clock = h("span", { class: "clock" });
    const fate = isOfTwo ? null : h("span", { class: "fate" });
    const said = isOfTwo ? h("span", { class: "said", title: "What the player claims" }) : null;
    const supply = isOfTwo ? null : h("span", { class: "supply" });
    const unseen = isOfTwo ? null : h("span", { class: "sr" }, `, ${words.side[letter]}`);
    const node = h("p", { class: `seat ${kind}` }, h("span", { class: `stone ${kind}`, "aria-hidden": "true" }, letter), name, unseen, said, fate, supply, clock);
    return { clock, fate, letter, name, node, said, supply };
  }

  /**
   * The `lines` above and below a board. The players sit around it: the first half below it, and the others above it, in
   * the opposite direction.
   */
  function around(lines) {
    if (lines.length === 2) return [lines[1], lines[0]];
    const half = lines.length / 2;
    return [lines.slice(half).reverse(), lines.slice(0, half)].map((row) => h("div", { class: "around" }, row));
  }

  const put = (node, text) => {
    if (node.textContent !== text) node.textContent = text;
  };

  /** The standing of the seat `side` (counted from 0) at the end of the game of `entry`: `out (crash), 4th`. */
  function standing(entry, side) {
    const out = entry[5].find(([seat]) => seat === side + 1);
    return [out && `out (${out[1]})`, entry[3] && words.ordinal(entry[3][side])].filter(Boolean).join(", ");
  }

  /** Shows the standing of the seat `side` (counted from 0) in `game`, which is on a board. */
  function show({ fate, line: node, said, supply }, game, side) {
    if (said) put(said, game.say?.[side] ? `claims ${game.say[side]}` : "");
    if (!fate) return;
    const entry = game.ended && page.game(game.id);
    const out = liveModel.dropOut(game, side);
    put(fate, entry ? standing(entry, side) : out ? `out (${out.why})` : "");
    const left = game.stones?.[side] ?? null;
    put(supply, left === null || game.ended || out ? "" : `${left} left`);
    node.classList.toggle("out", Boolean(out));
    node.classList.toggle("first", Boolean(entry && entry[3]?.[side] === 1));
  }

  /** Who is first in the game of `entry`: `Ann is first`, `Ann and Bo share first place`. */
  function winners(entry) {
    const names = page.seated(entry).filter((_, side) => entry[3][side] === 1).map(page.name);
    return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)} share first place` : `${names[0]} is first`;
  }

  return { around, line, put, show, standing, winners };
})();
