import { secretsOf, withoutSecrets } from '../request-secrets.ts';

/** One challenge of a `WWW-Authenticate` field (RFC 9110 section 11.6.1). Names are lower-case. */
export interface Challenge {
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The challenge of a server to an OAuth client: RFC 6750 section 3, RFC 9449 section 7.1, RFC 9728 section 5.1. */
export interface OAuthChallenge {
  /** Whether one of the challenges has the scheme DPoP. */
  readonly dpop: boolean;
  readonly resourceMetadata?: string | undefined;
  readonly scope?: string | undefined;
  readonly error?: string | undefined;
}

/** The most characters of a field that are read; the rest is ignored. */
const maxFieldLength = 8192;

const separators = /[ \t,]*/y;
const token = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const token68 = /[ \t]+[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
const equals = /[ \t]*=[ \t]*/y;
const quotedString = /"((?:[^"\\]|\\.)*)"/y;

/** The challenges of a field; several fields are joined by commas. Reads up to the first malformed part. */
export function parseChallenges(field: string): Challenge[] {
  const text = field.slice(0, maxFieldLength);
  const found: { scheme: string; parameters: Map<string, string> }[] = [];
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match;
  };
  for (;;) {
    next(separators);
    const name = next(token)?.[0].toLowerCase();
    if (name === undefined) return found;
    const parameters = found.at(-1)?.parameters;
    if (next(equals)) {
      const value = next(quotedString)?.[1]?.replace(/\\(.)/g, '$1') ?? next(token)?.[0];
      if (value === undefined || parameters === undefined) return found;
      // A parameter must occur once; a second one is ignored.
      if (!parameters.has(name)) parameters.set(name, value);
    } else {
      found.push({ scheme: name, parameters: new Map() });
      next(token68);
    }
  }
}

/**
 * Merges the Bearer and DPoP challenges of a field; the first value of each parameter is used. If the server echoes the
 * credentials of the request (`sent`), they are removed, so that they do not appear in errors or URLs.
 */
export function oauthChallenge(field: string | undefined, sent: Readonly<Record<string, string>> = {}): OAuthChallenge {
  const text = withoutSecrets((field ?? '').slice(0, maxFieldLength), secretsOf({ headers: sent }));
  const challenges = parseChallenges(text).filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop');
  const first = (name: string): string | undefined =>
    challenges.find(({ parameters }) => parameters.has(name))?.parameters.get(name);
  return {
    dpop: challenges.some(({ scheme }) => scheme === 'dpop'),
    resourceMetadata: first('resource_metadata'),
    scope: first('scope'),
    error: first('error'),
  };
}
