import { showPlayground } from './page.ts';
import { serveWorker } from './worker.ts';

declare const barewireVersion: string;

// One script is both the page and the worker, so that shared code is in the file only once.
if (typeof document === 'undefined') serveWorker(barewireVersion);
else {
  const root = document.getElementById('page');
  if (root) showPlayground(root, document.currentScript?.textContent ?? '');
}
