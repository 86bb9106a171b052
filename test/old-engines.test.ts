import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { SyntaxKind } from 'typescript/unstable/ast';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import { isNewExpression, isStringLiteral } from 'typescript/unstable/ast/is';
import { readParsed } from './parsed-files.ts';

// Small engines parse ES2022, but not lookbehind, `v` flags or modifiers in a group: a script that has one of them does not load
// at all.

const top = fileURLToPath(new URL('../../src/', import.meta.url)).replace('/dist/', '/');
const texts = new Set([
  SyntaxKind.RegularExpressionLiteral, SyntaxKind.StringLiteral, SyntaxKind.NoSubstitutionTemplateLiteral, SyntaxKind.TemplateHead, SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
]);

/** The reasons why a file cannot load there, one per line. */
function faultsOf(source: SourceFile, file: string): string[] {
  const faults: string[] = [];
  const visit = (node: Node): void => {
    if (texts.has(node.kind)) {
      const text = node.getText(source);
      if (/\(\?<[=!]/.test(text)) faults.push(`${file}: lookbehind: ${text}`);
      if (/\(\?[ims]*-?[ims]+:/.test(text)) faults.push(`${file}: modifiers: ${text}`);
      if (node.kind === SyntaxKind.RegularExpressionLiteral && /\/[a-z]*v[a-z]*$/.test(text)) faults.push(`${file}: the flag v: ${text}`);
    }
    if (isNewExpression(node) && node.expression.getText(source) === 'RegExp') {
      const flags = node.arguments?.[1];
      if (flags && isStringLiteral(flags) && flags.text.includes('v')) faults.push(`${file}: the flag v: ${node.getText(source)}`);
    }
    node.forEachChild(visit);
  };
  source.forEachChild(visit);
  return faults;
}

test('no expression of the sources asks for lookbehind, v sets or modifiers', () => {
  const files = readdirSync(top, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  assert.ok(files.length > 100, `${files.length} files below ${top}`);
  assert.deepEqual(readParsed(top, files, faultsOf), []);
});
