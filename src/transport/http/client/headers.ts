import * as revisionTable from '../../../protocol/revisions.ts';
import { encodeHeaderValue, mirroredParameter } from '../../../protocol/mirrored-headers.ts';
import { metaOf, versionKey } from '../../../protocol/meta.ts';
import type { Revision } from '../../../protocol/revisions.ts';
import type { Outgoing } from '../../client-port.ts';
import type { HeaderValues } from './options.ts';

/** The headers of a POST: the client takes JSON and a stream. 2025-11-25 basic/transports#sending-messages-to-the-server. */
export const postHeaders: Readonly<Record<string, string>> = {
  accept: 'application/json, text/event-stream', 'content-type': 'application/json',
};

/** The revision that a modern request names in `_meta`; undefined for other messages. */
export function namedVersion({ params }: Outgoing): string | undefined {
  const version = metaOf(params)?.[versionKey];
  return typeof version === 'string' ? version : undefined;
}

/**
 * The headers of one HTTP request. All names are lower-case, so that a custom header in another spelling cannot
 * duplicate a header of the protocol: the protocol's value wins.
 */
export function requestHeaders(
  custom: HeaderValues, message: Outgoing, agreed: Revision | undefined, session: string | undefined,
  own?: HeaderValues,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name in custom) headers[name.toLowerCase()] = custom[name] as string;
  for (const name in message.headers) headers[name.toLowerCase()] = message.headers[name] as string;
  const named = namedVersion(message);
  const version = named ?? (agreed && revisionTable.versionHeader(agreed) ? agreed.version : undefined);
  if (version !== undefined && message.method !== 'initialize') headers['mcp-protocol-version'] = version;
  if (session !== undefined) headers['mcp-session-id'] = session;
  if (message.method !== undefined && (named !== undefined || agreed?.era === 'modern')) {
    headers['mcp-method'] = message.method;
    const parameter = mirroredParameter(message.method);
    const name = parameter && message.params?.[parameter];
    if (typeof name === 'string') headers['mcp-name'] = encodeHeaderValue(name);
  }
  return Object.assign(headers, own);
}
