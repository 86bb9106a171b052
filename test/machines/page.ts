import type { Machine } from './machine.ts';

// Writes docs/state-machines.md and docs/state-machines.json from the tables.

/** Version of the format of docs/state-machines.json: a higher one may break readers of the previous one. */
const formVersion = 1;

/** The JSON for other implementations. */
export function jsonOf(machines: readonly Machine[]): string {
  return `${JSON.stringify({ version: formVersion, machines }, undefined, 1)}\n`;
}

/** The state's name as a Mermaid identifier. */
const node = (state: string): string => state.replaceAll('-', '_');

/** A state diagram. Transitions between the same states share an arrow. */
export function mermaidOf({ first, states }: Machine): string {
  const lines = ['stateDiagram-v2', `  [*] --> ${node(first)}`];
  for (const [from, { on }] of Object.entries(states)) {
    const arrows = new Map<string, string[]>();
    for (const [event, to] of Object.entries(on)) arrows.set(to, [...arrows.get(to) ?? [], event]);
    for (const [to, events] of arrows) lines.push(`  ${node(from)} --> ${node(to)} : ${events.join(', ')}`);
    if (Object.values(on).every((to) => to === from)) lines.push(`  ${node(from)} --> [*]`);
  }
  return lines.join('\n');
}

function statesOf({ states }: Machine): string {
  const passages = Object.values(states).some(({ receive }) => receive !== undefined);
  const head = passages ? ['state', 'meaning', 'requests that are served', 'requests that may be sent'] : ['state', 'meaning'];
  const rows = Object.entries(states).map(([state, { what, receive = '', send = '' }]) =>
    [`\`${state}\``, what, ...passages ? [passageWords[receive] ?? receive, passageWords[send] ?? send] : []]);
  return table(head, rows);
}

/** The meaning of each `Passage` of src/protocol/lifecycle.ts. */
const passageWords: Readonly<Record<string, string>> = {
  none: 'none', handshake: '`initialize` and `ping`', ping: '`ping`', operation: 'all but `initialize`',
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

function section(machine: Machine): string {
  const { name, title, source, files, driven, events } = machine;
  const holds = driven === 'table'
    ? `The code reads this table: ${files.map((file) => `\`${file}\``).join(', ')}.`
    : `Compared with traces of the code: ${files.map((file) => `\`${file}\``).join(', ')}.`;
  return `## ${title}

\`${name}\` in the JSON. Source: ${source.join('; ')}. ${holds}

\`\`\`mermaid
${mermaidOf(machine)}
\`\`\`

${statesOf(machine)}

${table(['event', 'meaning'], Object.entries(events).map(([event, what]) => [`\`${event}\``, what]))}
`;
}

/** The page. */
export function pageOf(machines: readonly Machine[]): string {
  const names = (driven: Machine['driven']): string => machines.filter((one) => one.driven === driven).map(({ name }) => `\`${name}\``).join(', ');
  return `# State machines

The nouns of the protocol that have states, as barewire has them. [state-machines.json](state-machines.json) has the same
as data, for tests and for implementations in other languages. \`node scripts/machines.mjs\` writes both files after
\`npm run build\`, and a test fails where they differ from the tables.

- **The code reads the table** of ${names('table')}: the table is in \`src/protocol\`, and this page prints it.
- **Traces are compared with the table** of ${names('traces')}:
  in the code their states are an open promise, a connection or a number in a store. A table in \`src\` would make each program larger, so the table is in \`test/machines/traced.ts\`. A test
  runs the real code through many orders of events (\`test/explore\`, \`test/machines/worlds\`) and looks at what happens
  to each object. It fails where the code does what the table does not have, and where no run shows a transition of the table.

The lifecycle and the lease have also models in Quint, \`test/quint\`: \`npm run quint\` checks their invariants in random runs, checks
that runs of the real code are runs of the model, and plays runs of the model on the real tables and the real store.

An event that a state does not list cannot happen in it, or is refused and changes nothing.

## The JSON

\`version\` is that of the form, ${formVersion}. Each member of \`machines\` has \`name\`, \`title\`, \`source\` (sections of the specification, or
pages here), \`files\`, \`driven\` (\`table\` or \`traces\`), \`first\` (the first state), \`events\` (each with its meaning) and
\`states\`. A state has \`what\` (its meaning) and \`on\` (the next state by event). A state of a lifecycle also has \`receive\` and
\`send\`: which requests of the peer are served, and which may be sent to it (\`none\`; \`handshake\`: \`initialize\` and
\`ping\`; \`ping\`; \`operation\`: all but \`initialize\`).

${machines.map(section).join('\n')}`;
}
