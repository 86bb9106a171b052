// Another authorization server: better-auth with its MCP plugin. Its pages are the application's own.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { mcp } from '@better-auth/mcp';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { getAuthTables } from 'better-auth/db';
import { toNodeHandler } from 'better-auth/node';
import { jwt } from 'better-auth/plugins';
import { scopes } from './authorization-server.mjs';

const page = (prompt, fields) => `<!doctype html><form action="" method="post">
  <input type="hidden" name="prompt" value="${prompt}">${fields}<button>Continue</button></form>`;

/** Starts one for a resource, with the people alice and bob. */
export async function startBetterAuth(resource) {
  let handle;
  const server = createServer((req, res) => handle(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${server.address().port}`;
  const options = {
    baseURL: origin,
    secret: 'not a secret, but long enough to be one',
    emailAndPassword: { enabled: true },
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: { level: 'error' },
    plugins: [
      jwt(),
      mcp({
        loginPage: '/login', consentPage: '/consent', resource, scopes: ['openid', 'offline_access', ...scopes],
        allowDynamicClientRegistration: true, allowUnauthenticatedClientRegistration: true,
      }),
    ],
  };
  const tables = Object.fromEntries(Object.entries(getAuthTables(options)).flatMap(([key, { modelName }]) => [[key, []], [modelName, []]]));
  const auth = betterAuth({ ...options, database: memoryAdapter(tables) });
  for (const name of ['alice', 'bob']) {
    await auth.api.signUpEmail({ body: { name, email: `${name}@example.com`, password: `password of ${name}` } });
  }
  const node = toNodeHandler(auth);

  /** A submitted form of ours: better-auth's answer has the next address. */
  async function submit(req, res, query) {
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const login = form.get('prompt') === 'login';
    const answer = await auth.handler(new Request(`${origin}/api/auth/${login ? 'sign-in/email' : 'oauth2/consent'}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', origin, cookie: req.headers.cookie ?? '' },
      body: JSON.stringify(login
        ? { email: `${form.get('login')}@example.com`, password: `password of ${form.get('login')}`, oauth_query: query }
        : { accept: true, oauth_query: query }),
    }));
    const text = await answer.text();
    const { url, redirect_uri: to = url } = answer.ok ? JSON.parse(text) : {};
    res.setHeader('set-cookie', answer.headers.getSetCookie());
    if (to) res.writeHead(302, { location: to }).end();
    else res.writeHead(answer.status).end(text);
  }

  handle = (req, res) => {
    const { pathname, search } = new URL(req.url, origin);
    if (pathname !== '/login' && pathname !== '/consent') node(req, res);
    else if (req.method === 'POST') void submit(req, res, search.slice(1));
    else res.writeHead(200, { 'content-type': 'text/html' }).end(page(pathname.slice(1), pathname === '/login' ? '<input name="login">' : ''));
  };
  return {
    issuer: `${origin}/api/auth`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
