import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { checkOptions } from '../../bounds/options.ts';
import { isObject } from '../../jsonrpc/internal-exports.ts';
import { emptyLog, verifyLog } from '../activity-log.ts';
import type { LogHead, LogSink, LogVerdict } from '../activity-log.ts';
import { codeOf, withFileLock } from '../../oauth/node/file-lock.ts';
import { replaceFile } from './replace-file.ts';

/** Limits of the log's files. */
export interface FileLogOptions {
  /** The bytes of one file; then it is renamed to `FILE.1`, `FILE.2`, …, and the chain goes on. 16 MiB. */
  readonly maxBytes?: number;
}

/**
 * The head is stored in a separate file, so that lines cut from the end are found. `start` is the head before the
 * first line of the file.
 */
interface KeptHead {
  readonly head: LogHead;
  readonly start: LogHead;
  /** The number of files that were renamed. */
  readonly files: number;
  /** The length of the file, in bytes, when its head was written. */
  readonly bytes: number;
}

const headFile = (file: string): string => `${file}.head`;

/**
 * An activity log in a file of JSON lines, mode 0600. Several processes may write it: each append takes a lock, reads
 * the head and continues the chain.
 */
export function fileLog(file: string, options: FileLogOptions = {}): LogSink {
  checkOptions('fileLog: options', options, { maxBytes: 'number' });
  const { maxBytes = 16 * 1024 * 1024 } = options;
  return {
    async append(write) {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await withFileLock(`${file}.lock`, async () => {
        let kept = await recovered(file, await readHead(file));
        if (kept.bytes >= maxBytes) {
          await rename(file, `${file}.${kept.files + 1}`);
          kept = rotated(kept);
        }
        const { line, head } = await write(kept.head);
        const text = `${line}\n`;
        await appended(file, text, () =>
          replaceFile(headFile(file), JSON.stringify({ ...kept, head, bytes: kept.bytes + Buffer.byteLength(text) } satisfies KeptHead)));
      });
    },
  };
}

/** The head after its file was renamed. */
const rotated = (kept: KeptHead): KeptHead => ({ head: kept.head, start: kept.head, files: kept.files + 1, bytes: 0 });

/**
 * Appends a text and runs `then`. If either fails, the file is restored: a line that was reported as lost is not in
 * it.
 */
async function appended(file: string, text: string, then: () => Promise<void>): Promise<void> {
  const target = await open(file, 'a', 0o600);
  try {
    const { size } = await target.stat();
    try {
      await target.writeFile(text);
      await then();
    } catch (thrown) {
      await target.truncate(size).catch(() => {});
      throw thrown;
    }
  } finally {
    await target.close();
  }
}

/**
 * A writer may have died after writing its line and before writing its head. A whole line that continues the chain is
 * accepted, half a line is cut. A file that is shorter than its head says stays unchanged: verification must find
 * that.
 */
async function recovered(file: string, kept: KeptHead): Promise<KeptHead> {
  const size = await sizeOf(file);
  // The writer died or failed after it had renamed the file.
  if (size === undefined && kept.bytes > 0 && await sizeOf(`${file}.${kept.files + 1}`) === kept.bytes) return rotated(kept);
  if (size === undefined || size <= kept.bytes) return kept;
  const handle = await open(file, 'r+');
  try {
    const tail = Buffer.alloc(size - kept.bytes);
    await handle.read(tail, 0, tail.length, kept.bytes);
    let { head } = kept;
    let { bytes } = kept;
    for (let end: number; (end = tail.indexOf(10, bytes - kept.bytes)) >= 0; bytes = kept.bytes + end + 1) {
      const verdict = await verifyLog([tail.toString('utf8', bytes - kept.bytes, end)], undefined, head);
      if (!verdict.ok) break;
      head = verdict.head;
    }
    await handle.truncate(bytes);
    return { ...kept, head, bytes };
  } finally {
    await handle.close();
  }
}

/** The size of a file; undefined: it does not exist. */
const sizeOf = (file: string): Promise<number | undefined> => stat(file).then(({ size }) => size, (thrown: unknown) => {
  if (codeOf(thrown) === 'ENOENT') return undefined;
  throw thrown;
});

async function readHead(file: string): Promise<KeptHead> {
  const text = await readFile(headFile(file), 'utf8').catch((thrown: unknown) => {
    // An unreadable file must not count as a log that has not begun.
    if (codeOf(thrown) !== 'ENOENT') throw thrown;
    return undefined;
  });
  if (text === undefined) return { head: emptyLog, start: emptyLog, files: 0, bytes: 0 };
  const kept: unknown = JSON.parse(text);
  if (!isObject(kept) || !isHead(kept['head']) || !isHead(kept['start']) || typeof kept['files'] !== 'number' || typeof kept['bytes'] !== 'number') {
    throw new Error(`${headFile(file)} is not the head of an activity log`);
  }
  return { head: kept['head'], start: kept['start'], files: kept['files'], bytes: kept['bytes'] };
}

function isHead(value: unknown): value is LogHead {
  return isObject(value) && Number.isSafeInteger(value['seq']) && typeof value['digest'] === 'string';
}

/** The lines of one file of a log. */
export function logLines(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity });
}

/** Verifies all files of a log, the oldest first, against the head in its separate file. */
export async function verifyLogFile(file: string): Promise<LogVerdict & { readonly file: string }> {
  const kept = await readHead(file);
  const names = [...Array.from({ length: kept.files }, (_, i) => `${file}.${i + 1}`), file];
  let from = emptyLog;
  let lines = 0;
  for (const name of names) {
    const last = name === file;
    const exists = await stat(name).then(() => true, () => false);
    if (!exists) {
      if (last && kept.head.seq === from.seq) break;
      return { ok: false, line: 1, why: 'the file is missing', file: name };
    }
    const verdict = await verifyLog(logLines(name), last ? kept.head : undefined, from);
    if (!verdict.ok) return { ...verdict, file: name };
    from = verdict.head;
    lines += verdict.lines;
  }
  return { ok: true, lines, head: from, file };
}
