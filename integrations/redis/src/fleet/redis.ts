import { createHash } from 'node:crypto';

/** The methods of a `redis` client that a fleet uses. */
export interface RedisConnection {
  eval(script: string, options: ScriptArguments): Promise<unknown>;
  evalSha(sha: string, options: ScriptArguments): Promise<unknown>;
  /** A second connection to the same server, for published messages. */
  duplicate(): RedisSubscriber;
}

interface ScriptArguments {
  keys: string[];
  arguments: string[];
}

/** The connection for published messages. */
export interface RedisSubscriber {
  connect(): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
  subscribe(channels: string[], listener: (message: string, channel: string) => void): Promise<unknown>;
  destroy(): void;
}

/** A script, which Redis runs atomically. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

export function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/** Runs a script by its digest; by its text if the server does not have it (yet, or after a restart). */
export type RunScript = (script: Script, keys: string[], ...args: (string | number)[]) => Promise<unknown>;

export function runner(client: RedisConnection): RunScript {
  return async ({ text, sha }, keys, ...args) => {
    const given = { keys, arguments: args.map(String) };
    try {
      return await client.evalSha(sha, given);
    } catch (thrown) {
      if (thrown instanceof Error && thrown.message.startsWith('NOSCRIPT')) return client.eval(text, given);
      throw thrown;
    }
  };
}
