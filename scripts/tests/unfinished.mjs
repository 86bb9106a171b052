// A second reporter: names the tests that had not ended at the time limit of their file, and ends the processes that the file
// started. The runner ends only the file's own process.
import { endLeftovers } from './leftovers.mjs';
import { membersOf } from './together.mjs';

export default async function* unfinished(events) {
  const running = new Map();
  for await (const { type, data } of events) {
    if (!data.file) continue;
    const names = running.get(data.file) ?? running.set(data.file, new Map()).get(data.file);
    const isFile = data.name === data.file;
    const key = `${data.nesting} ${data.name}`;
    if (type === 'test:dequeue' && !isFile) names.set(key, data.name);
    else if (type === 'test:complete' && !isFile) names.delete(key);
    else if (type === 'test:fail' && isFile && data.details.error?.failureType === 'testTimeoutFailure') {
      const members = membersOf(data.file);
      const left = members.flatMap((file) => [...(running.get(file)?.values() ?? [])]);
      yield `\n${members.join(', ')}: its time was over\n`;
      if (left.length === 0) yield '  all tests that began had ended\n';
      for (const name of left) yield `  still running: ${name}\n`;
      for (const one of endLeftovers(process.pid, data.file)) yield `  ended: ${one}\n`;
    }
  }
  for (const one of endLeftovers(process.pid)) yield `\nleft by a test file, and ended: ${one}\n`;
}
