import type { Readable } from 'node:stream';
import type { Clock } from '../../bounds/clock.ts';
import { beginReading, othersFirst, readEnough } from '../../bounds/reading.ts';

/** A longer line is cut into several, and only so many of the last ones are kept. */
const maxLine = 4096;
const maxKept = 20;

/** Hands on what comes over stderr line by line. The function that it returns gives the last lines. */
export function stderrLines(stream: Readable, clock: Clock, onLine?: (line: string) => void): () => string {
  const kept: string[] = [];
  let rest = '';

  function emit(line: string): void {
    for (; line.length > maxLine; line = line.slice(maxLine)) emit(line.slice(0, maxLine));
    kept.push(line);
    if (kept.length > maxKept) kept.shift();
    onLine?.(line);
  }

  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    beginReading(clock);
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) emit(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (rest.length > maxLine) {
      emit(rest);
      rest = '';
    }
    if (!readEnough(clock)) return;
    stream.pause();
    othersFirst(clock, () => stream.resume());
  });
  stream.on('end', () => {
    if (rest !== '') emit(rest);
    rest = '';
  });
  return () => kept.join('\n');
}
