import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { quote } from '../bounds/quote.ts';
import { decodeUtf8, fromBase64, isObject } from '../jsonrpc/internal-exports.ts';
import type { ReadResourceResult, Resource } from '../protocol/index.ts';
import { AppError, appMimeType } from './extension.ts';
import { readAppMeta } from './resource-meta.ts';
import type { ReadAppMeta } from './resource-meta.ts';
import { isAppUri } from './tool-meta.ts';

/** The options of `loadApp`. */
export interface LoadAppOptions {
  /** The listed resource, if it was listed: its `_meta` counts if the read content has none. */
  readonly listed?: Pick<Resource, 'uri' | '_meta'>;
  /** Which declared origins the policy may contain. Default: all. */
  readonly allows?: (origin: string) => boolean;
  /** Most bytes of the document. 8 MiB. */
  readonly maxBytes?: number;
}

const shape: Shape<LoadAppOptions> = { listed: 'object', allows: 'function', maxBytes: 'number' };

/** The document of an app, read and checked. */
export interface LoadedApp extends ReadAppMeta {
  readonly uri: string;
  readonly html: string;
}

/** Whether a text begins like an HTML document: with a document type or one of its first elements, after comments and white space. */
function beginsAsHtml(html: string): boolean {
  let rest = html.slice(0, 10_000).trimStart();
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->', 4);
    if (end < 0) return false;
    rest = rest.slice(end + 3).trimStart();
  }
  return /^<(?:!doctype\s+html|html|head|body)[\s>]/i.test(rest);
}

/**
 * Reads the document of an app by `resources/read`, and checks it: Apps, Content Requirements. `read` sends the request, such as
 * `(uri) => client.readResource(uri)`. Rejects with an `AppError` if the document must not be shown.
 */
export async function loadApp(read: (uri: string) => Promise<ReadResourceResult>, uri: string, options: LoadAppOptions = {}): Promise<LoadedApp> {
  checkOptions('loadApp: options', options, shape);
  const { listed, allows, maxBytes = 8_388_608 } = options;
  if (!isAppUri(uri)) throw new AppError('uri', `${quote(uri)} is not the URI of an app: it must begin with ui://`);
  const { contents } = await read(uri);
  const found = contents.filter((one) => one.uri === uri);
  const [content] = found;
  if (!content || found.length > 1) throw new AppError('content', `${quote(uri)} has ${found.length} contents, expected one`);
  if (content.mimeType !== appMimeType) throw new AppError('mime-type', `${quote(uri)} has the type ${quote(content.mimeType)}, expected ${appMimeType}`);
  const html = htmlOf(content, uri, maxBytes);
  if (!beginsAsHtml(html)) throw new AppError('content', `${quote(uri)} does not begin as an HTML document does`);
  const own = isObject(content._meta) && Object.hasOwn(content._meta, 'ui') ? content._meta : listed?.uri === uri ? listed._meta : undefined;
  return { uri, html, ...readAppMeta(own, allows) };
}

function htmlOf(content: ReadResourceResult['contents'][number], uri: string, maxBytes: number): string {
  const tooLarge = (): AppError => new AppError('too-large', `${quote(uri)} has more than ${maxBytes} bytes`);
  if ('text' in content && typeof content.text === 'string') {
    // A character takes one to three bytes of UTF-8.
    if (content.text.length > maxBytes || new TextEncoder().encode(content.text).length > maxBytes) throw tooLarge();
    return content.text;
  }
  if (!('blob' in content) || typeof content.blob !== 'string') throw new AppError('unreadable', `${quote(uri)} has neither text nor bytes`);
  if (content.blob.length > maxBytes / 3 * 4 + 4) throw tooLarge();
  const bytes = fromBase64(content.blob);
  try {
    if (bytes) return decodeUtf8(bytes);
  } catch {
    // Not UTF-8.
  }
  throw new AppError('unreadable', `${quote(uri)} is not Base64 of UTF-8`);
}
