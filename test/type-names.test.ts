import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

// A type name has one meaning: see CONTRIBUTING.md.

/** Names that still have several types, each published by two entries. Names are removed from this list, never added. */
const notYet: readonly string[] = [
  'ClientOptions: client/options.ts, oauth/client/registration.ts',
  'Grant: host/approvals.ts, oauth/client/grant.ts',
  'Kind: bounds/options.ts, doctor/finding.ts',
  'Listed: host/searchable.ts, protocol/pagination.ts',
  'ProtectedResourceMetadata: oauth/client/protected-resource-metadata.ts, oauth/resource/protected-resource-metadata.ts',
];

/** The files that declare each type, by name. Declarations inside a function are local. */
function declarationsIn(sources: ReadonlyMap<string, string>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [file, text] of sources) {
    for (const [, name = ''] of text.matchAll(/^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)(?=[\s<={])/gm)) {
      const files = found.get(name) ?? new Set();
      found.set(name, files.add(file));
    }
  }
  return found;
}

const severalIn = (sources: ReadonlyMap<string, string>): string[] =>
  [...declarationsIn(sources)].filter(([, files]) => files.size > 1).map(([name, files]) => `${name}: ${[...files].join(', ')}`).sort();

test('type names: each stands for one type', () => {
  const root = fileURLToPath(new URL('../../src/', import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/')).filter((file) => file.endsWith('.ts')).sort();
  const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  assert.ok(declarationsIn(sources).get('Revision')?.has('protocol/revisions.ts'));
  assert.deepEqual(severalIn(sources), notYet);
});

test('type names: every kind of declaration counts, once a file', () => {
  assert.deepEqual(severalIn(new Map([
    ['a.ts', 'export interface One {}\ntype Two<T> = T;\nclass Three extends One {}\ninterface Own {}\nclass Own {}\n// type One = 1'],
    ['b.ts', 'class One {}\nexport type Two = 1;\nexport abstract class Three {}\nexport type { Own } from "./a.ts";\ntype Owner = 1;\n'],
  ])), ['One: a.ts, b.ts', 'Three: a.ts, b.ts', 'Two: a.ts, b.ts']);
});
