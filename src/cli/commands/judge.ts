import { readFileSync } from 'node:fs';
import { visible } from '../../explain/safe-text.ts';
import { isProgram } from '../../host/index.ts';
import { isHttp } from '../socket-target.ts';
import { linesTo } from '../../host/node/lines.ts';
import { style, wantsColour } from '../../host/node/style.ts';
import { fitsName } from '../../host/patterns.ts';
import { errorMessage } from '../../jsonrpc/internal-exports.ts';
import { allRules, jsonReport, judgeServer, newFaults, readBaseline, readItems, textReport, withoutSecrets } from '../../judge/index.ts';
import type { Baseline, JudgeFile } from '../../judge/index.ts';
import { compile } from '../../schema/full/index.ts';
import { commonHelp, commonOptions, numberOf, readClientWords } from '../client-options.ts';
import type { Command } from '../command.ts';
import { exitCodes, NotReached, WrongUse } from '../exit-codes.ts';
import { jsonLine } from '../json-line.ts';
import { judgeLogin } from '../judge-login.ts';
import { judgedClient, relayed } from '../judged-client.ts';
import { reportOptions, reportHelp, writeReports } from '../judge-reports.ts';
import { isLoopback } from '../loopback.ts';
import { reportName, secretsInAddress } from '../report-name.ts';
import { serverOpener } from '../open-server.ts';

const { defaults: _defaults, ...withoutForms } = commonOptions;

export const command: Command = {
  usage: '[options] TARGET',
  about: 'Reports which rules of the specification a server breaks, with the sent, the expected and the received message.',
  options: [
    ['--only RULES', 'judges these rules only: ids with commas between them'],
    ['--quick', 'leaves out slow probes'],
    ['--all', 'also lists rules that were kept, or not seen'],
    ['--allow NAME', 'calls this tool; * is any run of characters; may be given again'],
    ['--items FILE', 'names tools, resources and prompts for rules that need one, and a login; judge.json'],
    ...reportHelp,
    ['--hostile', 'also sends hostile input: malformed, oversized, cut'],
    ['--i-own-this', 'allows --hostile for an address of another machine'],
    ['--sse', 'says that the address is one of HTTP+SSE'],
    ['--client', 'judges the client that a command starts: {url} or {program} in it names its server'],
    ['--seed N', 'the seed of made-up names and values; 1'],
    ...commonHelp.filter(([words]) => !words.startsWith('--defaults')),
  ],
  example: 'barewire judge -- npx -y @modelcontextprotocol/server-everything',
  notes: [
    'It calls only tools marked as read-only; at an address, only tools named by --allow. It ends with 1 if a MUST is broken;',
    'with --baseline, if a rule is broken that is not in the baseline.',
  ],
  async run(words, proc) {
    if (words[0] === '--relay') return relayed(words.slice(1));
    const end = words.indexOf('--');
    if ((end < 0 ? words : words.slice(0, end)).includes('--client')) return judgedClient(words, proc);
    const read = await readClientWords(proc, words, {
      ...withoutForms, only: { type: 'string' }, quick: { type: 'boolean' }, all: { type: 'boolean' }, allow: { type: 'string', multiple: true }, items: { type: 'string' },
      baseline: { type: 'string' }, ...reportOptions,
      hostile: { type: 'boolean' }, 'i-own-this': { type: 'boolean' }, sse: { type: 'boolean' }, seed: { type: 'string' },
    });
    if (read.rest.length > 0) throw new WrongUse(`judge takes one server; unexpected: ${read.rest[0]}`);
    const only = read.text('only')?.split(',').map((id) => id.trim()).filter((id) => id !== '');
    for (const id of only ?? []) if (!allRules().has(id)) throw new WrongUse(`--only: there is no rule ${id}`);
    const seed = numberOf(read)('seed', 0, Number.MAX_SAFE_INTEGER, true);
    const { server, targetName } = read;
    const hostile = read.flag('hostile');
    if (hostile && isHttp(server) && !isLoopback(server.url) && !read.flag('i-own-this')) throw new WrongUse(`--hostile at ${new URL(server.url).host}, which is not this machine, needs --i-own-this`);
    if (read.flag('sse') && !isHttp(server)) throw new WrongUse('--sse is for an address');
    const allowed = read.texts('allow');
    const { login, ...items } = fileOf('items', read.text('items'), readItems) ?? {};
    if (login && isProgram(server)) throw new WrongUse('--items: a login is for an address');
    const credential = login && !isProgram(server) ? await judgeLogin(login, server.url, proc.env) : undefined;
    const baseline = fileOf('baseline', read.text('baseline'), readBaseline);
    const json = read.flag('json');
    const colours = style(!json && !read.flag('no-color') && wantsColour(proc.env, proc.stdout.isTTY === true));
    const write = linesTo(proc.stderr);
    const note = (line: string): void => write(colours.dim(line));
    const given = await judgeServer({
      name: reportName(targetName),
      ...!isHttp(server) ? {
        open: (trace) => serverOpener(proc.env)(targetName, server, {
          // A quick run does not judge how long the program takes to end.
          ...read.flag('quick') && { graceMs: 200 }, trace, onStderr: (line) => { if (read.flag('verbose')) note(`stderr │ ${visible(line)}`); },
        }),
      } : { http: { url: server.url, fetch, headers: { ...server.headers, ...credential?.headers }, sse: read.flag('sse') } },
    }, {
      answerMs: Math.min(read.timeoutMs, 5_000), startMs: read.timeoutMs, compile, hostile, quick: read.flag('quick'), items, only, seed, revisions: read.revisions,
      ...allowed.length > 0 && { mayCall: ({ name }) => allowed.some((one) => fitsName(one, String(name))) },
      ...proc.stderr.isTTY && !json && { onStep: (what) => note(`${what} ...`) },
    });
    const secrets = isProgram(server) ? Object.values(server.env ?? {}) : Object.values(server.headers ?? {});
    const ruling = withoutSecrets(given, [...secrets.filter((one) => typeof one === 'string'), ...secretsInAddress(server), ...credential?.secrets ?? []]);
    writeReports(read, ruling);
    if (json) proc.stdout.write(`${jsonLine(jsonReport(ruling))}\n`);
    else textReport(ruling, { paint: colours, all: read.flag('all') }).split('\n').forEach(linesTo(proc.stdout));
    if (ruling.stopped !== undefined) throw new NotReached(`${ruling.target} could not be judged: ${ruling.stopped}`);
    return newFaults(ruling, baseline).some(({ level }) => level === 'MUST' || baseline) ? exitCodes.failed : exitCodes.good;
  },
};

/** Reads and parses the file of an option. */
function fileOf<T extends JudgeFile | Baseline>(option: string, file: string | undefined, readIt: (text: string) => T): T | undefined {
  if (file === undefined) return undefined;
  try {
    return readIt(readFileSync(file, 'utf8'));
  } catch (thrown) {
    throw new WrongUse(`--${option} ${file}: ${errorMessage(thrown)}`);
  }
}
