import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { Host } from '../../src/host/index.ts';
import type { Rule } from '../../src/host/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { folderStore } from '../../src/tasks/node/index.ts';
import { fetchHandler } from '../../src/transport/http/fetch/index.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { stdioTransport } from '../../src/transport/stdio/index.ts';
import { everyNth } from '../every-nth.ts';
import { bases, calls } from './calls.ts';
import type { Tried } from './calls.ts';
import { openPaths, openPlaces, openTypes } from './open.ts';
import { placesOf, publishedTypes } from './types.ts';
import type { Member, OptionsType, Place, ValueKind } from './types.ts';

// Every published options type, as found by the type checker, rejects unknown members and wrong types: each member is misspelt,
// and given a value of every kind that its type does not accept. A new type without these checks fails the first test or the
// next.

const entries = publishedTypes();
const built = [...entries.values()].every((file) => existsSync(file));
const places = built ? placesOf(entries) : [];

/** True if a key equals this name, or ends in `*` and the name begins with the rest. */
const fits = (name: string) => (open: string): boolean => (open.endsWith('*') ? name.startsWith(open.slice(0, -1)) : name === open);
const isOpenPlace = ({ name }: Place): boolean => Object.keys(openPlaces).some(fits(name));
const isOpen = ({ name }: OptionsType): boolean => Object.hasOwn(openTypes, name);
/** The options types of a place. Callbacks among options are called by barewire. */
const closedTypes = (place: Place): OptionsType[] =>
  (isOpenPlace(place) || (/(Options|Handlers)$/.test(place.owner)) ? [] : place.types.filter((type) => !isOpen(type)));

const asked = places.flatMap((place) => closedTypes(place).map((type) => ({ place, type })));

/** The error thrown by a call, or undefined. Closes what the call opened. */
async function thrownBy({ call }: Tried, options: unknown): Promise<unknown> {
  try {
    const made = await call(options as never);
    await (made as { close?: () => Promise<void> } | undefined)?.close?.();
    return undefined;
  } catch (error) {
    return error;
  }
}

const codeOf = (error: Error): unknown => ('code' in error ? error.code : undefined);
const shown = (error: unknown): string => (error instanceof Error ? `${error.name} ${String(codeOf(error))}: ${error.message}` : 'nothing is refused');

/** Members of a type and of its inner types, each with a function that builds options with it. */
function* membersOf(type: OptionsType, base: Readonly<Record<string, unknown>>, path = '', above: readonly OptionsType[] = []): Generator<{
  readonly member: Member; readonly path: string; readonly owner: OptionsType; options(name: string, value: unknown): object;
}> {
  for (const member of type.members) {
    yield { member, path: `${path}.${member.name}`, owner: type, options: (name, value) => ({ ...base, [name]: value }) };
    for (const { type: inner, as } of member.inner) {
      if (isOpen(inner) || above.includes(inner) || inner === type) continue;
      const held = base[member.name];
      const own = as === 'object' && typeof held === 'object' ? held as Record<string, unknown> : bases[inner.name] ?? {};
      for (const one of membersOf(inner, own, `${path}.${member.name}`, [...above, type])) {
        yield {
          ...one,
          options(name, value) {
            const given = one.options(name, value);
            return { ...base, [member.name]: as === 'list' ? [given] : as === 'record' ? { 'org.example/x': given } : given };
          },
        };
      }
    }
  }
}

/**
 * Misspellings of a member that are no other member: letters swapped, added, removed, another case. The error must suggest the
 * right name for the first.
 */
const misspell = (name: string, type: OptionsType): string[] => [
  `${name.slice(0, 1)}${name.slice(2, 3)}${name.slice(1, 2)}${name.slice(3)}`, `${name}x`, name.slice(1), `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
].filter((wrong) => !type.members.some((member) => member.name === wrong));

const isOpenPath = ({ name }: Place, path: string): boolean => Object.keys(openPaths).some(fits(name + path));

/** The members of that name in all types of the parameter. */
const overloads = ({ types }: Place, path: string): Member[] => types.flatMap(({ members }) => members.filter(({ name }) => `.${name}` === path));

/** True if a member accepts values of a kind. The test string is in no closed set; schemas of some libraries are functions. */
const takes = ({ kinds, closed, inner }: Member, kind: ValueKind): boolean => !kinds || kinds.has(kind) && !(kind === 'string' && closed)
  || kind === 'function' && inner.some(({ type }) => type.name === 'SchemaInterface');

const values: Readonly<Record<ValueKind, unknown>> = { string: 'x', number: 7, boolean: true, function: () => undefined, list: [], object: {} };

const untried = (some: readonly Place[]): string[] => some.filter((place) => closedTypes(place).length > 0 && !calls.has(place.name))
  .map(({ name, types }) => `${name}: ${types.map((type) => type.name).join(' | ')}`);

test('each place that takes options is tried, or open with a reason', { skip: !built }, () => {
  assert.deepEqual(untried(places), []);
  const names = new Set(places.map(({ name }) => name));
  assert.deepEqual([...calls.keys()].filter((name) => !names.has(name)), [], 'calls of what is gone');
  const gone = Object.keys(openPlaces).filter((open) => !places.some(({ name }) => fits(name)(open)));
  assert.deepEqual(gone, [], 'open places that are gone');
  assert.ok(asked.length > 100, `${asked.length}`);
});

test('a new place that takes options is found, whatever it looks like', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-options-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'index.d.ts');
  writeFileSync(file, `
    interface DoorOptions { readonly auth?: (() => boolean) | undefined }
    export declare function open(options?: DoorOptions): void;
    export declare function openAll(...doors: readonly DoorOptions[]): void;
    export declare class House { constructor(name: string, options: { doors: number; locked?: boolean }); let(options: Partial<Record<'door', string>>): void; }
    export declare const ask: { well<O extends DoorOptions>(options: O): void };
    export interface Door { close(options: string | (DoorOptions & { late: boolean })): void }
    export declare function say(text: string, to: { name: string }, when: Date, how: (options?: object) => void): void;
  `);
  assert.deepEqual(untried(placesOf(new Map([['x', file]]))), [
    'x open(options): DoorOptions', 'x openAll(doors): DoorOptions', 'x House.constructor(options): { doors: number; locked?: boolean; }',
    'x House.let(options): Partial<Record<"door", string>>', 'x ask.well(options): DoorOptions', 'x Door.close(options): DoorOptions & { late: boolean; }',
  ]);
});

const info = { name: 'test', version: '1' };

/** Mistakes that would have allowed, run or hidden something, and the error of each. `as object` avoids the type checker. */
const mistakes: readonly (readonly [what: string, made: () => unknown, code: string, message: RegExp])[] = [
  ...(['tols', 'Tool', 'tool ', 'arg', 'sever', 'Then'].map((name) => [
    `a rule with ${name}`, () => new Host({ info, servers: {}, transport: () => { throw new Error(); }, rules: [{ [name]: 'x', then: 'allow' } as Rule] }),
    'unknown_option', /^Host: options\.rules\[0\]\.\S+ ? ?is unknown, did you mean (tool|args|server|then)\?$/,
  ] as const)),
  ['a rule without a verdict', () => new Host({ info, servers: {}, transport: () => { throw new Error(); }, rules: [{ tool: 'x' } as Rule] }), 'invalid_option', /rules\[0\]\.then is missing or null, expected "allow" or "ask" or "deny"$/],
  ['authenticate for auth', () => serveHttp(new McpServer(info), { authenticate: () => undefined } as object), 'unknown_option', /^serveHttp: options\.authenticate is unknown/],
  ['atuh for auth', () => fetchHandler(new McpServer(info), { atuh: () => undefined } as object), 'unknown_option', /options\.atuh is unknown, did you mean auth\?$/],
  ['auth: true', () => fetchHandler(new McpServer(info), { auth: true } as object), 'invalid_option', /options\.auth is invalid, expected function or object, not boolean$/],
  ['no name and no version', () => new (McpServer as unknown as new () => McpServer)(), 'invalid_option', /^server info\.name is missing or null, expected string$/],
  ['needs: a string', () => new McpServer(info).tool('x', { needs: 'roots' } as object, () => 'x'), 'invalid_option', /^tool "x"\.definition\.needs is invalid, expected list, not string$/],
  ['inputSchema for input', () => new McpServer(info).tool('x', { inputSchema: {} } as object, () => 'x'), 'unknown_option', /did you mean input\?$/],
  ['a limit of undefined', () => new McpServer(info, { limits: { maxInFlight: undefined } } as object), 'invalid_option', /limits\.maxInFlight is missing or null, expected number$/],
  ['a limit of NaN', () => new McpServer(info, { limits: { maxInFlight: NaN } }), 'invalid_option', /expected number, not NaN$/],
  ['a negative time', () => new McpClient(info, { limits: { timeoutMs: -1 } }), 'invalid_option', /expected 0 to 2147483647, not -1$/],
  ['a negative limit', () => new McpServer(info, { limits: { maxInFlight: -1 } }), 'invalid_option', /maxInFlight is invalid, expected 0 to Infinity, not -1$/],
  ['two words of a closed set as one', () => new McpServer(info, { cache: { tools: { scope: 'public" or "private' } } } as object), 'invalid_option', /scope is invalid, expected "public" or "private", not "public" or "private"$/],
  ['a completer where there is no variable', () => new McpServer(info).resourceTemplate('note://a', { complete: { x: () => [] } } as object, () => ''), 'unknown_option', /complete\.x is unknown, expected no member$/],
  ['the beginning of a name', () => new McpServer(info).tool('x', { desc: '' } as object, () => 'x'), 'unknown_option', /desc is unknown, did you mean description\?$/],
  ['a name like no other', () => fetchHandler(new McpServer(info), { stateless: true } as object), 'unknown_option', /stateless is unknown, expected path or sse or allowedHosts or /],
  ['cache hints', () => new McpServer(info, { cache: { tool: { ttlMs: 1 } } } as object), 'unknown_option', /cache\.tool is unknown, did you mean tools\?$/],
];

for (const [what, made, code, message] of mistakes) {
  test(`${what} is refused`, async () => {
    await assert.rejects(async () => made(), { name: 'TypeError', code, message });
  });
}

/** Values that a newcomer gives: each was accepted, or ended with an error of JavaScript. `never` avoids the type checker. */
const confused: readonly (readonly [what: string, made: () => unknown, message: RegExp])[] = [
  ['serveHttp without a server', () => serveHttp(undefined as never), /^serveHttp: server is missing or null, expected object$/],
  ['serveHttp of a function that makes a server', () => serveHttp((() => new McpServer(info)) as never), /^serveHttp: server is invalid, expected object, not function$/],
  ['memoryTransport without a server', () => memoryTransport(undefined as never), /^memoryTransport: server is missing or null/],
  ['a transport of the official SDK', () => new McpServer(info).connect({ start() {}, send() {}, close() {} } as never), /^McpServer\.connect takes an outlet .* serveStdio, serveHttp/],
  ['a path without a slash', () => serveHttp(new McpServer(info), { path: 'mcp' }), /^serveHttp: options\.path must begin with "\/": "mcp"$/],
  ...['https://a.example', 'A.example', '*.example', '*'].map((host) => [
    `the host ${host}`, () => fetchHandler(new McpServer(info), { allowedHosts: [host] }), /^options\.allowedHosts: "\S+" is not a host name such as trips\.example, in lower case$/,
  ] as const),
  ...['a.example', 'https://a.example/', 'https://A.example', '*'].map((origin) => [
    `the origin ${origin}`, () => fetchHandler(new McpServer(info), { allowedOrigins: [origin] }), /^options\.allowedOrigins: "\S+" is not an origin such as https:\/\/trips\.example, in lower case$/,
  ] as const),
  ['a tool without an input frame', () => new McpServer(info).tool('x', { input: { city: { type: 'string' } } as never }, () => 'x'), /^tool "x"\.definition\.input: #: "city" is not in the small dialect: an argument belongs in "properties"/],
  ['an output of an unknown type', () => new McpServer(info).tool('x', { output: { type: 'strng' } as never }, () => 'x' as never), /^tool "x"\.definition\.output: #\/type: must be a type such as "string"$/],
  ['a command as transport', () => new McpClient(info).connect('node server.js' as never), /^connect: transport is invalid, expected object, not string$/],
  ['options as arguments of a program', () => stdioTransport('node', { env: {} } as never), /^stdioTransport: args is invalid, expected list, not object$/],
  ['a folder store without a folder', () => folderStore(undefined as never), /^folderStore: path is missing or null/],
];

for (const [what, made, message] of confused) {
  test(`${what} is refused by a message that names the place`, async () => {
    await assert.rejects(async () => made(), { message });
  });
}

test('the names of a call are texts, not the objects of the official SDK', async () => {
  const server = new McpServer(info);
  server.tool('x', {}, () => 'x');
  server.resource('x://y', {}, () => '');
  const faults: string[] = [];
  const client = new McpClient(info, { onElicit: () => ({ action: 'decline' }) });
  await client.connect(memoryTransport(server));
  await assert.rejects(client.callTool({ name: 'x' } as never), { message: 'tools/call: name is invalid, expected string, not object' });
  await assert.rejects(client.readResource({ uri: 'x://y' } as never), { message: 'resources/read: uri is invalid, expected string, not object' });
  await assert.rejects(client.getPrompt('p'), { message: 'prompts/get: the server did not declare that it supports this, only logging, resources, tools' });
  await client.close();
  const asked = new McpServer(info, { onError: ({ message }) => faults.push(message) });
  asked.tool('x', {}, async (_, ctx) => (await ctx.elicit({ message: 'Seat?' } as never, {})).action);
  await client.connect(memoryTransport(asked));
  await client.callTool('x');
  await client.close();
  assert.deepEqual(faults, ['elicit: message is invalid, expected string, not object']);
});

let members = 0;
for (const { place, type } of asked) {
  const tried = calls.get(place.name);
  if (!tried) continue;
  const { base = bases[type.name] ?? {} } = tried;
  test(`${place.name}: a misspelt member of ${type.name.slice(0, 60)} is refused by name`, async () => {
    const wrong: string[] = [];
    for (const { member, path, owner, options } of membersOf(type, base)) {
      if (isOpenPath(place, path) || members++ % everyNth(4) !== 0) continue;
      for (const [i, name] of misspell(member.name, owner).entries()) {
        const error = await thrownBy(tried, options(name, values.object));
        const refused = error instanceof TypeError && codeOf(error) === 'unknown_option' && error.message.includes(`.${name} is unknown, `)
          && (i > 0 || error.message.endsWith(` ${member.name}?`));
        if (!refused) wrong.push(`${path} of ${owner.name} as ${name}: ${shown(error)}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  test(`${place.name}: a member of ${type.name.slice(0, 60)} with a value of another kind is refused`, async () => {
    const wrong: string[] = [];
    for (const { member, path, owner, options } of membersOf(type, base)) {
      if (!member.kinds || isOpenPath(place, path) || members++ % everyNth(4) !== 0) continue;
      const others = Object.entries(values).filter(([kind]) => !takes(member, kind as ValueKind) && !overloads(place, path).some((other) => takes(other, kind as ValueKind)));
      for (const [kind, value] of [...others, ['null', null] as const]) {
        const error = await thrownBy(tried, options(member.name, value));
        if (!(error instanceof TypeError && codeOf(error) === 'invalid_option')) wrong.push(`${path} of ${owner.name} as ${kind}: ${shown(error)}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
}
