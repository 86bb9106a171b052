import type { Clock } from '../../bounds/clock.ts';
import { toError } from '../../jsonrpc/internal-exports.ts';
import type { FailedLogin } from './failed-login.ts';
import { refreshTime } from './refresh.ts';
import type { TokenNeed, Renewal } from './renewal.ts';
import type { Tokens } from './tokens.ts';

/** Milliseconds between a failed early refresh and the next attempt. */
const refreshPauseMs = 5000;

/** The tokens that this program holds for one MCP server. */
export interface HeldTokens {
  readonly current: Tokens | undefined;
  /**
   * True if this is the current access token and it comes from a login, not from a refresh. If the server rejects it,
   * a new login would not help.
   */
  isGranted(accessToken: string | undefined): boolean;
  /** The tokens. The first call reads them from the store. */
  load(): Promise<Tokens | undefined>;
  /** The tokens to send, refreshed before they expire. If the refresh fails, the old ones. */
  fresh(): Promise<Tokens | undefined>;
  /** Renews the tokens. Concurrent requests with the same need share one renewal and its failure. */
  renew(need: TokenNeed): Promise<void>;
  finish(response: URL): Promise<void>;
  signOut(): Promise<void>;
}

/** Holds the tokens that `renewal` gets; reads nothing before the first call. */
export function holdTokens(renewal: Renewal, failedLogin: FailedLogin, onError: (error: Error) => void, clock: Clock): HeldTokens {
  const jitter = Math.random();
  const once = sharing();
  let tokens: Tokens | undefined;
  let loaded = false;
  let refreshPausedUntil = -Infinity;
  /** The last access token from a grant, not from a refresh. */
  let granted: string | undefined;

  async function load(): Promise<Tokens | undefined> {
    if (!loaded) await once('load', async () => {
      tokens = await renewal.load();
      loaded = true;
    });
    return tokens;
  }

  function renew(need: TokenNeed): Promise<void> {
    const { challenge, used = '', scope = '' } = need;
    return once(`${used} ${scope} ${!challenge}`, async () => {
      const before = tokens;
      tokens = await renewal.renew(need).catch((error: unknown) => {
        if (challenge) failedLogin.note(error);
        throw error;
      }) ?? tokens;
      if (challenge && tokens !== before) granted = tokens?.access_token;
    });
  }

  async function fresh(): Promise<Tokens | undefined> {
    const held = await load();
    const now = clock.now();
    if (!held || !isDue(held, now, jitter) || clock.monotonic() < refreshPausedUntil) return held;
    try {
      await renew({ used: held.access_token });
    } catch (thrown) {
      // The server may still accept the old token. If not, it refuses the request.
      refreshPausedUntil = clock.monotonic() + refreshPauseMs;
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
      if (done) [tokens, loaded] = [done, true];
    },
    signOut() {
      tokens = undefined;
      return renewal.signOut();
    },
  };
}

/** Whether it is time to refresh tokens before they expire. */
function isDue(tokens: Tokens, now: number, jitter: number): boolean {
  const due = tokens.refresh_token === undefined ? undefined : refreshTime(tokens, jitter);
  return due !== undefined && now >= due;
}

/** Runs work once for all concurrent callers that give the same name. */
function sharing(): (name: string, work: () => Promise<void>) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  return (name, work) => {
    const shared = running.get(name) ?? work().finally(() => running.delete(name));
    running.set(name, shared);
    return shared;
  };
}
