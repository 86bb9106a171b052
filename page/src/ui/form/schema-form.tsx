// A form for a JSON Schema, with an alternative view as raw JSON.
import type { JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useState } from '../context.ts';
import { Field } from './field.tsx';
import type { FormModel } from './form-model.ts';
import { Sentences } from './sentences.tsx';

export function SchemaForm({ form, legend }: { readonly form: FormModel; readonly legend: string }): JSX.Element {
  const { raw, rawFault, problems, submitted, tries } = form;
  const at = useRef<HTMLDivElement>(null);
  // After a failed attempt to send, focus the first invalid field.
  useEffect(() => {
    if (submitted.value) at.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [tries.value]);
  return (
    <div class="form" role="group" aria-label={legend} ref={at}>
      <div class="form-face" role="group" aria-label="How arguments are written">
        <button type="button" class="tab" aria-pressed={raw.value === undefined} disabled={rawFault.value !== ''} onClick={() => form.showFields()}>Form</button>
        <button type="button" class="tab" aria-pressed={raw.value !== undefined} onClick={() => form.showRaw()}>JSON</button>
      </div>
      {form.fault && <p class="hint">The values cannot be checked against this schema: {form.fault}</p>}
      {raw.value === undefined
        ? <Field form={form} schema={form.schema} name="" path="" required value={form.value.value} onChange={(value) => form.set(value ?? {})} problems={problems.value} />
        : <Raw form={form} legend={legend} />}
      {submitted.value && problems.value.size > 0 && raw.value !== undefined && (
        <Sentences id="" sentences={[...problems.value].flatMap(([path, all]) => all.map((one) => `${path || '/'}: ${one}`)).slice(0, 20)} />
      )}
    </div>
  );
}

function Raw({ form, legend }: { readonly form: FormModel; readonly legend: string }): JSX.Element {
  const id = useId();
  const { JsonEditor } = useState().parts;
  const label = `${legend} as JSON`;
  const { rawFault: { value: fault } } = form;
  return (
    <div class="field">
      {JsonEditor ? <JsonEditor text={form.raw} label={label} invalid={fault !== ''} fault={fault} onInput={(text) => form.typeRaw(text)} /> : <textarea class="code" aria-label={label} spellcheck={false} rows={8} value={form.raw.value} aria-invalid={fault !== ''}
        aria-describedby={id} onInput={(event) => form.typeRaw(event.currentTarget.value)} />}
      <Sentences id={id} sentences={fault ? [fault] : []} />
    </div>
  );
}
