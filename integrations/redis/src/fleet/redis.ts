import { createHash } from 'node:crypto';

/** What a fleet needs of a client of `redis`. */
export interface RedisConnection {
  eval(script: string, options: ScriptArguments): Promise<unknown>;
  evalSha(sha: string, options: ScriptArguments): Promise<unknown>;
  /** A second connection to the same server, which is told what is published. */
  duplicate(): RedisSubscriber;
}

interface ScriptArguments {
  keys: string[];
  arguments: string[];
}

/** The connection that is told what is published. */
export interface RedisSubscriber {
  connect(): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'ready', listener: () => void): unknown;
  subscribe(channels: string[], listener: (message: string, channel: string) => void): Promise<unknown>;
  destroy(): void;
}

/** A script, which Redis runs while nothing else runs. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

export function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/** Runs a script by its digest; by its text where the server does not know it (yet, or since it was restarted). */
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
