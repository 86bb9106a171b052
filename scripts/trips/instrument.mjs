// Adds calls of the recorder (recorder.mjs) to compiled JavaScript: at the beginning and end of each function, and on both sides
// of each `await` and `yield`, so that code running meanwhile does not count as its callee.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join } from 'node:path';
import { parse } from 'acorn';
import { ancestor, full } from 'acorn-walk';
import MagicString from 'magic-string';

/**
 * Instruments each `.js` file of a folder, and writes the results to another folder.
 *
 * Returns the found functions by their ids for the recorder:
 * `{ file, line, name, simple }`, with the place in the sources; `simple` is described at `isSimple`.
 */
export function instrumentFolder(from, to) {
  const functions = [];
  for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!name.endsWith('.js')) continue;
    const file = name.replaceAll('\\', '/');
    const code = readFileSync(join(from, name), 'utf8');
    const target = join(to, name);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, instrument(code, { functions, file: file.replace(/\.js$/, '.ts'), lineOf: sourceLines(join(from, name)) }));
  }
  return functions;
}

/** The source line of a position in the compiled file. */
function sourceLines(file) {
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  return ({ line, column }) => (map.findEntry(line - 1, column).originalLine ?? line - 1) + 1;
}

/**
 * Instruments one module. Appends its functions to `functions` and returns its new text, which calls `globalThis.$trip`.
 *
 * @param lineOf the line to report for a position `{ line, column }` of the code
 */
export function instrument(code, { functions, file, lineOf = ({ line }) => line }) {
  const arrows = [];
  const tree = parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
    onToken: ({ type, end }) => { if (type.label === '=>') arrows.push(end); },
  });
  const text = new MagicString(code);
  // Inner nodes come first: text added at the same place by an outer node is outside of theirs.
  const before = (at, added) => text.prependLeft(at, added);
  const after = (at, added) => text.appendLeft(at, added);

  const enter = (node, ancestors) => {
    const parent = ancestors.at(-2);
    const key = keyOf(node, parent);
    functions.push({
      file,
      line: lineOf((key ?? node).loc.start),
      name: nameOf(node, ancestors, code),
      simple: isSimple(node, parent),
    });
    return `const $f=$trip.enter(${functions.length - 1});try{`;
  };
  const leave = '}finally{$trip.exit($f)}';

  const wrap = (node, _, ancestors) => {
    const { body } = node;
    if (body.type === 'BlockStatement') {
      before(body.start + 1, enter(node, ancestors));
      after(body.end - 1, leave);
    } else {
      // The body may be in parentheses, which the tree does not show.
      const arrow = arrows.findLast((end) => end <= body.start);
      before(arrow, `{${enter(node, ancestors)}return (`);
      after(node.end, `)${leave}}`);
    }
  };

  /** An expression where the function pauses, and may resume later. */
  const pause = (node, _, ancestors) => {
    if (!isInFunction(ancestors)) return;
    if (node.argument === null) {
      before(node.start, '$trip.resume($f,');
      after(node.end, ' $trip.suspend($f))');
      return;
    }
    before(node.start, '$trip.resume($f,');
    before(node.argument.start, '$trip.suspend($f,(');
    after(node.argument.end, '))');
    after(node.end, ')');
  };

  /** After a rejected `await` or an ended generator, the function resumes in a `catch` or a `finally`. */
  const resume = (block, ancestors) => {
    if (block && isInFunction(ancestors)) before(block.start + 1, '$trip.resume($f);');
  };

  ancestor(tree, {
    FunctionDeclaration: wrap,
    FunctionExpression: wrap,
    ArrowFunctionExpression: wrap,
    AwaitExpression: pause,
    YieldExpression: pause,
    TryStatement(node, _, ancestors) {
      if (!pauses(ancestors)) return;
      resume(node.handler?.body, ancestors);
      resume(node.finalizer, ancestors);
    },
    ForOfStatement(node, _, ancestors) {
      if (!node.await || !isInFunction(ancestors)) return;
      before(node.right.start, '$trip.suspend($f,(');
      after(node.right.end, '))');
      before(node.body.start, '{$trip.resume($f);try{');
      after(node.body.end, '}finally{$trip.suspend($f)}}');
      // After the last value the function resumes after the loop.
      before(node.start, '{');
      after(node.end, '$trip.resume($f)}');
    },
  });
  return text.toString();
}

const isFunction = ({ type }) => type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression';
const isInFunction = (ancestors) => ancestors.some(isFunction);
const pauses = (ancestors) => {
  const inner = ancestors.findLast(isFunction);
  return inner !== undefined && (inner.async || inner.generator);
};

/**
 * True for a getter, a setter, and a function that only returns one expression, synchronously, if nothing in it creates a
 * function or calls one by a plain name. Methods and built-ins such as `Number()` may be called.
 */
function isSimple({ async, generator, body }, { kind }) {
  if (async || generator) return false;
  const [only, ...others] = body.type === 'BlockStatement' ? body.body : [{ type: 'ReturnStatement', argument: body }];
  const returns = others.length === 0 && only?.type === 'ReturnStatement' && only.argument !== null;
  if (!returns && kind !== 'get' && kind !== 'set') return false;
  let simple = true;
  full(body, (node) => {
    const callsByName = node.type === 'CallExpression' && node.callee.type === 'Identifier' && !/^[A-Z]/.test(node.callee.name);
    if (isFunction(node) || callsByName) simple = false;
  });
  return simple;
}

/** The node with a function's name, if it has one. */
function keyOf(node, parent) {
  if (node.id) return node.id;
  switch (parent.type) {
    case 'MethodDefinition': case 'PropertyDefinition': case 'Property': return parent.key;
    case 'VariableDeclarator': return parent.id;
    case 'AssignmentExpression': return parent.left;
    default: return undefined;
  }
}

/** `Class.method`, `get Class.name`, `name`, or `outer > (anonymous)`. */
function nameOf(node, ancestors, code) {
  const parent = ancestors.at(-2);
  const key = keyOf(node, parent);
  if (key === undefined) {
    const at = ancestors.slice(0, -1).findLastIndex(isFunction);
    return at < 0 ? '(anonymous)' : `${nameOf(ancestors[at], ancestors.slice(0, at + 1), code)} > (anonymous)`;
  }
  const name = code.slice(key.start, key.end);
  const { kind, type } = parent;
  const owner = type === 'MethodDefinition' || type === 'PropertyDefinition'
    ? ancestors.findLast((one) => one.type === 'ClassDeclaration' || one.type === 'ClassExpression').id?.name
    : undefined;
  const whole = owner ? `${owner}.${name}` : name;
  return kind === 'get' || kind === 'set' ? `${kind} ${whole}` : whole;
}
