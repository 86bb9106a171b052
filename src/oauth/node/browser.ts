import { spawn } from 'node:child_process';

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/**
 * Opens a URL in the person's browser, without a shell. Also writes it to stderr, for machines without a browser; stdout
 * may carry a protocol.
 */
export function openBrowser(url: URL): void {
  process.stderr.write(`Log in here: ${url.href}\n`);
  const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url.href], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
