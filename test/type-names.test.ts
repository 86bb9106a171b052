import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

// A type name stands for one type: see CONTRIBUTING.md.

/** Names that still stand for several types. A name leaves this list, and none is added. */
const notYet: readonly string[] = [
  'Answers: cli/answers.ts, client/options.ts',
  'Authenticated: oauth/client/client-authentication.ts, transport/http/server/admission.ts',
  'Bag: explain/words.ts, jsonrpc/message.ts',
  'Callable: executables/tool-call.ts, server/registry.ts',
  'ClientOptions: client/options.ts, oauth/client/registration.ts',
  'Consent: cli/consent.ts, host/person.ts',
  'Exchange: cli/bridge/relay.ts, server/exchange.ts',
  'Grant: host/approvals.ts, oauth/client/grant.ts',
  'Kind: bounds/options.ts, cli/commands/list.ts, doctor/finding.ts',
  'Listed: cli/command.ts, host/searchable.ts, protocol/pagination.ts',
  'ListedKind: host/listed-items.ts, server/registry.ts',
  'Need: oauth/client/renewal.ts, server/registry.ts',
  'Offered: cli/commands/list.ts, host/catalogue.ts',
  'Outcome: doctor/conversation.ts, server/context.ts',
  'Person: cli/answers.ts, host/person.ts',
  'ProtectedResourceMetadata: oauth/client/protected-resource-metadata.ts, oauth/resource/protected-resource-metadata.ts',
  'RelayOptions: cli/bridge/relay.ts, cli/relay.ts',
  'Request: executables/tool-call.ts, jsonrpc/message.ts',
  'Session: cli/with-client.ts, transport/http/server/session.ts',
  'Step: cli/bridge/bridged-call.ts, server/context.ts',
  'ToolCall: cli/rules-file.ts, executables/tool-call.ts',
];

/** The files that declare each type, by its name. A declaration in a function has its meaning there. */
function declarationsIn(sources: ReadonlyMap<string, string>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [file, text] of sources) {
    for (const [, name = ''] of text.matchAll(/^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)(?=[\s<={])/gm)) {
      const files = found.get(name) ?? new Set();
      found.set(name, files.add(file));
    }
  }
  return found;
}

const severalIn = (sources: ReadonlyMap<string, string>): string[] =>
  [...declarationsIn(sources)].filter(([, files]) => files.size > 1).map(([name, files]) => `${name}: ${[...files].join(', ')}`).sort();

test('type names: each stands for one type', () => {
  const root = fileURLToPath(new URL('../../src/', import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/')).filter((file) => file.endsWith('.ts')).sort();
  const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  assert.ok(declarationsIn(sources).get('Revision')?.has('protocol/revisions.ts'));
  assert.deepEqual(severalIn(sources), notYet);
});

test('type names: every kind of declaration counts, once a file', () => {
  assert.deepEqual(severalIn(new Map([
    ['a.ts', 'export interface One {}\ntype Two<T> = T;\nclass Three extends One {}\ninterface Own {}\nclass Own {}\n// type One = 1'],
    ['b.ts', 'class One {}\nexport type Two = 1;\nexport abstract class Three {}\nexport type { Own } from "./a.ts";\ntype Owner = 1;\n'],
  ])), ['One: a.ts, b.ts', 'Three: a.ts, b.ts', 'Two: a.ts, b.ts']);
});
