// npm run trips: follows one message of each kind through the compiled sources in a steady state, and counts its calls,
// functions, files, hops between files, and returns to an earlier file. Exits 1 if a figure is above its ceiling
// (trips/ceilings.json); trips/figures.mjs defines the figures.
//
//   node scripts/trips.mjs                    the table
//   node scripts/trips.mjs "stdio legacy"     the calls of one trip in order, with the place of each function
//   node scripts/trips.mjs --at COMMIT ...    the same at another commit, without ceilings
//   node scripts/trips.mjs --lower            brings ceilings down to the figures
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { faultsOf, lowered, readCeilings, writeCeilings } from './ceilings.mjs';
import { commitOf, copySources, root, sourceOf, withFolder } from './trees.mjs';
import { difference, figuresOf, listing } from './trips/figures.mjs';
import { instrumentFolder } from './trips/instrument.mjs';
import { messages } from './trips/messages.mjs';
import { createRecorder } from './trips/recorder.mjs';
import { stopTime } from './trips/still-time.mjs';

const ceilingsFile = new URL('trips/ceilings.json', import.meta.url);

/** Messages sent before one is followed; and messages followed, to check that they take the same path. */
const before = 3;
const followed = 3;

/** Turns of the event loop without a call that end a trip. */
const quietTurns = 20;

/** The entries that the messages use, with the imported names. */
const entries = {
  'barewire/server': ['McpServer'],
  'barewire/client': ['McpClient'],
  'barewire/stdio': ['serveStdio', 'stdioTransport'],
  'barewire/http': ['serveHttp'],
  'barewire/tasks': ['tasks'],
};

/** Compiles the sources in `tree`, and returns the functions of an instrumented copy in `tree/traced`. */
function compile(tree) {
  const options = ['--sourceMap', '--noCheck', '--declaration', 'false', '--isolatedDeclarations', 'false', '--outDir', 'compiled', '--rootDir', 'src'];
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json', ...options], { cwd: tree, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the sources do not compile: ${stdout.slice(0, 1000)}`);
  const traced = join(tree, 'traced');
  mkdirSync(traced);
  writeFileSync(join(traced, 'package.json'), '{"type":"module"}');
  return instrumentFolder(join(tree, 'compiled'), traced);
}

/** Loads the imports of the messages. Entries missing in the tree are skipped. */
async function loadHouse(tree, recorder) {
  let calls = 0;
  const house = {
    /** Marks a function of the served program: its caller is not a leaf. */
    handler: (run) => (...given) => { recorder.called(); return run(...given); },
    /** Resolves when no more calls happen. */
    async settled() {
      for (let turns = 0; turns < quietTurns; turns++) {
        await new Promise((resolve) => setImmediate(resolve));
        if (calls !== recorder.entered()) turns = 0;
        calls = recorder.entered();
      }
    },
  };
  for (const [entry, names] of Object.entries(entries)) {
    const file = sourceOf(tree, entry);
    if (file === undefined) continue;
    const exported = await import(pathToFileURL(join(tree, file.replace(/^src/, 'traced').replace(/ts$/, 'js'))).href);
    for (const name of names) house[name] = exported[name];
  }
  return house;
}

/** The calls of a message's trip. Throws if the same message takes another path the next time. */
async function follow({ name, open }, house, recorder, functions) {
  const { play, close } = await open(house);
  try {
    for (let i = 0; i < before; i++) {
      await play();
      await house.settled();
    }
    const trips = [];
    for (let i = 0; i < followed; i++) {
      trips.push(await recorder.record(async () => {
        await play();
        await house.settled();
      }));
    }
    for (const trip of trips.slice(1)) {
      const other = difference(trips[0], trip, functions);
      if (other !== undefined) throw new Error(`${name}: the same message took two ways: ${other}`);
    }
    return trips[0];
  } finally {
    await close();
  }
}

const columns = ['all', 'leaves', 'calls', 'functions', 'files', 'hops', 'returns'];

function printTable(found, ceilings) {
  const heads = ['all calls', 'leaves', 'calls', 'functions', 'files', 'hops', 'returns'];
  console.log(['trip'.padEnd(19), ...heads.map((head) => head.padStart(9)), '  wanted: calls / files / returns'].join(' '));
  for (const [name, figures] of Object.entries(found)) {
    const { calls, files, returns } = ceilings[name]?.wanted ?? {};
    const wanted = [calls, files, returns].map((value) => value ?? '-').join(' / ');
    console.log([name.padEnd(19), ...columns.map((column) => `${figures[column]}`.padStart(9)), `  ${wanted}`].join(' '));
  }
  console.log('calls: all calls but leaves, which are getters and functions of one expression that call no other');
}

/** The messages selected by an argument: all without one, or those whose name begins with it. */
function chosen(wanted) {
  const found = messages.filter(({ name }) => wanted === undefined || name.startsWith(wanted));
  if (found.length === 0) throw new Error(`no trip ${JSON.stringify(wanted)}: there are ${messages.map(({ name }) => name).join(', ')}`);
  return found;
}

async function main() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { at: { type: 'string' }, lower: { type: 'boolean' } } });
  const wanted = chosen(positionals[0]);
  if (values.lower && values.at !== undefined) throw new Error('--lower is for the working tree, and not for a commit');
  const commit = values.at === undefined ? undefined : commitOf(values.at);
  await withFolder(async (tree) => {
    copySources(tree, commit);
    const functions = compile(tree);
    const recorder = createRecorder();
    globalThis.$trip = recorder;
    const goOn = stopTime();
    const house = await loadHouse(tree, recorder);
    const found = {};
    for (const message of wanted) {
      if (message.needs !== undefined && house[message.needs] === undefined) {
        console.log(`${message.name}: left out, since the sources have no ${message.needs}`);
        continue;
      }
      const trip = await follow(message, house, recorder, functions);
      found[message.name] = figuresOf(trip, functions);
      if (positionals.length > 0) console.log([`${message.name}:`, ...listing(trip, functions), ''].join('\n'));
    }
    goOn();
    const ceilings = readCeilings(ceilingsFile);
    printTable(found, ceilings);
    if (commit !== undefined) return;
    if (values.lower) writeCeilings(ceilingsFile, lowered(found, ceilings));
    const judged = Object.fromEntries(Object.entries(ceilings).filter(([name]) => positionals.length === 0 || found[name]));
    for (const fault of faultsOf(found, judged)) {
      console.error(fault);
      process.exitCode = 1;
    }
  });
}

await main().catch((error) => {
  console.error(error.message);
  process.exitCode = 2;
});
