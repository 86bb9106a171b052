// The connection between the page and one app in a frame of another site. Messages are checked by window and origin.
import type { AppPort } from 'barewire/apps';
import type { AppView } from '../../messages.ts';

/** The windows of all app frames of this page. Messages of other windows are refused. */
const frames = new Set<Window>();

/** The origin that serves the sandbox. A page at 127.0.0.1 uses localhost, and the other way round, so that it is another site. */
export function sandboxOrigin({ port }: Pick<AppView, 'port'>): string {
  return `http://${location.hostname === 'localhost' ? '127.0.0.1' : 'localhost'}:${port}`;
}

export interface FramePort extends AppPort {
  /** Removes the listener. */
  close(): void;
}

/**
 * Exchanges messages with the sandbox in a frame. `onRefused` gets a sentence for each dropped message. The document is sent only once:
 * Apps, Sandbox proxy.
 */
export function framePort(frame: HTMLIFrameElement, view: AppView, onRefused: (why: string) => void): FramePort {
  const origin = sandboxOrigin(view);
  const own = frame.contentWindow;
  let receive: ((message: unknown) => void) | undefined;
  let sent = false;
  if (own) frames.add(own);
  const post = (message: object): void => own?.postMessage(message, origin);

  function take({ source, origin: from, data }: MessageEvent<unknown>): void {
    // Parts of the browser and its extensions send messages from the page's own window.
    if (source === window) return;
    if (source !== own) {
      if (!frames.has(source as Window)) onRefused('A window that holds no app sent a message to the page.');
      return;
    }
    if (from !== origin) return onRefused(`The frame of the app has another origin now: ${from.slice(0, 100)}.`);
    const { method, params } = Object(data) as { readonly method?: unknown; readonly params?: unknown };
    if (typeof method !== 'string' || !method.startsWith('ui/notifications/sandbox-')) return receive?.(data);
    if (method === 'ui/notifications/sandbox-refused') return onRefused(`The sandbox: ${String((Object(params) as { readonly why?: unknown }).why).slice(0, 200)}.`);
    if (method !== 'ui/notifications/sandbox-proxy-ready' || sent) return onRefused('The sandbox sent a message that it must not send.');
    sent = true;
    const { html, meta } = view;
    // No permission is granted; the policy of the sandbox forbids them all.
    post({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready', params: { html, csp: meta.csp ?? {}, permissions: {} } });
  }

  addEventListener('message', take);
  return {
    post,
    listen(to) {
      receive = to;
      return () => { receive = undefined; };
    },
    close() {
      removeEventListener('message', take);
      if (own) frames.delete(own);
    },
  };
}
