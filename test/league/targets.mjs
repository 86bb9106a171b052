// The servers and clients of the league: source, version and start command. `files` is a separate folder with a note and a small
// repository. The keys for servers are fake, since they have no network.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
export const at = (path) => join(here, path);

/** Version and program of an installed npm package. */
function npm(name, file, more = {}) {
  return { package: name, registry: 'npm', version: versionOf(name), command: [process.execPath, at(`node_modules/${name}/${file}`)], ...more };
}

function versionOf(name) {
  try {
    return JSON.parse(readFileSync(at(`node_modules/${name}/package.json`), 'utf8')).version;
  } catch {
    return JSON.parse(readFileSync(at('package.json'), 'utf8')).dependencies[name];
  }
}

/** A small server of this project on an SDK from npm. */
const onNpm = (name, file, more = {}) => ({ package: name, registry: 'npm', version: versionOf(name), of: `servers/${file}`, command: [process.execPath, at(`servers/${file}`)], ...more });

/** The Python packages, each in its own environment: `python.json` has name and version. */
export const python = JSON.parse(readFileSync(at('python.json'), 'utf8'));
const pythonVersion = (environment) => python[environment].split('==')[1];
const pythonPackage = (environment) => python[environment].split('==')[0].replace(/\[.*/, '');
const bin = (environment, program) => at(`.targets/${environment}/bin/${program}`);
const pypi = (environment, command, more = {}) => ({ package: pythonPackage(environment), registry: 'PyPI', version: pythonVersion(environment), command: [bin(environment, command[0]), ...command.slice(1)], ...more });

export function servers(files) {
  const key = 'made-up-0000';
  return {
    'everything': npm('@modelcontextprotocol/server-everything', 'dist/index.js'),
    'everything, HTTP': npm('@modelcontextprotocol/server-everything', 'dist/index.js', { args: ['streamableHttp'], http: { port: 'PORT', path: '/mcp' } }),
    'filesystem': npm('@modelcontextprotocol/server-filesystem', 'dist/index.js', { args: [files] }),
    'memory': npm('@modelcontextprotocol/server-memory', 'dist/index.js', { env: { MEMORY_FILE_PATH: join(files, 'memory.jsonl') } }),
    'sequential-thinking': npm('@modelcontextprotocol/server-sequential-thinking', 'dist/index.js'),
    'sdk v1': onNpm('@modelcontextprotocol/sdk', 'v1.mjs'),
    'sdk v2': onNpm('@modelcontextprotocol/server', 'v2.mjs'),
    'fastmcp, npm': onNpm('fastmcp', 'fastmcp.mjs'),
    'tmcp': onNpm('tmcp', 'tmcp.mjs'),
    'mcp-lite': onNpm('mcp-lite', 'mcp-lite.mjs', { http: {} }),
    'calc': npm('@coo-quack/calc-mcp', 'dist/index.js'),
    'chart': npm('@antv/mcp-server-chart', 'build/index.js'),
    'git, npm': npm('@cyanheads/git-mcp-server', 'dist/index.js', { env: { GIT_BASE_DIR: files } }),
    'context7': npm('@upstash/context7-mcp', 'dist/index.js'),
    'hello-world': npm('mcp-hello-world', 'build/stdio.js'),
    'commands': npm('mcp-server-commands', 'build/index.js'),
    'playwright': npm('@playwright/mcp', 'cli.js'),
    'chrome-devtools': npm('chrome-devtools-mcp', 'build/src/bin/chrome-devtools-mcp.js'),
    'notion': npm('@notionhq/notion-mcp-server', 'bin/cli.mjs', { env: { NOTION_TOKEN: key } }),
    'eslint': npm('@eslint/mcp', 'src/mcp-cli.js'),
    'svelte': npm('@sveltejs/mcp', 'dist/index.mjs'),
    'brave-search': npm('@brave/brave-search-mcp-server', 'dist/index.js', { env: { BRAVE_API_KEY: key } }),
    'tavily': npm('tavily-mcp', 'build/index.js', { env: { TAVILY_API_KEY: key } }),
    'firecrawl': npm('firecrawl-mcp', 'dist/index.js', { env: { FIRECRAWL_API_KEY: key } }),
    'exa': npm('exa-mcp-server', 'dist/stdio.cjs', { env: { EXA_API_KEY: key } }),
    'figma-developer': npm('figma-developer-mcp', 'dist/bin.js', { args: ['--stdio'], env: { FIGMA_API_KEY: key } }),
    'python sdk': { ...pypi('official', ['python', at('servers/official.py')]), of: 'servers/official.py' },
    'fastmcp, PyPI': { ...pypi('fastmcp', ['python', at('servers/fastmcp_server.py')]), of: 'servers/fastmcp_server.py' },
    'time': pypi('mcp-server-time', ['mcp-server-time']),
    'git, PyPI': pypi('mcp-server-git', ['mcp-server-git']),
    'fetch': pypi('mcp-server-fetch', ['mcp-server-fetch']),
    'sqlite': pypi('mcp-server-sqlite', ['mcp-server-sqlite', '--db-path', join(files, 'test.db')]),
    'calculator': pypi('mcp-server-calculator', ['mcp-server-calculator']),
    'duckduckgo': pypi('duckduckgo-mcp-server', ['duckduckgo-mcp-server']),
    'wikipedia': pypi('wikipedia-mcp', ['wikipedia-mcp']),
    'simple-arxiv': pypi('mcp-simple-arxiv', ['python', '-m', 'mcp_simple_arxiv']),
    'text-editor': pypi('mcp-text-editor', ['mcp-text-editor']),
    'weather': pypi('mcp-weather-server', ['mcp_weather_server']),
    'excel': pypi('excel-mcp-server', ['excel-mcp-server', 'stdio']),
    'motherduck': pypi('mcp-server-motherduck', ['mcp-server-motherduck', '--db-path', ':memory:']),
    'go-sdk everything': { package: 'github.com/modelcontextprotocol/go-sdk', registry: 'Go', version: go().official, of: 'examples/server/everything', command: [at('.targets/go/official-everything')] },
    'mcp-go everything': { package: 'github.com/mark3labs/mcp-go', registry: 'Go', version: go().other, of: 'examples/everything', command: [at('.targets/go/mcp-go-everything')] },
  };
}

/** The versions of the Go modules. */
export function go() {
  const text = readFileSync(at('clients/go/go.mod'), 'utf8');
  const version = (module) => text.match(new RegExp(`${module} (v\\S+)`))?.[1];
  return { official: version('github.com/modelcontextprotocol/go-sdk'), other: version('github.com/mark3labs/mcp-go') };
}

const node = (name, file, words = []) => ({ package: name, registry: 'npm', version: versionOf(name), of: `clients/${file}`, command: [process.execPath, at(`clients/${file}`), ...words] });
const snake = (environment, sdk, name, version) => ({ package: name ?? pythonPackage(environment), registry: 'PyPI', version: version ?? pythonVersion(environment), of: 'clients/use.py', command: [bin(environment, 'python'), at('clients/use.py'), sdk] });

/** The clients: small programs on SDKs, with the arguments `http URL` or `stdio PROGRAM …`. */
export const clients = () => ({
  'sdk v1': node('@modelcontextprotocol/sdk', 'v1.mjs'),
  'sdk v2, auto': node('@modelcontextprotocol/client', 'v2.mjs', ['auto']),
  'sdk v2, legacy': node('@modelcontextprotocol/client', 'v2.mjs', ['legacy']),
  'ai-sdk': node('@ai-sdk/mcp', 'ai-sdk.mjs'),
  'langchain, npm': node('@langchain/mcp-adapters', 'langchain.mjs'),
  'inspector': { package: '@modelcontextprotocol/inspector', registry: 'npm', version: versionOf('@modelcontextprotocol/inspector'), command: [process.execPath, at('clients/inspector.mjs')] },
  'python sdk': snake('official', 'official'),
  'python sdk v1': snake('mcp-use', 'official-v1', 'mcp', '1.30.0'),
  'fastmcp, PyPI': snake('fastmcp', 'fastmcp'),
  'langchain, PyPI': snake('langchain', 'langchain'),
  'mcp-use, PyPI': snake('mcp-use', 'mcp-use'),
  'smolagents': snake('smolagents', 'smolagents'),
  'pydantic-ai': snake('pydantic-ai', 'pydantic-ai'),
  'openai-agents': snake('openai-agents', 'openai-agents'),
  'go-sdk': { package: 'github.com/modelcontextprotocol/go-sdk', registry: 'Go', version: go().official, of: 'clients/go', command: [at('.targets/go/use'), 'go-sdk'] },
  'mcp-go': { package: 'github.com/mark3labs/mcp-go', registry: 'Go', version: go().other, of: 'clients/go', command: [at('.targets/go/use'), 'mcp-go'] },
});
