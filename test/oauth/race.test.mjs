// A race that many clients lose: eight processes with one rotating refresh token. oidc-provider revokes the whole grant if a refresh token
// is used twice.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startAuthorizationServer } from './authorization-server.mjs';
import { visit } from './person.mjs';
import { startResourceServer } from './resource-server.mjs';

const program = fileURLToPath(new URL('race-client.mjs', import.meta.url));
const processes = 8;

for (const dpop of [false, true]) {
  test(`eight processes, one login, and one refresh a round${dpop ? ', bound to a key (DPoP)' : ''}`, async (t) => {
    const failures = [];
    const as = await startAuthorizationServer({ onGrantError: (error) => failures.push(error.error_detail ?? error.message) });
    t.after(() => as.close());
    const clock = { ms: 0 };
    const resource = await startResourceServer(as.issuer, {
      now: () => Date.now() + clock.ms, ...dpop && { dpop: { required: true, nonces: true } },
    });
    t.after(() => resource.close());
    const folder = await mkdtemp(join(tmpdir(), 'barewire-race-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'tokens.json');
    const pages = [];
    const errors = [];

    const clients = Array.from({ length: processes }, () => {
      const child = spawn(process.execPath, [program, resource.url, path], { stdio: ['pipe', 'pipe', 'inherit'] });
      let answered;
      createInterface({ input: child.stdout }).on('line', (line) => {
        const said = JSON.parse(line);
        if (said.page) {
          pages.push(said.page);
          visit(said.page).catch((error) => errors.push(error.message));
        } else if (said.error) errors.push(said.error);
        else answered(said);
      });
      const gone = new Promise((resolve) => child.once('exit', resolve));
      t.after(() => (child.stdin.end(), gone));
      return (round) => new Promise((resolve) => {
        answered = resolve;
        child.stdin.write(`${round}\n`);
      });
    });
    const all = async (round) => {
      const answers = await Promise.all(clients.map((call) => call(round)));
      assert.deepEqual(answers, answers.map(() => ({ line: round, subject: 'alice' })));
    };

    await all('login');
    // One browser window, one registration, one code.
    assert.equal(pages.length, 1);
    assert.equal(as.count('POST /reg'), 1);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    for (let round = 1; round <= 3; round++) {
      // For the resource all tokens have expired; those issued from now on last longer.
      as.options.tokenTtl = round * 10_000;
      clock.ms = (round - 1) * 10_000_000 + 600_000;
      const before = as.grants.refresh_token;
      await all(`round ${round}`);
      assert.equal(as.grants.refresh_token - before, 1, `refreshes of round ${round}`);
    }
    assert.equal(pages.length, 1);
    assert.deepEqual(failures, []);
    assert.deepEqual(errors, []);
    assert.ok((await readFile(path, 'utf8')).length > 0);
  });
}
