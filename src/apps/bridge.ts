import { systemClock } from '../bounds/clock.ts';
import type { Clock, Timer } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import { quote } from '../bounds/quote.ts';
import { weighValue } from '../bounds/weight.ts';
import { errorMessage, invalidParams, invalidRequestCode, isObject, toError } from '../jsonrpc/internal-exports.ts';
import { decode, RpcError } from '../jsonrpc/index.ts';
import type { RequestId } from '../jsonrpc/index.ts';
import { checkInfo, isImplementation } from '../protocol/internal-exports.ts';
import type { CallToolResult, Implementation, Tool } from '../protocol/index.ts';
import { cspShape } from './content-security-policy.ts';
import type { AppCsp } from './content-security-policy.ts';
import { permissionsShape } from './resource-meta.ts';
import type { AppPermissions } from './resource-meta.ts';
import { answerView, handlersShape, refusedByHost } from './view-requests.ts';
import type { AppDisplayMode, AppHandlers } from './view-requests.ts';

/** The revision of the dialect. */
export const appProtocolVersion = '2026-01-26';

/** The connection to an app, such as the frame that holds it. The host makes it, and checks who sent a message. */
export interface AppPort {
  /** Sends one message. */
  post(message: object): void;
  /** Calls `receive` with each message of the app, valid or not. Returns a function that stops this. */
  listen(receive: (message: unknown) => void): () => void;
}

/** The surroundings of an app. It may have more members. */
export interface AppHostContext {
  readonly toolInfo?: { readonly id?: RequestId; readonly tool: Tool };
  readonly theme?: 'light' | 'dark';
  readonly styles?: { readonly variables?: Readonly<Record<string, string>>; readonly css?: { readonly fonts?: string } };
  readonly displayMode?: AppDisplayMode;
  readonly availableDisplayModes?: readonly AppDisplayMode[];
  /** `height`, `width`: fixed. `maxHeight`, `maxWidth`: the app decides, up to this size. */
  readonly containerDimensions?: { readonly height?: number; readonly maxHeight?: number; readonly width?: number; readonly maxWidth?: number };
  readonly locale?: string;
  readonly timeZone?: string;
  readonly userAgent?: string;
  readonly platform?: 'web' | 'desktop' | 'mobile';
  readonly [other: string]: unknown;
}

/** Limits on an app. */
export interface AppLimits {
  /** Memory of one message, as `weighValue` counts it. 4 MiB. */
  readonly maxMessageBytes: number;
  /** Unanswered requests of the app. 32. */
  readonly maxInFlight: number;
  /** Messages in a second; an app that sends more is ended. 500. */
  readonly maxMessagesPerSecond: number;
  /** Bad messages in all; an app that sends more is ended. 100. */
  readonly maxFaults: number;
  /** How long the app may take to end. 2 seconds. */
  readonly teardownMs: number;
}

/** Defaults of `AppLimits`. */
export const defaultAppLimits: AppLimits = {
  maxMessageBytes: 4_194_304, maxInFlight: 32, maxMessagesPerSecond: 500, maxFaults: 100, teardownMs: 2_000,
};

/** The options of `appBridge`. */
export interface AppBridgeOptions {
  /** The host's name and version, for the app. */
  readonly info: Implementation;
  readonly context?: AppHostContext;
  /** The part of the app's declarations that the host applied. */
  readonly sandbox?: { readonly csp?: AppCsp; readonly permissions?: AppPermissions };
  readonly handlers?: AppHandlers;
  /** Called when the app is ready. */
  readonly onInitialized?: (app: Implementation) => void;
  /** Called when the app wants this size, in pixels. The host keeps the size within its own bounds. */
  readonly onSize?: (size: { readonly width?: number; readonly height?: number }) => void;
  /** Called for each `notifications/message` of the app. */
  readonly onLog?: (message: { readonly level: string; readonly data: unknown }) => void;
  /** Called when the app asks to be ended. */
  readonly onRequestTeardown?: () => void;
  /** Called with each request of the app before it is handled: for a log. */
  readonly onRequest?: (method: string, params: Readonly<Record<string, unknown>>) => void;
  /** Called for a refused, failed or malformed request of the app, with a sentence for the person. */
  readonly onRefused?: (why: string) => void;
  /** Called when the app exceeded `limits`. Nothing from it is read any more: remove it. */
  readonly onEnded?: (why: string) => void;
  readonly limits?: Partial<AppLimits>;
  /** Gives the time. Default: the runtime's clock. */
  readonly clock?: Clock;
}

/** One app and its host. Messages to the app are queued until it is ready. */
export interface AppBridge {
  /** The app's name and version, once it has sent `ui/initialize`. */
  readonly app: Implementation | undefined;
  /** Sends the arguments of the call, as far as a model has written them. Does nothing after `toolInput`. */
  toolInputPartial(args: Readonly<Record<string, unknown>>): void;
  /** Sends the arguments of the call that the app is shown for. Only the first call has an effect. */
  toolInput(args: Readonly<Record<string, unknown>>): void;
  /** Sends the result of that call; before it, empty arguments if there were none. */
  toolResult(result: CallToolResult): void;
  /** Tells the app that the call was cancelled. */
  toolCancelled(reason: string): void;
  /** Sends changed members of the context. */
  contextChanged(changes: AppHostContext): void;
  /** Tells the app that it ends, waits at most `teardownMs` for its answer, and closes the bridge. Never rejects. */
  teardown(reason: string): Promise<void>;
  /** Stops reading, and aborts pending requests. */
  close(): void;
}

/**
 * Connects to an app over a port: the host's side of the dialect of Apps (JSON-RPC over `postMessage`). It has no frame and no window: the
 * port checks who sent a message before it passes it on. Throws a TypeError for a wrong option.
 */
export function appBridge(port: AppPort, options: AppBridgeOptions): AppBridge {
  checkOptions('appBridge: options', options, {
    info: 'object', context: 'object', sandbox: { csp: cspShape, permissions: permissionsShape }, handlers: handlersShape, onInitialized: 'function', onSize: 'function', onLog: 'function',
    onRequestTeardown: 'function', onRequest: 'function', onRefused: 'function', onEnded: 'function', limits: defaultAppLimits, clock: 'object',
  });
  checkInfo('appBridge: options.info', options.info);
  return new ConnectedApp(port, options);
}

const teardownId = 'barewire-teardown';

/** The capabilities that follow from the host's handlers and options. Apps, Host Capabilities. */
function capabilitiesOf({ handlers: { callTool, readResource, openLink, message, updateModelContext } = {}, sandbox, onLog }: AppBridgeOptions): object {
  return {
    ...callTool && { serverTools: {} },
    ...readResource && { serverResources: {} },
    ...openLink && { openLinks: {} },
    ...message && { message: { text: {} } },
    ...updateModelContext && { updateModelContext: { text: {}, structuredContent: {} } },
    ...onLog && { logging: {} },
    ...sandbox && { sandbox },
  };
}

class ConnectedApp implements AppBridge {
  app: Implementation | undefined;
  readonly #port: AppPort;
  readonly #options: AppBridgeOptions;
  readonly #limits: AppLimits;
  readonly #clock: Clock;
  readonly #running = new Map<RequestId, AbortController>();
  readonly #stop: () => void;
  #context: AppHostContext;
  #state: 'new' | 'answered' | 'ready' | 'closed' = 'new';
  #supported: readonly unknown[] | undefined;
  #waiting: object[] = [];
  #input: 'none' | 'partial' | 'whole' = 'none';
  #faults = 0;
  #second = { began: -Infinity, count: 0 };
  #tornDown: (() => void) | undefined;
  /** Pending until the app has ended. */
  #ending: Promise<void> | undefined;

  constructor(port: AppPort, options: AppBridgeOptions) {
    this.#port = port;
    this.#options = options;
    this.#limits = { ...defaultAppLimits, ...options.limits };
    this.#clock = options.clock ?? systemClock;
    this.#context = options.context ?? {};
    this.#stop = port.listen((message) => this.#take(message));
  }

  // ---- from the app

  #take(value: unknown): void {
    if (this.#state === 'closed' || this.#isFlood()) return;
    const { maxMessageBytes } = this.#limits;
    const weight = weighValue(value, { maxValues: 100_000, maxDepth: 100 });
    if (typeof weight === 'object' || weight > maxMessageBytes) {
      const over = typeof weight === 'object' ? weight.over : `${maxMessageBytes} bytes`;
      return this.#malformed(`a message exceeds ${over}`, isObject(value) ? value['id'] : undefined);
    }
    let text: string | undefined;
    try {
      // A structured clone may hold values that JSON lacks, and names of a prototype's members. As text it is read like any message.
      text = JSON.stringify(value) as string | undefined;
    } catch (thrown) {
      return this.#malformed(`a message is not JSON: ${errorMessage(thrown)}`, undefined);
    }
    const decoded = decode(text ?? '');
    switch (decoded.kind) {
      case 'request':
        return void this.#request(decoded.message.id, decoded.message.method, paramsOf(decoded.message.params));
      case 'notification':
        return this.#notified(decoded.message.method, paramsOf(decoded.message.params));
      case 'success':
      case 'failure':
        if (decoded.message.id === teardownId && this.#tornDown) return this.#tornDown();
        return this.#malformed(`an answer has the id ${quote(decoded.message.id)}, which no open request has`, undefined);
      case 'batch':
        return this.#malformed('a message is a batch', undefined);
      default:
        return this.#malformed(`a message is not JSON-RPC: ${decoded.error.message}`, decoded.id);
    }
  }

  /** Counts the messages of this second, and ends an app that sends too many. */
  #isFlood(): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#second.began >= 1000) this.#second = { began: now, count: 0 };
    if (++this.#second.count <= this.#limits.maxMessagesPerSecond) return false;
    this.#end(`the app sent more than ${this.#limits.maxMessagesPerSecond} messages in a second`);
    return true;
  }

  #malformed(why: string, id: unknown): void {
    this.#refused(why);
    if (typeof id === 'string' || typeof id === 'number') this.#fail(id, new RpcError(invalidRequestCode, why));
    if (++this.#faults > this.#limits.maxFaults) this.#end(`the app sent more than ${this.#limits.maxFaults} bad messages`);
  }

  #refused(why: string): void {
    this.#options.onRefused?.(why);
  }

  #end(why: string): void {
    if (this.#state === 'closed') return;
    // Do not wait for its answer: nothing from this app is read any more.
    if (this.#state === 'ready' && !this.#ending) this.#tellEnd(why);
    this.close();
    this.#options.onEnded?.(why);
  }

  async #request(id: RequestId, method: string, params: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#running.has(id)) return this.#malformed(`the id ${quote(id)} waits for its answer`, undefined);
    if (this.#running.size >= this.#limits.maxInFlight) return this.#malformed(`more than ${this.#limits.maxInFlight} requests wait`, id);
    if (method === 'ui/initialize') return this.#initialize(id, params);
    if (this.#state !== 'ready' && method !== 'ping') return this.#malformed(`${quote(method)} came before ui/notifications/initialized`, id);
    const stop = new AbortController();
    this.#running.set(id, stop);
    this.#options.onRequest?.(method, params);
    try {
      const { displayMode = 'inline' } = this.#context;
      const result = await answerView(method, params, this.#options.handlers ?? {}, stop.signal, { current: displayMode, supported: this.#supported });
      if (method === 'ui/request-display-mode') this.#context = { ...this.#context, displayMode: (result as { mode: AppDisplayMode }).mode };
      this.#post({ jsonrpc: '2.0', id, result });
    } catch (thrown) {
      this.#refused(`${quote(method)}: ${toError(thrown).message}`);
      this.#fail(id, thrown);
    } finally {
      this.#running.delete(id);
    }
  }

  #initialize(id: RequestId, { appInfo, appCapabilities, protocolVersion }: Readonly<Record<string, unknown>>): void {
    if (this.#state !== 'new') return this.#malformed('ui/initialize came twice', id);
    // Apps, App Capabilities: the app must include its capabilities.
    if (!isImplementation(appInfo) || !isObject(appCapabilities) || typeof protocolVersion !== 'string') {
      return this.#malformed(invalidParams('appInfo, appCapabilities and protocolVersion are required').message, id);
    }
    const { availableDisplayModes: modes } = appCapabilities;
    this.#supported = Array.isArray(modes) ? modes : undefined;
    this.app = appInfo;
    this.#state = 'answered';
    this.#post({
      jsonrpc: '2.0', id,
      result: { protocolVersion: appProtocolVersion, hostInfo: this.#options.info, hostCapabilities: capabilitiesOf(this.#options), hostContext: this.#context },
    });
  }

  #notified(method: string, params: Readonly<Record<string, unknown>>): void {
    const { onInitialized, onSize, onLog, onRequestTeardown } = this.#options;
    switch (method) {
      case 'ui/notifications/initialized': {
        if (this.#state !== 'answered' || !this.app) return this.#malformed('ui/notifications/initialized came without ui/initialize', undefined);
        this.#state = 'ready';
        onInitialized?.(this.app);
        for (const message of this.#waiting.splice(0)) this.#post(message);
        return;
      }
      case 'ui/notifications/size-changed': {
        const size = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 100_000;
        const { width, height } = params;
        return onSize?.({ ...size(width) && { width }, ...size(height) && { height } });
      }
      case 'notifications/message':
        return onLog?.({ level: String(params['level']).slice(0, 20), data: params['data'] });
      case 'ui/notifications/request-teardown':
        return onRequestTeardown?.();
      case 'notifications/cancelled':
        return this.#running.get(params['requestId'] as RequestId)?.abort(new RpcError(refusedByHost, 'the app cancelled it'));
      default:
        return this.#malformed(`the notification ${quote(method)} is unknown`, undefined);
    }
  }

  // ---- to the app

  #post(message: object): void {
    if (this.#state !== 'closed') this.#port.post(message);
  }

  #fail(id: RequestId, thrown: unknown): void {
    const { code, message, data } = thrown instanceof RpcError ? thrown : { code: refusedByHost, message: toError(thrown).message, data: undefined };
    this.#post({ jsonrpc: '2.0', id, error: { code, message, ...data !== undefined && { data } } });
  }

  /** Apps, Sandbox proxy: nothing is sent to the app before it is ready. */
  #notify(method: string, params: object): void {
    const message = { jsonrpc: '2.0', method, params };
    if (this.#state === 'ready') this.#post(message);
    else if (this.#state !== 'closed') this.#waiting.push(message);
  }

  toolInputPartial(args: Readonly<Record<string, unknown>>): void {
    if (this.#input === 'whole') return;
    this.#input = 'partial';
    this.#notify('ui/notifications/tool-input-partial', { arguments: args });
  }

  toolInput(args: Readonly<Record<string, unknown>>): void {
    if (this.#input === 'whole') return;
    this.#input = 'whole';
    // Partial arguments in the queue are useless once the whole arguments follow.
    this.#waiting = this.#waiting.filter((one) => !('method' in one && one.method === 'ui/notifications/tool-input-partial'));
    this.#notify('ui/notifications/tool-input', { arguments: args });
  }

  toolResult(result: CallToolResult): void {
    // Apps, tool-input: required before the result.
    this.toolInput({});
    this.#notify('ui/notifications/tool-result', result);
  }

  toolCancelled(reason: string): void {
    this.#notify('ui/notifications/tool-cancelled', { reason });
  }

  contextChanged(changes: AppHostContext): void {
    this.#context = { ...this.#context, ...changes };
    // An app without an answer to `ui/initialize` gets the whole context with that answer.
    if (this.#state !== 'new') this.#notify('ui/notifications/host-context-changed', changes);
  }

  async teardown(reason: string): Promise<void> {
    // A second call waits for the same answer.
    if (this.#state === 'ready') await (this.#ending ??= this.#untilEnded(reason));
    this.close();
  }

  async #untilEnded(reason: string): Promise<void> {
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.#tornDown = resolve;
      timer = this.#clock.after(this.#limits.teardownMs, resolve);
      this.#tellEnd(reason);
    });
    timer?.stop();
  }

  /** Apps, ui/resource-teardown: an app is told before it ends, whatever the reason. */
  #tellEnd(reason: string): void {
    this.#post({ jsonrpc: '2.0', id: teardownId, method: 'ui/resource-teardown', params: { reason } });
  }

  close(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#waiting = [];
    this.#stop();
    this.#tornDown?.();
    for (const stop of this.#running.values()) stop.abort(new RpcError(refusedByHost, 'the app was ended'));
    this.#running.clear();
  }
}

const paramsOf = (params: unknown): Readonly<Record<string, unknown>> => (isObject(params) ? params : {});
