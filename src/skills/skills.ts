import { checkOptions } from '../bounds/options.ts';
import { quote } from '../bounds/quote.ts';
import { invalidParams } from '../jsonrpc/internal-exports.ts';
import type { Params } from '../jsonrpc/index.ts';
import { cacheHints, page } from '../protocol/internal-exports.ts';
import { cacheFields } from '../server/internal-exports.ts';
import type { CacheHint, EntryHandle, McpServer, PlainContext, ResourceDefinition } from '../server/index.ts';
import { skillTree } from './served-files.ts';
import type { SkillDefinition, SkillFile, SkillTree } from './served-files.ts';
import { skillsExtension } from './skill.ts';
import type { Skill } from './skill.ts';

/** The options of `skills`. */
export interface SkillsOptions {
  /** How long clients of 2026-07-28 may cache entries and listings. Default: not at all. */
  readonly cache?: CacheHint;
  /** Entries per page of `skills/list`, and children per page of `resources/directory/read`. Default: 20. */
  readonly pageSize?: number;
}

/** The skills that a server serves. */
export interface ServedSkills {
  /** The entries, as clients get them. */
  readonly entries: readonly Skill[];
  /** Serves other skills in place of these. Rejects, and changes nothing, if one of them breaks a rule. */
  update(skills: readonly SkillDefinition[]): Promise<void>;
}

/**
 * Serves skills: each file as a resource, and the extension `io.modelcontextprotocol/skills` (SEP-2640) with `skills/list`,
 * `skills/get` and `resources/directory/read`, in every revision. Digests are computed here; a file that a function reads is
 * compared with its digest each time. Rejects with a TypeError for a skill that breaks a rule. On Node, `readSkills` of
 * `barewire/skills/node` reads a folder of skills.
 */
export async function skills(
  server: Pick<McpServer, 'extend' | 'resource'>, definitions: readonly SkillDefinition[], options: SkillsOptions = {},
): Promise<ServedSkills> {
  checkOptions('skills: options', options, { cache: { ttlMs: 'number', scope: '"public" or "private"' }, pageSize: 'number' });
  const { cache, pageSize = 20 } = options;
  if (!(pageSize >= 1)) throw new RangeError(`skills: options.pageSize must be at least 1, not ${pageSize}`);
  const hints = cacheFields(cache);
  let tree = await skillTree(definitions);
  const handles = new Map<string, EntryHandle<ResourceDefinition>>();
  const register = (file: SkillFile): void => {
    const { uri, name, mimeType, size, description } = file;
    const definition = { name, mimeType, size, ...description !== undefined && { description }, ...cache && { cache } };
    // The handler finds the file at each read, so that an update needs no new handler.
    handles.set(uri, server.resource(uri, definition, () => (tree.files.get(uri) ?? file).read()));
  };
  const kept = ({ revision }: PlainContext): object => (cacheHints(revision) ? hints : {});
  server.extend({
    id: skillsExtension,
    settings: { directoryRead: true },
    // Clients do not declare this extension: Skills, Capability Negotiation.
    open: {
      methods: {
        'skills/list': ({ cursor }, context) => ({ ...pageOf('skills', [...tree.skills.values()], cursor, pageSize), ...kept(context) }),
        'skills/get': ({ uri }, context) => ({ skill: skillAt(tree, uri), ...kept(context) }),
        'resources/directory/read': (params) => readDirectory(tree, params, pageSize),
      },
    },
  });
  for (const file of tree.files.values()) register(file);
  // Skills, Capability Negotiation: resources are declared with skills. A declared capability is not withdrawn.
  if (tree.files.size === 0) server.resource('skill://none/SKILL.md', {}, () => '').remove();
  return {
    get entries() {
      return [...tree.skills.values()];
    },
    async update(next) {
      const before = tree;
      tree = await skillTree(next);
      for (const [uri, handle] of handles) {
        const [old, file] = [before.files.get(uri), tree.files.get(uri)];
        if (file && old && file.name === old.name && file.description === old.description && file.mimeType === old.mimeType && file.size === old.size) continue;
        handle.remove();
        handles.delete(uri);
      }
      for (const file of tree.files.values()) if (!handles.has(file.uri)) register(file);
    },
  };
}

function skillAt({ skills: all }: SkillTree, uri: unknown): Skill {
  const skill = typeof uri === 'string' ? all.get(uri) : undefined;
  // Skills, Getting a Skill: -32602 in every revision.
  if (!skill) throw invalidParams(`no skill is served at ${quote(uri)}`);
  return skill;
}

function readDirectory({ files, directories }: SkillTree, { uri, cursor }: Params, pageSize: number): object {
  const children = typeof uri === 'string' ? directories.get(uri) : undefined;
  if (!children) throw invalidParams(`${quote(uri)} is not a directory resource`);
  const resources = [...children].map(([child, kind]) => {
    const file = kind === 'file' ? files.get(child) : undefined;
    const name = file?.name ?? decodeURIComponent(child.slice(child.lastIndexOf('/') + 1));
    return file ? { uri: child, name, mimeType: file.mimeType, size: file.size, ...file.description !== undefined && { description: file.description } }
      : { uri: child, name, mimeType: 'inode/directory' };
  });
  return pageOf('resources', resources, cursor, pageSize);
}

/** A page of a list, as a result. */
function pageOf(member: string, items: readonly object[], cursor: unknown, size: number): object {
  const one = page(items.map((item, sequence) => ({ item, sequence })), cursor, size);
  if (!one) throw invalidParams('the cursor is unknown');
  return { [member]: one.items.map(({ item }) => item), ...one.nextCursor !== undefined && { nextCursor: one.nextCursor } };
}
