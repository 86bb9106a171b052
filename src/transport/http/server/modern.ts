import * as errorCodes from '../../../jsonrpc/error-codes.ts';
import { internalError, RpcError, toErrorObject } from '../../../jsonrpc/errors.ts';
import { Cancelled } from '../../../jsonrpc/inbound.ts';
import type { Inbound } from '../../../jsonrpc/inbound.ts';
import type { Request } from '../../../jsonrpc/message.ts';
import { failureText } from '../../../jsonrpc/outlet.ts';
import type { Outlet } from '../../../jsonrpc/outlet.ts';
import { metaKeys, metaOf, readRequestMeta } from '../../../protocol/meta.ts';
import type { RequestMeta } from '../../../protocol/meta.ts';
import { argumentAt, decodeHeaderValue, mirroredParameters } from '../../../protocol/mirrored-headers.ts';
import type { Auth, ServerPort } from '../../port.ts';
import type { Exchange } from './http-request.ts';
import type { Accepted } from './guard.ts';
import type { Host } from './options.ts';
import { Wire } from './stream.ts';

/** The status of an answer. 2026-07-28 basic/transports/streamable-http, basic/index#error-codes. */
function statusOf(code: number = 0): number {
  if (code === errorCodes.methodNotFound) return 404;
  const bad = (code <= errorCodes.headerMismatch && code >= errorCodes.unsupportedProtocolVersion)
    || code === errorCodes.invalidRequest;
  return bad ? 400 : 200;
}

/** 2026-07-28 basic/transports/streamable-http#standard-request-headers. */
const named: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'], ['prompts/get', 'name'], ['resources/read', 'uri'],
]);

/** A modern request, which stands alone, and the HTTP response that is its own. */
export class ModernPost implements Outlet {
  readonly #host: Host;
  readonly #exchange: Exchange;
  readonly #accepts: Accepted;
  readonly #open: Set<ModernPost>;
  #inbound: Inbound | undefined;
  #wire: Wire | undefined;
  #answered = false;
  #onIdle: (() => void) | undefined;

  constructor(host: Host, exchange: Exchange, accepts: Accepted, open: Set<ModernPost>) {
    this.#host = host;
    this.#exchange = exchange;
    this.#accepts = accepts;
    this.#open = open;
  }

  run(request: Request, auth: Auth | undefined): void {
    let meta: RequestMeta;
    try {
      meta = checkRequest(this.#host, request, this.#exchange);
    } catch (thrown) {
      // Whatever this check refuses is a bad request.
      return this.#respond(400, failureText(request.id, toErrorObject(thrown)));
    }
    const inbound = this.#host.server.answer(request, meta, this, auth);
    if (this.#answered) return;
    this.#inbound = inbound;
    this.#open.add(this);
    // Once it streams, the wire itself tells that the client has left.
    if (this.#wire === undefined) this.#exchange.onGone(() => this.#gone());
  }

  send(text: string): void {
    // A client that takes no stream can be told nothing but the answer.
    if (this.#answered || !this.#accepts.sse) return;
    this.#host.passed('sent', text);
    this.#stream().write(`data: ${text}\n\n`);
  }

  answer(text: string | undefined, errorCode?: number): void {
    if (this.#answered) return;
    this.#leave();
    if (this.#wire === undefined && text !== undefined && (this.#accepts.json || errorCode !== undefined)) {
      return this.#respond(statusOf(errorCode), text);
    }
    if (text !== undefined) this.send(text);
    this.#answered = true;
    this.#stream().end();
  }

  /** Resolves once it is answered. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  /** Stops it and ends its response. */
  cancel(why: string): void {
    this.#inbound?.cancel(new Cancelled(why));
  }

  // 2026-07-28 basic/patterns/cancellation: a client that leaves has cancelled.
  #gone(): void {
    this.#answered = true;
    this.#leave();
    this.cancel('the client closed the response');
  }

  #stream(): Wire {
    return this.#wire ??= new Wire(this.#host, this.#exchange, undefined, () => this.#gone());
  }

  #leave(): void {
    this.#open.delete(this);
    this.#onIdle?.();
  }

  #respond(status: number, text: string): void {
    this.#answered = true;
    this.#host.passed('sent', text);
    this.#exchange.respond(status, text);
  }
}

/**
 * The rules of 2026-07-28 basic/transports/streamable-http#server-validation,
 * and those of `_meta`. Throws `RpcError`.
 */
function checkRequest({ server }: Host, request: Request, exchange: Exchange): RequestMeta {
  const { method, params } = request;
  const version = exchange.header('mcp-protocol-version');
  const claimed = metaOf(params)?.[metaKeys.protocolVersion];
  if (version === undefined) throw mismatch('the MCP-Protocol-Version header is missing');
  if (typeof claimed === 'string') compare('MCP-Protocol-Version', version, claimed);
  const meta = readRequestMeta(request, server.revisions);
  compare('Mcp-Method', exchange.header('mcp-method'), method);
  const key = named.get(method);
  if (key === undefined) return meta;
  const name = params?.[key];
  // One that is no string is refused by the method itself.
  if (typeof name !== 'string') return meta;
  compare('Mcp-Name', decoded('Mcp-Name', exchange.header('mcp-name')), name);
  if (method === 'tools/call') {
    for (const [header, path] of mirroredBy(name, server)) compareParameter(header, path, params, exchange);
  }
  return meta;
}

/** What is mirrored, by input schema: a schema is read at the first call of its tool, and not again. */
const mirrored = new WeakMap<object, ReturnType<typeof mirroredParameters>>();

/**
 * The headers of a tool's parameters. Throws where its schema marks them wrongly:
 * nobody may then call it over HTTP.
 */
function mirroredBy(name: string, server: ServerPort): ReadonlyMap<string, readonly string[]> {
  const schema = server.toolInput(name) ?? {};
  let found = mirrored.get(schema);
  if (found === undefined) mirrored.set(schema, found = mirroredParameters(schema));
  if ('headers' in found) return found.headers;
  throw internalError(`Tool ${JSON.stringify(name)}: ${found.fault}`);
}

function compareParameter(
  header: string, path: readonly string[], params: Request['params'], exchange: Exchange,
): void {
  const value = argumentAt(params?.['arguments'], path);
  const given = decoded(header, exchange.header(header));
  if (value === undefined || value === null) {
    if (given !== undefined) throw mismatch(`${header} is there, and its argument is not`);
  } else if (
    typeof value !== 'number' || given === undefined || given.trim() === '' || Number(given) !== value
  ) {
    // Numbers are compared as numbers; an object or an array, which no header can say,
    // is the validator's to refuse.
    if (typeof value !== 'object') compare(header, given, String(value));
  }
}

function decoded(name: string, value: string | undefined): string | undefined {
  const text = value === undefined ? undefined : decodeHeaderValue(value);
  if (value !== undefined && text === undefined) {
    throw mismatch(`${name} holds characters that may not be there`);
  }
  return text;
}

function compare(name: string, header: string | undefined, body: string): void {
  if (header === undefined) throw mismatch(`the ${name} header is missing`);
  if (header !== body) {
    throw mismatch(`the ${name} header says ${JSON.stringify(header)}, the body ${JSON.stringify(body)}`);
  }
}

const mismatch = (what: string): RpcError =>
  new RpcError(errorCodes.headerMismatch, `Header mismatch: ${what}`);
