import type { JSX } from 'preact';

interface Source { readonly src: string; readonly mimeType?: string | undefined }

/** An icon in a `data:` URL. Others are not fetched, because a server would then learn who looks at the page. */
export function Icon({ icons }: { readonly icons: readonly Source[] | undefined }): JSX.Element | null {
  const found = Array.isArray(icons) ? (icons as readonly Source[]).find(({ src }) => typeof src === 'string' && src.length < 200_000 && /^data:image\/[\w.+-]+[;,]/.test(src)) : undefined;
  return found ? <img class="icon" src={found.src} alt="" /> : null;
}
