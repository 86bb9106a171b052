import { once } from 'node:events';
import { createServer, request as send } from 'node:http';

// A person with a browser, as far as HTTP needs one: follows redirects, keeps cookies, fills in the forms of oidc-provider's own pages.

/**
 * Opens `url`, logs in as `login`, and agrees to every consent. Resolves with the last page and its address. An address that begins with
 * `stopAt` is not opened.
 */
export async function visit(url, { login = 'alice', agree = true, stopAt } = {}) {
  const jars = new Map();
  let request = { url: String(url), method: 'GET', body: undefined };
  for (let hops = 0; hops < 20; hops++) {
    if (stopAt && request.url.startsWith(stopAt)) return { url: request.url };
    const { origin } = new URL(request.url);
    const jar = jars.get(origin) ?? jars.set(origin, new Map()).get(origin);
    const response = await open(request, [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    for (const cookie of response.headers['set-cookie'] ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      if (/expires=Thu, 01 Jan 1970/i.test(cookie)) jar.delete(name);
      else jar.set(name, value);
    }
    const { location } = response.headers;
    if (location !== undefined) {
      request = { url: new URL(location, request.url).href, method: 'GET' };
      continue;
    }
    const { page } = response;
    const action = /<form[^>]*action="([^"]*)"/.exec(page)?.[1];
    const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1];
    const abort = /href="([^"]+\/abort)"/.exec(page)?.[1];
    if (action === undefined || prompt === undefined) return { url: request.url, status: response.status, page };
    if (prompt === 'consent' && !agree) request = { url: new URL(abort, request.url).href, method: 'GET' };
    else {
      const body = new URLSearchParams(prompt === 'login' ? { prompt, login, password: 'x' } : { prompt });
      request = { url: new URL(action.replaceAll('&amp;', '&'), request.url).href, method: 'POST', body };
    }
  }
  throw new Error(`too many pages: ${request.url}`);
}

/** One request as a browser makes it. `fetch` would identify itself as a program (`Sec-Fetch-Mode`). */
async function open({ url, method, body }, cookie) {
  const outgoing = send(url, {
    method,
    headers: {
      accept: 'text/html', 'sec-fetch-mode': 'navigate', cookie, ...body && { 'content-type': 'application/x-www-form-urlencoded' },
    },
  }).end(body?.toString());
  const [response] = await once(outgoing, 'response');
  let page = '';
  for await (const chunk of response.setEncoding('utf8')) page += chunk;
  return { status: response.statusCode, headers: response.headers, page };
}

/** A loopback listener for one redirect. `response` resolves with its query. */
export async function redirectListener() {
  let receive;
  const response = new Promise((resolve) => (receive = resolve));
  const server = createServer((req, res) => {
    receive(new URL(req.url, 'http://127.0.0.1').searchParams);
    res.end('You may close this page.');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/callback`, response,
    close: () => (server.closeAllConnections(), server.close()),
  };
}
