#!/usr/bin/env node
// A Gothello bot to make your own. Change `evaluate` first.
"use strict";

const USAGE = `node bot.js SIDE HOST PORT     for example: node bot.js black localhost 29068
node bot.js SIDE --stdio       talks over stdin and stdout`;

const rules = require("./rules.js");
const { Client } = require("./gothello_client.js");

const DEPTH = 2; // how many plies to look ahead, unless the clock gives time for each move
const FURTHEST = 50; // more plies than any game has
const WIN = 1000; // more than any evaluation

/** How good the board is for `side`, which is to move: the bot looks for moves that lead to high values. */
function evaluate(board, side) {
  // YOUR IDEA GOES HERE. So far a stone is worth 2, and an empty point next to a stone (a liberty) 1. Which stones can
  // never be captured again? Which points can only one side play on? README.md has a first idea to try.
  const liberties = rules.liberties(board, side) - rules.liberties(board, rules.opponent(side));
  return 2 * rules.lead(board, side) + liberties;
}

/** Reports what the bot thinks of its position. The arena stores this claim next to the exact value. */
function think(value, depth, move) {
  let points = value / 2; // `evaluate` counts 2 for a stone
  if (Math.abs(value) > WIN / 2) points = value > 0 ? value - WIN : value + WIN; // the search has seen the end of the game
  console.error(`#think value=${points} depth=${depth} pv=${rules.nameOf(move)}`);
}

class OutOfTime extends Error {}

/** The value of the board for `side`, which is to move, looking `depth` plies ahead: negamax with alpha-beta. */
function search(board, side, passed, depth, alpha, beta, deadline) {
  const lead = rules.lead(board, side);
  if (passed && lead > 0) return WIN + lead; // a second pass ends the game and wins it
  if (depth === 0) return evaluate(board, side);
  if (performance.now() > deadline) throw new OutOfTime();
  const moves = rules.legalPoints(board, side);
  if (moves.length === 0) {
    if (passed) return lead < 0 ? lead - WIN : 0; // neither side can move
    moves.push(rules.PASS);
  }
  for (const move of moves) {
    const after = rules.play(board, side, move);
    alpha = Math.max(
      alpha,
      -search(after, rules.opponent(side), move === rules.PASS, depth - 1, -beta, -alpha, deadline),
    );
    if (alpha >= beta) break; // the opponent will avoid this position
  }
  return alpha;
}

/**
 * The move to make within about `seconds`, looking up to `furthest` plies ahead: a point or PASS.
 * `passed` says whether the opponent has just passed.
 */
function choose(board, side, passed, seconds, furthest = DEPTH, refused = []) {
  let moves = rules.legalPoints(board, side).filter((point) => !refused.includes(point));
  const wins = passed && rules.lead(board, side) > 0; // a second pass ends the game
  if (moves.length === 0 || (wins && !refused.includes(rules.PASS))) return rules.PASS;
  shuffle(moves); // of equally good moves, the first one wins
  const start = performance.now();
  let found = null;
  for (let depth = 1; depth <= furthest; depth += 1) {
    const deadline = depth > 1 ? start + 1000 * seconds : Infinity;
    let [best, bestValue] = [moves[0], -2 * WIN];
    try {
      for (const move of moves) {
        const after = rules.play(board, side, move);
        const value = -search(after, rules.opponent(side), false, depth - 1, -2 * WIN, -bestValue, deadline);
        if (value > bestValue) [best, bestValue] = [move, value];
      }
    } catch (error) {
      if (error instanceof OutOfTime) break;
      throw error;
    }
    moves = [best, ...moves.filter((move) => move !== best)]; // with a good move first, the deeper search skips more
    found = [bestValue, depth];
  }
  if (found) think(...found, moves[0]);
  return moves[0];
}

/** How many seconds to think, and how many plies to look ahead, if we lose on time after `left` seconds. */
function planTurn(left, control) {
  // Each side has at most about 20 moves in a game, so a move gets a twentieth of the time for the whole game, and 3/4
  // of the time for each move. The rest, and a bank, is for delays, such as a busy machine.
  if (left === null) return [1, DEPTH]; // without clocks
  if (control.moveTime > 0) return [0.75 * control.moveTime, FURTHEST];
  if (control.periods > 0) { // the main time is used up first; a period that is not exceeded comes back
    const mainTime = left - control.periods * control.period;
    return [Math.max(mainTime / 20, 0.75 * control.period), FURTHEST];
  }
  if (control.increment > 0) return [Math.min(left / 20 + 0.75 * control.increment, 0.75 * left), FURTHEST];
  return [left / 20, DEPTH];
}

/** Makes our move; returns it and the server's reply. A move that the server refuses is replaced by another one. */
async function takeTurn(client, board, side, passed) {
  const refused = [];
  let [seconds, furthest] = planTurn(client.myTime, client.timeControl);
  for (;;) {
    const move = choose(board, side, passed, seconds, furthest, refused);
    const reply = await client.play(rules.nameOf(move));
    if (reply.kind !== "refused") return [move, reply];
    console.error(`${rules.nameOf(move)} was refused on ${board}: ${reply.text}`);
    refused.push(move);
    seconds = 0; // our clock has not stopped
  }
}

/** Plays until the game is over, and returns its end. */
async function playGame(client) {
  let [board, toMove, passed] = [rules.START, "b", false];
  for (;;) {
    let move, event;
    if (toMove === client.side[0] && client.told === 0) { // an opening may contain moves of ours
      [move, event] = await takeTurn(client, board, toMove, passed);
    } else {
      event = await client.next();
      move = event.kind === "move" ? rules.pointOf(event.point) : rules.PASS;
    }
    if (event.kind === "over") return event;
    [board, passed] = [rules.play(board, toMove, move), move === rules.PASS];
    toMove = rules.opponent(toMove);
  }
}

// Random numbers from a seed that the arena sets: JavaScript's own random numbers cannot be repeated.
let seed = Number(process.env.GOTHELLO_SEED ?? Date.now());

/** A whole number from 0 to n - 1 (by the generator mulberry32). */
function random(n) {
  seed = (seed + 0x6d2b79f5) | 0;
  let bits = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
  return ((bits ^ (bits >>> 14)) >>> 0) % n;
}

function shuffle(things) {
  for (let last = things.length - 1; last > 0; last -= 1) {
    const other = random(last + 1);
    [things[last], things[other]] = [things[other], things[last]];
  }
}

async function main() {
  const [side, host, port] = process.argv.slice(2);
  const name = process.env.GOTHELLO_NAME ?? "";
  const isStdio = process.argv.length === 4 && host === "--stdio";
  if (!isStdio && !(process.argv.length === 5 && /^\d+$/.test(port))) {
    console.error(USAGE);
    process.exit(2);
  }
  const client = await Client.start(side, isStdio ? { name } : { host, port: Number(port), name });
  const end = await playGame(client);
  console.error(`${end.result}: ${end.text}`);
}

if (require.main === module) main();

module.exports = { choose };
