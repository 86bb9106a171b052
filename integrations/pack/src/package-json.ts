import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The used fields of a server's package.json. */
export interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly author: string;
  readonly license?: string;
  readonly homepage?: string;
  /** The URL of the sources. */
  readonly repository?: string;
  /** The name in the MCP registry, such as `io.github.me/sums`; the registry looks for it in the published package. */
  readonly mcpName?: string;
}

/** Reads the nearest package.json above a file. Throws an error that lists all missing fields. */
export function packageOf(entry: string): PackageJson {
  let folder = dirname(resolve(entry));
  while (!existsSync(join(folder, 'package.json'))) {
    if (dirname(folder) === folder) throw new Error(`there is no package.json beside ${entry} or above it`);
    folder = dirname(folder);
  }
  const path = join(folder, 'package.json');
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path} is not JSON: ${error instanceof Error ? error.message : ''}`);
  }
  const read = (...names: string[]): string | undefined => {
    let value: unknown = found;
    for (const name of names) value = typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [name, version, description, author] = [read('name'), read('version'), read('description'), read('author') ?? read('author', 'name')];
  if (name === undefined || version === undefined || description === undefined || author === undefined) {
    const missing = Object.entries({ name, version, description, author }).filter(([, value]) => value === undefined).map(([member]) => member);
    throw new Error(`${path} has no ${missing.join(', ')}`);
  }
  const optional = { license: read('license'), homepage: read('homepage'), repository: read('repository') ?? read('repository', 'url'), mcpName: read('mcpName') };
  return { name, version, description, author: author.replace(/[<(].*$/s, '').trim(), ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) };
}
