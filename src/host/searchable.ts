import { isObject } from '../jsonrpc/internal-exports.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../protocol/index.ts';

/** An item of a server that can be searched, under a name that is unique for its kind. */
export type Searchable =
  | { readonly name: string; readonly server: string; readonly tool: Tool }
  | { readonly name: string; readonly server: string; readonly prompt: Prompt }
  | { readonly name: string; readonly server: string; readonly resource: Resource }
  | { readonly name: string; readonly server: string; readonly template: ResourceTemplate };

/** A field of an item's text. */
export type Field = 'name' | 'title' | 'server' | 'summary' | 'description' | 'argument' | 'about argument';

/** The lists of a host's catalogue. */
export interface Listed {
  /** The tools, by their names in the catalogue. */
  tools(): readonly { readonly name: string; readonly server: string; readonly tool: Tool }[];
  /** The prompts, each with its server. */
  prompts(): readonly { readonly server: string; readonly item: Prompt }[];
  /** The resources, each with its server. */
  resources(): readonly { readonly server: string; readonly item: Resource }[];
  /** The templates of resources, each with its server. */
  templates(): readonly { readonly server: string; readonly item: ResourceTemplate }[];
}

/** Most arguments of a tool that are read. */
const maxArguments = 100;

/** All items of a host's catalogue: `searchables(await host.catalogue())`. Prompts and resources are named `server/name`. */
export function searchables(catalogue: Listed): Searchable[] {
  return [
    ...catalogue.tools(),
    ...catalogue.prompts().map(({ server, item: prompt }) => ({ name: `${server}/${prompt.name}`, server, prompt })),
    ...catalogue.resources().map(({ server, item: resource }) => ({ name: `${server}/${resource.uri}`, server, resource })),
    ...catalogue.templates().map(({ server, item: template }) => ({ name: `${server}/${template.uriTemplate}`, server, template })),
  ];
}

/** The text of each field. A server may send any value there; values that are not text are left out. */
export function fieldsOf(item: Searchable): [Field, string][] {
  const fields: [Field, unknown][] = [['server', item.server]];
  const described = (name: unknown, { title, description }: { title?: unknown; description?: unknown }): void => {
    const text = typeof description === 'string' ? description : '';
    // The first sentence says what it does; the rest is full of words about when not to use it.
    const end = /[.!?\n](?:\s|$)/.exec(text.slice(0, 500))?.index ?? 500;
    fields.push(['name', name], ['title', title], ['summary', text.slice(0, end)], ['description', text.slice(end)]);
  };
  if ('tool' in item) {
    const { tool } = item;
    described(tool.name, { title: tool.title ?? tool.annotations?.title, description: tool.description });
    const { properties } = tool.inputSchema;
    for (const [name, property] of Object.entries(isObject(properties) ? properties : {}).slice(0, maxArguments)) {
      fields.push(['argument', name]);
      if (isObject(property)) fields.push(['about argument', property['description']]);
    }
  } else if ('prompt' in item) {
    described(item.prompt.name, item.prompt);
    for (const { name, description } of (item.prompt.arguments ?? []).slice(0, maxArguments)) fields.push(['argument', name], ['about argument', description]);
  } else {
    const { name, title, description, mimeType, ...rest } = 'resource' in item ? item.resource : item.template;
    described(name, { title, description });
    fields.push(['argument', 'uri' in rest ? rest.uri : rest.uriTemplate], ['about argument', mimeType]);
  }
  return fields.filter((field): field is [Field, string] => typeof field[1] === 'string' && field[1] !== '');
}
