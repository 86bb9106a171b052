// npm run coming-from [-- --check]: runs the programs of docs/coming-from and writes its pages from them. Each program is the
// same server with ten features, tested over stdio by a client of each era that the program supports. `--check` runs nothing and
// exits 1 if a page differs from the programs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { readWords } from '../../scripts/words.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The ten sections of a program by name: the code below `//: NAME` or `#: NAME`. */
function sectionsOf(file) {
  const parts = readFileSync(here(`programs/${file}`), 'utf8').split(/^[ \t]*(?:\/\/|#): (.*)\n/m).slice(1);
  const sections = new Map();
  for (let i = 0; i < parts.length; i += 2) {
    const lines = parts[i + 1].trimEnd().split('\n');
    // Removes the indent of a section inside a function.
    const indent = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)[0].length));
    sections.set(parts[i], lines.map((line) => line.slice(indent)).join('\n').trim());
  }
  return sections;
}

const ours = 'barewire.mjs';
const names = [...sectionsOf(ours).keys()];

const python = process.env['PYTHON'] ?? 'python3';
const node = (file) => [process.execPath, [here(`programs/${file}`)]];

const libraries = [
  {
    page: 'sdk-v1', file: 'sdk-v1.mjs', title: 'the official TypeScript SDK, version 1', package: '`@modelcontextprotocol/sdk`', eras: ['legacy'],
    notes: [
      'The SDK speaks the revisions with a handshake. A server of barewire speaks these and 2026-07-28, from the same handlers.',
      'You may keep Zod: `input` takes a schema of Zod, Valibot, ArkType or TypeBox, or a JSON Schema ([schemas.md](../schemas.md)). A Zod shape (`{ a: z.number() }`) is not a schema: write `z.object({ a: z.number() })`.',
      'One server object serves all sessions. Do not make one for each request or session. Do not connect a transport to it: `serveStdio(server)` or `serveHttp(server)` serves it, and `httpListener(server)` is a listener for Express ([http.md](../http.md)). They keep the sessions, so there is no map of transports and no `sessionIdGenerator`.',
      'Capabilities are not options: the server declares those of its tools, resources and prompts. `extra.signal` is `ctx.signal`, `server.sendLoggingMessage` is `ctx.log`, and clients are notified of a changed list without a call.',
      'A client passes the parts of a call as arguments: `client.callTool(\'add\', { a: 1, b: 2 })`, `client.readResource(\'desk://note\')`. Its handlers of questions are options ([client.md](../client.md)).',
      'If a handler throws, the client gets only an id, and `onError` of the server gets the error with its stack. Throw a `ToolError` to give the model a message.',
      'A question is asked through `ctx`, which knows whose request it is. In 2026-07-28 the handler runs again from its top with the answer: put work that must not be repeated into `ctx.once` ([server.md](../server.md#questions)).',
    ],
  },
  {
    page: 'sdk-v2', file: 'sdk-v2.mjs', title: 'the official TypeScript SDK, version 2', package: '`@modelcontextprotocol/server`', eras: ['legacy', 'modern'],
    notes: [
      'The SDK takes a function that makes a server for each connection. barewire takes one server, which serves all of them.',
      'A question is a function call with an answer, in every revision: `inputRequired` and `inputResponses` are not written by hand, and the state between the rounds is sealed for you. The handler still runs again from its top, so put work that must not be repeated into `ctx.once`.',
      'You may keep Zod: `input` takes a schema of a library with Standard Schema, or a JSON Schema ([schemas.md](../schemas.md)).',
      'If a handler throws, the client gets only an id, and `onError` of the server gets the error with its stack. Throw a `ToolError` to give the model a message.',
    ],
  },
  {
    page: 'fastmcp-python', file: 'fastmcp-python.py', title: 'FastMCP (Python)', package: '`fastmcp` from PyPI', eras: ['legacy'], why: '`ctx.elicit` of the other library refuses clients of 2026-07-28, whose questions have a form of their own there', language: 'python',
    notes: [
      'There are no decorators, and types do not exist at run time: the schema stands beside the handler, and TypeScript infers the types of the arguments from it.',
      'A function keeps its name; the name of a tool is its first argument.',
      'A server of barewire is not mounted into another one, and does not proxy one: `barewire bridge` and a [host](../host.md) do that, outside of the server.',
      'Tools that are Python today can stay so: `barewire serve` makes each executable file of a folder a tool ([executables.md](../executables.md)).',
    ],
  },
  {
    page: 'fastmcp-typescript', file: 'fastmcp-typescript.mjs', title: 'FastMCP (TypeScript)', package: '`fastmcp` from npm', eras: ['legacy'],
    notes: [
      'Name and handler are arguments, and not members of the definition.',
      'A string becomes a text block on both sides. With an output schema a handler of barewire returns the value alone.',
      '`UserError` is `ToolError`.',
      'There is no `authenticate` that makes a session object: `auth` of `serveHttp` says who asks, and handlers read `ctx.auth` ([authorization.md](../authorization.md)).',
    ],
  },
];

function pageOf({ file, title, package: name, notes, language = 'js', eras, why = 'the other library speaks no other' }) {
  const theirs = sectionsOf(file);
  assert.deepEqual([...theirs.keys()], names, `${file} has other sections`);
  const own = sectionsOf(ours);
  return `<!-- Written by test/coming-from/run.mjs from the programs beside it, which it runs. -->
# Coming from ${title}

The same server with ${name} and with barewire: ten things, the other library first. \`npm run coming-from\` runs both programs, and
looks at each of the ten with a client of ${eras.length > 1 ? 'both eras' : `the legacy era (${why}), and at barewire of 2026-07-28 too`}.

${notes.map((note) => `- ${note}`).join('\n')}

${names.map((section, i) => `## ${i + 1}. ${section}\n\n\`\`\`${language}\n${theirs.get(section)}\n\`\`\`\n\n\`\`\`js\n${own.get(section)}\n\`\`\`\n`).join('\n')}`;
}

/** Tests the ten features. */
async function look([program, args], era) {
  const { McpClient } = await import('barewire/client');
  const { stdioTransport } = await import('barewire/stdio');
  const asked = [];
  const client = new McpClient({ name: 'coming-from', version: '1.0.0' }, {
    era,
    onElicit(question) {
      asked.push(question.message);
      return { action: 'accept', content: { paper: 'A5' } };
    },
  });
  const textOf = ({ content }) => content.map(({ text }) => text).join();
  try {
    await client.connect(stdioTransport(program, args, { cwd: here('.') }));
    assert.equal(client.server.name, 'desk');
    assert.equal(client.server.version, '1.0.0');
    assert.equal((await client.listTools()).find(({ name }) => name === 'add').description, 'Adds two numbers');
    assert.equal(textOf(await client.callTool('add', { a: 1, b: 2 })), '3');
    assert.deepEqual((await client.callTool('sum', { numbers: [1, 2, 3] })).structuredContent, { sum: 6 });
    const failed = await client.callTool('print');
    assert.ok(failed.isError && textOf(failed).includes('There is no ink.'), textOf(failed));
    const read = async (uri) => (await client.readResource(uri)).contents[0].text;
    assert.equal(await read('desk://note'), 'Remember the milk.');
    assert.equal(await read('desk://drawer/3'), 'Drawer 3');
    assert.equal((await client.getPrompt('greet', { name: 'Ada' })).messages[0].content.text, 'Greet Ada.');
    assert.equal(textOf(await client.callTool('order')), 'Ordered A5.');
    assert.equal(asked.length, 1);
    assert.match(asked[0], /^Which paper\?/);
    const steps = [];
    assert.equal(textOf(await client.callTool('count', {}, { onProgress: ({ progress }) => steps.push(progress) })), 'Counted.');
    assert.equal(steps.at(-1), 3);
  } finally {
    await client.close();
  }
}

const { values: { check } } = readWords({ check: { type: 'boolean' } });
for (const library of libraries) {
  const path = here(`../../docs/coming-from/${library.page}.md`);
  const page = pageOf(library);
  if (check) assert.ok(existsSync(path) && readFileSync(path, 'utf8') === page, `docs/coming-from/${library.page}.md is not what the programs say: npm run coming-from`);
  else writeFileSync(path, page);
}
if (!check) {
  for (const era of ['legacy', 'modern']) {
    await look(node(ours), era);
    console.log(`${ours}, ${era}: ten things`);
  }
  for (const { file, eras, language } of libraries) {
    if (language === 'python') {
      try {
        execFileSync(python, ['-c', 'import fastmcp'], { stdio: 'ignore' });
      } catch {
        console.log(`${file}: not run, ${python} has no fastmcp (pip install -r requirements.txt; PYTHON=… names another)`);
        continue;
      }
    }
    for (const era of eras) {
      await look(language === 'python' ? [python, [here(`programs/${file}`)]] : node(file), era);
      console.log(`${file}, ${era}: ten things`);
    }
  }
}
