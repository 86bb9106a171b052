/** Headers of every POST of the protocol, for requests without a trace. 2025-11-25 basic/transports#sending-messages-to-the-server. */
const plain: Readonly<Record<string, string>> = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
/** Headers that curl adds itself. */
const own: readonly string[] = ['content-length', 'host', 'connection', 'transfer-encoding', 'accept-encoding', 'user-agent'];

/**
 * A request as a command line of curl, for a POSIX shell. Values that the trace redacts become shell variables, such as `$AUTHORIZATION`,
 * and so do those of the address's query.
 */
export function curl(url: string, text: string, headers: Readonly<Record<string, string>> = {}): string {
  // Without --globoff curl reads brackets and braces of an address as several addresses.
  const lines = [`curl --no-buffer --globoff ${addressOf(url)}`];
  for (const [name, value] of Object.entries({ ...plain, ...headers })) {
    if (own.includes(name)) continue;
    const secret = /^([^[]*)\[redacted(?: [\da-f]+)?\]$/.exec(value) ?? /^(.*)…$/.exec(value);
    lines.push(secret ? `--header ${quoted(`${name}: ${secret[1] ?? ''}`)}"$${variableOf(name)}"` : `--header ${quoted(`${name}: ${value}`)}`);
  }
  // Not --data-binary: that reads a file if the text begins with @.
  lines.push(`--data-raw ${quoted(text)}`);
  return lines.join(' \\\n  ');
}

/** The address, with a variable for each value of its query: it may be a key. The prefix keeps `?path=` from being `$PATH`. */
function addressOf(url: string): string {
  const [, before = url, query, after = ''] = /^([^?#]*)\?([^#]*)(.*)$/s.exec(url) ?? [];
  if (query === undefined) return quoted(url);
  const pairs = query.split('&').map((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? quoted(pair) : `${quoted(pair.slice(0, at + 1))}"$QUERY_${variableOf(pair.slice(0, at))}"`;
  });
  return `${quoted(`${before}?`)}${pairs.join("'&'")}${after === '' ? '' : quoted(after)}`;
}

const variableOf = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
