// The capabilities that a compiled file uses: its imports of `node:` modules, the globals that it reads, and ways to them without
// a global name: `import.meta`, a function's constructor, `Error.prepareStackTrace`, a stream behind `console`.
import { dirname, join, relative } from 'node:path';
import { parse } from 'acorn';
import { ancestor } from 'acorn-walk';
import { analyze } from 'eslint-scope';
import { throughDoors } from '../../scripts/internal-exports.mjs';
import { byMember, kindOfName } from './kinds.mjs';

const known = new Map();

/** The imports and touched names of one file of `dist/src`. */
export function readSource(file, root) {
  const found = known.get(file);
  if (found) return found;
  const where = relative(root, file);
  const tree = parse(throughDoors(file, { alsoIndexes: true }), { ecmaVersion: 'latest', sourceType: 'module', ranges: true, locations: true });
  const imports = new Set();
  const names = new Set();
  const parents = new Map();
  const visit = (node, _state, ancestors) => { parents.set(node, ancestors.at(-2)); };
  ancestor(tree, {
    Identifier: visit,
    MemberExpression(node, state, ancestors) {
      visit(node, state, ancestors);
      const parent = ancestors.at(-2);
      const called = parent.type === 'CallExpression' && parent.callee === node;
      const name = memberName(node);
      // A call of getBuiltinModule is read below, with its module's name.
      if (!(called && name === 'getBuiltinModule')) addWayOut(names, name);
    },
    VariableDeclarator: visit,
    MetaProperty: () => names.add('import.meta'),
    ObjectPattern({ properties }) {
      for (const { type, key, computed } of properties) {
        if (type === 'Property') addWayOut(names, computed ? textOf(key) : nameOf(key));
      }
    },
    Literal: ({ value }) => {
      if (value === 'prepareStackTrace') addWayOut(names, value);
    },
    ImportDeclaration: ({ source }) => imports.add(source.value),
    ExportNamedDeclaration: ({ source }) => source && imports.add(source.value),
    ExportAllDeclaration: ({ source }) => imports.add(source.value),
    ImportExpression({ source }) {
      if (source.type === 'Literal') imports.add(source.value);
      else names.add('import() of what is named at run time');
    },
    CallExpression({ callee, arguments: [first] }) {
      if (callee.type !== 'ChainExpression' && memberName(callee) === 'getBuiltinModule') {
        if (first?.type !== 'Literal') throw new Error(`${where}: getBuiltinModule of something that is not a text`);
        imports.add(first.value);
      }
    },
  });
  for (const { identifier } of analyze(tree, { ecmaVersion: 2022, sourceType: 'module' }).globalScope.through) {
    for (const name of namesAt(identifier, parents)) names.add(name);
  }
  const touched = new Map();
  for (const name of [...names, ...[...imports].filter((name) => name.startsWith('node:'))]) {
    const kind = kindOfName(name, where);
    if (kind) touched.set(name, kind);
  }
  const local = [...imports].filter((name) => name.startsWith('.')).map((name) => join(dirname(file), name));
  const foreign = [...imports].filter((name) => !name.startsWith('.') && !name.startsWith('node:'));
  if (foreign.length > 0) throw new Error(`${where} imports ${foreign.join(', ')}`);
  const source = { local, touched };
  known.set(file, source);
  return source;
}

/** Members that give access to the outside on any object. */
const waysOut = new Map([
  ['constructor', 'a constructor taken from a value'],
  ['prepareStackTrace', 'Error.prepareStackTrace'],
  ['getBuiltinModule', 'process.getBuiltinModule as a value'],
  ['_stdout', 'console._stdout'],
  ['_stderr', 'console._stderr'],
]);

function addWayOut(names, member) {
  const name = waysOut.get(member);
  if (name) names.add(name);
}

const nameOf = (key) => (key.type === 'Identifier' ? key.name : String(key.value));

const memberName = (node) => (node.type !== 'MemberExpression' ? undefined : node.computed ? textOf(node.property) : node.property.name);

/** The value of a constant string expression, such as `'con' + 'structor'`; undefined if known only at run time. */
function textOf(node) {
  if (node.type === 'Literal') return String(node.value);
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0].value.cooked;
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined || right === undefined ? undefined : left + right;
}

/** The names behind a reference to a global: `process.env`, members taken from `globalThis`, or the global itself. */
function namesAt(identifier, parents) {
  let name = identifier.name;
  let node = identifier;
  for (;;) {
    let parent = parents.get(node);
    while (parent?.type === 'ChainExpression') parent = parents.get(parent);
    if (name !== 'globalThis' && !byMember.has(name)) return [name];
    const pattern = parent?.type === 'VariableDeclarator' && parent.id.type === 'ObjectPattern' ? parent.id
      : parent?.type === 'LogicalExpression' && parents.get(parent)?.type === 'VariableDeclarator' ? parents.get(parent).id : undefined;
    if (pattern?.type === 'ObjectPattern') {
      return pattern.properties.map(({ key }) => (name === 'globalThis' ? key.name : `${name}.${key.name}`));
    }
    const member = parent?.type === 'MemberExpression' && parent.object === node ? memberName(parent) : undefined;
    if (member === undefined) {
      // `name in globalThis` only tests for existence.
      if (name === 'globalThis') return parent?.type === 'BinaryExpression' ? [] : ['globalThis in a variable name'];
      return parent === undefined || name !== 'process' ? [name] : ['globalThis.process'];
    }
    if (name !== 'globalThis') return [name === 'process' ? `process.${member}` : `${name}.${member}`].filter(isOutside);
    name = member;
    node = parent;
  }
}

/** True for the members of `process`, `Math` and `AbortSignal` that touch the outside. */
const isOutside = (name) => name.startsWith('process.') || name === 'Math.random' || name === 'AbortSignal.timeout';
