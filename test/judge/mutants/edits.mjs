// The edits for the mutants of a role.
import { allRules } from '../../../dist/lib/judge.js';
import { readMatrix } from '../../../scripts/requirements/matrix.mjs';
import { readEdits } from '../../../scripts/requirements/removals.mjs';

const lines = {
  client: /(^|\/)client(\/|-)|^src\/oauth\/client|^src\/host|^src\/explain|^src\/tasks\/(task-client|task-handle|task-news|legacy\/client)\.ts$/,
  server: /^src\/server\/|\/http\/server\/|^src\/transport\/stdio\/serve|^src\/oauth\/resource\/|\/http\/node\/request-listener|^src\/tasks\/(?!task-client|task-handle|task-news|legacy\/client-receiver|task-form|task-id)/,
};

/**
 * Edits of rules for the role. A rule for both is often kept by a line of the other role. If an edit of test/removals has no
 * effect in the target, or keeps the rule, an edit here with the same rule and sentence replaces it.
 */
export function editsOf(top, role) {
  const who = new Map(readMatrix(top).rules.map((rule) => [rule.id, rule.who]));
  const other = role === 'server' ? 'client' : 'server';
  const elsewhere = ({ changes }) => changes.every(({ path }) => lines[other].test(path));
  const own = readEdits(top, 'test/judge/mutants/edits').filter(({ file }) => file === `${role}s.txt`);
  const replaced = new Set(own.map(({ id, breaks }) => `${id} ${breaks}`));
  const removals = readEdits(top).filter((edit) => allRules().has(edit.id) && who.get(edit.id) !== other && !elsewhere(edit) && !replaced.has(`${edit.id} ${edit.breaks}`));
  const taken = new Set(readEdits(top).map(({ id, breaks }) => `${id} ${breaks}`));
  return [...removals, ...own.map((edit) => ({ ...edit, instead: taken.has(`${edit.id} ${edit.breaks}`) }))];
}

/** The newest revision of each era with the rule; that is enough to see it. */
export function newestOf(id) {
  const found = [...new Set(allRules().get(id).places.map(({ revision }) => revision))].sort().reverse();
  const legacy = found.filter((one) => one < '2026');
  return [found.find((one) => one >= '2026'), legacy[0]].filter(Boolean);
}

/** The ruling on the broken rule: found, a dispute, or the other rules found instead. */
export function saidOf({ judgements, others }, id) {
  const broken = [...judgements, ...others].filter(({ verdict }) => verdict === 'broken').map(({ rule }) => rule.id);
  return { own: broken.includes(id), dispute: judgements.some(({ rule, verdict }) => rule.id === id && verdict === 'dispute'), broken };
}
