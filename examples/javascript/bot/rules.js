// The rules of Gothello.
//
// A board is a string of 25 characters, "b", "w" or ".", in reading order: a5 to e5, then a4 to e4, down to a1 to e1. A
// point is the number of its place in that string, from 0 (a5) to 24 (e1). Sides are "b" and "w".
"use strict";

const SIZE = 5;
const START = ".".repeat(SIZE * SIZE);
const PASS = -1;
const POINTS = [...START].map((_, point) => point);
const NEIGHBOURS = POINTS.map(neighbours);

/** The name of a point, such as "c3", or "pass". */
function nameOf(move) {
  return move === PASS ? "pass" : "abcde"[move % SIZE] + "54321"[Math.floor(move / SIZE)];
}

/** The point, or PASS, that `text` names. */
function pointOf(text) {
  return text === "pass" ? PASS : "54321".indexOf(text[1]) * SIZE + "abcde".indexOf(text[0]);
}

function opponent(side) {
  return side === "b" ? "w" : "b";
}

/** The two to four points next to `point`. */
function neighbours(point) {
  const column = point % SIZE;
  const beside = [point - SIZE, point + SIZE];
  if (column > 0) beside.push(point - 1);
  if (column < SIZE - 1) beside.push(point + 1);
  return beside.filter((other) => other >= 0 && other < SIZE * SIZE);
}

/** The connected stones of one colour at `point`, and whether they touch an empty point (a liberty). */
function group(board, point) {
  const stones = [point];
  let isFree = false;
  for (const stone of stones) { // the array grows while the loop walks along it
    for (const beside of NEIGHBOURS[stone]) {
      if (board[beside] === ".") isFree = true;
      else if (board[beside] === board[point] && !stones.includes(beside)) stones.push(beside);
    }
  }
  return { stones, isFree };
}

function put(board, side, point) {
  return board.slice(0, point) + side + board.slice(point + 1);
}

/** Whether `side` may place a stone on `point`: it is empty, and the stone's group has a liberty BEFORE any capture. */
function isLegal(board, side, point) {
  if (board[point] !== ".") return false;
  if (NEIGHBOURS[point].some((beside) => board[beside] === ".")) return true; // this only saves time
  return group(put(board, side, point), point).isFree;
}

/** All points on which `side` may place a stone. A pass is always legal. */
function legalPoints(board, side) {
  return POINTS.filter((point) => isLegal(board, side, point));
}

/** The board after a legal move: opposing groups next to the new stone that have no liberty left change colour. */
function play(board, side, move) {
  if (move === PASS) return board;
  const placed = put(board, side, move);
  let after = placed;
  for (const beside of NEIGHBOURS[move]) {
    if (placed[beside] !== opponent(side)) continue;
    const { stones, isFree } = group(placed, beside);
    if (!isFree) for (const stone of stones) after = put(after, side, stone);
  }
  return after;
}

/** How many empty points are next to a stone of `side`. */
function liberties(board, side) {
  return POINTS.filter((p) => board[p] === "." && NEIGHBOURS[p].some((beside) => board[beside] === side)).length;
}

/** The stones of `side` minus those of its opponent. Two passes in a row end the game, and the lead decides it. */
function lead(board, side) {
  let stones = 0;
  for (const stone of board) stones += stone === side ? 1 : stone === "." ? 0 : -1;
  return stones;
}

module.exports = {
  START, PASS, POINTS, NEIGHBOURS,
  nameOf, pointOf, opponent, isLegal, legalPoints, play, liberties, lead,
};
