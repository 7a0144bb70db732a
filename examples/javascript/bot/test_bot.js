// Compares the rules with positions from the arena's own rules, and asks the bot for a move in each of them.
//
// Run it with `make test`. Each line of vectors.json contains a board, the side to move, its legal points, and one move
// with the board after it.
"use strict";

const assert = require("node:assert");
const vectors = require("./vectors.json");
const rules = require("./rules.js");
const { choose } = require("./bot.js");

for (const { board, to_move: side, legal, move, after } of vectors) {
  const at = `${board}, ${side} to move`;
  const points = rules.legalPoints(board, side);
  assert.strictEqual(points.map(rules.nameOf).join(" "), legal, at);
  assert.strictEqual(rules.play(board, side, rules.pointOf(move)), after, `${move} on ${at}`);
  const chosen = choose(board, side, false, 1);
  assert.ok(points.includes(chosen) || (points.length === 0 && chosen === rules.PASS), `${chosen} chosen on ${at}`);
}
console.log(`${vectors.length} positions: ok`);
