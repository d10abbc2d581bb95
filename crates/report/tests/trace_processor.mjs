// Reads a Perfetto trace of a whole run with Perfetto's own trace processor, and compares it with run.json.
//
// usage: node trace_processor.mjs ASSETS TRACE RUN_JSON WAKE_UPS     (scripts/test-formats fetches the assets)
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const [assets, tracePath, runPath, exported] = process.argv.slice(2);

/** Starts the trace processor, a WebAssembly program that is made for the worker of a browser. */
async function started() {
  const { EngineBase } = await import(pathToFileURL(path.join(assets, "engine.mjs")).href);
  globalThis.self = globalThis;
  globalThis.WorkerGlobalScope = function WorkerGlobalScope() {};
  globalThis.location = { href: `${pathToFileURL(assets).href}/` };
  globalThis.wasmBytes = new Uint8Array(readFileSync(path.join(assets, "trace_processor.wasm")));
  let glue = readFileSync(path.join(assets, "engine_bundle.node.js"), "utf8");
  const changes = [
    ["this.useMemory64 = hasMemory64Support();", "this.useMemory64 = false;"],
    ["locateFile: (s) => s,", "locateFile: (s) => s, wasmBinary: globalThis.wasmBytes,"],
    ["new wasm_bridge_1.WasmBridge();", "globalThis.bridge = new wasm_bridge_1.WasmBridge();"],
  ];
  for (const [from, to] of changes) {
    assert(glue.includes(from), `the trace processor has no ${from}`);
    glue = glue.replace(from, to);
  }
  vm.runInThisContext(glue);
  const { port1, port2 } = new MessageChannel();
  globalThis.bridge.initialize(port1);
  class Engine extends EngineBase {
    mode = "WASM";
    id = "test";
    rpcSendRequestBytes(bytes) {
      port2.postMessage(bytes);
    }
  }
  const engine = new Engine();
  port2.onmessage = ({ data }) => engine.onRpcResponseBytes(data);
  return engine;
}

const engine = await started();
await engine.parse(new Uint8Array(readFileSync(tracePath)));
await engine.notifyEof();

/** Returns the first row of a query, its numbers as big integers. */
async function row(sql) {
  const result = await engine.query(sql);
  const cells = result.iter({});
  assert(cells.valid(), sql);
  return Object.fromEntries(result.columns().map((name) => [name, cells.get(name)]));
}

const problems = await row(
  "SELECT COUNT(*) AS n, GROUP_CONCAT(name) AS names FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0",
);
assert.equal(problems.n, 0n, `the trace processor has problems with the trace: ${problems.names}`);

const { commits } = JSON.parse(readFileSync(runPath, "utf8"));
const commit = await row("SELECT COUNT(*) AS n, SUM(dur) AS ns FROM slice WHERE name = 'commit'");
assert.equal(commit.n, BigInt(commits.count), "commits");
assert.equal(commit.ns, BigInt(commits.total), "time of the commits");
const explained = await row(
  "SELECT SUM(slice.dur) AS ns FROM slice JOIN track ON slice.track_id = track.id WHERE track.name = 'explained'",
);
assert.equal(explained.ns, BigInt(commits.total), "explained time");
const open = await row("SELECT COUNT(*) AS n FROM slice WHERE dur < 0");
assert.equal(open.n, 0n, "slices without an end");

const wakes = await row("SELECT COUNT(*) AS n FROM slice WHERE name = 'wakes'");
const flows = await row(
  "SELECT COUNT(*) AS n, SUM(a.ts > b.ts) AS backward, SUM(a.track_id = b.track_id) AS own FROM flow " +
    "JOIN slice a ON flow.slice_out = a.id JOIN slice b ON flow.slice_in = b.id",
);
assert.equal(flows.n, wakes.n, "arrows and wake-ups");
assert.equal(flows.n, BigInt(exported), "arrows and exported wake-ups");
assert(flows.n > 0n, "arrows");
assert.deepEqual([flows.backward, flows.own], [0n, 0n], "arrows that lead back, or to their own thread");
const stacks = await row("SELECT COUNT(*) AS n FROM stack_profile_callsite");
assert(stacks.n > 0n, "call stacks");
console.log(`${commit.n} commits of ${commit.ns} ns, all explained; ${flows.n} wake-ups; ${stacks.n} callers in stacks`);
process.exit(0);
