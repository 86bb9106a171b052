import { showPlayground } from './page.ts';
import { serveWorker } from './worker.ts';

declare const barewireVersion: string;

// One script is the page and the worker: what both use is in the file once.
if (typeof document === 'undefined') serveWorker(barewireVersion);
else {
  const root = document.getElementById('page');
  if (root) showPlayground(root, document.currentScript?.textContent ?? '');
}
