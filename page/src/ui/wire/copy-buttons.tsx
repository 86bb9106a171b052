import type { JSX } from 'preact';
import { isJson } from '../../json/layout.ts';
import type { ServerView, WireMessage } from '../../messages.ts';
import { CopyButton } from '../parts/controls.tsx';
import { askedIn, commandOf, programOf, verbOf } from './copy-as.ts';
import type { Asked } from './copy-as.ts';

/** Copies one of our requests as a command or a program. `text` loads the whole message. */
export function CopyButtons({ entry, server, text }: { readonly entry: WireMessage; readonly server: ServerView; readonly text: () => Promise<string | undefined> }): JSX.Element | null {
  const verb = verbOf(entry);
  if (verb === undefined || server.target.kind === 'worker') return null;
  const copied = async (as: (asked: Asked, server: ServerView) => string): Promise<string | undefined> => {
    const whole = await text();
    const asked = whole === undefined || !isJson(whole) ? undefined : askedIn(entry, whole);
    return asked && as(asked, server);
  };
  return (
    <>
      <CopyButton text={() => copied(commandOf)}>Copy as barewire {verb}</CopyButton>
      <CopyButton text={() => copied(programOf)}>Copy as TypeScript</CopyButton>
    </>
  );
}
