// Each example, run as a program against a local server with a script in the vendor's format, and simulated typing. The script is
// the same for all: two calls in one turn, a form, sampling, a failure, a refusal, a missing tool.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { anthropic, openai } from './formats.ts';
import type { Body, Format } from './formats.ts';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Answers one request of the script, or throws if the request is wrong. */
type Step = (body: Body) => unknown;

/** A server for a format. `next` returns the step for a request. An error of a step gives the status 400. */
async function serve(format: Format, next: () => Step | undefined): Promise<{ url: string; faults: unknown[]; close: () => void }> {
  const faults: unknown[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    try {
      assert.equal(request.url, format.path);
      const body = JSON.parse(text) as Body;
      format.check(body, request.headers);
      const step = next();
      assert.ok(step, 'a request more than the script has');
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(step(body)));
    } catch (error) {
      faults.push(error);
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { type: 'invalid_request_error', message: String(error) } }));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, faults, close: () => server.close() };
}

/** Runs an example; `answer` returns the user's input for each prompt. */
async function run(example: string, environment: Record<string, string>, answer: (prompt: string) => string): Promise<{ stdout: string; stderr: string; status: number | null }> {
  const program = spawn(process.execPath, [path(`../examples/${example}.js`), 'Book a seat', process.execPath, path('demo-server.js')], {
    env: { PATH: process.env['PATH'], ...environment }, stdio: 'pipe',
  });
  let [stdout, stderr, seen] = ['', '', 0];
  program.stdout.setEncoding('utf8').on('data', (chunk: string) => { stdout += chunk; });
  program.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
    // The ends of the three prompts: consent, the field of the form, whether to send the form.
    const prompt = stderr.slice(seen);
    if (!/(\[y\/n\] |  seat: |\[yes\]: )$/.test(prompt)) return;
    seen = stderr.length;
    program.stdin.write(`${answer(prompt)}\n`);
  });
  const [status] = await once(program, 'close') as [number | null];
  return { stdout, stderr, status };
}

const typed = (prompt: string): string => (/Call add of/.test(prompt) ? 'n' : prompt.endsWith('[y/n] ') ? 'y' : prompt.endsWith('  seat: ') ? 'aisle' : '');

for (const [example, format] of [['anthropic', anthropic], ['openai', openai], ['ai-sdk', anthropic]] as const) {
  test(`${example}: the loop with consent, a form, sampling, a failure and a refusal`, async () => {
    const { call, say, brought } = format;
    const script: Step[] = [
      (body) => {
        assert.deepEqual(body['tools'].map(({ name }: Body) => name).sort(), ['add', 'book', 'chart', 'either', 'fail', 'summary'].map((name) => `demo__${name}`));
        return call({ id: 'c1', name: 'demo__book', args: {} }, { id: 'c2', name: 'demo__chart', args: {} });
      },
      (body) => {
        const [book, chart] = brought(body);
        assert.deepEqual(book, { id: 'c1', text: 'Booked: aisle', images: 0, failed: false });
        assert.equal(chart?.images, 1);
        assert.match(chart.text, /A chart[^]*audio of type "audio\/wav", 4 bytes/);
        assert.match(chart.text, /a link to "more" at "https:\/\/internal\.example\/secret": it was not read/);
        return call({ id: 'c3', name: 'demo__summary', args: {} });
      },
      (body) => {
        assert.equal(body['tools']?.length ?? 0, 0);
        assert.match(JSON.stringify(body), /Summarise: it rained\./);
        assert.equal(body['max_tokens'] ?? body['max_output_tokens'], 100);
        return say('Rain.');
      },
      (body) => {
        assert.deepEqual(brought(body), [{ id: 'c3', text: 'In short: Rain.', images: 0, failed: false }]);
        return call({ id: 'c4', name: 'demo__fail', args: {} });
      },
      (body) => {
        const [result] = brought(body);
        assert.ok(result?.failed);
        assert.match(result.text, /There are no seats/);
        return call({ id: 'c5', name: 'demo__add', args: { a: 1, b: 2 } });
      },
      (body) => {
        const [result] = brought(body);
        assert.ok(result?.failed);
        assert.match(result.text, /the person declined/);
        return call({ id: 'c6', name: 'demo__nothing', args: {} });
      },
      (body) => {
        assert.ok(brought(body)[0]?.failed);
        return say('Done.');
      },
    ];
    const server = await serve(format, () => script.shift());
    const { stdout, stderr, status } = await run(example, format.environment(server.url), typed);
    server.close();
    assert.deepEqual(server.faults, [], stderr);
    assert.equal(status, 0, stderr);
    assert.equal(script.length, 0);
    assert.match(stdout, /^Done\.$/m);
    assert.match(stderr, /demo__either #\/anyOf: anyOf is not taken at the top of a schema/);
  });

  test(`${example}: a model that goes on calling spends the budget of ten turns`, async () => {
    let turns = 0;
    const server = await serve(format, () => () => {
      turns++;
      return format.call({ id: `c${turns}`, name: 'demo__fail', args: {} });
    });
    const { stderr, status } = await run(example, format.environment(server.url), typed);
    server.close();
    assert.deepEqual(server.faults, [], stderr);
    assert.equal(turns, 10);
    assert.equal(status, 1);
    assert.match(stderr, /the budget of this request is spent/);
  });
}
