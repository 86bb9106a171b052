import assert from 'node:assert/strict';
import test from 'node:test';
import type { ToolDescription } from '../../src/executables/description.ts';
import { knownTools } from '../../src/executables/known-tools.ts';

interface Registered {
  readonly name: string;
  readonly definition: Record<string, unknown>;
  readonly handler: (params: unknown, ctx: unknown) => unknown;
}

function made() {
  const registered = new Map<string, Registered>();
  const events: string[] = [];
  const problems: [string, string][] = [];
  const tools = knownTools({
    server: { tool: ((name: string, definition: Record<string, unknown>, handler: Registered['handler']) => {
      registered.set(name, { name, definition, handler });
      events.push(`+${name}`);
      return { remove: () => void (registered.delete(name), events.push(`-${name}`)) };
    }) as never },
    run: (async (description: ToolDescription, params: unknown, ctx: unknown) => [description.name, params, ctx]) as never,
    onProblem: (key, why) => problems.push([key, why]),
  });
  return { tools, registered, events, problems };
}

const described = (name: string, more: Partial<ToolDescription> = {}): ToolDescription => ({ name, parameters: { type: 'object' }, ...more });
const file = (name: string) => ({ name, path: `/f/${name}`, version: 'v' });

test('known tools: a description is registered with what it has, and its calls run it', async () => {
  const { tools, registered } = made();
  tools.set('a', '1', described('one'), file('a'));
  tools.set('b', '1', described('two', { title: 'T', description: 'D', output: { type: 'object' }, annotations: { readOnlyHint: true }, stdin: 'open' }), file('b'));
  assert.deepEqual([...registered.values()].map(({ name, definition }) => [name, definition]), [
    ['one', { input: { type: 'object' } }],
    ['two', { input: { type: 'object' }, title: 'T', description: 'D', output: { type: 'object' }, annotations: { readOnlyHint: true } }],
  ]);
  assert.deepEqual(await registered.get('two')?.handler({ a: 1 }, 'ctx'), ['two', { a: 1 }, 'ctx']);
  assert.deepEqual([tools.names, tools.version('a'), tools.version('none'), tools.find('none')], [['one', 'two'], '1', undefined, undefined]);
  const found = tools.find('two') as unknown as { file: unknown; check: (value: unknown) => unknown };
  assert.deepEqual(found.file, file('b'));
  assert.equal(typeof found.check, 'function');
  tools.set('p', '1', described('pipe'));
  assert.ok(!('file' in (tools.find('pipe') as object)));
});

test('known tools: what says the same is the same tool, and what says something else takes its place', () => {
  const { tools, events } = made();
  tools.set('a', '1', described('one'), file('a'));
  tools.set('a', '2', described('one'), file('other'));
  assert.deepEqual([events.splice(0), tools.version('a'), (tools.find('one') as unknown as { file: { name: string } }).file.name], [['+one'], '2', 'other']);
  tools.set('a', '3', described('one', { title: 'T' }), file('a'));
  assert.deepEqual([events.splice(0), tools.version('a')], [['-one', '+one'], '3']);
  tools.set('a', '4', described('new'), file('a'));
  assert.deepEqual([events.splice(0), tools.names], [['-one', '+new'], ['new']]);
});

test('known tools: two of one name, a schema that is none, and a file that is no tool any more are problems, each told once', () => {
  const { tools, events, problems } = made();
  tools.set('a', '1', described('one'), file('a'));
  tools.set('b', '1', described('one'), file('b'));
  tools.set('b', '1', described('one'), file('b'));
  assert.deepEqual([problems.splice(0), events.splice(0), tools.names], [[['b', 'another tool is called one']], ['+one'], ['one']]);
  tools.set('b', '2', described('one'), file('b'));
  assert.equal(problems.splice(0).length, 1, 'a new version of the file is told of again');
  tools.set('c', '1', described('bad', { parameters: { type: 'nonsense' } as never }), file('c'));
  assert.deepEqual([problems.splice(0).map(([key]) => key), tools.find('bad')], [['c'], undefined]);
  tools.problem('a', '2', 'it is not executable');
  assert.deepEqual([problems.splice(0), events.splice(0), tools.names], [[['a', 'it is not executable']], ['-one'], []]);
  tools.problem('a', '2', 'it is not executable');
  assert.deepEqual(problems, []);
  tools.problem('a', '2', 'it has gone');
  assert.deepEqual(problems.splice(0), [['a', 'it has gone']]);
  // The name is free, and the file may become a tool again.
  tools.set('b', '3', described('one'), file('b'));
  assert.deepEqual([events.splice(0), problems], [['+one'], []]);
  tools.set('a', '3', described('two'), file('a'));
  assert.deepEqual(tools.names, ['one', 'two']);
  tools.retain((key) => key === 'a');
  assert.deepEqual([events.splice(0), tools.names, tools.version('b'), tools.version('a')], [['+two', '-one'], ['two'], undefined, '3']);
});
