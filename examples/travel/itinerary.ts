import { realpath, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MissingCapabilityError, ToolError } from 'barewire/server';
import type { McpServer } from 'barewire/server';
import type { Agency } from './agency.ts';

/** The tool that writes a file, only inside the client's roots. */
export function registerItinerary(server: McpServer, agency: Agency): void {
  server.tool('write_itinerary', {
    title: 'Write the itinerary',
    description: "Writes the calendar to a new file in one of the client's roots; it never replaces a file",
    input: {
      type: 'object',
      properties: {
        file: {
          type: 'string',
          // Only a name: no directory, no Windows device, no hidden file.
          pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}\\.(md|txt)$',
          default: 'itinerary.md',
        },
        folder: {
          type: 'string',
          default: '.',
          description: 'A folder in a root: absolute, or as seen from the first one',
        },
      },
    },
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  }, async ({ file = 'itinerary.md', folder = '.' }, ctx) => {
    let roots: string[];
    try {
      roots = await directories((await ctx.roots()).map(({ uri }) => uri));
    } catch (error) {
      if (!(error instanceof MissingCapabilityError)) throw error;
      throw new ToolError('The client does not say where files may be written');
    }
    const [first] = roots;
    if (first === undefined) throw new ToolError('The client has no root that is a directory here');

    // The real path of the folder, with all links resolved, must be inside a root.
    const asked = resolve(first, folder);
    const real = await realpath(asked).catch(() => {
      throw new ToolError(`There is no folder ${folder}`);
    });
    if (!roots.some((root) => contains(root, real))) throw new ToolError(`${folder} is outside the client's roots`);

    const text = `# Itinerary\n\n${agency.calendar.map(({ date, title }) => `- ${date}: ${title}`).join('\n')}\n`;
    const path = join(real, file);
    // `wx` refuses an existing name, also a link to another place.
    await writeFile(path, text, { flag: 'wx', signal: ctx.signal }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? new ToolError(`${file} is there already`) : error;
    });
    ctx.log('info', `Wrote ${path}`, 'itinerary');
    return `Wrote ${path}`;
  });
}

/** The roots that are directories of this machine, with links resolved. A root may have any URI. */
async function directories(uris: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const uri of uris) {
    try {
      found.push(await realpath(fileURLToPath(uri)));
    } catch {
      // Not a file: URI, or a missing directory: such a root allows nothing.
    }
  }
  return found;
}

function contains(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !/^\.\.[/\\]/.test(way) && !isAbsolute(way));
}
