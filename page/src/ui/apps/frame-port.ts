// The way between the page and one app: a frame of another site, whose messages count only by their window and their origin.
import type { AppPort } from 'barewire/apps';
import type { AppView } from '../../messages.ts';

/** The windows of all frames that this page shows: what others send belongs to no app. */
const frames = new Set<Window>();

/** Where the sandbox of an app is loaded from. A page at 127.0.0.1 loads it from localhost, and the other way: another site. */
export function sandboxOrigin({ port }: Pick<AppView, 'port'>): string {
  return `http://${location.hostname === 'localhost' ? '127.0.0.1' : 'localhost'}:${port}`;
}

export interface FramePort extends AppPort {
  /** Takes the listener away. */
  close(): void;
}

/**
 * Speaks with the sandbox in a frame. `onRefused` hears, in a sentence, of what is dropped. The document is sent once: Apps,
 * Sandbox proxy.
 */
export function framePort(frame: HTMLIFrameElement, view: AppView, onRefused: (why: string) => void): FramePort {
  const origin = sandboxOrigin(view);
  const own = frame.contentWindow;
  let receive: ((message: unknown) => void) | undefined;
  let sent = false;
  if (own) frames.add(own);
  const post = (message: object): void => own?.postMessage(message, origin);

  function take({ source, origin: from, data }: MessageEvent<unknown>): void {
    // The page's own window: parts of the browser and of its extensions speak there.
    if (source === window) return;
    if (source !== own) {
      if (!frames.has(source as Window)) onRefused('A window that holds no app sent a message to the page.');
      return;
    }
    if (from !== origin) return onRefused(`The frame of the app has another origin now: ${from.slice(0, 100)}.`);
    const { method, params } = Object(data) as { readonly method?: unknown; readonly params?: unknown };
    if (typeof method !== 'string' || !method.startsWith('ui/notifications/sandbox-')) return receive?.(data);
    if (method === 'ui/notifications/sandbox-refused') return onRefused(`The sandbox: ${String((Object(params) as { readonly why?: unknown }).why).slice(0, 200)}.`);
    if (method !== 'ui/notifications/sandbox-proxy-ready' || sent) return onRefused('The sandbox sent what it must not send.');
    sent = true;
    const { html, meta } = view;
    // Nothing is granted: the policy of the sandbox forbids what an app may ask for.
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
