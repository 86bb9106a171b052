import { checkOptions } from '../bounds/options.ts';
import type { JudgeFile, JudgeItems, JudgeLogin, NamedCall } from './options.ts';

const callShape = { name: 'string', arguments: 'object' } as const;

/** Throws for unknown members of `judge.json`, and names them. */
export function checkItems(place: string, items: JudgeItems): void {
  checkOptions(place, items, { slowTool: callShape, askingTool: callShape, failingTool: callShape, tools: 'list', resources: 'list', prompts: 'list' });
  for (const member of ['tools', 'prompts'] as const) items[member]?.forEach((one: NamedCall, at) => checkOptions(`${place}.${member}[${at}]`, one, callShape));
}

/** A valid name of an environment variable. A secret written here by mistake is refused, and not repeated in the error. */
const variable = /^[A-Za-z_]\w{0,127}$/;

function checkLogin(login: JudgeLogin): void {
  checkOptions('judge.json.login', login, { server: 'string', tokenVariable: 'string', clientIdVariable: 'string', clientSecretVariable: 'string', issuer: 'string', scope: 'string' });
  const { server, tokenVariable, clientIdVariable, clientSecretVariable, issuer } = login;
  for (const [member, text] of Object.entries({ server, issuer })) {
    if (text !== undefined && (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))) throw new TypeError(`judge.json.login.${member} is not an http or https address`);
  }
  if (server === undefined) throw new TypeError('judge.json.login.server is missing: the address that the login is for');
  for (const [member, name] of Object.entries({ tokenVariable, clientIdVariable, clientSecretVariable })) {
    if (name !== undefined && !variable.test(name)) throw new TypeError(`judge.json.login.${member} is not a name of an environment variable`);
  }
  const client = [clientIdVariable, clientSecretVariable, issuer].filter((one) => one !== undefined).length;
  if (tokenVariable !== undefined ? client > 0 : client < 3) throw new TypeError('judge.json.login has tokenVariable, or clientIdVariable, clientSecretVariable and issuer');
}

/** Reads the text of a `judge.json`. Throws a TypeError or a SyntaxError that names the problem. */
export function readItems(text: string): JudgeFile {
  const file = JSON.parse(text) as JudgeFile;
  checkOptions('judge.json', file, 'object');
  const { login, ...items } = file;
  checkItems('judge.json', items);
  if (login !== undefined) checkLogin(login);
  return file;
}
