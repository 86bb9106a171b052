// A slow tool: a client that supports tasks gets a task for each call.
import type { McpServer } from 'barewire/server';
import { tasks } from 'barewire/tasks';

/** The time to write one page of the guide, in milliseconds. */
const pageMs = 700;

/** Adds task support to the server, and a tool whose calls become tasks. */
export function addGuide(server: McpServer): void {
  tasks(server);
  server.tool('write_guide', {
    title: 'Write a guide', description: 'Writes a travel guide, one page after another. The call becomes a task: it goes on without the page, and is found again by its id.',
    task: 'optional', annotations: { readOnlyHint: true },
    input: {
      type: 'object', required: ['city'], additionalProperties: false,
      properties: {
        city: { type: 'string', minLength: 1, maxLength: 80, examples: ['Lisbon'] },
        pages: { type: 'integer', minimum: 1, maximum: 20, default: 4 },
      },
    },
  }, async ({ city, pages = 4 }, ctx) => {
    const lines: string[] = [];
    for (let page = 1; page <= pages; page++) {
      ctx.status(`writing page ${page} of ${pages}`);
      lines.push(await ctx.once(`page ${page}`, () => written(city, page, ctx.signal)));
    }
    return lines.join('\n');
  });
}

function written(city: string, page: number, signal: AbortSignal): Promise<string> {
  const subjects = ['how to get there', 'where to sleep', 'what to eat', 'what to see'];
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(`${page}. ${city}: ${subjects[(page - 1) % subjects.length] ?? ''}`), pageMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    }, { once: true });
  });
}
