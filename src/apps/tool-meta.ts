import { isObject } from '../jsonrpc/internal-exports.ts';
import type { Tool } from '../protocol/index.ts';

/** Who may call a tool: a model, or an app of the same server. */
export type AppVisibility = 'model' | 'app';

/** `_meta.ui` of a tool. */
export interface AppToolMeta {
  /** The URI of the app that shows the tool's results. */
  readonly resourceUri?: string;
  /** Default: `["model", "app"]`. */
  readonly visibility?: readonly AppVisibility[];
}

const own = (value: unknown, name: string): unknown => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined);

/** Whether this is the URI of an app. Apps, Content Requirements: it starts with `ui://`. */
export const isAppUri = (uri: unknown): uri is string => typeof uri === 'string' && /^ui:\/\/[^\s\\]+$/.test(uri) && uri.length <= 2048;

/** The URI of the app that shows a tool's results; undefined if the tool has no app, or a URI that no app can have. */
export function appOf({ _meta }: Pick<Tool, '_meta'>): string | undefined {
  const ui = own(_meta, 'ui');
  // The flat key is deprecated, but still in use. Apps, Resource Discovery.
  const uri = own(ui, 'resourceUri') ?? own(_meta, 'ui/resourceUri');
  return isAppUri(uri) ? uri : undefined;
}

/**
 * Whether a tool is visible to models, or to apps. Apps, Visibility: without `visibility`, to both. A value that is not a list makes it
 * visible to neither, since its author wanted to hide it from somebody.
 */
export function isVisibleTo({ _meta }: Pick<Tool, '_meta'>, who: AppVisibility): boolean {
  const visibility = own(own(_meta, 'ui'), 'visibility');
  return visibility === undefined || (Array.isArray(visibility) && visibility.includes(who));
}
