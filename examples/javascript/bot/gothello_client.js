// A player's side of the Gothello protocol. You do not have to change this file.
//
//   client = await Client.start("black", { host: "localhost", port: 29068, name: "" })    a port below 30 is a server number
//   client = await Client.start("black")                                                  over stdin and stdout
//
//   client.side            "black" or "white": the side that you play
//   client.myTime          seconds left on your clock, rounded down; null without clocks
//   client.opponentTime    the same for your opponent
//   client.timeControl     what your clock gives for each move, in seconds: { moveTime, increment, periods, period };
//                          values that do not apply are 0; periods is the number of periods of byo-yomi
//   client.told            how many given moves, yours included, next() has yet to return, as in an opening
//   await client.next()        waits for your opponent; returns { kind: "move", point }, { kind: "pass" } or a game over
//   await client.play("c3")    makes your move; returns { kind: "accepted" }, { kind: "refused", text } or a game over
//   await client.pass()        passes; returns the same as play
//   await client.resign()      gives up; returns the same as play
//
// Black moves first, so black starts with play() and white with next(). After "refused" it is still your turn. However
// the game ends, you receive a { kind: "over", result, text }, and later calls return it again; the result is "win",
// "loss", "draw" or "unknown". If there is no game, because nothing answers or the server refuses, start throws an
// Error.
"use strict";

const net = require("node:net");

const VERSION = "0.9.2";
const OLD_VERSION = "0.9.1"; // older servers refuse the newer version
const FIRST_PORT = 29068; // the port of server number 0

// The winner for each code: by a move or pass, by resignation, on time, and because the other player has left.
const WINNER = {
  321: "black", 322: "white", 323: "white", 324: "black", 325: "nobody", 326: "nobody",
  327: "black", 328: "white", 361: "black", 362: "white", 391: "white", 392: "black",
};
// The replies to a move; 204 answers a resignation.
const RESULT = { 201: "win", 202: "loss", 203: "draw", 204: "loss" };

class Client {
  /** Connects, asks for `side` ("black", "white" or "?") and waits until the game starts. */
  static async start(side, { host = null, port = 0, name = "" } = {}) {
    const open = async () => new Client(side, ...(host === null ? standardStreams() : await connection(host, port)));
    const quoted = name === "" ? "" : ` "${[...name].slice(0, 31).join("").replaceAll('"', '""')}"`;
    const request = `player ${side}${quoted}`;
    let client = await open();
    let [code, text] = await client.#ask(`${VERSION} ${request}`);
    if (code === 198 && host !== null) { // the server is older, and has closed the connection
      client.#input.destroy(); // otherwise, Node would not exit
      client = await open();
      [code, text] = await client.#ask(`${OLD_VERSION} ${request}`);
    }
    if (code >= 190 && code <= 199) throw new Error(`the server refused a seat: ${text}`);
    return client;
  }

  #input;
  #output;
  #unread = "";
  #isClosed = false;
  #wake = () => {};
  #plies = 0;
  #over = null;

  constructor(side, input, output) {
    [this.side, this.myTime, this.opponentTime, this.told] = [side, null, null, 0];
    // The arena sets these variables for a bot that it starts; line 347 says the same.
    const given = (part) => Number(process.env[`GOTHELLO_${part}`] ?? 0);
    const [moveTime, increment] = [given("MOVE_TIME"), given("INCREMENT")];
    this.timeControl = { moveTime, increment, periods: given("PERIODS"), period: given("PERIOD") };
    [this.#input, this.#output] = [input, output];
    input.setEncoding("utf8");
    input.on("data", (data) => {
      this.#unread += data;
      this.#wake();
    });
    const close = () => {
      this.#isClosed = true;
      this.#wake();
    };
    for (const event of ["end", "close", "error"]) input.on(event, close);
    output.on("error", () => {}); // the server is gone, but its last lines can still be read
  }

  /** Answers the greeting, and returns the line that starts the game or refuses a seat. */
  async #ask(hello) {
    for (;;) {
      const [code, text] = await this.#hear();
      if (code === 0) this.#send(hello);
      if (code === 351 || code === 352 || (code >= 190 && code <= 199) || this.#over !== null) return [code, text];
    }
  }

  async next() {
    while (this.#over === null) {
      const [code, text] = await this.#hear();
      const isOwn = mover(code) === this.side; // our own moves are reported, too
      if (code >= 311 && code <= 318 && (!isOwn || this.told > 0)) {
        this.told = Math.max(0, this.told - 1);
        this.#plies += 1;
        const point = fields(text)[1];
        return point === "pass" ? { kind: "pass" } : { kind: "move", point };
      }
    }
    return this.#over;
  }

  async play(move) {
    if (this.#over === null) {
      const dots = this.side === "white" ? "... " : "";
      this.#send(`${Math.floor(this.#plies / 2) + 1} ${dots}${move}`);
    }
    while (this.#over === null) {
      const [code, text] = await this.#hear();
      if (code === 200 || code === 207) {
        this.#plies += 1;
        return { kind: "accepted" };
      }
      if (code === 199 || code === 291 || code === 299) return { kind: "refused", text };
    }
    return this.#over;
  }

  pass() {
    return this.play("pass");
  }

  resign() {
    return this.play("resign");
  }

  /** Reads the next line, notes the sides, clocks and end that it reports, and returns its code and text. */
  async #hear() {
    const line = await this.#readLine();
    if (line === null) {
      this.#end("unknown", "the server closed the connection");
      return [999, ""];
    }
    const code = Number(line.slice(0, 3));
    const text = line.slice(3).trim();
    if (code === 351 || code === 352) {
      this.side = code === 351 ? "white" : "black";
    } else if (code === 345) { // the game, its number of seats, and our seat: 1 is black's
      this.side = fields(text)[2] === "1" ? "black" : "white";
    } else if (code === 347) {
      this.timeControl = timeControl(text, this.side);
    } else if (code === 349) {
      this.told = Number(fields(text)[0]);
    } else if (code === 101) { // your own time comes first
      [this.myTime, this.opponentTime] = fields(text).map(Number);
    } else if (code === 207) {
      this.myTime = Number(fields(text)[0]);
    } else if ([313, 314, 317, 318].includes(code)) {
      const seconds = Number(fields(text)[2]);
      if (mover(code) === this.side) this.myTime = seconds;
      else this.opponentTime = seconds;
    } else if (code in RESULT) {
      this.#end(RESULT[code], text);
    } else if (code in WINNER) {
      this.#end({ [this.side]: "win", nobody: "draw" }[WINNER[code]] ?? "loss", text);
    } else if (code >= 390 && code <= 399) {
      this.#end("unknown", text);
    }
    return [code, text]; // other codes, such as the names of players, need no answer
  }

  #end(result, text) {
    this.#over = { kind: "over", result, text };
    this.#input.destroy(); // otherwise, Node would not exit
  }

  /** The next line that begins with a code, or null at the end. A line may arrive in pieces or with others. */
  async #readLine() {
    for (;;) {
      const end = this.#unread.search(/[\r\n]/);
      if (end >= 0) {
        const line = this.#unread.slice(0, end);
        this.#unread = this.#unread.slice(end + 1);
        if (/^\d{3}/.test(line)) return line;
      } else if (this.#isClosed) {
        return null;
      } else {
        await new Promise((resolve) => (this.#wake = resolve));
      }
    }
  }

  #send(line) {
    this.#output.write(`${line}\r`);
  }
}

function standardStreams() {
  console.log = console.error; // stdout belongs to the server: what you print goes to stderr
  return [process.stdin, process.stdout];
}

function connection(host, port) {
  return new Promise((resolve, reject) => {
    // Data may still arrive after we have closed our end. Lines are sent immediately, since our clock is running.
    const options = { host, port: port < 30 ? FIRST_PORT + port : port, allowHalfOpen: true, noDelay: true };
    const socket = net.createConnection(options, () => resolve([socket, socket]));
    socket.once("error", reject);
  });
}

/** The side that made the move that `code`, from 311 to 318, reports. */
function mover(code) {
  return code % 2 === 1 ? "black" : "white";
}

/** The time control of `side` in "60+1 is the time control", or in "black 600:5x30 white 1/move+60bank is ...". */
function timeControl(text, side) {
  const words = text.split(" ");
  const own = words[words.indexOf(side) + 1]; // the first word if no side is named
  const control = { moveTime: 0, increment: 0, periods: 0, period: 0 };
  const parts = own.split(/[/+:x]/).map(Number);
  if (own.includes("/move")) control.moveTime = parts[0]; // the rest of a bank is in `myTime`
  else if (own.includes("+")) control.increment = parts[1];
  else if (own.includes(":")) [control.periods, control.period] = parts.slice(1);
  return control;
}

/** The words of `text` without the dots before white's moves. */
function fields(text) {
  return text.split(/\s+/).filter((word) => word !== "...");
}

module.exports = { Client };
