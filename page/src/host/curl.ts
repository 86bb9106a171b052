/** Headers of every POST of the protocol, for requests without a trace. 2025-11-25 basic/transports#sending-messages-to-the-server. */
const plain: Readonly<Record<string, string>> = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
/** Headers that curl adds itself. */
const own: readonly string[] = ['content-length', 'host', 'connection', 'transfer-encoding', 'accept-encoding', 'user-agent'];

/**
 * A request as a command line of curl, for a POSIX shell. Values that the trace redacts become shell variables, such as `$AUTHORIZATION`.
 */
export function curl(url: string, text: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = [`curl --no-buffer ${quoted(url)}`];
  for (const [name, value] of Object.entries({ ...plain, ...headers })) {
    if (own.includes(name)) continue;
    const variable = name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
    const secret = /^([^[]*)\[redacted(?: [\da-f]+)?\]$/.exec(value) ?? /^(.*)…$/.exec(value);
    lines.push(secret ? `--header ${quoted(`${name}: ${secret[1] ?? ''}`)}"$${variable}"` : `--header ${quoted(`${name}: ${value}`)}`);
  }
  lines.push(`--data-binary ${quoted(text)}`);
  return lines.join(' \\\n  ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
