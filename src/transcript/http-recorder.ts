import { mediaType } from '../transport/internal-exports.ts';
import type { HttpTrace, TracedEvent } from '../transport/internal-exports.ts';
import { createPlaceholders, layout } from './placeholders.ts';

/**
 * The header fields that are written, in their usual spelling. Fields with credentials are redacted, and are not
 * written.
 */
const written: Readonly<Record<string, string>> = {
  'content-type': 'Content-Type', accept: 'Accept', origin: 'Origin', allow: 'Allow', location: 'Location', 'last-event-id': 'Last-Event-ID',
  'mcp-session-id': 'Mcp-Session-Id', 'mcp-protocol-version': 'MCP-Protocol-Version', 'mcp-method': 'Mcp-Method', 'mcp-name': 'Mcp-Name',
  'www-authenticate': 'WWW-Authenticate',
};

/** Writes HTTP traffic as a transcript: requests, responses with their bodies, events. */
export interface HttpRecorder {
  /**
   * Takes an entry of a trace on the client's side; `sent` entries come from the client. Returns the lines that are
   * now complete.
   */
  add(entry: Parameters<HttpTrace>[0]): string;
  /** Ends the response of this exchange, or its stream; `cut`: the connection broke, or the client left. */
  end(exchange: number, how?: 'end' | 'cut'): string;
}

/**
 * Records HTTP traffic as a transcript. Session ids, event ids and other values that a server creates anew in each
 * session become placeholders. A body that is not JSON is left out, and the line above says so.
 */
export function httpRecorder(): HttpRecorder {
  const placeholders = createPlaceholders();
  /** Heads that wait for their body, by exchange. */
  const heads = new Map<number, string>();
  const streams = new Set<number>();
  const ended = new Set<number>();

  function flush(exchange: number, body?: { readonly json: unknown; readonly definitions: string }): string {
    const head = heads.get(exchange);
    heads.delete(exchange);
    return head === undefined ? '' : `${body?.definitions ?? ''}${head}${body ? `    ${layout(body.json, 6, 4)}\n` : ''}`;
  }

  function fieldsOf(headers: Readonly<Record<string, string>>): string {
    return Object.entries(headers).filter(([name]) => written[name] !== undefined || name.startsWith('mcp-param-')).map(([name, value]) => {
      const shown = name === 'mcp-session-id' ? placeholders.of('session', value) : name === 'last-event-id' ? placeholders.known(value) : value;
      return `    ${written[name] ?? name}: ${shown}\n`;
    }).join('');
  }

  function event(exchange: number, { id, event: type, retry }: TracedEvent, data: string): string {
    const fields = [
      type !== undefined && `    event: ${type}\n`, id !== undefined && `    id: ${placeholders.of('event', id)}\n`, retry !== undefined && `    retry: ${retry}\n`,
    ].filter(Boolean).join('');
    const message = data === '' ? undefined : placeholders.message('server', data);
    const body = message ? `    ${layout(message.json, 6, 4)}\n` : `    data: ${data.replaceAll(/[\r\n]+/g, ' ')}\n`;
    return `${flush(exchange)}${message?.definitions ?? ''}<-- ${exchange} event\n${fields}${body}`;
  }

  return {
    add(entry) {
      const { exchange = 0 } = entry;
      if (entry.kind === 'http') {
        const { method, path, status, headers } = entry;
        const before = flush(exchange);
        if (status !== undefined && mediaType(headers['content-type']) === 'text/event-stream') streams.add(exchange);
        heads.set(exchange, `${status === undefined ? `--> ${exchange} ${method} ${path}` : `<-- ${exchange} ${status}`}\n${fieldsOf(headers)}`);
        return before;
      }
      if (entry.kind === 'event') return event(exchange, entry.event, entry.data);
      if (streams.has(exchange) && entry.direction === 'received') return event(exchange, entry.event ?? {}, entry.text);
      const body = placeholders.message(entry.direction === 'sent' ? 'client' : 'server', entry.text);
      return body ? flush(exchange, body) : `The body of the following message is not JSON and was left out.\n${flush(exchange)}`;
    },
    end(exchange, how = 'end') {
      if (ended.has(exchange)) return '';
      ended.add(exchange);
      return `${flush(exchange)}${!streams.has(exchange) ? '' : how === 'cut' ? `-x- ${exchange}\n` : `<-- ${exchange} end\n`}`;
    },
  };
}
