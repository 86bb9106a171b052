// What a compiled file touches: its imports of `node:` modules, and the names that it takes from the global scope.
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parse } from 'acorn';
import { ancestor } from 'acorn-walk';
import { analyze } from 'eslint-scope';
import { byMember, kindOfName } from './kinds.mjs';

const known = new Map();

/** The imports and the touched names of one file of `dist/src`. */
export function readSource(file, root) {
  const found = known.get(file);
  if (found) return found;
  const where = relative(root, file);
  const tree = parse(readFileSync(file, 'utf8'), { ecmaVersion: 'latest', sourceType: 'module', ranges: true, locations: true });
  const imports = new Set();
  const names = new Set();
  const parents = new Map();
  const visit = (node, _state, ancestors) => { parents.set(node, ancestors.at(-2)); };
  ancestor(tree, {
    Identifier: visit,
    MemberExpression: visit,
    VariableDeclarator: visit,
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

const memberName = (node) => (node.type !== 'MemberExpression' ? undefined
  : node.computed ? (node.property.type === 'Literal' ? String(node.property.value) : undefined) : node.property.name);

/** The names that a reference to a global stands for: `process.env`, what is taken out of `globalThis`, or itself. */
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
      // `name in globalThis` asks whether there is such a thing, and touches nothing.
      if (name === 'globalThis') return parent?.type === 'BinaryExpression' ? [] : ['globalThis in a variable name'];
      return parent === undefined || name !== 'process' ? [name] : ['globalThis.process'];
    }
    if (name !== 'globalThis') return [name === 'process' ? `process.${member}` : `${name}.${member}`].filter(isOutside);
    name = member;
    node = parent;
  }
}

/** Of `Math` and `AbortSignal` only some members touch anything. */
const isOutside = (name) => name.startsWith('process.') || name === 'Math.random' || name === 'AbortSignal.timeout';
