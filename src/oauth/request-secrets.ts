import { fromBase64Url, isObject, toBase64 } from '../jsonrpc/internal-exports.ts';

/** The parts of a request that may contain credentials. */
export interface Carried {
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A form, or a JSON object. */
  readonly body?: string | undefined;
}

/** Header fields that are not credentials. All others are treated as credentials. */
const publicFields = new Set(['accept', 'content-type', 'mcp-protocol-version']);

/**
 * Parameters that are not credentials: of RFC 6749, 7662, 8693, 8707, 7521, and of registrations (RFC 7591). All
 * others are treated as credentials.
 */
const publicParameters = new Set([
  'grant_type', 'client_id', 'redirect_uri', 'scope', 'resource', 'audience', 'requested_token_type', 'subject_token_type',
  'token_type_hint', 'client_assertion_type', 'client_name', 'client_uri', 'redirect_uris', 'grant_types', 'response_types',
  'token_endpoint_auth_method', 'application_type', 'dpop_bound_access_tokens', 'logo_uri', 'tos_uri', 'policy_uri',
  'contacts', 'software_id', 'software_version',
]);

/** Parts of a secret that are at least this long are removed too. */
const partLength = 8;

/** The texts of a request that must not appear in an error: everything that is not in the lists above. */
export function secretsOf({ url = '', headers = {}, body = '' }: Carried): string[] {
  const found: string[] = [];
  if (URL.canParse(url)) {
    const { username, password, search, searchParams } = new URL(url);
    found.push(username, password, search, ...searchParams.values());
  }
  for (const [name, value] of Object.entries(headers)) {
    if (publicFields.has(name.toLowerCase())) continue;
    const [scheme = '', ...rest] = value.split(' ');
    const credentials = rest.join(' ');
    found.push(value, credentials);
    if (scheme.toLowerCase() === 'basic') found.push(...passwordOf(credentials));
  }
  for (const [name, value] of parametersOf(body)) if (!publicParameters.has(name)) found.push(value);
  return found.filter((secret) => secret !== '');
}

/** The password of Basic credentials, decoded and form-encoded as RFC 6749 section 2.3.1 requires. */
function passwordOf(credentials: string): string[] {
  const bytes = fromBase64Url(credentials.replaceAll('+', '-').replaceAll('/', '_').split('=', 1)[0] ?? '');
  const [, ...password] = new TextDecoder().decode(bytes).split(':');
  const encoded = password.join(':');
  return [encoded, new URLSearchParams(`x=${encoded}`).get('x') ?? ''];
}

function parametersOf(body: string): Iterable<[string, string]> {
  if (!body.startsWith('{')) return new URLSearchParams(body);
  const value: unknown = JSON.parse(body);
  return Object.entries(isObject(value) ? value : {}).map(([name, one]) => [name, typeof one === 'string' ? one : JSON.stringify(one)]);
}

/**
 * Removes the secrets of a request, in any encoding, and longer parts of them from the server's text, for an error. The
 * caller limits the length of `text`.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const spellings = [...new Set(secrets.flatMap(spellingsOf))].sort((one, other) => other.length - one.length);
  const parts = new Set<string>();
  for (const spelling of spellings) {
    for (let at = 0; at + partLength <= spelling.length; at++) parts.add(spelling.slice(at, at + partLength));
  }
  let told = '';
  /** The index in `text` at which the last found secret ends. */
  let hidden = 0;
  for (let at = 0; at < text.length; at++) {
    const whole = spellings.find((spelling) => spelling.length < partLength && text.startsWith(spelling, at))?.length ?? 0;
    const end = at + (parts.has(text.slice(at, at + partLength)) ? partLength : whole);
    if (end > at && at >= hidden) told += '[redacted]';
    hidden = Math.max(hidden, end);
    if (at >= hidden) told += text[at];
  }
  return told;
}

function spellingsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  return [
    secret, encodeURIComponent(secret), new URLSearchParams({ '': secret }).toString().slice(1), JSON.stringify(secret).slice(1, -1),
    toBase64(bytes), toBase64(bytes, 'base64url'),
  ];
}
