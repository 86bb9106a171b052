// npm run judge:relay [-- --only TEXT]: puts a relay in front of third-party servers and clients (of test/league) that changes
// one thing in their messages, and checks that the referee names the rule: so the referee is not tested on barewire only. Without
// a selection it writes requirements/judge-relay.md. Exits 1 if fewer than 95 in 100 are found, or more than 1 in 100 under a
// wrong rule only.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { allRules, judgeClient, judgeServer } from '../../dist/lib/judge.js';
import { compile } from '../../dist/lib/schema-full.js';
import { stdioTransport } from '../../dist/lib/stdio.js';
import { clientProgram } from '../../dist/src/judge/node/client-bench.js';
import * as ofClients from './relay/clients.mjs';
import * as ofServers from './relay/servers.mjs';

const top = fileURLToPath(new URL('../../', import.meta.url));
const league = join(top, 'test/league');
const { values } = parseArgs({ options: { only: { type: 'string' } } });
if (!existsSync(join(league, 'node_modules'))) spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=optional'], { cwd: league, stdio: 'inherit' });
const began = performance.now();

/** The newest legacy revision with the rule, or 2026-07-28. */
const revisionsOf = (rule, modern, revision) => rule === 'lifecycle-24' ? undefined : [revision ?? (modern ? '2026-07-28' : allRules().get(rule).places.map((place) => place.revision).filter((one) => one < '2026').sort().at(-1))];
const parsed = (text) => { try { return JSON.parse(text); } catch { return undefined; } };

/** Changes messages one by one, and counts the changes. */
class Relay {
  hits = 0;
  #mutation;
  #asked = new Map();
  constructor(mutation) {
    this.#mutation = mutation;
  }

  sent(text) {
    const json = parsed(text);
    if (json?.id !== undefined && json.method) this.#asked.set(json.id, json);
    const { after, extra } = this.#mutation;
    if (after === undefined || json?.method !== after) return [];
    this.hits++;
    return extra.split('\n');
  }

  /** The lines that replace one line. */
  came(text) {
    const { text: edit, on, error, said, whole, edit: change, extraWith, extra, lines } = this.#mutation;
    const json = parsed(text);
    const { method, params = {} } = (json && this.#asked.get(json.id)) ?? {};
    const hit = (instead) => {
      this.hits++;
      return Array.isArray(instead) ? instead : [instead];
    };
    if (edit) return edit(text) === text ? [text] : hit(edit(text));
    if (lines) return lines(text) ? hit(lines(text)) : [text];
    if (!json) return [text];
    if (extraWith && method === extraWith && 'result' in json && this.hits === 0) return hit([...extra.split('\n'), text]);
    if (whole && method !== undefined) {
      const other = whole(json, method, params);
      return other === undefined ? [text] : hit(JSON.stringify(other));
    }
    const place = on !== undefined && method === on ? json.result : error !== undefined && method === error ? json.error : said !== undefined && json.method === said ? json.params : undefined;
    return place && change(place) ? hit(JSON.stringify(json)) : [text];
  }
}

const only = ({ rule, modern, revision }) => ({ only: [rule], revisions: revisionsOf(rule, modern, revision), compile, answerMs: 1500, startMs: 30_000, mayCall: ({ name }) => called.has(name) });
/** Tools of the everything server without side effects. */
const called = new Set(['echo', 'get-sum', 'add', 'get-structured-content', 'get-tiny-image', 'get-annotated-message', 'get-resource-links', 'trigger-long-running-operation', 'get-roots-list']);

async function serverOverPipe(mutation, command) {
  const relay = new Relay(mutation);
  const ruling = await judgeServer({
    name: 'relayed',
    open: (trace) => stdioTransport(command[0], command.slice(1), {
      trace(entry) {
        if (entry.direction === 'sent') {
          trace(entry);
          for (const text of relay.sent(entry.text)) trace({ direction: 'received', text, at: entry.at });
        } else for (const text of relay.came(entry.text)) trace({ ...entry, text });
      },
    }),
  }, only(mutation));
  return { ruling, hits: relay.hits };
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function serverOverHttp(mutation, url) {
  let hits = 0;
  const ruling = await judgeServer({
    name: 'relayed', http: {
      url, async fetch(to, init) {
        const response = await fetch(to, init);
        const other = mutation.edit(response, { to, init });
        if (other) hits++;
        return other || response;
      },
    },
  }, only(mutation));
  return { ruling, hits };
}

/** A client's messages, changed on the way to the hidden server. */
function relayed(client, mutation) {
  const state = { hits: 0 };
  const seen = {};
  const one = (text) => {
    const json = parsed(text);
    if (!json || Array.isArray(json)) return [text];
    seen.first ??= json.id;
    const { message, extraWith, extra, lines } = mutation;
    if (lines) return lines(text) ? (state.hits++, lines(text)) : [text];
    if (extraWith && json.method === extraWith) return (state.hits++, [extra, text]);
    const other = message?.(json, seen);
    if (other === undefined) return [text];
    state.hits++;
    return other === null ? [] : [JSON.stringify(other)];
  };
  return {
    state,
    client: {
      ...client,
      start: (way, events, how) => {
        delete seen.first;
        return client.start(way, {
          ...events,
          line: (text) => one(text).forEach((line) => events.line(line)),
          request(request) {
            const fields = mutation.head?.(request.headers, request);
            if (fields) state.hits++;
            const [body] = mutation.head ? [request.body] : one(request.body);
            // For the client, a dropped message was accepted.
            if (body === undefined) return request.respond(202, {});
            events.request({ ...request, headers: fields ?? request.headers, body });
          },
        }, how);
      },
    },
  };
}

const cli = [process.execPath, join(top, 'dist/lib/cli.js'), 'judge', '--relay'];
async function clientOf(mutation, file, words, way) {
  const program = clientProgram({ command: [process.execPath, join(league, 'clients', file), ...words, way, way === 'http' ? '{url}' : '{program}'], relay: cli });
  const { state, client } = relayed(program, mutation);
  const ruling = await judgeClient(client, { only: [mutation.rule], revisions: revisionsOf(mutation.rule, mutation.modern, mutation.revision), answerMs: 1500, startMs: 30_000, idleMs: 2500 });
  return { ruling, hits: state.hits };
}

const everything = [process.execPath, join(league, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')];
const v2 = [process.execPath, join(league, 'servers/v2.mjs')];
const port = await freePort();
const served = spawn(everything[0], [everything[1], 'streamableHttp'], { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
const url = `http://127.0.0.1:${port}/mcp`;
for (let time = 0; time < 150; time++) {
  if (await fetch(url).then(() => true, () => false)) break;
  await new Promise((resolve) => setTimeout(resolve, 200));
}
const modern = (list) => list.map((one) => ({ ...one, modern: true }));
const groups = [
  ['the official everything server, stdio', ofServers.messages, (one) => serverOverPipe(one, everything)],
  ['the official everything server, HTTP', ofServers.http, (one) => serverOverHttp(one, url)],
  ['a server on the official SDK v2, stdio', modern(ofServers.modern), (one) => serverOverPipe(one, v2)],
  ['a client on the official SDK v1, stdio', [...ofClients.messages, ...ofClients.pipe], (one) => clientOf(one, 'v1.mjs', [], 'stdio')],
  ['a client on the official SDK v1, HTTP', ofClients.http, (one) => clientOf(one, 'v1.mjs', [], 'http')],
  ['a client on the official SDK v2, HTTP', modern([...ofClients.modern, ...ofClients.modernHttp]), (one) => clientOf(one, 'v2.mjs', ['auto'], 'http')],
];

const rows = [];
for (const [peer, mutations, judge] of groups) {
  for (const mutation of mutations) {
    if (values.only && !`${peer} ${mutation.rule} ${mutation.what}`.includes(values.only)) continue;
    const before = performance.now();
    const row = { peer, rule: mutation.rule, what: mutation.what };
    rows.push(row);
    try {
      const { ruling, hits } = await judge(mutation);
      const broken = [...ruling.judgements, ...ruling.others].filter(({ verdict }) => verdict === 'broken').map(({ rule }) => rule.id);
      const dispute = ruling.judgements.some(({ rule, verdict }) => rule.id === mutation.rule && verdict === 'dispute');
      row.verdict = broken.includes(mutation.rule) ? 'found' : dispute ? 'found, as a dispute' : hits === 0 ? 'nothing to change' : broken.length > 0 ? 'under another rule' : 'not found';
      if (!row.verdict.startsWith('found')) row.others = broken;
    } catch (error) {
      row.verdict = 'failed';
      row.others = [error.message];
    }
    console.log(`${peer}: ${row.rule}, ${row.what}: ${row.verdict}${row.others?.length ? ` (${row.others.join(', ')})` : ''}, ${((performance.now() - before) / 1000).toFixed(1)} s`);
  }
}
served.kill('SIGKILL');

const tried = rows.filter(({ verdict }) => verdict !== 'nothing to change');
const found = tried.filter(({ verdict }) => verdict.startsWith('found'));
const wrong = tried.filter(({ verdict }) => verdict === 'under another rule');
const seconds = Math.round((performance.now() - began) / 1000);
console.log(`${tried.length} changes: ${found.length} found, ${wrong.length} under another rule only, ${tried.length - found.length - wrong.length} not; ${rows.length - tried.length} found nothing to change; ${seconds} s`);
if (!values.only) {
  const cell = (text) => String(text).replaceAll('|', '\\|');
  writeFileSync(join(top, 'requirements/judge-relay.md'), `${[
    '# What a relay changed in front of somebody else\'s servers and clients', '', '<!-- Written by npm run judge:relay. Do not edit. -->', '',
    `${tried.length} changes of one thing each; the referee named the rule of ${found.length}, another one only of ${wrong.length}, and none of ${tried.length - found.length - wrong.length}. ${seconds} s.`, '',
    '| in front of | rule | what was changed | verdict |', '|---|---|---|---|',
    ...rows.map(({ peer, rule, what, verdict, others }) => `| ${cell(peer)} | ${rule} | ${cell(what)} | ${verdict}${others?.length ? `: ${others.join(', ')}` : ''} |`), '',
  ].join('\n')}`);
}
if (found.length < tried.length * 0.95 || wrong.length > Math.max(1, tried.length * 0.01)) process.exitCode = 1;
