import { quote } from '../bounds/quote.ts';
import { isObject } from '../jsonrpc/internal-exports.ts';

/** The identifier of the extension. Its specification: ext-skills, `specification/stable/skills.mdx` (SEP-2640). */
export const skillsExtension = 'io.modelcontextprotocol/skills';

/** A file of a skill. */
export interface SkillResource {
  readonly uri: string;
  /** `sha256:` and 64 lower-case hexadecimal digits. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

/** The entry of a skill: its front matter, and a complete list of its files. */
export interface Skill {
  /** The URI of its `SKILL.md`. */
  readonly uri: string;
  readonly frontmatter: Readonly<Record<string, unknown>> & { readonly name: string; readonly description: string };
  /** `dynamic`: the files are generated, and their digests unknown. */
  readonly resources: readonly SkillResource[] | 'dynamic';
}

/** The limits of a skill. Every host accepts skills within them. */
export interface SkillLimits {
  /** Files of one skill, `SKILL.md` included. 512. */
  readonly maxFiles: number;
  /** Bytes of all its files. 16 MiB. */
  readonly maxBytes: number;
}

/** Defaults of `SkillLimits`. Skills, Limits. */
export const defaultSkillLimits: SkillLimits = { maxFiles: 512, maxBytes: 16_777_216 };

/** The reason why a skill, or a file of it, cannot be used. Stable. */
export type SkillErrorCode =
  | 'not-declared' | 'invalid-entry' | 'too-large' | 'dynamic' | 'unlisted' | 'unreadable' | 'size' | 'digest' | 'frontmatter';

/** An entry that breaks a rule, or a file that differs from its entry. The content must not be used. */
export class SkillError extends Error {
  readonly code: SkillErrorCode;

  constructor(code: SkillErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SkillError';
    this.code = code;
  }
}

const file = '/SKILL.md';

/** The URI of a skill's root directory, without a slash at the end; undefined: this is not the URI of a `SKILL.md`. */
export function skillRoot(uri: string): string | undefined {
  if (!uri.endsWith(file) || !/^[a-z][a-z\d+.-]*:\/\/[^/]/i.test(uri)) return undefined;
  return uri.slice(0, -file.length);
}

/**
 * The reason why a name is not valid for a skill; undefined: it is valid. Agent Skills, `name` field: 1 to 64 lower-case letters,
 * digits and hyphens, no hyphen at an end or next to another.
 */
export function nameFault(name: unknown): string | undefined {
  if (typeof name === 'string' && /^[a-z\d-]{1,64}$/.test(name) && !name.startsWith('-') && !name.endsWith('-') && !name.includes('--')) return undefined;
  return `the name ${quote(name)} is not 1 to 64 lower-case letters, digits and single hyphens`;
}

/** The reason why a front matter is not valid for Agent Skills; undefined: it is valid. */
export function frontmatterFault(frontmatter: Readonly<Record<string, unknown>>): string | undefined {
  const { description } = frontmatter;
  if (typeof description !== 'string' || description.trim() === '') return 'the description is missing';
  if ([...description].length > 1024) return 'the description is longer than 1,024 characters';
  return nameFault(frontmatter['name']);
}

/**
 * Checks a value from a server and returns it as the entry of a skill. Throws a `SkillError`: `invalid-entry` if it breaks a rule
 * of the extension, `too-large` if it is beyond the limits.
 */
export function checkSkill(value: unknown, limits: SkillLimits = defaultSkillLimits): Skill {
  const fail = (why: string): never => {
    throw new SkillError('invalid-entry', `the skill ${quote(isObject(value) ? value['uri'] : value)}: ${why}`);
  };
  if (!isObject(value)) return fail('the entry is not an object');
  const { uri, frontmatter, resources } = value;
  const root = typeof uri === 'string' ? skillRoot(uri) : undefined;
  if (typeof uri !== 'string' || root === undefined) return fail('uri is not the URI of a SKILL.md');
  if (!isObject(frontmatter)) return fail('frontmatter is missing');
  const { name, description } = frontmatter;
  if (typeof name !== 'string' || typeof description !== 'string') return fail('frontmatter has no name or no description');
  // Skills, Skill Entries, Frontmatter: the last segment of the path is the name.
  const fault = nameFault(name);
  if (fault !== undefined) return fail(fault);
  if (!root.endsWith(`/${name}`)) return fail(`its path does not end with its name ${quote(name)}`);
  if (resources !== 'dynamic' && !Array.isArray(resources)) return fail('resources is neither a list nor "dynamic"');
  const files = resources === 'dynamic' ? resources : checkResources(resources, uri, root, fail);
  if (files !== 'dynamic') checkLimits(uri, files, limits);
  return { uri, frontmatter: { ...frontmatter, name, description }, resources: files };
}

function checkResources(resources: readonly unknown[], own: string, root: string, fail: (why: string) => never): SkillResource[] {
  const seen = new Set<string>();
  const files = resources.map((one): SkillResource => {
    if (!isObject(one)) return fail('a file is not an object');
    const { uri, digest, size } = one;
    if (typeof uri !== 'string') return fail('a file has no uri');
    if (!isWithin(root, uri)) return fail(`the file ${quote(uri)} is not within the skill`);
    if (seen.has(uri)) return fail(`the file ${quote(uri)} occurs twice`);
    seen.add(uri);
    if (typeof digest !== 'string' || !/^sha256:[\da-f]{64}$/.test(digest)) return fail(`the file ${quote(uri)} has no SHA-256 digest`);
    if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return fail(`the file ${quote(uri)} has no size`);
    return { uri, digest, size };
  });
  return seen.has(own) ? files : fail('its SKILL.md is not among its files');
}

/** Throws a `SkillError` `too-large`, with the sizes, for a skill beyond the limits. */
export function checkLimits(uri: string, files: readonly SkillResource[], { maxFiles, maxBytes }: SkillLimits): void {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > maxFiles) throw new SkillError('too-large', `the skill ${quote(uri)} has ${files.length} files, more than ${maxFiles}`);
  if (bytes > maxBytes) throw new SkillError('too-large', `the skill ${quote(uri)} has ${bytes} bytes, more than ${maxBytes}`);
}

/** Whether this is the URI of a file below this directory, without segments that lead out of it. */
export function isWithin(root: string, uri: string): boolean {
  if (!uri.startsWith(`${root}/`) || /[?#\\\s]/.test(uri)) return false;
  return uri.slice(root.length + 1).split('/').every((segment) => !/^(?:\.|%2e){0,2}$/i.test(segment) && !/%(?:2f|5c|00)/i.test(segment));
}
