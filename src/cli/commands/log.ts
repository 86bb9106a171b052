import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { logLines, verifyLogFile } from '../../host/node/index.ts';
import { visible } from '../../explain/safe-text.ts';
import { isObject } from '../../jsonrpc/internal-exports.ts';
import type { Command } from '../command.ts';
import { escapedJson, jsonLine } from '../json-line.ts';
import { linesTo } from '../../host/node/lines.ts';
import { readWords, refuseGiven } from '../client-options.ts';
import { homeFolder } from '../configuration.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';
import type { CommandProcess } from '../command-process.ts';

/** The path of this user's activity log. */
export const logFile = (env: CommandProcess['env']): string => join(homeFolder(env), 'activity.jsonl');

export const command: Command = {
  usage: '[options]',
  about: 'Shows the activity log of the host: what was asked, who decided, what was sent and answered.',
  options: [
    ['--verify', 'checks every line against the one before it, and the last one against the head in its separate file'],
    ['--file FILE', 'this log instead of the user\'s own'],
    ['--server NAME', 'only lines about this server'],
    ['--json', 'prints the lines: unchanged, or at a terminal with escapes'],
  ],
  example: 'barewire log --verify',
  async run(words, proc) {
    const read = readWords(words, { json: { type: 'boolean' }, verify: { type: 'boolean' }, file: { type: 'string' }, server: { type: 'string' } });
    if (read.flag('verify')) refuseGiven(read, ['server'], 'has no effect with --verify, which reads every line');
    const file = read.text('file') ?? logFile(proc.env);
    const there = existsSync(file);
    if (!there && read.text('file') !== undefined) throw new WrongUse(`there is no activity log at ${file}`);
    // A log that was deleted still has its head file.
    if (!there && !existsSync(`${file}.head`)) {
      proc.stderr.write(`barewire: there is no activity log yet: barewire host writes it, to ${file}\n`);
      return exitCodes.good;
    }
    if (read.flag('verify')) {
      const verdict = await verifyLogFile(file);
      if (read.flag('json')) proc.stdout.write(`${jsonLine(verdict)}\n`);
      else if (verdict.ok) proc.stdout.write(`${verdict.lines} lines, each follows the one before it; none is missing at the end.\n`);
      else proc.stdout.write(`Line ${verdict.line} of ${visible(verdict.file)} is not valid: ${verdict.why}.\n`);
      return verdict.ok ? exitCodes.good : exitCodes.failed;
    }
    if (!there) {
      proc.stderr.write(`barewire: the activity log ${file} is gone: barewire log --verify reports what is missing\n`);
      return exitCodes.failed;
    }
    const server = read.text('server');
    const out = linesTo(proc.stdout);
    for await (const line of logLines(file)) {
      const entry: unknown = safeParse(line);
      if (server !== undefined && !(isObject(entry) && entry['server'] === server)) continue;
      if (read.flag('json')) proc.stdout.write(`${proc.stdout.isTTY ? escapedJson(line) : line}\n`);
      else out(describeLine(line));
    }
    return exitCodes.good;
  },
};

function safeParse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

/** Describes one line of the log for a person. */
export function describeLine(line: string): string {
  const entry = safeParse(line);
  if (!isObject(entry)) return visible(line);
  const { at, kind, server, tool, seq: _seq, previous: _previous, call, ...rest } = entry;
  const time = typeof at === 'number' ? new Date(at).toISOString() : '';
  const what = [server, tool].filter((part) => typeof part === 'string').join('/');
  return visible(`${time}  ${String(kind).padEnd(8)} ${call === undefined ? '' : `#${String(call)} `}${what}  ${JSON.stringify(rest)}`);
}
