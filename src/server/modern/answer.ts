import type { Inbound } from '../../jsonrpc/inbound.ts';
import { noObject, Serialized } from '../../jsonrpc/outlet.ts';
import type { Implementation } from '../../protocol/initialize.ts';
import { serverInfoKey } from '../../protocol/meta.ts';
import type { RequestMeta } from '../../protocol/meta.ts';
import { versionsOf } from '../../protocol/revisions.ts';
import type { Revision } from '../../protocol/revisions.ts';
import type { Auth } from '../../transport/auth.ts';
import type { CacheFields } from '../caching.ts';
import type { Server } from '../server.ts';

/** What a result says that nobody may keep. 2026-07-28 server/utilities/caching. */
export const notKept: CacheFields = { ttlMs: 0, cacheScope: 'private' };

/** What every modern result carries. */
type Stamped = object & { resultType?: string; _meta?: object };

/**
 * The result of a modern request, which belongs to no session, or a promise of it. A throw is an error answer.
 * 2026-07-28 basic/index#statelessness.
 */
export function answerModern(server: Server, inbound: Inbound, meta: RequestMeta, auth: Auth | undefined): object | Promise<object> {
  if (inbound.request.method === 'server/discover') return complete(server, discover(server, meta.revision));
  const result = server.exchanges.modern(inbound, meta, auth).beginModern(server);
  return result instanceof Promise ? result.then((late) => complete(server, late)) : complete(server, result);
}

function discover(server: Server, revision: Revision): object {
  const { revisions, instructions, caching } = server;
  return {
    supportedVersions: versionsOf(revisions),
    // JSON leaves out what is undefined.
    capabilities: server.capabilities(revision), instructions,
    ...caching?.fields('discover') ?? notKept,
  };
}

/** 2026-07-28 basic/index#result-responses: every result says its type, and who made it. */
function complete(server: Server, result: Stamped): object {
  if (result instanceof Serialized) return result;
  const { info } = server;
  if (result.resultType !== undefined || result._meta !== undefined) return stamped(result, info);
  return new Serialized(() => {
    const text = JSON.stringify(result) as string | undefined;
    if (text?.[0] !== '{') throw noObject();
    // What is the same in all results is not serialized again.
    const stamp = server.stampText ??= JSON.stringify(stamped({}, info)).slice(0, -1);
    return stamp + (text === '{}' ? '}' : `,${text.slice(1)}`);
  });
}

/** A modern result with its type and the server's identity. */
export function stamped(result: Stamped, info: Implementation): object {
  return {
    ...result,
    resultType: result.resultType ?? 'complete',
    _meta: { [serverInfoKey]: info, ...result._meta },
  };
}
