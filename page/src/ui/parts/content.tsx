// Content blocks and the contents of resources. The page never treats them as markup, and fetches nothing for them.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { ContentBlock, ReadResourceResult } from 'barewire/protocol';
import { useState } from '../context.ts';
import { isMembers } from '../form/shape.ts';
import { Boundary } from './boundary.tsx';
import { bytes } from './controls.tsx';
import { JsonTree } from './json-tree.tsx';
import { Safe } from './safe-text.tsx';
import { save } from './save.ts';
import { TextBlock } from './text-block.tsx';

const BASE64 = /^[A-Za-z0-9+/=_\s-]*$/;
const TYPE = /^[\w.+-]+\/[\w.+-]+$/;
/** The most characters of an image or a sound that the page shows itself. */
const MAX_DRAWN = 16 * 1024 * 1024;

/** A `data:` URL for a media type with this prefix; undefined if the data or the type is invalid. */
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
  // The server may have sent anything in place of a block.
  if (!isMembers(block)) return <JsonTree value={block} />;
  switch (block.type) {
    case 'text': return <TextBlock text={String(block.text)} />;
    case 'image': return <Media data={String(block.data)} mimeType={block.mimeType} />;
    case 'audio': return <Media data={String(block.data)} mimeType={block.mimeType} />;
    case 'resource_link': return <ResourceLine uri={String(block.uri)} title={block.title ?? block.name} about={block.description ?? ''} mimeType={block.mimeType} server={server} />;
    case 'resource': return <Contents contents={[block.resource]} />;
    default: return <JsonTree value={block} />;
  }
}

export function Media({ data, mimeType }: { readonly data: string; readonly mimeType: string | undefined }): JSX.Element {
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
    // Invalid base64 is saved as text, unchanged.
    save(`${name}.txt`, data);
  }
}

/** A resource by its URI. Only a web address can be opened, and only by the person. */
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

/** A link to a web address; null for any other URL. */
export function WebLink({ url, here = false, children }: { readonly url: string; readonly here?: boolean; readonly children: string }): JSX.Element | null {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address?.protocol !== 'https:' && address?.protocol !== 'http:') return null;
  if (here) return <a class="button primary" href={address.href} rel="noreferrer external" title={address.href}>{children} {address.host}</a>;
  return <a class="button small" href={address.href} target="_blank" rel="noopener noreferrer external" title={address.href}>{children} {address.host} ↗</a>;
}

export function Contents({ contents }: { readonly contents: ReadResourceResult['contents'] }): JSX.Element {
  return (
    <>
      {contents.map((one, at) => (
        <div class="contents" key={at} role="group" aria-label="Contents of a resource">
          <p class="dim"><code><Safe text={String(one.uri)} /></code> <Safe text={one.mimeType ?? ''} most={60} /></p>
          {'text' in one ? <TextBlock text={String(one.text)} label={`Contents of ${String(one.uri).slice(0, 200)}`} /> : <Media data={String(one.blob)} mimeType={one.mimeType} />}
        </div>
      ))}
    </>
  );
}
