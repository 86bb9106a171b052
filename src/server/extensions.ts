import * as columns from '../protocol/columns.ts';
import { isExtensionId } from '../protocol/meta.ts';
import type { Catalogue } from './catalogue.ts';
import type { PlainContext } from './context.ts';
import type { Exchange } from './exchange.ts';
import { needExtension } from './extension.ts';
import type { ServerExtension, TellListeners } from './extension.ts';
import type { Agree, AnswerMethod, Feature } from './feature.ts';
import { internalsOf } from './internals.ts';
import type { ServerInternals } from './internals.ts';
import type { ServerCore } from './server-core.ts';

type Extension = ServerExtension<never>;
type Handler = (params: never, ctx: never) => unknown;

/** What extensions add to a server, as one feature of it. */
interface Extensions extends Feature {
  add(extension: Extension): void;
}

const known = new WeakMap<object, Extensions>();

/**
 * Adds an extension to a server, and returns what tells its listeners: see `ServerExtension`. Throws where its
 * identifier is malformed, or it, or something of it, is taken. `McpServer` has it as `extend`.
 */
export function extend<C extends PlainContext>(server: ServerCore<C>, extension: ServerExtension<C>): TellListeners {
  const { catalogue, hosting, changes } = internalsOf(server);
  let all = known.get(server);
  if (!all) {
    all = extensions(hosting);
    known.set(server, all);
    // What the server has itself goes first.
    catalogue.features.unshift(all);
  }
  all.add(extension);
  catalogue.changed();
  return (...what) => changes?.tell(...what);
}

function extensions(hosting: ServerInternals['hosting']): Extensions {
  // One map a namespace: an extension's method may be called like another's result type.
  const ids = new Map<string, Extension>();
  const methods = new Map<string, Extension>();
  const filters: Record<string, Agree> = {};
  const resultTypes = new Map<unknown, Extension>();
  const answer = (handler: Handler | undefined, extension?: Extension): AnswerMethod => (params, exchange) => {
    if (extension) needExtension(extension, exchange);
    return hosting.guard<unknown, object>(
      exchange, () => handler?.(params as never, exchange as never), (value) => value as object,
    );
  };
  hosting.isExtended = (value, exchange) => {
    const extension = resultTypes.get(value['resultType']);
    if (extension) needExtension(extension, exchange);
    return extension !== undefined;
  };
  return {
    filters,
    add(extension) {
      const { id, methods: own = {}, filters: agrees = {}, resultTypes: types = [] } = extension;
      // 2026-07-28 basic/versioning#extension-negotiation:
      // identifiers follow the rules of `_meta` keys, with a prefix.
      if (!isExtensionId(id)) throw new TypeError(`extension ${JSON.stringify(id)} is not a prefixed name`);
      const taken = [
        ...[id].filter((name) => ids.has(name)),
        ...Object.keys(own).filter((name) => methods.has(name)),
        ...Object.keys(agrees).filter((name) => Object.hasOwn(filters, name)),
        ...types.filter((name) => resultTypes.has(name)),
      ];
      if (taken.length > 0) throw new Error(`${taken[0]} is already registered`);
      ids.set(id, extension);
      for (const name of Object.keys(own)) methods.set(name, extension);
      for (const name of types) resultTypes.set(name, extension);
      for (const [name, agree] of Object.entries(agrees)) {
        filters[name] = (wanted, exchange) => {
          needExtension(extension, exchange);
          return agree(wanted, exchange);
        };
      }
    },
    capabilities(revision) {
      if (columns.extensions(revision)) {
        return { extensions: Object.fromEntries([...ids.values()].map(({ id, settings = {} }) => [id, settings])) };
      }
      return Object.assign({}, ...[...ids.values()].map(({ legacy }) => legacy?.capabilities(revision.version)));
    },
    methods({ era, version }) {
      const answers: Record<string, AnswerMethod> = {};
      if (era === 'modern') {
        for (const [name, extension] of methods) answers[name] = answer(extension.methods?.[name], extension);
        return answers;
      }
      for (const { legacy } of ids.values()) {
        if (!legacy?.capabilities(version)) continue;
        for (const [name, handler] of Object.entries(legacy.methods)) answers[name] = answer(handler);
      }
      return answers;
    },
    tailor: (capabilities, requester) => [...ids.values()].reduce(
      (left, { legacy }) => legacy?.tailor?.(left, requester) ?? left, capabilities,
    ),
    attach() {},
  };
}
