import { checkOptions } from '../bounds/options.ts';
import { quote } from '../bounds/quote.ts';
import { fromBase64, isObject } from '../jsonrpc/internal-exports.ts';
import { callShape } from '../client/internal-exports.ts';
import type { CallOptions, ClientCore } from '../client/index.ts';
import type { Resource } from '../protocol/index.ts';
import { canonicalJson, fileDigest } from './digest.ts';
import { readSkillDocument } from './front-matter.ts';
import type { SkillDocument } from './front-matter.ts';
import { checkSkill, defaultSkillLimits, isWithin, SkillError, skillRoot, skillsExtension } from './skill.ts';
import type { Skill, SkillLimits } from './skill.ts';

/** The part of a client that these functions use: an `McpClient` or a `ClientCore` has it. */
export type SkillsClient = Pick<ClientCore, 'capabilities' | 'request' | 'list'>;

/** The skills that a server lists. */
export interface SkillListing {
  readonly skills: readonly Skill[];
  /** Why entries were left out. */
  readonly faults: readonly SkillError[];
}

/** A file of a skill, as it was read. */
export interface ReadSkillFile {
  readonly uri: string;
  readonly mimeType?: string;
  readonly bytes: Uint8Array;
  /** Only if the server sent text. */
  readonly text?: string;
}

/** The settings that a server declares for skills; undefined: it does not declare the extension. */
export function skillsOf({ capabilities }: Pick<SkillsClient, 'capabilities'>): { readonly directoryRead: boolean } | undefined {
  const settings = capabilities?.extensions;
  const own: unknown = settings && Object.hasOwn(settings, skillsExtension) ? settings[skillsExtension] : undefined;
  return isObject(own) ? { directoryRead: own['directoryRead'] === true } : undefined;
}

/**
 * Checks the options of a call. Throws a `SkillError` `not-declared` if the server does not declare what the call needs:
 * Skills, Capability Negotiation.
 */
function begin(client: SkillsClient, call: string, options: CallOptions | undefined, what: string = skillsExtension): void {
  checkOptions(`${call}: options`, options ?? {}, callShape);
  const settings = skillsOf(client);
  if (what === 'directoryRead' ? settings?.directoryRead !== true : !settings) throw new SkillError('not-declared', `the server does not declare ${what}`);
}

/**
 * Lists a server's skills, all pages. Entries that break a rule are left out; `faults` names them. An empty list proves nothing: a
 * server need not list its skills. Reads no file. Rejects with a `SkillError` `not-declared`.
 */
export async function listSkills(client: SkillsClient, options?: CallOptions, limits: SkillLimits = defaultSkillLimits): Promise<SkillListing> {
  begin(client, 'listSkills', options);
  const skills = new Map<string, Skill>();
  const faults: SkillError[] = [];
  for await (const entry of client.list<unknown>('skills/list', 'skills', options)) {
    try {
      const skill = checkSkill(entry, limits);
      if (skills.has(skill.uri)) throw new SkillError('invalid-entry', `the skill ${quote(skill.uri)} is listed twice`);
      skills.set(skill.uri, skill);
    } catch (thrown) {
      if (!(thrown instanceof SkillError)) throw thrown;
      faults.push(thrown);
    }
  }
  return { skills: [...skills.values()], faults };
}

/**
 * The entry of one skill, listed or not. Rejects with an `RpcError` if the server has no such skill, and with a `SkillError` for an
 * invalid entry.
 */
export async function getSkill(client: SkillsClient, uri: string, options?: CallOptions, limits: SkillLimits = defaultSkillLimits): Promise<Skill> {
  begin(client, 'getSkill', options);
  const skill = checkSkill((await client.request('skills/get', { uri }, { ...options, fresh: true }))['skill'], limits);
  if (skill.uri !== uri) throw new SkillError('invalid-entry', `skills/get: asked for ${quote(uri)}, and got ${quote(skill.uri)}`);
  return skill;
}

/** The children of a directory. Rejects with a `SkillError` `not-declared` if the server does not declare `directoryRead`. */
export async function readDirectory(client: SkillsClient, uri: string, options?: CallOptions): Promise<Resource[]> {
  begin(client, 'readDirectory', options, 'directoryRead');
  const children: Resource[] = [];
  const seen = new Set<unknown>();
  let cursor: unknown;
  do {
    const result = await client.request('resources/directory/read', cursor === undefined ? { uri } : { uri, cursor }, options);
    const { resources } = result;
    if (!Array.isArray(resources) || !resources.every(isResource)) throw new SkillError('unreadable', `the directory ${quote(uri)} is not a list of resources`);
    children.push(...resources);
    cursor = result['nextCursor'] ?? undefined;
    if (seen.has(cursor) || seen.size > maxPages) throw new SkillError('unreadable', `the directory ${quote(uri)} has too many pages`);
    seen.add(cursor);
  } while (cursor !== undefined);
  return children;
}

const maxPages = 1_000;

const isResource = (value: unknown): value is Resource => isObject(value) && typeof value['uri'] === 'string' && typeof value['name'] === 'string';

/**
 * Resolves a reference in a skill's files: a path from its root, or a URI. Throws a `SkillError` `unlisted` if that is not a file
 * of the skill. Skills, Relative References.
 */
export function fileOf({ uri: own, resources }: Skill, reference: string): string {
  const root = skillRoot(own) ?? '';
  const [path = ''] = reference.split(/[?#]/, 1);
  const uri = /^[a-z][a-z\d+.-]*:/i.test(reference) ? reference : `${root}/${path.replace(/^\.\//, '').split('/').map(encodeSegment).join('/')}`;
  const found = resources === 'dynamic' ? isWithin(root, uri) : resources.some((file) => file.uri === uri);
  if (!found) throw new SkillError('unlisted', `${quote(reference)} is not among the files of the skill ${quote(own)}`);
  return uri;
}

/** Leaves a segment that is already encoded unchanged. */
const encodeSegment = (segment: string): string => (/%[\da-f]{2}/i.test(segment) ? segment : encodeURIComponent(segment));

/**
 * Reads a file of a skill, by its path from the skill's root or its URI, and compares it with the entry. Rejects with a
 * `SkillError` if the file is not listed (`unlisted`), or differs from its entry (`size`, `digest`): its content must not be used.
 * The files of a `dynamic` skill cannot be compared; they are bounded by `limits.maxBytes`.
 */
export async function readSkillFile(
  client: SkillsClient, skill: Skill, reference: string, options?: CallOptions, limits: SkillLimits = defaultSkillLimits,
): Promise<ReadSkillFile> {
  begin(client, 'readSkillFile', options);
  const uri = fileOf(skill, reference);
  const { contents } = await client.request('resources/read', { uri }, { ...options, fresh: true });
  const one: unknown = Array.isArray(contents) ? contents.find((content) => isObject(content) && content['uri'] === uri) : undefined;
  if (!isObject(one)) throw new SkillError('unreadable', `the server sent no content of ${quote(uri)}`);
  const { text, blob, mimeType } = one;
  const listed = skill.resources === 'dynamic' ? undefined : skill.resources.find((file) => file.uri === uri);
  const most = listed?.size ?? limits.maxBytes;
  // Check the length before decoding: Base64 has four characters for three bytes.
  const length = typeof text === 'string' ? text.length : typeof blob === 'string' ? Math.floor(blob.length / 4) * 3 - 2 : Infinity;
  const bytes = length > most ? undefined : typeof text === 'string' ? new TextEncoder().encode(text) : fromBase64(blob as string);
  if (length <= most && !bytes) throw new SkillError('unreadable', `the content of ${quote(uri)} is not Base64`);
  if (!bytes || bytes.length > most || (listed && bytes.length !== listed.size)) {
    throw new SkillError(length === Infinity ? 'unreadable' : 'size', `${quote(uri)} has ${bytes?.length ?? 'more'} bytes, but its entry says ${most}`);
  }
  if (listed && await fileDigest(bytes) !== listed.digest) throw new SkillError('digest', `${quote(uri)} differs from its entry: the digests differ`);
  return { uri, bytes, ...typeof mimeType === 'string' && { mimeType }, ...typeof text === 'string' && { text } };
}

/**
 * Reads the `SKILL.md` of a skill. Rejects with a `SkillError` like `readSkillFile`, and with `frontmatter` if its front matter
 * differs from the entry's in any field. This does not load the skill: a host asks the user first.
 */
export async function readSkill(client: SkillsClient, skill: Skill, options?: CallOptions, limits: SkillLimits = defaultSkillLimits): Promise<SkillDocument> {
  const { text, uri } = await readSkillFile(client, skill, skill.uri, options, limits);
  if (text === undefined) throw new SkillError('unreadable', `${quote(uri)} is not text`);
  let document: SkillDocument;
  try {
    document = readSkillDocument(text);
  } catch (thrown) {
    throw new SkillError('frontmatter', `${quote(uri)}: ${(thrown as Error).message}`, { cause: thrown });
  }
  const [own, entry] = [document.frontmatter, skill.frontmatter] as const;
  for (const field of new Set([...Object.keys(own), ...Object.keys(entry)])) {
    const same = Object.hasOwn(own, field) && Object.hasOwn(entry, field) && canonicalJson(own[field]) === canonicalJson((entry as Record<string, unknown>)[field]);
    if (!same) throw new SkillError('frontmatter', `${quote(uri)}: the field ${quote(field)} of its front matter differs from its entry`);
  }
  return document;
}
