// The parts of packages not installed here that the documents use, so that their snippets can be type-checked. It is not checked
// that the packages match.
declare module 'express' {
  import type { IncomingMessage, ServerResponse } from 'node:http';
  type Handler = (req: IncomingMessage & { body?: unknown }, res: ServerResponse) => void;
  function express(): { all(path: string, handler: Handler): void; use(handler: Handler): void; listen(port: number, host?: string): void };
  namespace express { function json(): Handler; }
  export default express;
}
declare module 'fastify' {
  import type { IncomingMessage, ServerResponse } from 'node:http';
  interface Request { readonly raw: IncomingMessage; readonly body: unknown }
  interface Reply { readonly raw: ServerResponse; hijack(): void }
  export default function fastify(): {
    all(path: string, handler: (request: Request, reply: Reply) => void): void;
    listen(options: { port: number }): Promise<string>;
  };
}
declare module 'hono' {
  export class Hono {
    all(path: string, handler: (c: { req: { raw: Request } }) => Promise<Response>): void;
  }
}
declare module 'zod' {
  import type { StandardSchema } from 'barewire/schema';
  type Schema<T> = StandardSchema<T> & { readonly __value?: T };
  export const z: {
    object<S extends Record<string, Schema<unknown>>>(shape: S):
      Schema<{ [K in keyof S]: S[K] extends Schema<infer T> ? T : never }>;
    string(): Schema<string>;
    number(): Schema<number>;
  };
}
