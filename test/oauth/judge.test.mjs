// `barewire judge` logs in to a real authorization server with the settings of judge.json, and no report contains the secret or the token.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startAuthorizationServer } from './authorization-server.mjs';
import { startResourceServer } from './resource-server.mjs';

const cli = fileURLToPath(new URL('../../dist/lib/cli.js', import.meta.url));
const secret = 'a-secret-of-the-judge-0123456789';
let as;
let rs;
let folder;

before(async () => {
  as = await startAuthorizationServer({
    clients: [{ client_id: 'judge', client_secret: secret, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
  });
  rs = await startResourceServer(as.issuer, { clientsWithoutSubject: true });
  folder = mkdtempSync(join(tmpdir(), 'barewire-judge-'));
});
after(async () => {
  await Promise.all([as.close(), rs.close()]);
  rmSync(folder, { recursive: true, force: true });
});

test('judge: a client that acts for itself logs in, and the server is judged behind its login', async () => {
  const items = join(folder, 'judge.json');
  writeFileSync(items, JSON.stringify({ login: { server: rs.url, clientIdVariable: 'JUDGE_ID', clientSecretVariable: 'JUDGE_SECRET', issuer: as.issuer, scope: 'trips:read' } }));
  const html = join(folder, 'judge.html');
  const child = spawn(process.execPath, [cli, 'judge', '--json', '--quick', '--items', items, '--html', html, rs.url], { env: { ...process.env, BAREWIRE_HOME: folder, JUDGE_ID: 'judge', JUDGE_SECRET: secret } });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => { out += text; });
  child.stderr.setEncoding('utf8').on('data', (text) => { err += text; });
  const [code] = await once(child, 'close');
  assert.equal(code, 0, `${err}\n${out.slice(0, 4000)}`);
  const { revisions, judgements, failures } = JSON.parse(out);
  assert.deepEqual(revisions, ['2026-07-28', '2025-11-25']);
  assert.deepEqual(failures, []);
  assert.ok(judgements.filter(({ verdict, level }) => verdict === 'kept' && level === 'MUST').length > 40);
  for (const id of ['authorization-81', 'authorization-60']) assert.equal(judgements.find((one) => one.id === id)?.verdict, 'kept', id);
  const tokens = new Set(rs.requests.flatMap(({ authorization, status }) => (authorization !== undefined && status < 300 ? [authorization.replace(/^Bearer /, '')] : [])));
  assert.equal(tokens.size, 1, 'one token for all requests');
  const all = out + err + readFileSync(html, 'utf8');
  for (const one of [secret, ...tokens]) assert.ok(!all.includes(one), 'a credential stands in a report');
});
