import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { OAuthError } from '../../src/oauth/index.ts';
import type { OAuthErrorCode } from '../../src/oauth/index.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const sources = join(root, 'src/oauth');

/** The codes of errors in the sources: in a constructor call, in `super`, in the `fail` of fetch-json.ts, and in a constant. */
function thrown(): Set<string> {
  const codes = new Set<string>();
  for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))) {
    const text = readFileSync(join(sources, file), 'utf8');
    for (const [, code = ''] of text.matchAll(/\b(?:new [A-Z]\w+|super|fail)\(\s*'([a-z_]+)'/g)) codes.add(code);
    for (const [, code = ''] of text.matchAll(/^(?:export )?const useDpopNonce = '([a-z_]+)'/gm)) codes.add(code);
  }
  // A proof is a JWT: its JWT faults are reported with the prefix of proofs (resource/dpop-proof.ts).
  for (const code of [...codes]) if (code.startsWith('jwt_')) codes.add(code.replace('jwt_', 'dpop_'));
  return codes;
}

test('OAuth error codes: what is thrown, the type and the table of the docs are the same', () => {
  const type = [...readFileSync(join(sources, 'error-codes.ts'), 'utf8').matchAll(/'([a-z_]+)'/g)].map(([, code]) => code ?? '');
  const table = [...readFileSync(join(root, 'docs/authorization.md'), 'utf8').matchAll(/^\| `([a-z_]+)` \| (?:client|server|both) \| \S.{10,}\. \|$/gm)].map(([, code]) => code ?? '');
  assert.ok(type.length >= 59, `${type.length}`);
  assert.equal(new Set(type).size, type.length);
  assert.deepEqual(table, type);
  assert.deepEqual([...thrown()].sort(), [...type].sort());
});

test('OAuth error codes: the type completes, and takes codes of an application', () => {
  const known: OAuthErrorCode = 'token_expired';
  // @ts-expect-error A misspelt code is no code of barewire.
  const unknown: OAuthErrorCode = 'token_expird';
  assert.deepEqual([new OAuthError(known, '').code, new OAuthError(unknown, '').code], ['token_expired', 'token_expird']);
});
