import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { executables } from '../../src/executables/index.ts';
import type { Executables, ExecutablesOptions } from '../../src/executables/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';

/** A folder of tools, removed after the test. */
export interface ToolFolder {
  readonly path: string;
  /** Writes an executable; returns its path. */
  add(name: string, text: string): string;
}

export function toolFolder(t: TestContext): ToolFolder {
  const path = mkdtempSync(join(tmpdir(), 'barewire-executables-'));
  chmodSync(path, 0o755);
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return {
    path,
    add(name, text) {
      const file = join(path, name);
      writeFileSync(file, text);
      chmodSync(file, 0o755);
      return file;
    },
  };
}

/** A shell script that prints its description, or runs `body` with the first line of stdin in `$line`. */
export function script(description: object, body: string): string {
  return `#!/bin/sh\nif [ "$1" = --schema ]; then cat <<'END'\n${JSON.stringify(description)}\nEND\nexit; fi\nread -r line\n${body}\n`;
}

/** The same in JavaScript: `body` uses `request`. */
export function program(description: object, body: string): string {
  return `#!${process.execPath}
if (process.argv[2] === '--schema') console.log(${JSON.stringify(JSON.stringify(description))});
else {
  const say = (line) => console.log(JSON.stringify(line));
  let text = '';
  process.stdin.on('data', (chunk) => (text += chunk)).on('end', () => {
    const request = JSON.parse(text);
    ${body}
  });
}
`;
}

export interface Served {
  readonly client: McpClient;
  readonly tools: Executables;
  readonly problems: ReadonlyMap<string, string>;
  /** The text of the result; errors begin with `!`. */
  call(name: string, args?: Record<string, unknown>): Promise<string>;
}

/** Serves the tools of a folder to a client of the revision. */
export async function serve(
  t: TestContext, { path }: ToolFolder, options: ExecutablesOptions = {}, client: ClientOptions = {}, revision: string = '2025-11-25',
): Promise<Served> {
  // Neither the watcher nor the memory transport keeps the process alive.
  const alive = setInterval(() => {}, 1000);
  t.after(() => clearInterval(alive));
  const server = new McpServer({ name: 'folder', version: '1.0.0' });
  const problems = new Map<string, string>();
  const tools = await executables(server, path, { onProblem: (file, why) => problems.set(file, why), watch: false, ...options });
  t.after(() => tools.close());
  const connected = new McpClient({ name: 'test', version: '1.0.0' }, { revisions: [revision], ...client });
  await connected.connect(memoryTransport(server));
  t.after(() => connected.close());
  return {
    client: connected,
    tools,
    problems,
    async call(name, args = {}) {
      const { content, isError } = await connected.callTool(name, args);
      const [block] = content;
      return `${isError ? '!' : ''}${block?.type === 'text' ? block.text : JSON.stringify(content)}`;
    },
  };
}
