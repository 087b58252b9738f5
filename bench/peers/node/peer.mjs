// node:crypto as a peer of the benchmark (docs/peers.md): `node` calls update and final with the whole
// message, `node-stream` pipes it through the same objects in pieces of 64 KiB, as programs do.
import crypto from "node:crypto";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

const MIB = 1 << 20;
const ARTICLE_SEED = 20260807;
const RANDOM_SEED = 1123581321;
const DATA_AT = 64;
const TAG = 16;
const PIECE = 1 << 16;
const UNITS = { B: 1, KiB: 1 << 10, MiB: MIB, GiB: 1 << 30 };

class Unsupported extends Error {}

// The input, from the size alone.

const blocks = new Map();
function block(seed) {
  if (!blocks.has(seed)) {
    const bytes = Buffer.alloc(MIB);
    for (let state = seed, i = 0; i < MIB; i++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      bytes[i] = state;
    }
    blocks.set(seed, bytes);
  }
  return blocks.get(seed);
}

function parseCase(name) {
  const [, algorithm, direction, count, unit] = name.match(/^([^/]+)\/([^/]+)\/(\d+)([KMG]?i?B)$/);
  const [, bits, mode] = algorithm.split("-");
  const size = Number(count) * UNITS[unit];
  const padded = (mode === "cbc" || mode === "ecb") && size % 16 !== 0;
  return { name, algorithm, size, padded, mode: mode ?? "sha256", keyBytes: bits / 8, decrypt: direction === "decrypt" };
}

const plaintexts = new Map();
function plaintext(size) {
  if (!plaintexts.has(size)) {
    const article = size % MIB === 0;
    const source = block(article ? ARTICLE_SEED : RANDOM_SEED);
    const data = Buffer.alloc(size);
    const start = article ? 0 : DATA_AT;
    for (let done = 0; done < size; ) done += source.copy(data, done, (start + done) % MIB);
    plaintexts.set(size, data);
  }
  return plaintexts.get(size);
}

const counting = (n) => Buffer.from(Array.from({ length: n }, (_, i) => i));
const materials = new Map();
function material(task) {
  if (materials.has(task.name)) return materials.get(task.name);
  const { size, keyBytes } = task;
  const random = size % MIB === 0 ? null : block(RANDOM_SEED);
  let data = plaintext(size);
  let key = random ? random.subarray(0, keyBytes || 0) : counting(keyBytes || 0);
  if (task.algorithm === "aes-256-ecb" && size === 52) {
    data = Buffer.from("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    key = Buffer.from("0123456789abcdef0123456789abcdef");
  }
  const made = { data, key: key.length ? crypto.createSecretKey(key) : null };
  if (task.mode === "gcm") made.iv = random ? random.subarray(48, 60) : counting(12);
  else if (task.mode === "ecb") made.iv = null;
  else made.iv = random ? random.subarray(32, 48) : counting(16);
  if (task.decrypt) {
    const encrypt = { ...task, decrypt: false, name: task.name.replace("decrypt", "encrypt") };
    made.data = Buffer.concat(oneShot(encrypt, made));
  }
  materials.set(task.name, made);
  return made;
}

// Work. Node has no key schedule to keep: a cipher object serves one message, so every call makes one.

function cipher(task, { key, iv, data }) {
  const make = task.decrypt ? crypto.createDecipheriv : crypto.createCipheriv;
  const object = make(task.algorithm, key, iv);
  object.setAutoPadding(task.padded);
  if (task.mode === "gcm" && task.decrypt) object.setAuthTag(data.subarray(task.size));
  return object;
}

function message(task, data) {
  return task.mode === "gcm" && task.decrypt ? data.subarray(0, task.size) : data;
}

function oneShot(task, input) {
  if (task.mode === "sha256") {
    return [crypto.createHash("sha256").update(input.data).digest()];
  }
  const object = cipher(task, input);
  const parts = [object.update(message(task, input.data)), object.final()];
  if (task.mode === "gcm" && !task.decrypt) parts.push(object.getAuthTag());
  return parts;
}

function* pieces(data) {
  for (let at = 0; at < data.length; at += PIECE) yield data.subarray(at, at + PIECE);
}

async function streamed(task, input) {
  const object = task.mode === "sha256" ? crypto.createHash("sha256") : cipher(task, input);
  const parts = [];
  const sink = new Writable({
    write(part, _, done) {
      parts.push(part);
      done();
    },
  });
  await pipeline(Readable.from(pieces(message(task, input.data))), object, sink);
  if (task.mode === "gcm" && !task.decrypt) parts.push(object.getAuthTag());
  return parts;
}

const PATHS = {
  node: { call: oneShot, statement: "createCipheriv(algorithm, key, iv): update(data), final()" },
  "node-stream": { call: streamed, statement: "pipeline(Readable of 64 KiB, cipher, Writable)" },
};

const cells = new Map();
let current = null;

async function prepare(asked) {
  if (current) current.parts = null;
  current = null;
  const id = JSON.stringify(asked);
  if (!cells.has(id)) {
    const task = parseCase(asked.case);
    const path = PATHS[asked.path];
    if (!path) throw new Error(`unknown path ${asked.path}`);
    if (asked.placement !== "new") throw new Unsupported("node:crypto returns fresh memory only");
    if (asked.threads !== 1) throw new Unsupported("node:crypto runs in the one thread of JavaScript");
    if (task.size > 2 ** 31 - 1) throw new Unsupported("a length of libcrypto is an int");
    if (task.mode === "sha256") {
      if (asked.key !== "reused") throw new Unsupported("SHA-256 has no key");
    } else if (asked.key === "reused") {
      throw new Unsupported("node:crypto sets the key up for every message");
    }
    const cell = { task, input: material(task), call: path.call, parts: null };
    const { ns } = await run(cell, 1);
    const details = { statement: path.statement };
    cell.answer = { ok: await fingerprint(cell), ns, details };
    cells.set(id, cell);
  }
  current = cells.get(id);
  return current.answer;
}

async function run(cell, loops) {
  const { call, task, input } = cell;
  cell.parts = null;
  const before = process.resourceUsage();
  const heap = process.memoryUsage().heapUsed;
  const start = process.hrtime.bigint();
  let parts = null;
  // A one-shot call returns at once: awaiting it would add a turn of the event loop.
  if (call === oneShot) for (let i = 0; i < loops; i++) parts = call(task, input);
  else for (let i = 0; i < loops; i++) parts = await call(task, input);
  const ns = Number(process.hrtime.bigint() - start);
  const after = process.resourceUsage();
  cell.parts = parts;
  const faults = (usage) => usage.minorPageFault + usage.majorPageFault;
  const cpu = (usage) => (usage.userCPUTime + usage.systemCPUTime) * 1000;
  const extras = {
    page_faults: faults(after) - faults(before),
    cpu_ns: cpu(after) - cpu(before),
    heap_growth_bytes: process.memoryUsage().heapUsed - heap,
  };
  return { ns, extras };
}

async function fingerprint(cell) {
  if (!cell.parts) await run(cell, 1);
  const digest = crypto.createHash("sha256");
  for (const part of cell.parts) digest.update(part);
  const first = Buffer.concat(cell.parts.slice(0, 4)).subarray(0, 8);
  const last = Buffer.concat(cell.parts.slice(-4)).subarray(-16);
  return { first8: first.toString("hex"), last16: last.toString("hex"), sha256: digest.digest("hex") };
}

async function answer(question) {
  if ("hello" in question) {
    const version = `Node ${process.version}, OpenSSL ${process.versions.openssl}`;
    const paths = Object.keys(PATHS).map((path) => `${path}/new`);
    return { name: "node", version, arch: process.arch, paths };
  }
  if ("prepare" in question) return prepare(question.prepare);
  if (!current) throw new Error("run or verify before prepare");
  if (question.run > 0) return run(current, question.run);
  if ("verify" in question) return { ok: await fingerprint(current) };
  throw new Error("unknown question");
}

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  if ("quit" in question) break;
  let result;
  try {
    result = await answer(question);
  } catch (error) {
    result = { [error instanceof Unsupported ? "unsupported" : "error"]: String(error.message) };
  }
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
process.exit(0);
