import { diagnose, fetchProbe } from '../../doctor/index.ts';
import type { Finding } from '../../doctor/index.ts';
import { visible } from '../../explain/safe-text.ts';
import { allRules } from '../../judge/index.ts';
import { compile } from '../../schema/full/index.ts';
import { commonHelp, commonOptions, numberOf, readClientWords } from '../client-options.ts';
import type { Command } from '../command.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';
import { jsonLine } from '../json-line.ts';
import { linesTo } from '../../host/node/lines.ts';
import { serverOpener } from '../open-server.ts';
import { reportName } from '../report-name.ts';
import { isHttp } from '../socket-target.ts';
import { style, wantsColour } from '../../host/node/style.ts';
import { wrap } from '../terminal.ts';

const { defaults: _defaults, ...withoutForms } = commonOptions;

export const command: Command = {
  usage: '[options] TARGET',
  about: 'Finds out why a server does not work: says what is wrong, where it is specified, and what to do.',
  options: [
    ['--origin URL', 'also sends requests as a page of this origin: access and CORS'],
    ['--slow N', 'seconds after which the first answer is slow; 5'],
    ...commonHelp.filter(([words]) => !words.startsWith('--defaults')),
  ],
  example: 'barewire doctor -- npx -y @modelcontextprotocol/server-everything',
  notes: [
    'It connects, speaks both eras, and lists tools, resources and prompts; it calls and reads none. To an address',
    'it also sends a foreign origin, a made-up session and a made-up revision. It ends with 1 if it found an error.',
  ],
  async run(words, proc) {
    const read = await readClientWords(proc, words, { ...withoutForms, origin: { type: 'string' }, slow: { type: 'string' } });
    if (read.rest.length > 0) throw new WrongUse(`doctor takes one server; unexpected: ${read.rest[0]}`);
    const origin = read.text('origin');
    if (origin !== undefined && (!URL.canParse(origin) || new URL(origin).origin !== origin)) throw new WrongUse('--origin takes an origin, such as https://app.example');
    const slow = numberOf(read)('slow', 0.001, 3600);
    const { server, targetName } = read;
    const json = read.flag('json');
    const colours = style(!json && !read.flag('no-color') && wantsColour(proc.env, proc.stdout.isTTY === true));
    const write = linesTo(proc.stderr);
    const note = (line: string): void => write(colours.dim(line));
    const { findings, facts } = await diagnose({
      name: targetName,
      open: (trace) => serverOpener(proc.env)(targetName, server, {
        trace,
        onStderr: (line) => {
          if (read.flag('verbose')) note(`stderr │ ${visible(line)}`);
        },
      }),
      ...isHttp(server) && { http: { url: server.url, send: fetchProbe(fetch, { timeoutMs: Math.min(read.timeoutMs, 10_000), headers: server.headers ?? {} }) } },
    }, {
      timeoutMs: Math.min(read.timeoutMs, 10_000), startMs: read.timeoutMs, checkSchema: compile,
      ...slow !== undefined && { slowMs: slow * 1000 },
      ...read.revisions && { revisions: read.revisions },
      ...origin !== undefined && { origin },
      ...proc.stderr.isTTY && !json && { onStep: (what) => note(`looking at ${what} ...`) },
    });
    // Findings hold rule ids; the sentences come from the judge.
    const rules = findings.some(({ rule }) => rule !== undefined) ? allRules() : undefined;
    const sentence = ({ rule = '' }: Finding): string | undefined => rules?.get(rule)?.text;
    const bad = findings.some(({ severity }) => severity === 'error');
    if (json) proc.stdout.write(`${jsonLine({ server: reportName(targetName), facts, findings: findings.map((one) => ({ ...one, ...sentence(one) !== undefined && { sentence: sentence(one) } })) })}\n`);
    else {
      const columns = Math.min(proc.stdout.columns || 100, 110);
      const paint = { error: colours.red, warning: colours.yellow, note: colours.cyan };
      const lines = (indent: string, text: string): string[] => wrap(text, columns - indent.length).map((line) => indent + line);
      const shown = ({ code, severity, what, where, rule, todo }: Finding, text: string | undefined): string[] => [
        `${paint[severity](severity)} ${colours.bold(code)}`, ...lines('  ', what), ...lines('  → ', todo).map((line, i) => (i === 0 ? line : `    ${line.slice(4)}`)), `  ${colours.dim(where)}`, ...text === undefined ? [] : lines('  ', `${rule}: ${text}`).map((line) => colours.dim(line)), '',
      ];
      const out = [
        ...facts.map((fact) => `${colours.green('ok')} ${fact}`), ...facts.length > 0 ? [''] : [],
        ...findings.flatMap((one) => shown(one, sentence(one))),
        findings.length === 0 ? colours.green('Nothing was found.') : summary(findings),
      ];
      out.forEach(linesTo(proc.stdout));
    }
    return bad ? exitCodes.failed : exitCodes.good;
  },
};

function summary(findings: readonly Finding[]): string {
  return (['error', 'warning', 'note'] as const).map((severity) => {
    const count = findings.filter((one) => one.severity === severity).length;
    return `${count} ${severity}${count === 1 ? '' : 's'}`;
  }).join(', ');
}
