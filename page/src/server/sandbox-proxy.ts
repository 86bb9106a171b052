/**
 * The script of the sandbox document, as text: it puts the app into a frame without an origin, and forwards messages between it and the
 * page. Apps, Sandbox proxy. It is text because it runs in the browser, not in this process.
 *
 * - The app's frame may only run scripts: it has an opaque origin, and cannot submit forms, open windows or navigate its parents.
 * - A message is accepted by its source window; for messages of the page the origin must match too.
 * - An app that sends too many messages is removed here, before they slow the page down.
 * - Messages from other windows are counted and reported to the page.
 */
export const proxyScript = `(page) => {
  'use strict';
  const { parent } = window;
  let inner;
  let strangers = 0;
  let loads = 0;
  let began = 0;
  let count = 0;
  const most = 1000;
  const reserved = (data) => typeof data === 'object' && data !== null && typeof data.method === 'string' && data.method.startsWith('ui/notifications/sandbox-');
  const tell = (method, params) => parent.postMessage({ jsonrpc: '2.0', method, params }, page);
  addEventListener('message', (event) => {
    const { data, source, origin } = event;
    if (source === parent && origin === page) {
      if (!reserved(data)) return void inner?.contentWindow?.postMessage(data, '*');
      if (data.method !== 'ui/notifications/sandbox-resource-ready' || inner || typeof data.params?.html !== 'string') return;
      inner = document.createElement('iframe');
      inner.setAttribute('sandbox', 'allow-scripts');
      inner.setAttribute('allow', '');
      inner.title = 'App';
      inner.addEventListener('load', () => {
        if (++loads === 1) return;
        inner.remove();
        tell('ui/notifications/sandbox-refused', { why: 'the app left its document, and was removed' });
      });
      inner.srcdoc = data.params.html;
      document.body.append(inner);
    } else if (inner && source === inner.contentWindow) {
      if (isFlood()) tell('ui/notifications/sandbox-refused', { why: 'the app sent more than ' + most + ' messages in a second, and was removed' });
      else if (reserved(data)) tell('ui/notifications/sandbox-refused', { why: 'the app sent a message that is reserved for the sandbox' });
      else parent.postMessage(data, page);
    } else if (++strangers <= 20) tell('ui/notifications/sandbox-refused', { why: 'a window that is not the app sent a message' });
  });
  const isFlood = () => {
    const now = performance.now();
    if (now - began >= 1000) { began = now; count = 0; }
    if (++count <= most) return false;
    inner.remove();
    inner = { contentWindow: null };
    return true;
  };
  const ready = () => tell('ui/notifications/sandbox-proxy-ready', {});
  document.readyState === 'loading' ? addEventListener('DOMContentLoaded', ready) : ready();
}`;
