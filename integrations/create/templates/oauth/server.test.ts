import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { McpClient } from 'barewire/client';
import { httpTransport } from 'barewire/http';
import { serveNotes } from './server.ts';

const issuer = 'https://login.example';
const resource = 'https://notes.example/mcp';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256' };

/** An access token as issued by the authorization server (RFC 9068). */
function token(scope: string, audience = resource): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const text = `${part({ alg: 'ES256', typ: 'at+jwt', kid: 'k1' })}.${part({
    iss: issuer, sub: 'ann', aud: audience, client_id: 'app', scope, iat: now, exp: now + 60, jti: String(now),
  })}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

test('a token is needed, for this server, with the scope', async (t) => {
  const server = await serveNotes({ resource, issuer, port: 0, jwks: { [issuer]: { keys: [jwk as never] } } });
  t.after(() => server.close());

  const refused = await fetch(server.url, { method: 'POST' });
  assert.equal(refused.status, 401);
  assert.match(refused.headers.get('www-authenticate') ?? '', /resource_metadata=/);
  const metadata = await (await fetch(new URL('/.well-known/oauth-protected-resource/mcp', server.url))).json() as { authorization_servers: string[] };
  assert.deepEqual(metadata.authorization_servers, [issuer]);

  const call = async (credentials: string): Promise<unknown> => {
    const client = new McpClient({ name: 'test', version: '0.1.0' });
    try {
      await client.connect(httpTransport(server.url, { headers: { authorization: `Bearer ${credentials}` } }));
      return (await client.callTool('add_note', { text: 'milk' })).content;
    } finally {
      await client.close();
    }
  };
  assert.deepEqual(await call(token('notes:write')), [{ type: 'text', text: '1 notes' }]);
  await assert.rejects(call(token('notes:read')));
  await assert.rejects(call(token('notes:write', 'https://other.example/mcp')));
});
