// Every regular expression of the sources: literals, and places that construct one from a text.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The folders with code that runs for users: the package, the page, the integrations, the course (integrations/learn). */
export const folders = [
  'src', 'page/src', 'test/course', ...readdirSync(join(root, 'integrations')).map((name) => `integrations/${name}/src`).filter((folder) => existsSync(join(root, folder))),
];

/** TypeScript and JavaScript files below a folder, as paths from the root. */
export function sourcesOf(folder, top = root) {
  return readdirSync(join(top, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|tsx|mjs|js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(top.length))
    .filter((file) => !/(?:^|\/)(?:node_modules|dist|test|bench)\//.test(file.slice(folder.length)) && !/\.test\.tsx?$/.test(file));
}

/**
 * The expressions of one file: `literals` with `at` (`file:line`), `pattern` and `flags`; `made`: the places that call `RegExp`,
 * or use its name other than in `instanceof`.
 */
export function expressionsOf(file, top = root) {
  const literals = [];
  const made = [];
  const walk = (node, parent) => {
    if (Array.isArray(node)) return node.forEach((one) => walk(one, parent));
    if (typeof node !== 'object' || node === null) return;
    const at = node.loc && `${file}:${node.loc.start.line}`;
    if (node.type === 'RegExpLiteral') literals.push({ at, pattern: node.pattern, flags: node.flags });
    const isTested = parent?.type === 'BinaryExpression' && parent.operator === 'instanceof';
    if (node.type === 'Identifier' && node.name === 'RegExp' && !isTested) made.push(at);
    for (const [name, value] of Object.entries(node)) {
      // Skips types, which are erased.
      if (name !== 'loc' && name !== 'typeAnnotation' && name !== 'typeParameters' && name !== 'returnType') walk(value, node.type ? node : parent);
    }
  };
  const text = readFileSync(join(top, file), 'utf8');
  walk(parse(text, { sourceType: 'module', plugins: ['typescript', ...file.endsWith('x') ? ['jsx'] : []] }).program, undefined);
  return { literals, made };
}
