import { isObject } from '../../../jsonrpc/message.ts';
import type { Bag } from '../../../jsonrpc/message.ts';
import { encodeHeaderValue, mirroredParameters, mirroredValue } from '../../../protocol/mirrored-headers.ts';
import type { ToolHeaders } from '../../client-port.ts';

/**
 * The tools of `tools/list` that have arguments mirrored in HTTP headers.
 * Source: 2026-07-28 basic/transports/streamable-http#custom-headers-from-tool-parameters.
 */
export class MirroredToolHeaders implements ToolHeaders {
  readonly #warn: (error: Error) => void;
  readonly #tools = new Map<string, ReadonlyMap<string, readonly string[]>>();

  constructor(warn: (error: Error) => void) {
    this.#warn = warn;
  }

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
