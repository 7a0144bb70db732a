// The bot in passing.js, run after sharing memory with threads and talking to a child process. Usage: node workers.js SIDE
const { Worker } = require("node:worker_threads");
const { spawnSync } = require("node:child_process");

const shared = new SharedArrayBuffer(8 << 20);
const memory = new WebAssembly.Memory({ initial: 16, maximum: 64, shared: true });
const source = "const { workerData } = require('node:worker_threads'); Atomics.add(new Int32Array(workerData[0]), 0, 1); " +
  "new Int32Array(workerData[1].buffer)[0] = 1;";
const worker = () => new Promise((resolve, reject) => {
  const started = new Worker(source, { eval: true, workerData: [shared, memory] });
  started.on("exit", resolve).on("error", reject);
});
Promise.all([worker(), worker(), worker()]).then(() => {
  const child = spawnSync("node", ["-e", "console.log('child')"]);
  if (new Int32Array(shared)[0] !== 3 || child.stdout.toString().trim() !== "child") process.exit(7);
  require("./passing.js");
});
