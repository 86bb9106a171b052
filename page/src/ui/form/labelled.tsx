// The frame of every input.
import type { ComponentChildren, JSX } from 'preact';
import { Safe } from '../parts/safe-text.tsx';
import { Sentences } from './sentences.tsx';
import { describe, requiredWords, titleOf } from './shape.ts';
import type { Members } from './shape.ts';

interface LabelledProps {
  readonly id: string;
  readonly own: Members;
  readonly name: string;
  readonly required: boolean;
  readonly sentences: readonly string[];
  /** Several inputs with a common name. */
  readonly group?: boolean;
  /** The label comes after the input. */
  readonly inline?: boolean;
  readonly children: ComponentChildren;
}

/** The name, the description of the schema, the input, and its faults. */
export function Labelled({ id, own, name, required, sentences, group = false, inline = false, children }: LabelledProps): JSX.Element {
  const title = titleOf(own, name) || 'Value';
  // Outside the label, so that the accessible name of the field is only its title.
  const beside = (
    <>
      {name && title.toLowerCase() !== name.toLowerCase() && <code class="dim"><Safe text={name} most={60} /></code>}
      {required && <span class="required" aria-hidden="true">{requiredWords(own)}</span>}
      {own.deprecated === true && <span class="badge warn">deprecated</span>}
    </>
  );
  const words = <Safe text={title} most={120} />;
  const about = describe(own);
  const rest = (
    <>
      <p class="hint" id={`${id}-d`}>{about && <Safe text={about} most={1000} />}</p>
      <Sentences id={`${id}-p`} sentences={sentences} />
    </>
  );
  if (group) return <fieldset class="field group" aria-describedby={`${id}-d ${id}-p`}><legend>{words}{beside}</legend>{children}{rest}</fieldset>;
  return (
    <div class={`field ${inline ? 'inline' : ''}`}>
      {inline && children}
      <div class="label"><label for={id}>{words}</label>{beside}</div>
      {!inline && children}
      {rest}
    </div>
  );
}
