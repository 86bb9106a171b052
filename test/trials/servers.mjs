// The servers under test as installed by npm, and the calls to them. No call here uses the network; the tour calls every tool
// that its server marks as read-only.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * The servers, with their own folder. `call`: words of a call, which needs `--allow` unless `reads`; `wants`: its expected
 * result.
 */
export function serversIn(folder) {
  mkdirSync(join(folder, 'files'), { recursive: true });
  writeFileSync(join(folder, 'files', 'note.txt'), 'a note\n');
  const server = (name, file, more) => {
    const { version } = JSON.parse(readFileSync(join(here, 'node_modules', name, 'package.json'), 'utf8'));
    return { package: name, version, command: process.execPath, args: [join(here, 'node_modules', name, file)], ...more };
  };
  return {
    everything: server('@modelcontextprotocol/server-everything', 'dist/index.js', {
      call: ['echo', 'message=hello there'], reads: true, wants: /Echo: hello there/, writes: 'gzip-file-as-resource',
      read: 'demo://resource/static/document/architecture.md', get: ['simple-prompt'], complete: ['completable-prompt', 'department=E'],
    }),
    memory: server('@modelcontextprotocol/server-memory', 'dist/index.js', {
      env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
      call: ['create_entities', 'entities:=[{"name": "Ada", "entityType": "person", "observations": ["wrote a program"]}]'], wants: /Ada|entities/, writes: 'delete_entities',
      read: 'memory://knowledge-graph',
    }),
    filesystem: server('@modelcontextprotocol/server-filesystem', 'dist/index.js', {
      more: [join(folder, 'files')], call: ['read_text_file', `path=${join(folder, 'files', 'note.txt')}`], reads: true, wants: /a note/, writes: 'write_file',
    }),
    thinking: server('@modelcontextprotocol/server-sequential-thinking', 'dist/index.js', {
      call: ['sequentialthinking', 'thought=first', 'nextThoughtNeeded=false', 'thoughtNumber=1', 'totalThoughts=1'], reads: true, wants: /thoughtHistoryLength/,
    }),
    calc: server('@coo-quack/calc-mcp', 'dist/index.js', { call: ['math', 'expression=6*7'], wants: /42/, writes: 'hash' }),
    chart: server('@antv/mcp-server-chart', 'build/index.js', {}),
    git: server('@cyanheads/git-mcp-server', 'dist/index.js', { call: ['git_status', `path=${folder}`], reads: true, wants: /./, failing: true, writes: 'git_clone' }),
    context7: server('@upstash/context7-mcp', 'dist/index.js', {}),
    hello: server('mcp-hello-world', 'build/stdio.js', { call: ['add', 'a=2', 'b=3'], wants: /5/, writes: 'echo', read: 'hello://world', get: ['helpful-assistant'] }),
    commands: server('mcp-server-commands', 'build/index.js', { call: ['run_command', 'command=echo from-a-shell'], wants: /from-a-shell/, writes: 'run_command', get: ['run_command', 'command=pwd'] }),
  };
}

/** The configuration format of MCP hosts. */
export const configuration = (servers) => ({
  mcpServers: Object.fromEntries(Object.entries(servers).map(([name, { command, args, more = [], env }]) => [name, { command, args: [...args, ...more], ...env && { env } }])),
});
