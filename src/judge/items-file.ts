import { checkOptions } from '../bounds/options.ts';
import type { JudgeItems, NamedCall } from './options.ts';

const callShape = { name: 'string', arguments: 'object' } as const;

/** Refuses members of `judge.json` that nobody knows, by name. */
export function checkItems(place: string, items: JudgeItems): void {
  checkOptions(place, items, { slowTool: callShape, askingTool: callShape, failingTool: callShape, tools: 'list', resources: 'list', prompts: 'list' });
  for (const member of ['tools', 'prompts'] as const) items[member]?.forEach((one: NamedCall, at) => checkOptions(`${place}.${member}[${at}]`, one, callShape));
}

/** Reads the text of a `judge.json`. Throws a TypeError or a SyntaxError that names what is wrong. */
export function readItems(text: string): JudgeItems {
  const items = JSON.parse(text) as JudgeItems;
  checkItems('judge.json', items);
  return items;
}
