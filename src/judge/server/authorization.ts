import { isObject } from '../../jsonrpc/internal-exports.ts';
import type { Bench } from '../bench.ts';
import type { CarrierReply } from '../carrier.ts';
import type { JudgedConversation } from '../conversation.ts';
import { shownHead } from '../http-demand.ts';
import type { ServerProbe } from '../probe.ts';

const needs = 'a server that requires a token';

const parameters = {
  resource_metadata: /(?:^|[\s,])resource_metadata\s*=\s*(?:"([^"]*)"|([^\s,]+))/i,
  scope: /(?:^|[\s,])scope\s*=\s*(?:"([^"]*)"|([^\s,]+))/i,
};

function parameter(challenge: string, name: keyof typeof parameters): string | undefined {
  const [, quoted, plain] = parameters[name].exec(challenge) ?? [];
  return quoted ?? plain;
}

/** Sends a request without a token, or with one that was never issued. */
async function asked(conversation: JudgedConversation, headers: Record<string, string | undefined>): Promise<{ readonly reply: CarrierReply | undefined; readonly text: string }> {
  const { modern, revision } = conversation;
  const answer = await conversation.ask(modern ? 'server/discover' : 'initialize', modern ? {} : { protocolVersion: revision.version, capabilities: {}, clientInfo: { name: 'barewire-judge', version: '1' } }, { headers });
  return { reply: answer.reply, text: answer.asked.text };
}

/** Authorization, as far as it can be judged without a login. 2025-11-25 basic/authorization. */
export const authorizationProbes: readonly ServerProbe[] = [
  {
    name: 'a request without a token', over: 'http', needs,
    rules: ['authorization-32', 'authorization-60', 'authorization-10', 'authorization-11', 'authorization-58', 'authorization-59', 'authorization-61', 'authorization-62', 'authorization-81', 'authorization-80', 'authorization-1', 'authorization-4'],
    async run(bench, revision) {
      const conversation = await bench.raw(revision);
      const { reply, text } = await asked(conversation, { authorization: undefined });
      if (!reply || reply.status !== 401 && reply.status !== 403 && reply.headers['www-authenticate'] === undefined) return conversation.close().then(() => undefined);
      const shown = `${shownHead(reply)} WWW-Authenticate: ${reply.headers['www-authenticate'] ?? 'none'}`;
      conversation.check(['authorization-32', 'authorization-81'], reply.status === 401, 'HTTP 401: a token is missing', shown, text);
      const challenge = reply.headers['www-authenticate'] ?? '';
      const address = parameter(challenge, 'resource_metadata');
      conversation.check('authorization-60', address !== undefined, 'WWW-Authenticate with resource_metadata', shown, text);
      conversation.check('authorization-62', parameter(challenge, 'scope') !== undefined, 'WWW-Authenticate with scope', shown, text);
      await metadata(bench, conversation, address);
      const made = await asked(conversation, { authorization: 'Bearer judge-made-up-token' });
      if (made.reply) conversation.check(['authorization-81', 'authorization-80', 'authorization-1'], made.reply.status === 401, 'HTTP 401: this token was never issued', shownHead(made.reply), made.text);
      // Without a valid token, a client must not learn whether a method exists.
      const unknown = await conversation.ask('judge/unknown', {}, { headers: { authorization: 'Bearer judge-made-up-token' } });
      if (unknown.reply) conversation.check('authorization-4', unknown.reply.status === 401, 'HTTP 401: the token is checked before the request', `HTTP ${unknown.reply.status} ${unknown.came}`, unknown.asked.text);
      const malformed = await asked(conversation, { authorization: 'Bearer judge"made up' });
      // RFC 6750 section 3.1: a malformed request gets 400. Many servers treat it as an invalid token.
      if (malformed.reply?.status === 400) conversation.check('authorization-80', true, '', shownHead(malformed.reply));
      else if (malformed.reply?.status === 401) conversation.dispute('authorization-80', 'HTTP 400: the header is malformed', shownHead(malformed.reply), malformed.text);
      void conversation.close();
    },
  },
];

async function metadata(bench: Bench, conversation: JudgedConversation, address: string | undefined): Promise<void> {
  const url = new URL(bench.server.http?.url ?? '');
  const root = `${url.origin}/.well-known/oauth-protected-resource`;
  const places = [address, `${root}${url.pathname === '/' ? '' : url.pathname}`, root].filter((one, at, all) => one !== undefined && all.indexOf(one) === at);
  let found: CarrierReply | undefined;
  for (const place of places) {
    if (place === undefined || !URL.canParse(place, url.href) || new URL(place, url).origin !== url.origin) continue;
    const reply = await conversation.bare('GET', { accept: 'application/json', authorization: undefined, 'content-type': undefined }, place);
    if (reply?.status !== 200) continue;
    found ??= reply;
    if (place.startsWith(root)) conversation.check(['authorization-61', place === root ? 'authorization-59' : 'authorization-58'], true, '', `GET ${place}`);
  }
  if (address !== undefined && URL.canParse(address) && new URL(address).origin !== url.origin) return;
  conversation.check('authorization-10', found !== undefined, 'protected resource metadata', `none at ${places.join(', ')}`, `GET ${places[0] ?? ''}`);
  if (!found) return conversation.check('authorization-61', false, 'protected resource metadata at a well-known place', `none at ${places.join(', ')}`, `GET ${places[0] ?? ''}`);
  let json: unknown;
  try {
    json = JSON.parse(found.body);
  } catch {
    // It is judged as metadata without an authorization server.
  }
  const servers = isObject(json) && Array.isArray(json['authorization_servers']) ? json['authorization_servers'].filter((one) => typeof one === 'string') : [];
  conversation.check('authorization-11', servers.length > 0, 'authorization_servers with at least one', shownHead(found));
}
