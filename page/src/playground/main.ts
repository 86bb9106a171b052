import { serveWorker } from './worker.ts';

declare const barewireVersion: string;

// One script is the page and the worker: what both use is in the file once. What only the page runs is begun by it.
if (typeof document === 'undefined') serveWorker(barewireVersion);
else {
  const root = document.getElementById('page');
  const script = document.currentScript?.textContent ?? '';
  if (root) void import('./page.ts').then(({ showPlayground }) => showPlayground(root, script));
}
