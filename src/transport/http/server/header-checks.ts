import { headerMismatchCode, internalError, RpcError } from '../../../jsonrpc/errors.ts';
import type { Request, RequestId } from '../../../jsonrpc/message.ts';
import { quote } from '../../../bounds/quote.ts';
import { readRequestMeta, versionKey } from '../../../protocol/meta.ts';
import type { Meta, RequestMeta } from '../../../protocol/meta.ts';
import { argumentAt, decodeHeaderValue, mirroredParameter, mirroredParameters } from '../../../protocol/mirrored-headers.ts';
import { unsupportedVersion } from '../../../protocol/unsupported-version.ts';
import { versionsOf } from '../../../protocol/revisions.ts';
import type { ServerPort } from '../../server-port.ts';
import type { HttpRequest } from './http-request.ts';
import type { PostHead } from './posting.ts';
import type { EndpointServices } from './services.ts';
import { refuse } from './error-response.ts';

/**
 * Checks the headers by 2026-07-28 basic/transports/streamable-http#server-validation,
 * and `_meta`. Returns the parsed `_meta`. Throws `RpcError`.
 */
export function checkHeaders(server: ServerPort, message: Request, meta: Meta | undefined, { request, revision, auth }: PostHead): RequestMeta {
  const { version } = request.mcp;
  const { method, params } = message;
  if (version === undefined) throw mismatch('the MCP-Protocol-Version header is missing');
  const claimed = meta?.[versionKey];
  if (typeof claimed === 'string') compare('MCP-Protocol-Version', version, claimed);
  // #protocol-version-header: a version that is not served is refused as such, whatever else is wrong.
  else if (revision?.era !== 'modern') throw unsupportedVersion(server.revisions, version);
  const found = readRequestMeta(meta, server.revisions, revision);
  compare('Mcp-Method', request.mcp.method, method);
  // 2026-07-28 basic/transports/streamable-http#standard-request-headers.
  const key = mirroredParameter(method);
  if (key === undefined) return found;
  const name = params?.[key];
  // The method itself refuses a name that is not a string.
  if (typeof name !== 'string') return found;
  compare('Mcp-Name', decoded('Mcp-Name', request.mcp.name), name);
  if (method === 'tools/call') {
    const schema = server.toolInput(name, found, auth, meta) ?? {};
    for (const [header, path] of mirroredBy(name, schema)) compareParameter(header, path, params, request);
  }
  return found;
}

/** The mirrored parameters by input schema: a schema is read once, at the first call of its tool. */
const mirrored = new WeakMap<object, ReturnType<typeof mirroredParameters>>();

/** The headers of a tool's parameters. Throws if its schema marks them wrongly: then the tool cannot be called over HTTP. */
function mirroredBy(name: string, schema: object): ReadonlyMap<string, readonly string[]> {
  let found = mirrored.get(schema);
  if (found === undefined) mirrored.set(schema, found = mirroredParameters(schema));
  if ('headers' in found) return found.headers;
  throw internalError(`Tool ${quote(name)}: ${found.fault}`);
}

function compareParameter(
  header: string, path: readonly string[], params: Request['params'], request: HttpRequest,
): void {
  const value = argumentAt(params?.['arguments'], path);
  const given = decoded(header, request.header(header));
  if (value === undefined || value === null) {
    if (given !== undefined) throw mismatch(`${header} is set without its argument`);
  } else if (typeof value === 'number') {
    // #schema-extension: JSON readers round an integer beyond 2^53, so header and body could differ unnoticed.
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      throw mismatch(`${header} mirrors an integer beyond 2^53, which JSON readers round`);
    }
    // Compared as numbers: `1.0` equals 1.
    if (given === undefined || given.trim() === '' || Number(given) !== value) compare(header, given, String(value));
  // A header cannot mirror an object or an array: the schema validator refuses it.
  } else if (typeof value !== 'object') compare(header, given, String(value));
}

function decoded(name: string, value: string | undefined): string | undefined {
  const text = value === undefined ? undefined : decodeHeaderValue(value);
  if (value !== undefined && text === undefined) {
    throw mismatch(`${name} has characters that are not allowed`);
  }
  return text;
}

function compare(name: string, header: string | undefined, body: string): void {
  if (header === undefined) throw mismatch(`the ${name} header is missing`);
  if (header !== body) {
    throw mismatch(`the ${name} header says ${quote(header)}, the body ${quote(body)}`);
  }
}

const mismatch = (what: string): RpcError =>
  new RpcError(headerMismatchCode, `Header mismatch: ${what}`);

/** Answers 400: this server does not support the version. */
export function refuseVersion(services: EndpointServices, request: HttpRequest, requested: unknown, id: RequestId | undefined): void {
  const { revisions } = services.server;
  const { code, message, data } = unsupportedVersion(revisions, requested);
  // 2026-07-28 basic/versioning: a legacy client shows only the message to its user.
  const said = `${message}; supported: ${versionsOf(revisions).join(', ')}`;
  // The error code belongs to the modern era: a legacy server must not send it.
  refuse(services, request, 400, said, services.modern ? { id, code, data } : { id, data });
}
