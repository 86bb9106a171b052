import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Prompt } from 'barewire/protocol';
import type { JsonSchema } from 'barewire/schema';
import type { ServerView } from '../../messages.ts';
import { useState } from '../context.ts';
import { SchemaForm } from '../form/schema-form.tsx';
import { Empty } from '../parts/controls.tsx';
import { NothingListed } from '../parts/nothing-listed.tsx';
import { Safe, SafeText } from '../parts/safe-text.tsx';
import { Calls } from './calls.tsx';
import { Picker } from './picker.tsx';

export function Prompts({ server }: { readonly server: ServerView }): JSX.Element {
  const state = useState();
  const prompts = state.catalogue.value?.prompts ?? [];
  const chosen = prompts.find(({ name }) => name === state.pickedIn('prompts')) ?? prompts[0];
  const items = prompts.map((one) => ({ key: one.name, name: one.name, title: one.title ?? one.name, about: one.description ?? '', icons: one.icons }));
  return (
    <Picker items={items} chosen={chosen?.name ?? ''} onPick={(key) => state.pick('prompts', key)} label="Prompts" empty={<NothingListed server={server} what="prompts" />}>
      {chosen ? <PromptDetail key={`${server.name} ${chosen.name}`} server={server} prompt={chosen} /> : <Empty>Nothing is picked.</Empty>}
    </Picker>
  );
}

/** The arguments of a prompt as a schema: all are strings. */
function schemaOf({ arguments: args = [] }: Prompt): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(args.map(({ name, title, description }) => [name, { type: 'string', ...title && { title }, ...description && { description } }])),
    required: args.filter(({ required }) => required === true).map(({ name }) => name),
    additionalProperties: false,
  };
}

function PromptDetail({ server, prompt }: { readonly server: ServerView; readonly prompt: Prompt }): JSX.Element {
  const state = useState();
  const schema = useMemo(() => schemaOf(prompt), [prompt]);
  const form = state.drafts.form(['prompt', server.name, prompt.name], JSON.stringify(schema), schema, {
    formats: state.parts.formats,
    complete: server.agreed?.capabilities.completions === undefined ? undefined : async (name, typed, settled) => {
      const found = await state.link.act('complete', { server: server.name, ref: { type: 'ref/prompt', name: prompt.name }, argument: { name, value: typed }, settled });
      return found.values;
    },
  }, { value: {}, lexemes: {} });
  const calls = [...state.calls.value.values()].filter(({ server: of, about }) => of === server.name && about.kind === 'prompt' && about.name === prompt.name);
  const get = (): void => {
    if (!form.submit()) return;
    void state.run('prompt.get', { server: server.name, name: prompt.name, args: Object(form.value.peek()) as Record<string, string> });
  };
  return (
    <>
      <h2><Safe text={prompt.title ?? prompt.name} /> {prompt.title && <code class="dim"><Safe text={prompt.name} /></code>}</h2>
      {prompt.description && <SafeText text={prompt.description} class="about" />}
      <form noValidate onSubmit={(event) => { event.preventDefault(); get(); }}>
        <SchemaForm form={form} legend={`Arguments of ${prompt.name}`} />
        <div class="row actions"><button type="submit" class="primary">Get</button></div>
      </form>
      <Calls calls={calls} label="Messages" />
    </>
  );
}
