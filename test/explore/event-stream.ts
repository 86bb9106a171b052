import type { ScriptedRequest } from '../transport/http/scripted-request.ts';

/** An event as a client reads it. */
export interface Event {
  readonly id: string | undefined;
  readonly data: string;
}

/** The complete events of a response so far. An event that is cut in the middle is not counted. */
export function eventsOf(text: string): Event[] {
  return text.split('\n\n').slice(0, -1).map((block) => {
    const lines = block.split('\n');
    const field = (name: string): string | undefined => lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1).trim();
    return { id: field('id'), data: field('data') ?? '' };
  });
}

/** A client's stream: a POST or GET, and the GETs that resume it. */
export class EventStream {
  readonly name: string;
  request: ScriptedRequest;
  /** The process that its connection leads to, in a world with several processes. */
  at: string;
  /** Events that the client has read over earlier connections. */
  readonly read: Event[] = [];
  /** The client has not cut the connection. */
  connected = true;

  constructor(name: string, request: ScriptedRequest, at = '') {
    this.name = name;
    this.request = request;
    this.at = at;
  }

  get all(): readonly Event[] {
    return this.connected ? [...this.read, ...eventsOf(this.request.text)] : this.read;
  }

  get lastId(): string | undefined {
    return this.all.findLast(({ id }) => id !== undefined)?.id;
  }

  get messages(): string[] {
    return this.all.map(({ data }) => data).filter((data) => data !== '');
  }

  get isOpen(): boolean {
    return this.connected && this.request.stream === 'open';
  }

  /** True while the response has not begun. */
  get waits(): boolean {
    return this.connected && this.request.status === undefined && this.request.stream === undefined;
  }

  /** Breaks the connection. `lost`: the number of events that were written but never reached the client. */
  cut(lost: number): void {
    const events = eventsOf(this.request.text);
    this.read.push(...events.slice(0, Math.max(0, events.length - lost)));
    this.connected = false;
    this.request.leave();
  }

  /** Reconnects with another request. */
  goOn(request: ScriptedRequest, at = ''): void {
    this.request = request;
    this.at = at;
    this.connected = true;
  }
}

/** Checks that each event comes once and on one stream, that the numbers in a stream only grow, and that each request is answered once. */
export function checkEvents(streams: readonly EventStream[]): void {
  const ids = new Map<string, string>();
  for (const one of streams) {
    const own = new Set<string>();
    const last = new Map<string, number>();
    for (const { id } of one.all) {
      if (id === undefined) continue;
      if (own.has(id)) throw new Error(`${one.name}: the event ${id} came twice`);
      own.add(id);
      const other = ids.get(id);
      if (other !== undefined && other !== one.name) throw new Error(`the event ${id} came on ${other} and on ${one.name}`);
      ids.set(id, one.name);
      const at = id.lastIndexOf('-');
      const [stream, number] = [id.slice(0, at), Number(id.slice(at + 1))];
      const before = last.get(stream) ?? -1;
      if (number <= before) throw new Error(`${one.name}: event ids do not grow: ${number} after ${before}`);
      last.set(stream, number);
    }
    if (one.request.answers > 1) throw new Error(`${one.name}: its request was answered ${one.request.answers} times`);
  }
}

/**
 * Checks that the messages of a call's stream are a prefix of one of `orders`. `word` names each message; `again`: a message may come
 * twice.
 */
export function checkOrder(stream: EventStream, orders: readonly string[], word: (message: Said) => string, again = false): void {
  const words = stream.messages.map((text) => word(JSON.parse(text) as Said));
  const said = (again ? words.filter((one, at) => words.indexOf(one) === at) : words).join();
  if (!orders.some((order) => order.startsWith(said))) throw new Error(`the stream of ${stream.name} carries ${words.join()}`);
}

/** A server's message, with the fields that the worlds read. */
export interface Said {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly progress?: number };
  readonly result?: object;
  readonly error?: { readonly message: string };
}
