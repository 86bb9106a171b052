import { compile } from '../schema/compile.ts';
import type { Implementation } from '../protocol/initialize.ts';
import { ServerCore } from './server-core.ts';
import type { ServerOptions } from './server-core.ts';

/**
 * A server of the Model Context Protocol, for all revisions and any number of clients at once. Arguments and
 * structured results are judged by barewire's own JSON Schema validator, unless `options.validator` is another one;
 * use `ServerCore` to leave it out of a bundle.
 */
export class McpServer extends ServerCore {
  constructor(info: Implementation, options: ServerOptions = {}) {
    super(info, { validator: (schema) => compile(schema), ...options });
  }
}
