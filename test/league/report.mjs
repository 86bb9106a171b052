// Writes docs/league.md from the results and the readings: the rules that each target breaks, and the second reading of each.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { at } from './targets.mjs';

const results = (kind) => readdirSync(at(`results/${kind}`)).sort().map((file) => JSON.parse(readFileSync(at(`results/${kind}/${file}`), 'utf8')));
const readings = readFileSync(at('readings.tsv'), 'utf8').trimEnd().split('\n').slice(1).map((line) => line.split('\t')).map(([rule, target, reading, why = '']) => ({ rule, target, reading, why }));

/** The reading of a verdict: one for the target precedes one for all. */
const readingOf = (rule, name) => readings.find((one) => one.rule === rule && one.target === name) ?? readings.find((one) => one.rule === rule && one.target === '*');

function sorted({ name, told = [] }) {
  const of = { MUST: [], SHOULD: [], dispute: [], unread: [] };
  for (const { id, level, verdict } of told) {
    const reading = readingOf(id, name)?.reading;
    if (verdict === 'dispute' || reading === 'dispute') of.dispute.push(id);
    else if (reading === 'confirmed') of[level].push(id);
    else if (reading !== 'wrong') of.unread.push(id);
  }
  return of;
}

const cell = (ids) => (ids.length > 0 ? ids.join(', ') : '');

function row(result) {
  const { name, package: from, registry, version, of, date, revisions = [], counts, stopped } = result;
  const where = `\`${from}\` ${version}${of ? `, ${of}` : ''}`;
  if (stopped) return `| ${name} | ${registry} | ${where} | ${date} | did not start | | | | | |`;
  const { MUST, SHOULD, dispute, unread } = sorted(result);
  return `| ${name} | ${registry} | ${where} | ${date} | ${revisions.join(', ')} | ${counts.MUST.kept} | ${cell(MUST)} | ${cell(SHOULD)} | ${cell(dispute)} | ${cell(unread)} |`;
}

const head = '| name | registry | package | date | revisions | MUSTs kept | MUSTs broken | SHOULDs broken | disputed | not read yet |\n|---|---|---|---|---|---:|---|---|---|---|';

function rulesOf(all) {
  const rules = new Map();
  for (const result of all) {
    for (const { id, level, text, address } of result.told ?? []) {
      const own = rules.get(id) ?? { level, text, address, names: [] };
      rules.set(id, own);
      own.names.push(result.name);
    }
  }
  return [...rules].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, { level, text, address }]) => `| ${id} | ${level} | [${text}](${address}) | ${readings.filter((one) => one.rule === id).map(({ reading, why }) => [reading, why].filter(Boolean).join(': ')).join('; ')} |`);
}

export function writeReport(top) {
  const servers = results('servers');
  const clients = results('clients');
  const stopped = [...servers, ...clients].filter((one) => one.stopped);
  writeFileSync(join(top, 'docs/league.md'), `# The league

<!-- Written by npm run league -- report from test/league/results and test/league/readings.tsv. Do not edit. -->

\`barewire judge\` on ${servers.length} servers and ${clients.length} runs of clients from the public registries, each at a fixed version. The clients
are small programs on an SDK, in \`test/league/clients\`: they list and use what a hidden server offers. A fault may be of the SDK, or
left by it to the program.

The tables name rules by their id; the last table has the sentence of each. A rule stands under *broken* only where a second reading
agreed (\`test/league/readings.tsv\`): somebody who had the section and the bytes, and knew neither the rule nor the verdict. Of 39
behaviours that the judge called broken, this reader confirmed 31 and called 8 disputable; all of those in the reports were confirmed. Of 8
others that were mixed among them, 7 were read as the judge had them, and one dispute as kept. Eleven rarer behaviours of the same rules go by
these readings. What tasks-61 says was read from the section and the bytes before the probe; base-3, changelog-1, sampling-21 and tools-23 were read
by somebody who saw the rule and the verdict. What nobody has read stands under *not read yet*. Under *disputed* stand rules about which two
honest readers could differ. A fault of security is told to the maintainer, and does not stand here; nor does what else the same answer
breaks. What was sent and what came is in \`test/league/results\`. [league/reports.md](league/reports.md) has reports that can be filed.

To run it again, \`npm run build\`, then:

\`\`\`
node test/league/run.mjs install
node test/league/run.mjs servers
node test/league/run.mjs clients
node test/league/run.mjs report
\`\`\`

The targets run in a network namespace that has only the loopback interface, where the machine allows it. Tools that go to the network
fail there. Keys that a server asks for are made up.

## Servers

${head}
${servers.map(row).join('\n')}

## Clients

${head}
${clients.map(row).join('\n')}

## The rules

| rule | level | sentence | second reading |
|---|---|---|---|
${rulesOf([...servers, ...clients]).join('\n')}

## Left out

${[...servers, ...clients].filter(({ withheld }) => withheld).map(({ name }) => `- ${name}: a finding is with the maintainer.`).join('\n')}
${stopped.map(({ name, stopped: why }) => `- ${name}: ${why.replaceAll(/\s+/g, ' ').slice(0, 200)}`).join('\n')}
- Servers and clients in Java and Rust: their builds take minutes. \`test/peers/languages\` has programs on those SDKs.
- OAuth: no target of the league asks for it.
`);
}

const fence = (text) => `\`\`\`json\n${text}\n\`\`\``;

/**
 * Writes reports for upstream: `reports.json` has target, rule, title and suggestion; the evidence bytes are those of the result.
 */
export function writeUpstream(top) {
  const all = [...results('servers').map((one) => ({ kind: 'servers', ...one })), ...results('clients').map((one) => ({ kind: 'clients', ...one }))];
  const parts = [];
  for (const { kind, name, rule, title, suggestion } of JSON.parse(readFileSync(at('reports.json'), 'utf8'))) {
    const result = all.find((one) => one.kind === kind && one.name === name);
    const fault = result?.told?.find(({ id, verdict }) => id === rule && verdict === 'broken');
    if (!fault || readingOf(rule, name)?.reading !== 'confirmed') {
      console.error(`no report: ${kind} ${name} ${rule}`);
      continue;
    }
    const [evidence] = fault.evidence;
    const replay = kind === 'servers' ? `barewire judge --only ${rule} --revision ${evidence.revision} -- COMMAND` : `barewire judge --client --only ${rule} --revision ${evidence.revision} -- node CLIENT '{url}'`;
    parts.push(`## ${result.package} ${result.version}: ${title}

Rule \`${rule}\` (${fault.level}): ${fault.text}. Section: <${fault.address}>. Seen on ${result.date}, revision ${evidence.revision}${result.of ? `, with \`test/league/${result.of}\`` : ''}.
${evidence.sent ? `\nSent:\n\n${fence(evidence.sent)}\n` : ''}
Expected: ${evidence.expected}.

Came:

${fence(evidence.came)}

To see it again: \`${replay}\`.

${suggestion}
`);
  }
  mkdirSync(join(top, 'docs/league'), { recursive: true });
  writeFileSync(join(top, 'docs/league/reports.md'), `# Reports that can be filed\n\n<!-- Written by npm run league -- report from test/league/reports.json and the results. Do not edit. -->\n\nEach is about one rule of one package: the section, the bytes, how to see it again, and a suggestion. None has been filed yet.\n\n${parts.join('\n')}`);
  return parts.length;
}
