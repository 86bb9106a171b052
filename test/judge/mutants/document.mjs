// Writes requirements/judge-mutants.md: the edits and the referee's verdicts.

/** True if a row was found only after the second reading. */
const isAfter = ({ second, earlier }) => second !== undefined && !earlier;

export function countsOf(rows) {
  const tried = rows.filter(({ verdict }) => verdict !== 'not decided');
  const found = tried.filter(({ verdict }) => verdict === 'found');
  const decidable = tried.filter(({ verdict, reason }) => verdict === 'found' || reason === undefined);
  const count = (name) => decidable.filter(({ verdict }) => verdict === name).length;
  return {
    edits: rows.length, tried: tried.length, found: found.length, disputes: found.filter(({ dispute }) => dispute).length, decidable: decidable.length,
    wrong: count('under another rule'), missed: count('not found'), failed: count('failed'),
    /** Found after the second reading. */
    after: found.filter(isAfter).length,
  };
}

/** Edits that count as undecided, by the second reader's verdict. */
const undecidedOf = (rows, second) => rows.filter(({ verdict, reason, second: own }) => reason !== undefined && verdict !== 'found' && verdict !== 'not decided' && own === second);

const cell = (text) => String(text ?? '').replaceAll('|', '\\|');
const byId = (a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.breaks < b.breaks ? -1 : 1);
const table = (head, lines) => [`| ${head.join(' | ')} |`, `|${head.map(() => '---').join('|')}|`, ...lines.map((cells) => `| ${cells.map(cell).join(' | ')} |`)].join('\n');

/** MUSTs that an intact peer keeps, by mode and revision. */
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

/** The transport over which it was found. */
const transportOf = ({ how = '' }) => (how.includes('--sse') ? 'HTTP+SSE' : how.includes('http') ? 'Streamable HTTP' : 'pipe');

/** The counts by the transport that found each first. */
function transportTable(rows) {
  const found = rows.filter(({ verdict }) => verdict === 'found');
  return table(['found over', 'found', 'before the second reader', 'after him', 'as a dispute', 'rules'], ['pipe', 'Streamable HTTP', 'HTTP+SSE'].map((name) => {
    const own = found.filter((row) => transportOf(row) === name);
    const after = own.filter(isAfter).length;
    return [name, own.length, own.length - after, after, own.filter(({ dispute }) => dispute).length, new Set(own.map(({ id }) => id)).size];
  }));
}

/** The changes by the second reader, by role. */
function secondTable(rows) {
  return table(['', 'can be decided', 'found before him', 'found after him', 'not found', 'decidable by him only', 'only with help', 'undecidable by both readers', 'undecidable, read once'], ['server', 'client'].map((role) => {
    const own = rows.filter((row) => row.role === role);
    const { decidable, found, after, missed, wrong, failed } = countsOf(own);
    return [`${role}s`, decidable, found - after, after, missed + wrong + failed, ...['decidable', 'only with help', 'undecidable', undefined].map((second) => undecidedOf(own, second).length)];
  }));
}

/** The paragraphs about the second reader. */
function secondOf(rows) {
  const of = (second) => rows.filter((row) => row.second === second && row.verdict !== 'not decided');
  const found = (second) => of(second).filter(({ verdict }) => verdict === 'found').length;
  return [
    '## The second reader', '',
    `${of('decidable').length + of('only with help').length + of('undecidable').length} edits were not found in the first run, and got a reason then. A second reader had the rule, its sections, the edit and the reason, and judged whether the messages can show it:`,
    `${of('decidable').length} decidable, ${of('only with help').length} only with the help of a particular tool or configuration, ${of('undecidable').length} undecidable. His words stand in \`test/judge/mutants/second-reader.tsv\`.`,
    `Of those that he called decidable ${found('decidable')} are found now, and ${of('decidable').filter(({ verdict, reason }) => verdict !== 'found' && reason === undefined).length} count as not found; of ${undecidedOf(rows, 'decidable').length} the reason still stands.`,
    `Of ${of('decidable').filter(({ earlier }) => earlier).length} an edit of the same fault had been found before, and counts as that. Of ${rows.filter(({ instead, verdict }) => instead && verdict !== 'not decided').length} the edit of test/removals does nothing in the target, or keeps the rule: an edit with the same sentence in test/judge/mutants/edits stands in its place.`,
    `Of those with help ${found('only with help')} are found now, since the target has the tool.`,
    'The reasons that were written before the run were read once only.', '',
    secondTable(rows), '',
  ];
}

/** Rules that count: kept by an intact peer, and found broken in a mutant. A dispute does not count. */
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
    `Of the ${counts.decidable} that can be decided from outside ${counts.found} were found (${counts.disputes} as a dispute; ${counts.found - counts.after} before the second reader and ${counts.after} after him), ${counts.wrong} under a wrong rule, ${counts.missed} not.`, '',
    transportTable(rows), '',
    `A ${role} that is not broken keeps ${must.length} MUSTs and ${should.length} SHOULDs; ${mustCounts.length} MUSTs and ${shouldCounts.length} SHOULDs of these were found on a broken one as well: these count.`, '',
    keptTable(kept), '',
    '### MUSTs that are kept, and not found broken', '',
    must.filter((id) => !mustCounts.includes(id)).sort().join(', ') || 'none', '',
    '### Not found', '',
    table(['rule', 'verdict', 'what was broken', 'why it cannot be decided from outside', 'reason written', 'second reader'], missed.map(({ id, verdict, others, breaks, reason, written, second }) => [id, `${verdict}${others ? `: ${others.join(', ')}` : ''}`, breaks, reason, written, second])), '',
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
    `${undecided.length} count as undecided; the reason for each stands in \`test/judge/mutants/undecided.tsv\`. ${undecided.filter(({ written }) => written === 'before the run').length} of these reasons were written before the`,
    `edit was tried, ${undecided.filter(({ written }) => written === 'after the miss').length} after it had not been found.`, '',
    ...secondOf(rows),
    ...Object.keys(kept).flatMap((role) => roleOf(role, rows.filter((row) => row.role === role), kept[role])),
  ].join('\n').trimEnd()}\n`;
}
