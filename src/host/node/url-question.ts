import { visible } from '../../explain/safe-text.ts';
import { quote } from '../../explain/words.ts';
import type { ElicitResult } from '../../protocol/index.ts';
import { readAnswerLine } from './answer-line.ts';
import type { Say } from './answer-line.ts';
import { framed, rowsOf } from './frame.ts';
import type { Prompter } from './prompter.ts';
import type { Style } from './style.ts';

/** Most rows of a URL, more than browsers accept. A URL that cannot be shown whole is declined. */
const maxUrlRows = 60;

/**
 * Asks the person to visit a page. The whole address is shown, with its host in bold, and only the person opens it: 2025-11-25
 * client/elicitation#safe-url-handling. The answer is `accept`, `decline` or `cancel`.
 */
export async function askToVisit(
  url: unknown, prompter: Prompter, { bold, dim, red }: Style, signal: AbortSignal | undefined, say: Say,
): Promise<ElicitResult> {
  const page = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (page?.protocol !== 'https:' && page?.protocol !== 'http:') {
    say(red(`  ${quote(url, 200)} is not the address of a page: declined.`));
    return { action: 'decline' };
  }
  const { columns = 80 } = prompter;
  if (rowsOf(page.href, columns - 3, maxUrlRows).used < page.href.length) {
    say(red(`  The address of the page is too long to be shown (${page.href.length} characters): declined.`));
    return { action: 'decline' };
  }
  say('  It is the page', ...framed(page.href, { columns, rows: maxUrlRows, dim }), `  at ${bold(visible(page.host))}. It is not opened for you.`);
  for (;;) {
    const line = await readAnswerLine(prompter, '  Will you visit it? (yes/no) ', signal, say);
    if (typeof line !== 'string') {
      if (line.command === 'decline' || line.command === 'cancel') return { action: line.command };
    } else if (/^\s*(y|yes)\s*$/i.test(line)) return { action: 'accept' };
    else if (/^\s*(n|no)\s*$/i.test(line)) return { action: 'decline' };
  }
}
