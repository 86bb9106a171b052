// An open app: its declaration, its frame, the link that it wants to open, and a log of its actions.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { appBridge, permissionsPolicy } from 'barewire/apps';
import type { AppBridge } from 'barewire/apps';
import { RpcError } from 'barewire/jsonrpc';
import type { CallToolResult } from 'barewire/protocol';
import type { AppView } from '../../messages.ts';
import { useState } from '../context.ts';
import type { State } from '../state.ts';
import { Safe } from '../parts/safe-text.tsx';
import { framePort, sandboxOrigin } from './frame-port.ts';

/** The most log lines, and the limits of the frame's height in pixels. */
const maxLines = 100;
const [lowest, highest] = [60, 800];
const drawnAfterMs = 50;

interface Line {
  readonly at: number;
  readonly text: string;
  readonly refused: boolean;
}

interface Asked {
  readonly url: URL;
  answer(open: boolean): void;
}

export function AppFrame({ server, view, onDone }: { readonly server: string; readonly view: AppView; readonly onDone: () => void }): JSX.Element {
  const state = useState();
  const frame = useRef<HTMLIFrameElement>(null);
  const bridge = useRef<AppBridge | undefined>(undefined);
  const lines = useSignal<readonly Line[]>([]);
  const waiting = useRef(false);
  const height = useSignal(300);
  const asked = useSignal<Asked | undefined>(undefined);
  const ended = useSignal('');
  const written = useRef<Line[]>([]);
  const tell = (text: string, refused: boolean): void => {
    const { current } = written;
    current.push({ at: (current.at(-1)?.at ?? 0) + 1, text: text.slice(0, 500), refused });
    if (current.length > maxLines) current.shift();
    // Lines are rendered together, so that an app with many messages does not block the page.
    if (waiting.current) return;
    waiting.current = true;
    setTimeout(() => {
      waiting.current = false;
      lines.value = [...current];
    }, drawnAfterMs);
  };

  useEffect(() => {
    const shown = frame.current;
    if (!shown) return undefined;
    const port = framePort(shown, view, (why) => tell(why, true));
    // Apps, Container Dimensions: the frame has the width of the page and the height that the app requests, within limits.
    const dimensions = (): { readonly width: number; readonly maxHeight: number } => ({ width: shown.clientWidth, maxHeight: highest });
    const made = appBridge(port, {
      info: { name: 'barewire-page', version: state.welcome.peek()?.barewire ?? '' },
      context: {
        toolInfo: { tool: view.tool }, theme: document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light', displayMode: 'inline', availableDisplayModes: ['inline'],
        containerDimensions: dimensions(), locale: navigator.language, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone, platform: 'web', userAgent: 'barewire-page',
      },
      sandbox: { csp: view.meta.csp ?? {}, permissions: {} },
      handlers: {
        callTool: (name, args, signal) => callOf(state, view.app, name, args, signal),
        readResource: (uri, signal) => state.link.act('app.read', { app: view.app, uri }, signal),
        openLink: (url, signal) => new Promise((resolve, reject) => {
          if (asked.peek()) throw new Error('another link waits for the person');
          const answer = (open: boolean): void => {
            asked.value = undefined;
            if (open) resolve();
            else reject(new Error('the person did not open it'));
          };
          signal.addEventListener('abort', () => answer(false), { once: true });
          asked.value = { url, answer };
        }),
      },
      onInitialized: ({ name, version }) => tell(`The app is ready: ${name} ${version}`, false),
      onSize: (size) => { if (size.height !== undefined) height.value = Math.min(highest, Math.max(lowest, Math.ceil(size.height))); },
      onLog: ({ level, data }) => tell(`${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}`, false),
      onRequest: (method, params) => tell(`It asks for ${method} ${String(params['name'] ?? params['uri'] ?? params['url'] ?? '')}`, false),
      onRequestTeardown: () => void close('the app asked for it'),
      onRefused: (why) => tell(`Refused: ${why}`, true),
      onEnded: (why) => {
        tell(`Ended: ${why}`, true);
        ended.value = why;
      },
    });
    bridge.current = made;
    let width = shown.clientWidth;
    const sizes = new ResizeObserver(() => {
      if (shown.clientWidth === width) return;
      width = shown.clientWidth;
      made.contextChanged({ containerDimensions: dimensions() });
    });
    sizes.observe(shown);
    made.toolInput(view.args);
    // Apps, Lifecycle: the view may be ready before its call has ended.
    let told = false;
    const ends = state.calls.subscribe((calls) => {
      const call = calls.get(String(view.call));
      if (told || !call || call.endedAt === null) return;
      told = true;
      if (call.state === 'done') made.toolResult(call.result as CallToolResult);
      else made.toolCancelled((call.failure?.message ?? call.state).slice(0, 1_000));
    });
    return () => {
      ends();
      sizes.disconnect();
      // Apps, ui/resource-teardown: sent for any reason. The frame is removed with this component, so the answer is not awaited.
      void made.teardown('the page shows something else');
      made.close();
      port.close();
      asked.peek()?.answer(false);
      state.link.act('app.close', { app: view.app }).catch(() => {});
    };
  }, []);

  // Logs what the browser blocked.
  useEffect(() => state.appRefused.subscribe((one) => { if (one?.app === view.app) tell(`Refused: ${one.what}`, true); }), []);

  const close = async (reason: string): Promise<void> => {
    await bridge.current?.teardown(reason);
    onDone();
  };
  const { csp = {}, permissions, domain } = view.meta;
  const domains = [...new Set(Object.values(csp).flat())];
  const wants = permissionsPolicy(permissions);
  return (
    <>
      <p class="row wrap"><span class="badge">sandbox</span> <span>This part is made by the server <strong><Safe text={server} most={100} /></strong>: <code><Safe text={view.uri} most={200} /></code>.</span>
        <span class="spring" /><button type="button" class="small" onClick={() => void close('the person closed it')}>Close the app</button></p>
      <p class="hint">{domains.length === 0 ? 'It declares no domain, and reaches none.' : <>It reaches these domains: <Safe text={domains.join(', ')} most={2_000} /></>}
        {wants !== '' && ` It asks for ${wants}, which this page does not grant.`}{domain !== undefined && ' It asks for its own origin, which this page does not give.'}</p>
      {view.faults.length > 0 && <ul class="problems" aria-label="Left out of its declaration">{view.faults.map((fault, at) => <li key={at}><Safe text={fault} most={500} /></li>)}</ul>}
      {asked.value && (
        <div class="note" role="alertdialog" aria-label="Open a link">
          <p>The app wants to open <strong><Safe text={asked.value.url.host} most={200} /></strong>: <code><Safe text={asked.value.url.href} most={2_000} /></code></p>
          <div class="row"><a class="button" href={asked.value.url.href} target="_blank" rel="noopener noreferrer" onClick={() => asked.peek()?.answer(true)}>Open it</a>
            <button type="button" class="danger" onClick={() => asked.peek()?.answer(false)}>Do not open it</button></div>
        </div>
      )}
      {ended.value === ''
        ? <iframe ref={frame} class={view.meta.prefersBorder === false ? 'app-frame plain' : 'app-frame'} title={`App ${view.uri}`.slice(0, 200)} src={`${sandboxOrigin(view)}${view.path}`}
          sandbox="allow-scripts allow-same-origin" allow="" referrerpolicy="no-referrer" height={height.value} />
        : <p class="problems" role="alert">The app was ended: <Safe text={ended.value} most={500} /></p>}
      <details class="section" open>
        <summary>What the app did ({lines.value.length})</summary>
        <ul aria-label="What the app did">{lines.value.map(({ at, text, refused }) => <li key={at} class={refused ? 'problems' : ''}><Safe text={text} most={500} /></li>)}</ul>
      </details>
    </>
  );
}

/** Runs a call on request of the app. Returns its result, or throws an `RpcError` for the app. */
async function callOf(state: State, app: string, name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallToolResult> {
  const { result, failure } = await state.link.act('app.call', { app, name, args }, signal);
  if (failure) throw new RpcError(typeof failure.code === 'number' ? failure.code : -32000, failure.message);
  return result as CallToolResult;
}

