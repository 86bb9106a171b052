import type { JSX } from 'preact';
import { Safe } from '../parts/safe-text.tsx';
import type { FormModel } from './form-model.ts';

/** Text next to the submit button: the missing places, and after an attempt to send the number of faults. */
export function Missing({ form }: { readonly form: FormModel }): JSX.Element {
  const { missing: { value: missing }, problems: { value: problems }, submitted } = form;
  return (
    <>
      {missing.length > 0 && <span class="hint">Still missing: <Safe text={missing.join(', ')} most={500} /></span>}
      {submitted.value && problems.size > 0 && <span class="problems"> {problems.size} {problems.size === 1 ? 'place is' : 'places are'} not as the schema says.</span>}
    </>
  );
}
