import { isObject } from '../jsonrpc/codec.ts';
import type { Bag } from '../jsonrpc/message.ts';
import { encodeHeaderValue, mirroredParameters, mirroredValue } from '../protocol/mirrored-headers.ts';

/**
 * The tools whose arguments HTTP headers mirror, as `tools/list` tells them.
 * Source: 2026-07-28 basic/transports/streamable-http#custom-headers-from-tool-parameters.
 */
export class ToolHeaders {
  readonly #warn: (error: Error) => void;
  readonly #tools = new Map<string, ReadonlyMap<string, readonly string[]>>();

  constructor(warn: (error: Error) => void) {
    this.#warn = warn;
  }

  /** Learns from one page of a list, and returns it without the tools whose annotations are not valid. */
  learn(tools: unknown[]): unknown[] {
    return tools.filter((tool) => {
      if (!isObject(tool) || typeof tool['name'] !== 'string') return true;
      const { name } = tool;
      this.#tools.delete(name);
      const found = mirroredParameters(tool['inputSchema']);
      if ('fault' in found) {
        this.#warn(
          new Error(`the tool ${JSON.stringify(name)} is left out: inputSchema${found.fault.slice(1)}`),
        );
        return false;
      }
      if (found.headers.size > 0) this.#tools.set(name, found.headers);
      return true;
    });
  }

  /** The headers of a call; undefined where it has none. */
  of({ name, arguments: args }: Bag): Record<string, string> | undefined {
    const mirrored = typeof name === 'string' ? this.#tools.get(name) : undefined;
    if (mirrored === undefined) return undefined;
    const headers: Record<string, string> = {};
    for (const [header, path] of mirrored) {
      const value = mirroredValue(args, path);
      if (value !== undefined) headers[header] = encodeHeaderValue(value);
    }
    return headers;
  }
}
