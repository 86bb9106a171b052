import { checkOptions } from '../bounds/options.ts';
import type { CallToolResult, ReadResourceResult } from '../protocol/index.ts';
import { hostCallShape } from './tool-calls.ts';
import type { HostCallOptions } from './tool-calls.ts';

/** What an app of a server may do through a host. */
export interface HostApp {
  /**
   * Calls a tool by its own name. Rejects with a `HostError` `no-such-tool` for one that the server does not have or that is
   * not visible to apps, and with `refused`.
   */
  callTool(name: string, args?: Readonly<Record<string, unknown>>, options?: HostCallOptions): Promise<CallToolResult>;
  /** Reads a resource of the server. */
  readResource(uri: string, options?: HostCallOptions): Promise<ReadResourceResult>;
}

/** What the host does for `hostApp`, for one server. */
export interface HostAppOptions {
  readonly call: (name: string, args: Readonly<Record<string, unknown>> | undefined, options: HostCallOptions | undefined) => Promise<CallToolResult>;
  readonly read: HostApp['readResource'];
  /** Writes what is read into the activity log. */
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
