// requirements/judge-mutants.md: what was broken, and what the referee said.

export function countsOf(rows) {
  const tried = rows.filter(({ verdict }) => verdict !== 'not decided');
  const found = tried.filter(({ verdict }) => verdict === 'found');
  const decidable = tried.filter(({ verdict, reason }) => verdict === 'found' || reason === undefined);
  const count = (name) => decidable.filter(({ verdict }) => verdict === name).length;
  return {
    edits: rows.length, tried: tried.length, found: found.length, disputes: found.filter(({ dispute }) => dispute).length, decidable: decidable.length,
    wrong: count('under another rule'), missed: count('not found'), failed: count('failed'),
  };
}

const cell = (text) => String(text ?? '').replaceAll('|', '\\|');
const byId = (a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.breaks < b.breaks ? -1 : 1);
const table = (head, lines) => [`| ${head.join(' | ')} |`, `|${head.map(() => '---').join('|')}|`, ...lines.map((cells) => `| ${cells.map(cell).join(' | ')} |`)].join('\n');

/** MUSTs that a peer that is not broken keeps, by how it is started, and by revision. */
function keptTable(kept) {
  const versions = [...new Set(Object.values(kept).flat().flatMap(({ revisions }) => Object.keys(revisions)))].sort();
  return table(['started', 'MUSTs kept', 'SHOULDs kept', ...versions, 'broken'], Object.entries(kept).map(([how, judgements]) => {
    const held = judgements.filter(({ verdict }) => verdict === 'kept');
    const must = held.filter(({ level }) => level === 'MUST');
    return [
      how, must.length, held.length - must.length, ...versions.map((version) => must.filter(({ revisions }) => revisions[version] === 'kept').length),
      judgements.filter(({ verdict }) => verdict === 'broken').map(({ rule }) => rule.id).join(', ') || 'none',
    ];
  }));
}

/** Over what it was found. */
const transportOf = ({ how = '' }) => (how.includes('--sse') ? 'HTTP+SSE' : how.includes('http') ? 'Streamable HTTP' : 'pipe');

/** The counts by the transport over which each was found first. */
function transportTable(rows) {
  const found = rows.filter(({ verdict }) => verdict === 'found');
  return table(['found over', 'found', 'of these as a dispute', 'rules'], ['pipe', 'Streamable HTTP', 'HTTP+SSE'].map((name) => {
    const own = found.filter((row) => transportOf(row) === name);
    return [name, own.length, own.filter(({ dispute }) => dispute).length, new Set(own.map(({ id }) => id)).size];
  }));
}

/** Rules that count: kept by a peer that is not broken, and found broken in one that is. A dispute does not count. */
function countingOf(rows, kept) {
  const held = new Map(Object.values(kept).flat().filter(({ verdict }) => verdict === 'kept').map(({ rule }) => [rule.id, rule.level]));
  const found = new Set(rows.filter(({ verdict, dispute }) => verdict === 'found' && !dispute).map(({ id }) => id));
  const of = (level) => [...held].filter(([, own]) => own === level).map(([id]) => id);
  return { must: of('MUST'), should: of('SHOULD'), mustCounts: of('MUST').filter((id) => found.has(id)), shouldCounts: of('SHOULD').filter((id) => found.has(id)) };
}

function roleOf(role, rows, kept) {
  const counts = countsOf(rows);
  const { must, should, mustCounts, shouldCounts } = countingOf(rows, kept);
  const missed = rows.filter(({ verdict }) => verdict !== 'found' && verdict !== 'not decided').sort(byId);
  const found = rows.filter(({ verdict }) => verdict === 'found').sort(byId);
  return [
    `## ${role === 'server' ? 'Servers' : 'Clients'}`, '',
    `${counts.tried} edits of rules that bind a ${role} and that the referee judges were tried; ${counts.edits - counts.tried} are of rules that it does not judge.`,
    `Of the ${counts.decidable} that can be decided from outside ${counts.found} were found (${counts.disputes} as a dispute), ${counts.wrong} under a wrong rule, ${counts.missed} not.`, '',
    transportTable(rows), '',
    `A ${role} that is not broken keeps ${must.length} MUSTs and ${should.length} SHOULDs; ${mustCounts.length} MUSTs and ${shouldCounts.length} SHOULDs of these were found on a broken one as well: these count.`, '',
    keptTable(kept), '',
    '### MUSTs that are kept, and not found broken', '',
    must.filter((id) => !mustCounts.includes(id)).sort().join(', ') || 'none', '',
    '### Not found', '',
    table(['rule', 'verdict', 'what was broken', 'why it cannot be decided from outside', 'reason written'], missed.map(({ id, verdict, others, breaks, reason, written }) => [id, `${verdict}${others ? `: ${others.join(', ')}` : ''}`, breaks, reason, written])), '',
    '### Found', '',
    table(['rule', 'where', 'what was broken'], found.map(({ id, how, dispute, breaks }) => [id, `${how}${dispute ? ', as a dispute' : ''}`, breaks])), '',
  ];
}

export function documentOf(rows, kept, { commit, seconds, left }) {
  const whole = countsOf(rows);
  const undecided = rows.filter(({ verdict, reason }) => reason !== undefined && verdict !== 'found' && verdict !== 'not decided');
  return `${[
    '# Servers and clients with one line broken', '',
    '<!-- Written by npm run judge:mutants. Do not edit. -->', '',
    'One line at a time was broken in a copy of the code, by the edits of test/removals and those of test/judge/mutants/edits.',
    '`barewire judge` was asked for the rule that the edit breaks, without `judge.json`.', '',
    `${whole.tried} were tried up to ${commit}, in ${seconds} s${left > 0 ? `; ${left} more have not been tried yet` : ''}; of ${whole.decidable} that can be decided ${whole.found} were found, ${whole.wrong} under a wrong rule.`,
    `Of ${undecided.length} nobody outside can see that they are broken; the reason for each stands in \`test/judge/mutants/undecided.tsv\`. ${undecided.filter(({ written }) => written === 'before the run').length} of these reasons were written before the`,
    `edit was tried, ${undecided.filter(({ written }) => written === 'after the miss').length} after it had not been found.`, '',
    ...Object.keys(kept).flatMap((role) => roleOf(role, rows.filter((row) => row.role === role), kept[role])),
  ].join('\n').trimEnd()}\n`;
}
