import { toError } from '../../jsonrpc/errors.ts';
import type { FailedLogin } from './failed-login.ts';
import { refreshTime } from './refresh.ts';
import type { Need, Renewal } from './renewal.ts';
import type { Tokens } from './tokens.ts';

/** Milliseconds from a refresh ahead of time that has failed to the next. */
const refreshPauseMs = 5000;

/** The tokens that this program holds for one MCP server. */
export interface HeldTokens {
  readonly current: Tokens | undefined;
  /** Whether this is the access token that is held, and it was granted and not refreshed: if it is refused, another would be too. */
  isGranted(accessToken: string | undefined): boolean;
  /** The tokens. The first call reads them from the store. */
  load(): Promise<Tokens | undefined>;
  /** The tokens to send: refreshed ahead of their end, and the old ones where that fails. */
  fresh(): Promise<Tokens | undefined>;
  /** Requests that need the same at the same time share one renewal, and its failure. */
  renew(need: Need): Promise<void>;
  finish(response: URL): Promise<void>;
  signOut(): Promise<void>;
}

/** Holds what `renewal` gets; reads nothing before it is asked. */
export function holdTokens(renewal: Renewal, failedLogin: FailedLogin, onError: (error: Error) => void): HeldTokens {
  const jitter = Math.random();
  const once = sharing();
  let tokens: Tokens | undefined;
  let loaded = false;
  let refreshPausedUntil = 0;
  /** The last access token that was granted, not refreshed. */
  let granted: string | undefined;

  async function load(): Promise<Tokens | undefined> {
    if (!loaded) await once('load', async () => {
      tokens = await renewal.load();
      loaded = true;
    });
    return tokens;
  }

  function renew(need: Need): Promise<void> {
    const { challenge, used = '', scope = '' } = need;
    return once(`${used} ${scope} ${!challenge}`, async () => {
      const before = tokens;
      try {
        tokens = await renewal.renew(need) ?? tokens;
      } catch (error) {
        if (challenge) failedLogin.note(error);
        throw error;
      }
      if (challenge && tokens !== before) granted = tokens?.access_token;
    });
  }

  async function fresh(): Promise<Tokens | undefined> {
    const held = await load();
    const due = held && refreshTime(held, jitter);
    const now = Date.now();
    if (held?.refresh_token === undefined || due === undefined || now < due || now < refreshPausedUntil) return held;
    try {
      await renew({ used: held.access_token });
    } catch (thrown) {
      // The server may take the old token still, and will say so where it does not.
      refreshPausedUntil = now + refreshPauseMs;
      onError(toError(thrown));
    }
    return tokens;
  }

  return {
    load, fresh, renew,
    get current() {
      return tokens;
    },
    isGranted: (accessToken) => !!accessToken && accessToken === granted && accessToken === tokens?.access_token,
    async finish(response) {
      const done = await renewal.finish(response);
      loaded ||= done !== undefined;
      tokens = done ?? tokens;
    },
    signOut() {
      tokens = undefined;
      return renewal.signOut();
    },
  };
}

/** Runs work of one name once for all who want it at the same time. */
function sharing(): (name: string, work: () => Promise<void>) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  return (name, work) => {
    const shared = running.get(name) ?? work().finally(() => running.delete(name));
    running.set(name, shared);
    return shared;
  };
}
