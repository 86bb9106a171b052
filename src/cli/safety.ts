import type { Tool } from '../protocol/tools.ts';

// Verbs that change something, where a tool says nothing of itself but its name.
const changing = new Set(
  ('accept activate add append apply approve archive assign ban block book buy cancel change charge '
    + 'clear click close commit connect copy create deactivate delete deploy destroy disable drop edit '
    + 'enable erase exec execute fill grant import insert install invite kill launch lock make merge '
    + 'modify move navigate open order overwrite patch pay post press publish purge push put reject '
    + 'release remove rename replace reset restart restore revert revoke run save schedule send set shell '
    + 'shutdown sign start stop store submit subscribe swap transfer truncate type uninstall unlock '
    + 'unpublish update upload upsert wipe write').split(' '),
);

/**
 * Why the tour must not call a tool; undefined where it may. A tool that reads, or that says it destroys
 * nothing, may be called. One that changes something without saying that counts as destructive, which is the
 * specification's default. One that says nothing at all is judged by the verbs in its name.
 * Source: `ToolAnnotations` of 2025-11-25, which are hints: a server that lies here lies to every client.
 */
export function reasonNotToCall({ name, annotations, execution }: Tool): string | undefined {
  // 2025-11-25 basic/utilities/tasks#tool-level-negotiation.
  if (execution?.taskSupport === 'required') return 'it runs only as a task';
  const { readOnlyHint, destructiveHint } = annotations ?? {};
  if (destructiveHint === true) return 'it is marked destructive';
  if (readOnlyHint === true || destructiveHint === false) return undefined;
  if (readOnlyHint === false) return 'it changes something, and does not say that nothing is destroyed';
  const verb = wordsOf(name).find((word) => changing.has(word));
  return verb && `it says nothing of itself, and its name says "${verb}"`;
}

/** `createIssue`, `create_issue` and `create-issue` are the same words. */
function wordsOf(name: string): string[] {
  return name.slice(0, 200).replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase().split(/[^a-z]+/);
}
