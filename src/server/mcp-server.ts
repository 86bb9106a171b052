import { compile } from '../schema/compile.ts';
import type { Implementation } from '../protocol/initialize.ts';
import { asking } from './asking.ts';
import { Completion } from './completion.ts';
import type { Context } from './context.ts';
import { Prompts } from './prompts.ts';
import type { AddPrompt } from './prompts.ts';
import type { RequestStateOptions } from './modern/request-state.ts';
import { Resources } from './resources.ts';
import type { AddResource, AddResourceTemplate } from './resources.ts';
import { ServerCore } from './server-core.ts';
import type { CoreOptions } from './server-core.ts';
import { Tools } from './tools.ts';
import type { AddTool } from './tools.ts';

export interface ServerOptions extends Omit<CoreOptions<Context>, 'asking'> {
  /** How the state of questions is sealed (2026-07-28). */
  readonly requestState?: RequestStateOptions;
}

/**
 * A server of the Model Context Protocol, with all it has, for all revisions and any number of clients at
 * once. Arguments and structured results are judged by barewire's own JSON Schema validator, unless
 * `options.validator` is another one. What is to stay small is put together from `ServerCore` and the
 * features that it needs.
 */
export class McpServer extends ServerCore<Context> {
  /** Registers a tool. Throws where the name is taken, or a schema is none. server/tools. */
  readonly tool: AddTool<Context>;
  /** Registers a resource. Throws where the URI is taken. server/resources. */
  readonly resource: AddResource<Context>;
  /** Registers a family of resources by RFC 6570 template. server/resources#resource-templates. */
  readonly resourceTemplate: AddResourceTemplate<Context>;
  /** Registers a prompt. Throws where the name is taken. server/prompts. */
  readonly prompt: AddPrompt<Context>;

  constructor(info: Implementation, { requestState, ...options }: ServerOptions = {}) {
    super(info, { validator: compile, asking: asking(requestState), ...options });
    const resources = new Resources(this);
    const prompts = new Prompts(this);
    new Completion(this, prompts, resources);
    this.tool = new Tools(this).add;
    this.resource = resources.add;
    this.resourceTemplate = resources.addTemplate;
    this.prompt = prompts.add;
  }
}
