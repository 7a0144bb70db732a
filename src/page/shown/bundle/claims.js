// claims.js: what the players of a game claimed before their moves. Pure; it also runs under node.

const claims = (() => {
  /** For each ply of `entry`, which has `count` plies: `{ value, win }` from the mover's side, or `null` without claims. */
  function of(entry, count) {
    const said = (entry[12]?.say ?? "").split(",");
    return Array.from({ length: count }, (_, i) => {
      const [value, win] = (said[i] ?? "").split(":");
      if (!value && !win) return null;
      return { value: value ? Number(value) : null, win: win ? Number(win) : null };
    });
  }

  const signed = (value) => `${value < 0 ? "\u2212" : "+"}${Math.abs(value)}`;

  /** `+3, 73%`, or nothing without a claim. */
  const short = (claim) => [claim && claim.value !== null && signed(claim.value), claim && claim.win !== null && `${claim.win}%`].filter(Boolean).join(", ");

  const text = (claim) => (claim ? `claims ${short(claim)}` : "");

  /** The values that `side` has claimed in `read`, from black's side: pairs of the position, from 0, and the value. */
  const values = (read, side) =>
    read.plies.flatMap((ply, i) => {
      const value = read.claims[i]?.value ?? null;
      return value === null || ply.side !== side ? [] : [[i, side === "b" ? value : -value]];
    });

  return { of, short, text, values };
})();
