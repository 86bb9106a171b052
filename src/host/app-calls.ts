import { checkOptions } from '../bounds/options.ts';
import type { CallToolResult, ReadResourceResult } from '../protocol/index.ts';
import { hostCallShape } from './tool-calls.ts';
import type { HostCallOptions } from './tool-calls.ts';

/** The requests that an app of a server may make through a host. */
export interface HostApp {
  /**
   * Calls a tool by its own name. Rejects with a `HostError`: `no-such-tool` if the server has no such tool or it is not visible to apps,
   * or `refused`.
   */
  callTool(name: string, args?: Readonly<Record<string, unknown>>, options?: HostCallOptions): Promise<CallToolResult>;
  /** Reads a resource of the server. */
  readResource(uri: string, options?: HostCallOptions): Promise<ReadResourceResult>;
}

/** The host's functions for `hostApp`, for one server. */
export interface HostAppOptions {
  readonly call: (name: string, args: Readonly<Record<string, unknown>> | undefined, options: HostCallOptions | undefined) => Promise<CallToolResult>;
  readonly read: HostApp['readResource'];
  /** Records the URI of a read in the activity log. */
  readonly record: (uri: string) => Promise<void>;
}

/** See `Host.app`. */
export function hostApp({ call, read, record }: HostAppOptions): HostApp {
  return {
    async callTool(name, args, options) {
      checkOptions('HostApp.callTool: options', options ?? {}, hostCallShape);
      return call(name, args, options);
    },
    async readResource(uri, options) {
      checkOptions('HostApp.readResource: options', options ?? {}, hostCallShape);
      await record(uri);
      return read(uri, options);
    },
  };
}
