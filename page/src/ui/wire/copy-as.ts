// One of our requests as a `barewire` command line, or as a program.
import { oneLine } from '../../json/layout.ts';
import { nodeOfText } from '../../json/node.ts';
import type { JsonNode } from '../../json/node.ts';
import type { ServerView, WireMessage } from '../../messages.ts';

type Verb = 'call' | 'read' | 'get';
/** The tool call, resource read or prompt get in a request. */
export interface Asked {
  readonly verb: Verb;
  readonly name: string;
  /** JSON with its original tokens; '' for none. */
  readonly args: string;
}

const verbs: Readonly<Record<string, Verb>> = { 'tools/call': 'call', 'resources/read': 'read', 'prompts/get': 'get' };

/** The verb of the `barewire` command for a message; undefined for other messages. */
export const verbOf = ({ shape, direction, method }: WireMessage): Verb | undefined =>
  (shape === 'request' && direction === 'sent' && Object.hasOwn(verbs, method) ? verbs[method] : undefined);

/** The content of a request; undefined if the command and the client have no method for it. */
export function askedIn(entry: WireMessage, text: string): Asked | undefined {
  const verb = verbOf(entry);
  if (!verb) return undefined;
  const params = memberOf(nodeOfText(text), 'params');
  const name = memberOf(params, verb === 'read' ? 'uri' : 'name');
  const args = memberOf(params, 'arguments')?.lexeme ?? '';
  return name?.kind === 'string' ? { verb, name: name.text, args: args === '' ? '' : oneLine(args) } : undefined;
}

const memberOf = (node: JsonNode | undefined, name: string): JsonNode | undefined => node?.entries().find((entry) => entry.name === name)?.node;

/** A command line for a POSIX shell: `barewire call TARGET TOOL '{…}'`. */
export function commandOf({ verb, name, args }: Asked, { name: server, source, target }: ServerView): string {
  const program = target.kind === 'program' && source === 'typed';
  const where = target.kind === 'address' ? target.url : server;
  const last = program ? ['--', target.command, ...target.args] : [];
  const given = args === '' || args === '{}' ? [] : verb === 'get' ? wordsOf(args) : [args];
  return ['barewire', verb, ...program ? [] : [where], name, ...given, ...last].map(quoted).join(' ');
}

/** A TypeScript program that sends the same request. */
export function programOf({ verb, name, args }: Asked, { target }: ServerView): string {
  const [from, make] = target.kind === 'program'
    ? ["import { stdioTransport } from 'barewire/stdio';", `stdioTransport(${literal(target.command)}, ${JSON.stringify(target.args)})`]
    : ["import { httpTransport } from 'barewire/fetch';", `httpTransport(${literal(target.kind === 'address' ? target.url : 'http://127.0.0.1:3000/mcp')})`];
  const method = { call: 'callTool', read: 'readResource', get: 'getPrompt' }[verb];
  return [
    "import { McpClient } from 'barewire/client';", from, '',
    "const client = new McpClient({ name: 'example', version: '1.0.0' });", `await client.connect(${make});`,
    `console.log(await client.${method}(${literal(name)}${args === '' ? '' : `, ${args.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}`}));`, 'await client.close();', '',
  ].join('\n');
}

/** The arguments of a prompt are strings: `key=value`. */
const wordsOf = (args: string): string[] => Object.entries(Object(JSON.parse(args)) as object).map(([key, value]: [string, unknown]) => `${key}=${String(value)}`);

const quoted = (text: string): string => (/^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`);
const literal = (text: string): string => JSON.stringify(text);
