// Shows the outcome of a call: a failure, the contents of a resource, the messages of a prompt, or the result of a tool.
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { CallToolResult, GetPromptResult, ReadResourceResult } from 'barewire/protocol';
import type { CallView } from '../../messages.ts';
import { Boundary } from './boundary.tsx';
import { Block, Blocks, Contents } from './content.tsx';
import { CopyButton } from './controls.tsx';
import { JsonTable, tablesOf } from './json-table.tsx';
import { JsonTree } from './json-tree.tsx';
import { Safe, SafeText } from './safe-text.tsx';

/** The outcome of a call; null while it runs. */
export function CallResult({ call }: { readonly call: CallView }): JSX.Element | null {
  if (call.failure) {
    return (
      <div class="outcome bad" role="alert">
        <p><strong>{call.state === 'refused' ? 'Refused' : call.state === 'cancelled' ? 'Cancelled' : 'Failed'}</strong> <code>{call.failure.code}</code></p>
        <SafeText text={call.failure.message} />
        {call.failure.data !== undefined && <JsonTree name="data" value={call.failure.data} open={1} />}
      </div>
    );
  }
  if (!call.result) return null;
  if (call.about.kind === 'resource') return <Contents contents={(call.result as ReadResourceResult).contents ?? []} />;
  if (call.about.kind === 'prompt') return <PromptMessages result={call.result as GetPromptResult} server={call.server} />;
  return <ToolResult result={call.result as CallToolResult} server={call.server} outputFault={call.outputFault} />;
}

export function ToolResult({ result, server, outputFault }: { readonly result: CallToolResult; readonly server: string; readonly outputFault: string }): JSX.Element {
  const { content = [], structuredContent, isError } = result;
  return (
    <div class={`outcome ${isError === true ? 'bad' : ''}`}>
      {isError === true && <p role="alert"><strong>The tool says that it failed.</strong></p>}
      {outputFault && <p class="problems" role="alert">The result does not fit the output schema: <Safe text={outputFault} most={2000} /></p>}
      <Blocks blocks={content} server={server} />
      {structuredContent !== undefined && <Structured value={structuredContent} />}
      {content.length === 0 && structuredContent === undefined && <p class="dim">The result is empty.</p>}
    </div>
  );
}

export function Structured({ value }: { readonly value: unknown }): JSX.Element {
  const { tables, left } = useMemo(() => tablesOf(value), [value]);
  const face = useSignal<'table' | 'tree'>(tables.length > 0 ? 'table' : 'tree');
  return (
    <div class="structured" role="group" aria-label="Structured content">
      <div class="row wrap">
        <h3>Structured content</h3>
        {tables.length > 0 && (['table', 'tree'] as const).map((one) => (
          <button key={one} type="button" class="tab" aria-pressed={face.value === one} onClick={() => { face.value = one; }}>{one === 'table' ? 'Table' : 'Tree'}</button>
        ))}
        <span class="spring" />
        <CopyButton text={() => JSON.stringify(value, undefined, 2)} />
      </div>
      {face.value === 'table' ? tables.map((table, at) => <JsonTable key={at} table={table} />) : <JsonTree value={value} />}
      {face.value === 'table' && left > 0 && <p class="dim">{left} {left === 1 ? 'member' : 'members'} more {left === 1 ? 'is' : 'are'} in the tree.</p>}
    </div>
  );
}

function PromptMessages({ result, server }: { readonly result: GetPromptResult; readonly server: string }): JSX.Element {
  return (
    <div class="outcome">
      {result.description && <p><Safe text={result.description} most={1000} /></p>}
      {(result.messages ?? []).map(({ role, content }, at) => (
        <div key={at} class={`said ${role === 'assistant' ? 'assistant' : ''}`} role="group" aria-label={`Message ${at + 1}, of ${String(role).slice(0, 30)}`}>
          <p class="dim"><Safe text={String(role)} most={30} /></p>
          <Boundary value={content}><Block block={content} server={server} /></Boundary>
        </div>
      ))}
    </div>
  );
}
