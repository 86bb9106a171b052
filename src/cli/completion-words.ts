import { systemClock } from '../bounds/clock.ts';
import type { Timer } from '../bounds/clock.ts';
import { revisions } from '../explain/phrases.ts';
import { applications, readConfiguration } from './configuration.ts';
import type { CommandProcess } from './command-process.ts';
import type { Commands } from './command.ts';
import { hostNames } from './installed-hosts.ts';
import { seenTools } from './seen-tools.ts';

/** The most milliseconds for completion: the user has pressed a key and waits. */
const maxMs = 1_000;

/** Words that no shell has to quote. Servers choose tool names, so other names are not offered. */
const plain = /^[\w.@/][\w.@/-]{0,127}$/;

/** Commands whose first word is a server; in `takesTool`, the second word is a tool. */
const takesServer = new Set(['tour', 'doctor', 'list', 'call', 'read', 'get', 'complete', 'watch', 'types', 'trace', 'bridge', 'login', 'logout', 'whoami']);
const takesTool = new Set(['call']);
const kinds = ['tools', 'resources', 'templates', 'prompts', 'skills'];

/** The possible words of a command, by position. */
const fixed: Readonly<Record<string, readonly (readonly string[])[]>> = {
  completion: [['bash', 'zsh', 'fish']],
  config: [['add', 'remove', 'import', 'path']], install: [hostNames],
};

/**
 * Completes the last of these words, which stand after `barewire`. Empty if a file is expected or nothing is known. It
 * starts no server, asks no question, and takes at most a second.
 */
export async function completionWords(words: readonly string[], proc: CommandProcess, commands: Commands): Promise<string[]> {
  let timer: Timer | undefined;
  const late = new Promise<string[]>((resolve) => (timer = systemClock.after(maxMs, () => resolve([]))));
  try {
    const all = await Promise.race([candidates(words, proc, commands), late]);
    const begun = words.at(-1) ?? '';
    return [...new Set(all)].filter((word) => word.startsWith(begun) && (plain.test(word) || /^--[a-z-]+$/.test(word)));
  } finally {
    timer?.stop();
  }
}

async function candidates(words: readonly string[], proc: CommandProcess, commands: Commands): Promise<readonly string[]> {
  const [name = '', ...behind] = words;
  const last = behind.at(-1);
  if (last === undefined) return [...Object.keys(commands), 'help', '--help', '--version'];
  const before = behind.slice(0, -1);
  // Words after "--" belong to a program.
  if (before.includes('--') || !(Object.hasOwn(commands, name) || name === 'help')) return [];
  const options = await optionsOf(commands, name);
  const taken = before.at(-1) ?? '';
  if (options.get(taken) === true) return valuesOf(taken);
  if (last.startsWith('-')) return [...options.keys(), '--help'];
  const rest = before.filter((word, at) => !word.startsWith('-') && options.get(before[at - 1] ?? '') !== true);
  if (name === 'help') return rest.length === 0 ? Object.keys(commands) : [];
  const listed = Object.hasOwn(fixed, name) ? fixed[name]?.[rest.length] : undefined;
  if (listed) return listed;
  if (!takesServer.has(name)) return [];
  if (rest.length === 0) return servers(before, proc);
  const [server = ''] = rest;
  // Servers choose the names of tools: one called --yes must not become an option.
  const toolsOf = async (): Promise<readonly string[]> => ((await seenTools(proc.env)).get(server) ?? []).filter((tool) => plain.test(tool));
  if (takesTool.has(name) && rest.length === 1) return toolsOf();
  if (name === 'list') return rest.includes('tools') ? toolsOf() : kinds.filter((kind) => !rest.includes(kind));
  return [];
}

/** The options of a command, and whether each takes a value. */
async function optionsOf(commands: Commands, name: string): Promise<ReadonlyMap<string, boolean>> {
  const command = Object.hasOwn(commands, name) ? (await commands[name]?.load())?.command : undefined;
  return new Map((command?.options ?? []).flatMap(([words]) => {
    const [option = '', value] = words.split(' ');
    return option.startsWith('--') ? [[option.replace(/,$/, ''), value !== undefined && !value.startsWith('--')] as const] : [];
  }));
}

const valuesOf = (option: string): readonly string[] => (option === '--from' ? applications : option === '--revision' ? revisions : []);

/** The server names in the configuration that the earlier words select. A folder's file counts only if it was accepted before. */
async function servers(before: readonly string[], proc: CommandProcess): Promise<string[]> {
  const valueOf = (option: string): string | undefined => (before.includes(option) ? before[before.indexOf(option) + 1] : undefined);
  const found = await readConfiguration(proc, { config: valueOf('--config'), from: valueOf('--from') }, false).catch(() => ({}));
  return Object.keys(found);
}
