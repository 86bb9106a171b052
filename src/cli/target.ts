import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { httpTransport } from '../transport/http/fetch/index.ts';
import type { ClientTransport, Trace } from '../transport/port.ts';
import { stdioTransport } from '../transport/stdio/index.ts';
import type { Root } from '../protocol/roots.ts';

/** Where to find a server: a program with its arguments, or an address. */
export type Target =
  | { readonly kind: 'program'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'address'; readonly url: string };

export function describeTarget(target: Target): string {
  return target.kind === 'address' ? target.url : [target.command, ...target.args].join(' ');
}

export function openTarget(target: Target, trace: Trace, onStderr: (line: string) => void): ClientTransport {
  return target.kind === 'address'
    ? httpTransport(target.url, { trace })
    : stdioTransport(target.command, target.args, { trace, onStderr });
}

/** The travel agency of the examples, if it is here: a published package has none. */
export function travelTarget(): Target | undefined {
  // dist/lib/cli.js and dist/src/cli/target.js are not equally deep.
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    const file = join(at, 'examples', 'travel', 'main.js');
    if (existsSync(file)) return { kind: 'program', command: process.execPath, args: [file] };
    if (existsSync(join(at, 'package.json')) || dirname(at) === at) return undefined;
  }
}

/** A directory of its own that servers may write into, until `remove`. */
export function temporaryRoot(): { readonly root: Root; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'barewire-tour-')));
  return {
    root: { uri: pathToFileURL(path).href, name: 'A directory of the tour' },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
