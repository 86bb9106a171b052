// The steps of each client program of the league: it lists and uses every feature that the server declares, and answers its
// requests. `client` has a function for each step that its SDK supports; other steps are left out.

/** A value that fits a schema of a hidden server: its `const`, `default` or first choice, or a minimal value of its type. */
export function valueOf(schema = {}) {
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  switch (schema.type) {
    case 'object': return argumentsOf(schema);
    case 'array': return [];
    case 'integer': case 'number': return 2;
    case 'boolean': return true;
    case 'null': return null;
    default: return 'Ada';
  }
}

/** Arguments with the required members of a schema. */
export const argumentsOf = ({ properties = {}, required = [] } = {}) => Object.fromEntries(required.map((name) => [name, valueOf(properties[name])]));

/** The content of a form: required members, and members with a default. */
export const contentOf = ({ properties = {}, required = [] } = {}) =>
  Object.fromEntries(Object.entries(properties).filter(([name, schema]) => required.includes(name) || 'default' in schema).map(([name, schema]) => [name, valueOf(schema)]));

export const sampled = { role: 'assistant', model: 'none', content: { type: 'text', text: 'Hello.' }, stopReason: 'endTurn' };

const most = 20;

/** Runs all steps in sequence. A failed step is reported on stderr, and the next one follows. */
export async function useAll({ capabilities = {}, listTools, callTool, listResources, readResource, listTemplates, listPrompts, getPrompt, complete }) {
  const tried = async (what, work) => {
    try {
      return await work();
    } catch (error) {
      console.error(`${what}: ${error?.message ?? error}`);
      return undefined;
    }
  };
  const list = async (what, work) => (work ? await tried(what, work) ?? [] : []);
  const tools = await list('tools/list', listTools);
  for (const tool of tools.slice(0, most)) {
    if (callTool) await tried(`tools/call ${tool.name}`, () => callTool(tool.name, argumentsOf(tool.inputSchema ?? tool.parameters)));
  }
  if (capabilities.resources) {
    for (const { uri } of (await list('resources/list', listResources)).slice(0, most)) if (readResource) await tried(`resources/read ${uri}`, () => readResource(uri));
    await list('resources/templates/list', listTemplates);
  }
  if (capabilities.prompts) {
    for (const prompt of (await list('prompts/list', listPrompts)).slice(0, most)) {
      const args = Object.fromEntries((prompt.arguments ?? []).map(({ name }) => [name, 'Ada']));
      if (getPrompt) await tried(`prompts/get ${prompt.name}`, () => getPrompt(prompt.name, args));
      const [first] = prompt.arguments ?? [];
      if (first && complete && capabilities.completions) await tried('completion/complete', () => complete({ type: 'ref/prompt', name: prompt.name }, { name: first.name, value: 'A' }));
    }
  }
}

/** The target from the command line: `{ url }` for `http URL`, `{ command, args }` for `stdio PROGRAM …`. */
export function targetOf([way, ...words] = process.argv.slice(2)) {
  if (way === 'http') return { url: words[0] };
  return { command: words[0], args: words.slice(1) };
}

/** All items of a list; `ask(cursor)` returns a page. */
export async function allPages(ask, member) {
  const items = [];
  let cursor;
  for (let pages = 0; pages < 20; pages++) {
    const page = await ask(cursor);
    items.push(...page[member] ?? []);
    cursor = page.nextCursor;
    if (cursor === undefined || cursor === null) break;
  }
  return items;
}
