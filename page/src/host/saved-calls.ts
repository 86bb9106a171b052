// Named calls, in a file that can be kept in git: one call a line, with its arguments as they were typed.
import { oneLine } from '../json/layout.ts';
import { nodeOfText } from '../json/node.ts';
import type { JsonNode } from '../json/node.ts';
import type { SavedCallView } from '../messages.ts';
import { PageError } from './failure.ts';

/** The file of named calls. */
export interface CallFile {
  readonly path: string;
  /** '' if the file does not exist. Throws a `PageError` `bad-config` if it cannot be read. */
  read(): string;
  write(text: string): void;
}

type SavedCall = Omit<SavedCallView, 'own'>;

/** Limits: characters of the file, calls in it, and characters of one call's name and arguments. */
const maxChars = 1_000_000;
const maxCalls = 1_000;
const maxNameChars = 80;
const maxArgsChars = 100_000;

/** The named calls of a file. The file is read again for each change, because others write it too. */
export class SavedCalls {
  readonly #file: CallFile;
  /** Calls that were saved in this process, as lines: their arguments are the person's own. */
  readonly #own = new Set<string>();

  constructor(file: CallFile) {
    this.#file = file;
  }

  get path(): string {
    return this.#file.path;
  }

  /** All saved calls. Throws a `PageError` `bad-config` if the file is not in the format of `save`. */
  get views(): readonly SavedCallView[] {
    return read(this.#file).map((call) => ({ ...call, own: this.#own.has(lineOf(call)) }));
  }

  /** Adds a call to the file, or replaces the one of the same name. */
  save(call: SavedCall): void {
    checkCall(call);
    const calls = [...read(this.#file).filter((one) => !isSame(one, call)), { ...call, args: oneLine(call.args) }];
    if (calls.length > maxCalls) throw new PageError('bad-config', `${this.path} has ${maxCalls} calls already`);
    this.#write(calls);
    this.#own.add(lineOf(call));
  }

  remove(call: Pick<SavedCall, 'server' | 'tool' | 'name'>): void {
    this.#write(read(this.#file).filter((one) => !isSame(one, call)));
  }

  #write(calls: readonly SavedCall[]): void {
    // Sorted, so that two people who save different calls change different lines.
    const lines = calls.map((call) => `    ${lineOf(call)}`).sort();
    const text = `{\n  "calls": [${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n  `}]\n}\n`;
    if (text.length > maxChars) throw new PageError('bad-config', `${this.path} would have more than ${maxChars} characters`);
    this.#file.write(text);
  }
}

const isSame = (one: Pick<SavedCall, 'server' | 'tool' | 'name'>, other: Pick<SavedCall, 'server' | 'tool' | 'name'>): boolean =>
  one.server === other.server && one.tool === other.tool && one.name === other.name;

const lineOf = ({ server, tool, name, args }: SavedCall): string =>
  `{ "server": ${JSON.stringify(server)}, "tool": ${JSON.stringify(tool)}, "name": ${JSON.stringify(name)}, "arguments": ${oneLine(args)} }`;

function checkCall({ server, tool, name, args }: SavedCall): void {
  if (![server, tool, name, args].every((one) => typeof one === 'string')) throw new PageError('bad-params', 'a call has a server, a tool, a name and arguments, each a string');
  if (name.trim() === '' || name.length > maxNameChars) throw new PageError('bad-params', `name: expected 1 to ${maxNameChars} characters`);
  if (args.length > maxArgsChars) throw new PageError('bad-params', `the arguments have ${args.length} characters, and at most ${maxArgsChars} are allowed`);
  if (nodeIn(args)?.kind !== 'object') throw new PageError('bad-params', 'the arguments are not an object of JSON');
}

function read(file: CallFile): readonly SavedCall[] {
  const text = file.read();
  if (text.trim() === '') return [];
  const bad = (why: string): PageError => new PageError('bad-config', `${file.path} ${why}, and was not changed`);
  if (text.length > maxChars) throw bad(`has more than ${maxChars} characters`);
  const calls = memberOf(nodeIn(text), 'calls');
  if (calls?.kind !== 'array') throw bad('has no list of calls');
  if (calls.size > maxCalls) throw bad(`has more than ${maxCalls} calls`);
  return calls.entries().map(({ node }, at) => {
    const [server, tool, name, args] = ['server', 'tool', 'name', 'arguments'].map((member) => memberOf(node, member));
    if (server?.kind !== 'string' || tool?.kind !== 'string' || name?.kind !== 'string' || args?.kind !== 'object') throw bad(`has a call without server, tool, name or arguments: number ${at + 1}`);
    return { server: server.text, tool: tool.text, name: name.text.slice(0, maxNameChars), args: args.lexeme };
  });
}

const memberOf = (node: JsonNode | undefined, name: string): JsonNode | undefined => node?.entries().find((entry) => entry.name === name)?.node;

function nodeIn(text: string): JsonNode | undefined {
  try {
    return nodeOfText(text);
  } catch {
    return undefined;
  }
}
