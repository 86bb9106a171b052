import type { JSX } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import type { JsonSchema } from 'barewire/schema';
import type { ServerView, ToolView } from '../../messages.ts';
import { useState } from '../context.ts';
import { Missing } from '../form/missing-words.tsx';
import { SchemaForm } from '../form/schema-form.tsx';
import { initial } from '../form/shape.ts';
import { linkTo, takeLink } from './linked-arguments.ts';
import { CopyButton, Empty } from '../parts/controls.tsx';
import { JsonTree } from '../parts/json-tree.tsx';
import { NothingListed } from '../parts/nothing-listed.tsx';
import { Safe, SafeText } from '../parts/safe-text.tsx';
import { Calls } from './calls.tsx';
import type { CallReuse } from './calls.tsx';
import { Picker } from './picker.tsx';

export function Tools({ server }: { readonly server: ServerView }): JSX.Element {
  const state = useState();
  const tools = state.catalogue.value?.tools ?? [];
  const chosen = tools.find(({ tool }) => tool.name === state.pickedIn('tools')) ?? tools[0];
  const items = tools.map(({ tool, pin, app }) => ({
    key: tool.name, name: tool.name, title: tool.title ?? tool.annotations?.title ?? tool.name, about: tool.description ?? '', icons: tool.icons,
    marks: <>{pin !== 'accepted' && <span class="badge warn">{pin}</span>}{app && <span class="badge">app</span>}</>,
  }));
  return (
    <Picker items={items} chosen={chosen?.tool.name ?? ''} onPick={(key) => state.pick('tools', key)} label="Tools" empty={<NothingListed server={server} what="tools" />}>
      {chosen ? <ToolDetail key={`${server.name} ${chosen.tool.name} ${chosen.digest}`} server={server} view={chosen} /> : <Empty>Nothing is picked.</Empty>}
    </Picker>
  );
}

function ToolDetail({ server, view }: { readonly server: ServerView; readonly view: ToolView }): JSX.Element {
  const state = useState();
  const { tool } = view;
  const { App, SavedCalls, Eras, Portability, ToolChange } = state.parts;
  const form = state.drafts.form(['tool', server.name, tool.name], view.digest, tool.inputSchema as JsonSchema, { formats: state.parts.formats });
  const calls = [...state.calls.value.values()].filter(({ server: of, about }) => of === server.name && about.kind === 'tool' && about.name === tool.name);
  const support = tool.execution?.taskSupport;
  // In 2026-07-28 only the server decides what becomes a task; in 2025-11-25 the client requests it.
  const canTask = support === 'optional' || support === 'required';
  useEffect(() => takeLink(state, server.name, tool.name, form), [state.linked.value]);
  const origin = form.origin.value;
  const call = (task: boolean, anyway = false): void => {
    if (!form.submit() && !anyway) return;
    // The list of calls shows the outcome; a notice shows an error without a call.
    void state.run('tool.call', { server: server.name, name: tool.name, digest: view.digest, ...form.sent, ...task && { task }, ...origin && { origin } })
      .then((ended) => {
        // After the person's consent the arguments count as their own.
        if (origin && ended && ended.state !== 'refused' && ended.wire !== null && form.origin.peek() === origin) form.origin.value = undefined;
      });
  };
  const reuse: CallReuse = {
    again({ about }) {
      if (about.kind === 'tool') void state.run('tool.call', { server: server.name, name: tool.name, digest: view.digest, args: about.args, ...about.lexemes && { lexemes: about.lexemes }, ...support === 'required' && { task: true } });
    },
    use({ about }) {
      if (about.kind === 'tool') form.fill({ value: about.args, lexemes: about.lexemes ?? {} });
    },
  };
  const id = useId();
  const wrong = form.submitted.value && form.problems.value.size > 0;
  return (
    <>
      <h2><Safe text={tool.title ?? tool.name} /> {tool.title && <code class="dim"><Safe text={tool.name} /></code>}</h2>
      {tool.description && <SafeText text={tool.description} class="about" />}
      {view.change && <ToolChange server={server} tool={view} />}
      <Hints tool={tool} trusted={server.trusted} />
      {view.app && !App && <p class="note">This tool has a user interface of its own (MCP Apps). This page does not show it; the tool can be called without it.</p>}
      <form noValidate onSubmit={(event) => { event.preventDefault(); call(support === 'required'); }}
        onKeyDown={(event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); call(support === 'required'); } }}>
        {origin && <p class="note" role="status">These arguments came with a {origin}. Nothing was sent; before it is, you are asked. <button type="button" class="small" onClick={() => form.fill({ value: initial(form.schema, form.schema), lexemes: {} })}>Empty the form</button></p>}
        <SchemaForm form={form} legend={`Arguments of ${tool.name}`} />
        <div class="row actions">
          <button type="submit" class={`primary ${form.waits.value ? 'unready' : ''}`} aria-describedby={id}>Call</button>
          {canTask && support !== 'required' && <button type="button" onClick={() => call(true)}>Call as a task</button>}
          {wrong && form.rawFault.value === '' && <button type="button" onClick={() => call(support === 'required', true)}>Call anyway</button>}
          <CopyButton text={() => linkTo(server.name, tool.name, form)}>Copy link</CopyButton>
          <span id={id}><Missing form={form} /></span>
        </div>
      </form>
      {view.app && App && <App server={server} view={view} calls={calls} />}
      <Calls calls={calls} label="Calls" reuse={reuse} />
      {SavedCalls && <SavedCalls server={server.name} tool={tool.name} form={form} />}
      {Eras && <Eras server={server} view={view} form={form} />}
      {Portability && <Portability tool={tool} />}
      <details class="section"><summary>Definition</summary><JsonTree value={tool} open={2} /></details>
    </>
  );
}

function Hints({ tool, trusted }: { readonly tool: ToolView['tool']; readonly trusted: boolean }): JSX.Element | null {
  const { annotations } = tool;
  const hints = [
    annotations?.readOnlyHint === true && 'changes nothing', annotations?.destructiveHint === true && 'may destroy',
    annotations?.idempotentHint === true && 'again does nothing more', annotations?.openWorldHint === true && 'reaches the open world',
    tool.execution?.taskSupport !== undefined && tool.execution.taskSupport !== 'forbidden' && `task ${tool.execution.taskSupport}`,
  ].filter((one) => one !== false);
  if (hints.length === 0) return null;
  return <p class="row wrap">{hints.map((one) => <span class="badge" key={one}>{one}</span>)}<span class="hint">{trusted ? '' : 'as the server says'}</span></p>;
}
