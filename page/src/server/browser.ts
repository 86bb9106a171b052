import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/**
 * Opens an address in the person's browser, without a shell. Every user of the machine can read the arguments of a program, so the token
 * is not in them: the browser opens a file that only this user can read, and that redirects to the address. Returns a function that
 * removes the file.
 */
export async function openInBrowser(url: string): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'barewire-page-'));
  const file = join(folder, 'open.html');
  await writeFile(file, `<!doctype html><meta charset="utf-8"><title>barewire</title><script>location.replace(${JSON.stringify(url)})</script>\n`, { mode: 0o600 });
  const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, pathToFileURL(file).href], { stdio: 'ignore', detached: true });
  // Without a browser the person can take the address from the terminal.
  child.on('error', () => {});
  child.unref();
  return () => rm(folder, { recursive: true, force: true });
}
