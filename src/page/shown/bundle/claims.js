// claims.js: the claims that a game's players made before their moves. Pure; it also runs under node.

const claims = (() => {
  /** For each of the `count` plies of `entry`, the mover's claim as `{ value, win }`, or `null` without a claim. */
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

  /** The values that `side` claimed in `read`, from black's side, each as the number of the position and the value. */
  const values = (read, side) =>
    read.plies.flatMap((ply, i) => {
      const value = read.claims[i]?.value ?? null;
      return value === null || ply.side !== side ? [] : [[i, side === "b" ? value : -value]];
    });

  return { of, short, text, values };
})();
