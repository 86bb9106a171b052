import { checkOptions } from '../bounds/options.ts';
import { decodeUtf8 } from '../jsonrpc/internal-exports.ts';
import { fileDigest } from './digest.ts';
import { readSkillDocument } from './front-matter.ts';
import { checkLimits, defaultSkillLimits, frontmatterFault } from './skill.ts';
import type { Skill, SkillLimits, SkillResource } from './skill.ts';

/** The content of a file: text, bytes, or a function that reads it each time that a client does. */
export type SkillContent = string | Uint8Array | (() => string | Uint8Array | Promise<string | Uint8Array>);

/** A skill that a server serves. */
export interface SkillDefinition {
  /** Its path among the skills: `refunds`, `acme/billing/refunds`. The last segment is its name. */
  readonly path: string;
  /** Its files by their paths within the skill; one is `SKILL.md`. */
  readonly files: Readonly<Record<string, SkillContent>>;
}

/** A file of a skill, as of the time when the skills were read. */
export interface SkillFile extends SkillResource {
  readonly name: string;
  readonly mimeType: string;
  readonly description?: string;
  /** Reads it again. Rejects if its digest has changed. */
  readonly read: () => Promise<string | Uint8Array>;
}

/** All files of a server's skills, and the skills. */
export interface SkillTree {
  readonly files: ReadonlyMap<string, SkillFile>;
  readonly skills: ReadonlyMap<string, Skill>;
  /** The children of each directory, by its URI. */
  readonly directories: ReadonlyMap<string, ReadonlyMap<string, 'file' | 'directory'>>;
}

/** Reads skills. Rejects with a TypeError that names the skill and the rule that it breaks. */
export async function skillTree(definitions: readonly SkillDefinition[], limits: SkillLimits = defaultSkillLimits): Promise<SkillTree> {
  checkOptions('skills: skills', definitions, 'list');
  const files = new Map<string, SkillFile>();
  const roots = new Map<string, string>();
  for (const definition of definitions) {
    const { path } = definition;
    checkOptions<object>(`skills: ${String(path).slice(0, 80)}`, definition, { path: 'string', files: 'object' });
    const root = `skill://${uriPath(path, path)}`;
    if (roots.has(root)) throw new TypeError(`skills: ${path} occurs twice`);
    roots.set(root, path);
    if (!Object.hasOwn(definition.files, 'SKILL.md')) throw new TypeError(`skills: ${path} has no SKILL.md`);
    for (const [name, content] of Object.entries(definition.files)) {
      checkOptions<unknown>(`skills: ${path}.files.${name.slice(0, 80)}`, content, 'string or object or function');
      const uri = `${root}/${uriPath(name, `${path}/${name}`)}`;
      const one = await skillFile(uri, name.slice(name.lastIndexOf('/') + 1), content, limits);
      // A nested skill's files belong to the skill around it, too.
      if ((files.get(uri) ?? one).digest !== one.digest) throw new TypeError(`skills: ${uri} occurs twice, with different content`);
      files.set(uri, one);
    }
  }
  const skills = new Map<string, Skill>();
  for (const [root, path] of roots) {
    const skill = await skillOf(path, root, files, limits);
    skills.set(skill.uri, skill);
  }
  return { files, skills, directories: directoriesOf([...files.keys()]) };
}

/** A path as segments of a URI. Throws a TypeError for a path that leads elsewhere, and for a text that is not a path. */
function uriPath(path: string, place: string): string {
  return path.split('/').map((segment) => {
    if (/^\.{0,2}$/.test(segment) || /[\\\p{Cc}\p{Surrogate}]/u.test(segment)) throw new TypeError(`skills: ${JSON.stringify(place)} is not a skill path`);
    return encodeURIComponent(segment);
  }).join('/');
}

async function skillFile(uri: string, name: string, content: SkillContent, limits: SkillLimits): Promise<SkillFile> {
  const take = async (): Promise<{ readonly bytes: Uint8Array; readonly digest: string }> => {
    const value = typeof content === 'function' ? await content() : content;
    const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
    if (bytes.length > limits.maxBytes) throw new TypeError(`skills: ${uri} has ${bytes.length} bytes, more than ${limits.maxBytes}`);
    return { bytes, digest: await fileDigest(bytes) };
  };
  const { bytes, digest } = await take();
  return {
    uri, digest, size: bytes.length, name, mimeType: mimeTypeOf(name, asText(bytes) !== undefined),
    async read() {
      const now = await take();
      // Never serve content that differs from the entry.
      if (now.digest !== digest) throw new Error(`${uri} has changed since the skills were read`);
      return asText(now.bytes) ?? now.bytes;
    },
  };
}

async function skillOf(path: string, root: string, files: Map<string, SkillFile>, limits: SkillLimits): Promise<Skill> {
  const uri = `${root}/SKILL.md`;
  const document = files.get(uri) as SkillFile;
  const text = await document.read();
  if (typeof text !== 'string') throw new TypeError(`skills: ${path}/SKILL.md is not UTF-8 text`);
  let frontmatter: Skill['frontmatter'];
  try {
    frontmatter = readSkillDocument(text).frontmatter as Skill['frontmatter'];
  } catch (thrown) {
    throw new TypeError(`skills: ${path}/SKILL.md: ${(thrown as Error).message}`);
  }
  const { name, description } = frontmatter;
  const fault = frontmatterFault(frontmatter) ?? (path.endsWith(name) && root.endsWith(`/${name}`) ? undefined : `its name ${JSON.stringify(name)} is not the last segment of its path`);
  if (fault !== undefined) throw new TypeError(`skills: ${path}: ${fault}`);
  // Skills, Resource Metadata: name and description of SKILL.md are those of its front matter.
  files.set(uri, { ...document, name, description });
  const resources = [...files.values()].filter((file) => file.uri.startsWith(`${root}/`)).map((file) => ({ uri: file.uri, digest: file.digest, size: file.size }));
  checkLimits(uri, resources, limits);
  return { uri, frontmatter, resources };
}

function directoriesOf(uris: readonly string[]): Map<string, Map<string, 'file' | 'directory'>> {
  const directories = new Map<string, Map<string, 'file' | 'directory'>>();
  for (const uri of uris) {
    let child = uri;
    let kind: 'file' | 'directory' = 'file';
    for (let at = child.lastIndexOf('/'); at > 'skill://'.length; at = child.lastIndexOf('/')) {
      const parent = child.slice(0, at);
      const children = directories.get(parent) ?? new Map<string, 'file' | 'directory'>();
      directories.set(parent, children.set(child, kind));
      child = parent;
      kind = 'directory';
    }
  }
  return directories;
}

/** The text of a file; undefined: it is not UTF-8. */
function asText(bytes: Uint8Array): string | undefined {
  try {
    return decodeUtf8(bytes);
  } catch {
    return undefined;
  }
}

const mimeTypes: Readonly<Record<string, string>> = {
  md: 'text/markdown', txt: 'text/plain', csv: 'text/csv', html: 'text/html', css: 'text/css', js: 'text/javascript', mjs: 'text/javascript',
  ts: 'text/x-typescript', py: 'text/x-python', sh: 'text/x-shellscript', json: 'application/json', yaml: 'application/yaml',
  yml: 'application/yaml', xml: 'application/xml', svg: 'image/svg+xml', png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg',
  gif: 'image/gif', webp: 'image/webp', pdf: 'application/pdf', zip: 'application/zip',
};

function mimeTypeOf(name: string, isText: boolean): string {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(mimeTypes, extension) ? mimeTypes[extension] as string : isText ? 'text/plain' : 'application/octet-stream';
}
