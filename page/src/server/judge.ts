import { isProgram } from 'barewire/host';
import { formats } from 'barewire/schema';
import { compile } from 'barewire/schema/full';
import type { Judge } from '../host/index.ts';

/** Judges programs over stdio, and addresses with the headers of the configuration. The rules are loaded at their first use. */
export const judgeHere: Judge = async ({ name, config, open }, quick, onStep) => {
  const { judgeServer } = await import('barewire/judge');
  const server = isProgram(config) ? { name, open } : { name, http: { url: config.url, fetch, headers: config.headers ?? {} } };
  return judgeServer(server, { quick, compile: (schema) => compile(schema, { formats }), onStep });
};
