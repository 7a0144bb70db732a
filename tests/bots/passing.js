// A bot that only passes, with hard-coded localhost and server 0. Usage: node passing.js SIDE
const net = require("node:net");
const readline = require("node:readline");

const side = process.argv[2];
const black = side === "black";
const referee = net.connect(29068, "localhost", () => referee.write(`0.9.1 player ${side}\r\n`));
let number = 1;
readline.createInterface({ input: referee }).on("line", (line) => {
  const code = parseInt(line, 10);
  const moved = code >= 311 && code <= 318;
  // Black's moves have odd codes.
  const mine = moved && (code % 2 === 1) === black;
  if (mine) number += 1;
  if (code === 352 || (moved && !mine)) referee.write(black ? `${number} pass\r\n` : `${number} ... pass\r\n`);
});
