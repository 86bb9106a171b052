// The dialog for `?`: a list of the keys.
import type { JSX } from 'preact';
import { Dialog } from './parts/dialog.tsx';

const keys: readonly (readonly [string, string])[] = [
  ['Ctrl+K', 'go to a server, tool, prompt, resource or message'], ['Ctrl+Enter', 'in a form: call the tool'], ['Escape', 'cancels a question'],
  ['?', 'these keys'], ['/', 'filter the wire'], ['j k ↓ ↑', 'in the wire: the next and the previous row'], ['→ ←', 'show and hide what is inside'],
  ['f', 'each message, or exchanges'], ['e', 'the next error'], ['E', 'the first error'], ['+ − 0', 'on the timeline: nearer, farther, all'], ['← → Home End', 'in tabs'],
];

export function Keys({ onDone }: { readonly onDone: () => void }): JSX.Element {
  return (
    <Dialog title="Keys" onCancel={onDone}>
      <div class="dialog-body" tabIndex={0} role="group" aria-label="Keys">
        <dl class="facts">{keys.map(([key, does]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{does}</dd></div>)}</dl>
      </div>
      <div class="dialog-foot"><button type="button" class="primary" onClick={onDone}>Close</button></div>
    </Dialog>
  );
}
