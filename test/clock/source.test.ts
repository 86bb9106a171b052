import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { SyntaxKind } from 'typescript/unstable/ast';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import {
  isBinaryExpression, isBindingElement, isIdentifier, isImportSpecifier, isNewExpression, isParameterDeclaration, isPropertyAccessExpression,
} from 'typescript/unstable/ast/is';
import { readParsed } from '../parsed-files.ts';

// The clock is injected: in src only src/bounds/clock.ts reads a clock of the runtime or starts a timer or a microtask.

const top = fileURLToPath(new URL('../../../', import.meta.url));

/** Globals that read a clock or schedule something. */
const names = [
  'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'clearTimeout', 'clearInterval', 'clearImmediate', 'performance', 'scheduler',
  'requestAnimationFrame', 'requestIdleCallback', 'MessageChannel',
];
/** Members that do the same. */
const members: Readonly<Record<string, readonly string[]>> = {
  Date: ['now'], process: ['nextTick', 'hrtime', 'uptime'], AbortSignal: ['timeout'], globalThis: names, Atomics: ['wait', 'waitAsync'],
};

/**
 * Files that collect their writes in one turn of Node's event loop. The turn belongs to their socket or pipe, and no time passes.
 */
const turns = ['src/transport/stdio/writer.ts', 'src/transport/http/node/request-listener.ts'];

/** Files that use the runtime's clock without an option: programs, and tests that wait for processes, files and people. */
const programs = [
  'src/bounds/clock.ts',
  // Publishes the system clock.
  'src/clock.ts',
  // The command: it works with a person.
  'src/cli/', 'src/doctor/',
  // Processes, their groups and their folders.
  'src/executables/',
  // A browser on this machine, and lock files of other processes.
  'src/oauth/node/',
  // Tests that are published, for engines and stores of others.
  'src/fleet/engine-tests.ts', 'src/fleet/store-tests.ts', 'src/tasks/testing.ts', 'src/tasks/store-test.ts', 'src/transport/testing/',
  // These check whether the clock is the one that lacks timers on some runtimes.
  'src/jsonrpc/errors.ts',
  'src/transport/http/node/request-listener.ts',
];

const lineOf = (source: SourceFile, node: Node): number => source.text.slice(0, node.getStart(source)).split('\n').length;

/** True if `systemClock` is the default of an option or a parameter here. */
function isDefault(node: Node, parent: Node): boolean {
  if (isImportSpecifier(parent)) return true;
  if ((isParameterDeclaration(parent) || isBindingElement(parent)) && parent.initializer === node) return true;
  return isBinaryExpression(parent) && parent.operatorToken.kind === SyntaxKind.QuestionQuestionToken && parent.right === node;
}

function faultsOf(source: SourceFile, file: string): string[] {
  const faults: string[] = [];
  const visit = (node: Node, parent: Node): void => {
    const fault = (): void => void faults.push(`${file}:${lineOf(source, node)}: ${parent.getText(source).slice(0, 60)}`);
    if (isIdentifier(node)) {
      const isMember = isPropertyAccessExpression(parent) && parent.name === node;
      const owner = isMember && isIdentifier(parent.expression) ? parent.expression.text : '';
      const declared = 'name' in parent && parent.name === node && !isMember && parent.kind !== SyntaxKind.ShorthandPropertyAssignment;
      if (file !== 'src/bounds/clock.ts') {
        if (!isMember && !declared && names.includes(node.text)) fault();
        if (isMember && members[owner]?.includes(node.text) && !(turns.includes(file) && node.text === 'nextTick')) fault();
      }
      // A first clock that `attach` replaces before its use: a field, or the variable of a closure.
      const first = 'initializer' in parent && parent.initializer === node && (parent.kind === SyntaxKind.PropertyDeclaration || parent.parent.getText(source).startsWith('let clock'));
      const read = isPropertyAccessExpression(parent) && parent.name.text === 'now' && isBindingElement(parent.parent);
      const readDefault = isPropertyAccessExpression(parent) && parent.name.text === 'now' && isParameterDeclaration(parent.parent);
      if (node.text === 'systemClock' && !isDefault(node, parent) && !first && !read && !readDefault && !programs.some((program) => file.startsWith(program))) fault();
    }
    if (isNewExpression(node) && isIdentifier(node.expression) && node.expression.text === 'Date' && !node.arguments?.length) faults.push(`${file}:${lineOf(source, node)}: new Date()`);
    node.forEachChild((child) => visit(child, node));
  };
  source.forEachChild((child) => visit(child, source));
  return faults;
}

const faultsIn = (folder: string, files: readonly string[]): string[] => readParsed(folder, files, faultsOf);

test('no line of src reads a clock of the runtime or starts a timer, but the clock that is handed in', () => {
  const files = readdirSync(join(top, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts')).map((file) => `src/${file}`);
  assert.deepEqual(faultsIn(top, files), []);
});

test('each way to read a clock or to start a timer is found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-clock-ways-'));
  const ways = [
    'setTimeout(run, 1);', 'const at = Date.now();', 'const at = new Date();', 'globalThis.setTimeout(run);', 'const wait = setTimeout;', 'queueMicrotask(run);',
    'performance.now();', 'process.nextTick(run);', 'AbortSignal.timeout(5);', 'const { now } = performance;', 'systemClock.now();', 'const clock = systemClock;',
    'const it = { setTimeout };',
  ];
  try {
    ways.forEach((way, n) => writeFileSync(join(folder, `${n}.ts`), way));
    const found = faultsIn(folder, ways.map((_, n) => `${n}.ts`)).map((fault) => Number(fault.split('.')[0]));
    assert.deepEqual([...new Set(found)], ways.map((_, n) => n));
    const good = ['function f(clock = systemClock) {}', 'socket.setTimeout(5);', 'const { clock = systemClock } = options;', 'new Date(clock.now());', 'const c = options.clock ?? systemClock;'];
    good.forEach((way, n) => writeFileSync(join(folder, `good-${n}.ts`), way));
    assert.deepEqual(faultsIn(folder, good.map((_, n) => `good-${n}.ts`)), []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
