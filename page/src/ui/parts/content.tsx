// What a tool, a prompt or a resource answered. Nothing of it is markup to the page, and nothing of it is fetched.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult } from 'barewire/protocol';
import type { CallView } from '../../messages.ts';
import { useState } from '../context.ts';
import { isMembers } from '../form/shape.ts';
import { Boundary } from './boundary.tsx';
import { bytes } from './controls.tsx';
import { JsonTable, tablesOf } from './json-table.tsx';
import { JsonTree } from './json-tree.tsx';
import { Safe, SafeText } from './safe-text.tsx';
import { save } from './save.ts';

const BASE64 = /^[A-Za-z0-9+/=_\s-]*$/;
const TYPE = /^[\w.+-]+\/[\w.+-]+$/;
/** Drawing more of a picture or a sound than this is left to other programs. */
const MAX_DRAWN = 16 * 1024 * 1024;

/** The address of data in place, of a type that begins so; undefined where it is none. */
function dataUrl(data: string, mimeType: string | undefined, begins: string): string | undefined {
  if (!mimeType?.startsWith(begins) || !TYPE.test(mimeType) || data.length > MAX_DRAWN || !BASE64.test(data)) return undefined;
  return `data:${mimeType};base64,${data}`;
}

export function Blocks({ blocks, server }: { readonly blocks: readonly ContentBlock[]; readonly server: string }): JSX.Element {
  const end = useSignal(50);
  return (
    <>
      {blocks.slice(0, end.value).map((block, at) => <Boundary key={at} value={block}><Block block={block} server={server} /></Boundary>)}
      {blocks.length > end.value && <button type="button" onClick={() => { end.value += 50; }}>{blocks.length - end.value} blocks more</button>}
    </>
  );
}

export function Block({ block, server }: { readonly block: ContentBlock; readonly server: string }): JSX.Element {
  // The server may have sent anything where a block should stand.
  if (!isMembers(block)) return <JsonTree value={block} />;
  switch (block.type) {
    case 'text': return <SafeText text={String(block.text)} class="result-text" />;
    case 'image': return <Media data={String(block.data)} mimeType={block.mimeType} />;
    case 'audio': return <Media data={String(block.data)} mimeType={block.mimeType} />;
    case 'resource_link': return <ResourceLine uri={String(block.uri)} title={block.title ?? block.name} about={block.description ?? ''} mimeType={block.mimeType} server={server} />;
    case 'resource': return <Contents contents={[block.resource]} />;
    default: return <JsonTree value={block} />;
  }
}

function Media({ data, mimeType }: { readonly data: string; readonly mimeType: string | undefined }): JSX.Element {
  const image = dataUrl(data, mimeType, 'image/');
  const audio = dataUrl(data, mimeType, 'audio/');
  const broken = useSignal(false);
  return (
    <figure class="media">
      {image && !broken.value && <img src={image} alt={`An image that the server sent (${mimeType})`} onError={() => { broken.value = true; }} />}
      {audio && <audio controls src={audio} aria-label={`A sound that the server sent (${mimeType})`} />}
      {(broken.value || !image && !audio) && <p class="dim">This cannot be shown.</p>}
      <figcaption>
        <Safe text={mimeType ?? 'no type'} most={60} />, {bytes(Math.floor(data.length * 3 / 4))}
        <button type="button" class="small" onClick={() => saveBase64(`content.${(mimeType ?? 'bin').split(/[/+]/)[1] ?? 'bin'}`, data)}>Save</button>
      </figcaption>
    </figure>
  );
}

function saveBase64(name: string, data: string): void {
  try {
    save(name, Uint8Array.from(atob(data.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0)));
  } catch {
    // What is no base64 is saved as it came.
    save(`${name}.txt`, data);
  }
}

/** A resource by its address. Of the web it can be opened, by the person alone; any other address is text. */
export function ResourceLine({ uri, title, about, mimeType, server }: {
  readonly uri: string; readonly title: string; readonly about: string; readonly mimeType: string | undefined; readonly server: string;
}): JSX.Element {
  const state = useState();
  return (
    <div class="resource-link">
      <div>
        <strong><Safe text={title} /></strong> <code><Safe text={uri} /></code> {mimeType && <span class="dim"><Safe text={mimeType} most={60} /></span>}
        {about && <p class="hint"><Safe text={about} /></p>}
      </div>
      <span class="row">
        <button type="button" class="small" onClick={() => void state.run('resource.read', { server, uri })}>Read</button>
        <WebLink url={uri}>Open</WebLink>
      </span>
    </div>
  );
}

/** A link to the web; nothing for any other address. */
export function WebLink({ url, children }: { readonly url: string; readonly children: string }): JSX.Element | null {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address?.protocol !== 'https:' && address?.protocol !== 'http:') return null;
  return <a class="button small" href={address.href} target="_blank" rel="noopener noreferrer external" title={address.href}>{children} {address.host} ↗</a>;
}

export function Contents({ contents }: { readonly contents: ReadResourceResult['contents'] }): JSX.Element {
  return (
    <>
      {contents.map((one, at) => (
        <section class="contents" key={at} aria-label="Contents of a resource">
          <p class="dim"><code><Safe text={String(one.uri)} /></code> <Safe text={one.mimeType ?? ''} most={60} /></p>
          {'text' in one ? <SafeText text={String(one.text)} class="result-text" /> : <Media data={String(one.blob)} mimeType={one.mimeType} />}
        </section>
      ))}
    </>
  );
}

/** What a call ended with. */
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
  const tables = tablesOf(value);
  const face = useSignal<'table' | 'tree'>(tables.length > 0 ? 'table' : 'tree');
  return (
    <section class="structured" aria-label="Structured content">
      <div class="row">
        <h3>Structured content</h3>
        {tables.length > 0 && (['table', 'tree'] as const).map((one) => (
          <button key={one} type="button" class="tab" aria-pressed={face.value === one} onClick={() => { face.value = one; }}>{one === 'table' ? 'Table' : 'Tree'}</button>
        ))}
      </div>
      {face.value === 'table' ? tables.map((table, at) => <JsonTable key={at} table={table} />) : <JsonTree value={value} />}
    </section>
  );
}

function PromptMessages({ result, server }: { readonly result: GetPromptResult; readonly server: string }): JSX.Element {
  return (
    <div class="outcome">
      {result.description && <p><Safe text={result.description} most={1000} /></p>}
      {(result.messages ?? []).map(({ role, content }, at) => (
        <section key={at} class={`said ${role === 'assistant' ? 'assistant' : ''}`} aria-label={`Message of ${role}`}>
          <p class="dim"><Safe text={String(role)} most={30} /></p>
          <Boundary value={content}><Block block={content} server={server} /></Boundary>
        </section>
      ))}
    </div>
  );
}
