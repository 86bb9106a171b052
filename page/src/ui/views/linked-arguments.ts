// Arguments in an address: they are marked in the form, and never sent without the person.
import { lexemesOf, parseNearest, print } from '../../json/lexemes.ts';
import { hashOf } from '../address.ts';
import type { FormModel } from '../form/form-model.ts';
import { withoutSecrets } from '../form/secrets.ts';
import { isMembers } from '../form/shape.ts';
import type { State } from '../state.ts';

/** Fills the form of the tool with the arguments of the address, without masked fields. */
export function takeLink(state: State, server: string, tool: string, form: FormModel): void {
  const linked = state.linked.peek();
  if (linked?.server !== server || linked.tool !== tool) return;
  state.linked.value = undefined;
  try {
    const value = parseNearest(linked.args);
    if (!isMembers(value)) throw new SyntaxError('arguments are an object');
    form.fill({ value: withoutSecrets(value, form.schema, form.schema), lexemes: lexemesOf(linked.args), origin: 'link' });
  } catch (thrown) {
    state.tell(`The arguments in the address cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`, 'bad');
  }
}

/** The address of a tool with the content of its form, without masked fields. */
export function linkTo(server: string, tool: string, form: FormModel): string {
  const args = withoutSecrets(form.value.peek(), form.schema, form.schema);
  const text = isMembers(args) && Object.keys(args).length > 0 ? print(args, form.lexemes.peek()) : undefined;
  return location.href.split('#')[0] + hashOf({ kind: 'view', server, tab: 'tools', name: tool, args: text });
}
