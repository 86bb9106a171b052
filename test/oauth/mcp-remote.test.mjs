// mcp-remote, the bridge through which most desktop clients log in, with a barewire server.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startAuthorizationServer } from './authorization-server.mjs';
import { visit } from './person.mjs';
import { startResourceServer } from './resource-server.mjs';

const proxy = fileURLToPath(new URL('node_modules/mcp-remote/dist/proxy.js', import.meta.url));

/** Starts the bridge as a host does. Returns its stdout messages, and the page that it wants to open. */
function start(url, config) {
  const child = spawn(process.execPath, [proxy, url, '--allow-http', '--transport', 'http-only'], {
    env: { ...process.env, MCP_REMOTE_CONFIG_DIR: config, BROWSER: '/bin/true' }, stdio: 'pipe',
  });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  let said = '';
  const page = new Promise((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      said += chunk;
      const found = /^(http\S+\/auth\?\S+)$/m.exec(said)?.[1];
      if (found) resolve(found);
    });
    child.on('exit', () => reject(new Error(said)));
  });
  page.catch(() => {});
  let id = 0;
  return {
    page,
    request(method, params = {}) {
      const answer = new Promise((resolve, reject) => {
        waiting.set(++id, resolve);
        child.on('exit', () => reject(new Error(said)));
      });
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      return answer;
    },
    notify: (method) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method })}\n`),
    said: () => said,
    async stop() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.kill()) await gone;
    },
  };
}

test('mcp-remote logs in, and a second start uses what the first has kept', async (t) => {
  const as = await startAuthorizationServer();
  t.after(() => as.close());
  const resource = await startResourceServer(as.issuer);
  t.after(() => resource.close());
  const config = await mkdtemp(join(tmpdir(), 'mcp-remote-'));
  t.after(() => rm(config, { recursive: true, force: true }));

  async function whoami(bridge) {
    const { result } = await bridge.request('initialize', {
      protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' },
    });
    assert.equal(result.serverInfo.name, 'trips');
    bridge.notify('notifications/initialized');
    const { result: called } = await bridge.request('tools/call', { name: 'whoami', arguments: {} });
    return JSON.parse(called.content[0].text);
  }

  const first = start(resource.url, config);
  t.after(first.stop);
  const answer = whoami(first);
  const page = await visit(await first.page);
  assert.equal(page.status, 200);
  const { subject, clientId } = await answer;
  assert.equal(subject, 'alice');
  await first.stop();

  const second = start(resource.url, config);
  t.after(second.stop);
  const again = await whoami(second);
  assert.deepEqual([again.subject, again.clientId], ['alice', clientId]);
  assert.doesNotMatch(second.said(), /authorize this client/);
});
