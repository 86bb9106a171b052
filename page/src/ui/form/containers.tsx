// Fields with other fields inside: objects, lists, and objects with free member names.
import type { ComponentType, JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { visible } from 'barewire/explain';
import type { JsonSchema } from 'barewire/schema';
import { below } from '../../json/lexemes.ts';
import { Safe } from '../parts/safe-text.tsx';
import type { FieldProps } from './field-props.ts';
import { withMember } from './problems.ts';
import { Sentences } from './sentences.tsx';
import { describe, initial, isMembers, isWide, outline, requiredWords, titleOf } from './shape.ts';
import type { Members, Shape } from './shape.ts';

/** Additional properties of such a field. */
interface Holding extends FieldProps {
  /** Renders a field inside. */
  readonly Field: ComponentType<FieldProps>;
}

interface Inside<K extends Shape['kind']> extends Holding {
  readonly own: Members;
  readonly shape: Extract<Shape, { kind: K }>;
  readonly sentences: readonly string[];
}

/** An object. If it is optional, a button adds it. */
export function ObjectField(props: Inside<'object'>): JSX.Element {
  const { Field, form, own, shape, name, path, required, value, onChange, problems, sentences, depth = 0, bare = false } = props;
  const members = isMembers(value) ? value : {};
  const fields = shape.properties.map((one) => (
    <Field key={one.name} form={form} schema={one.schema} name={one.name} path={below(path, one.name)} required={one.required}
      value={Object.hasOwn(members, one.name) ? members[one.name] : undefined} problems={problems} depth={depth + 1}
      onChange={(next) => onChange(withMember(value, one.name, next))} />
  ));
  const more = shape.more !== false && <FreeMembers {...props} known={shape.properties.map((one) => one.name)} schema={shape.more} />;
  if (path === '' || bare) {
    return (
      <>
        {fields}{more}
        {fields.length === 0 && !more && <p class="dim">Nothing to fill in.</p>}
        <Sentences id="" sentences={sentences} />
      </>
    );
  }
  const title = titleOf(own, name);
  if (value === undefined && !required) {
    return (
      <div class="field">
        <span class="row"><Safe text={title} /><button type="button" class="small" onClick={() => onChange(initial(own as JsonSchema, form.schema, true, depth))}>Add {title}</button></span>
        <p class="hint"><Safe text={describe(own)} most={1000} /></p>
      </div>
    );
  }
  return (
    <fieldset class="field nested">
      <legend><Safe text={title} />{required && <span class="required" aria-hidden="true">required</span>}</legend>
      {!required && <button type="button" class="small" aria-label={`Remove ${title}`} onClick={() => { form.forget(path); onChange(undefined); }}>Remove</button>}
      {describe(own) && <p class="hint"><Safe text={describe(own)} most={1000} /></p>}
      {fields}{more}
      <Sentences id="" sentences={sentences} />
    </fieldset>
  );
}

/** A list whose items can be added, moved and removed. */
export function ArrayField(props: Inside<'array'>): JSX.Element {
  const { Field, form, own, shape, name, path, required, value, onChange, problems, sentences, depth = 0 } = props;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const title = titleOf(own, name) || 'Items';
  const schemaAt = (at: number): JsonSchema => shape.first[at] ?? shape.items;
  const set = (next: readonly unknown[]): void => {
    form.touch(path);
    onChange(next.length === 0 && !required ? undefined : next);
  };
  /** Reorders the items: `olds` has their old indexes. */
  const order = (olds: readonly number[]): void => {
    form.moved(path, olds);
    set(olds.map((old) => items[old]));
  };
  const places = [...items.keys()];
  const swap = (at: number): void => order(places.with(at, at - 1).with(at - 1, at));
  const canAdd = schemaAt(items.length) !== false && !(typeof own.maxItems === 'number' && items.length >= own.maxItems);
  return (
    <fieldset class="field nested">
      <legend><Safe text={title} />{required && <span class="required" aria-hidden="true">{requiredWords(own)}</span>}</legend>
      {describe(own) && <p class="hint"><Safe text={describe(own)} most={1000} /></p>}
      {items.map((item, at) => {
        const wide = isWide(schemaAt(at), form.schema);
        const buttons = (
          <span class="item-buttons">
            <ItemButton name={`Move item ${at + 1} of ${title} up`} sign="↑" disabled={at === 0} onClick={() => swap(at)} />
            <ItemButton name={`Move item ${at + 1} of ${title} down`} sign="↓" disabled={at === items.length - 1} onClick={() => swap(at + 1)} />
            <ItemButton name={`Remove item ${at + 1} of ${title}`} sign="×" onClick={() => order(places.filter((other) => other !== at))} />
          </span>
        );
        return (
          <div class={`item ${wide ? 'wide' : ''}`} key={`${items.length} ${at}`} {...wide && { 'role': 'group', 'aria-label': `Item ${at + 1} of ${title}` }}>
            {wide && <><span class="item-name" aria-hidden="true">Item {at + 1}</span>{buttons}</>}
            <Field form={form} schema={schemaAt(at)} name={`${at + 1}`} path={below(path, at)} required bare={wide} value={item} problems={problems} depth={depth + 1}
              onChange={(next) => set(items.with(at, next ?? null))} />
            {!wide && buttons}
          </div>
        );
      })}
      {canAdd && (
        <div class="row wrap">
          <button type="button" class="small" onClick={() => set([...items, initial(schemaAt(items.length), form.schema, true, depth + 1) ?? startOf(schemaAt(items.length))])}>Add to {title}</button>
          {items.length === 0 && isWide(schemaAt(0), form.schema) && <span class="hint">Each has <Safe text={outline(schemaAt(0), form.schema)} most={300} /></span>}
        </div>
      )}
      <Sentences id="" sentences={sentences} />
    </fieldset>
  );
}

/** A button with a symbol: its name is read out, and shown on hover. */
function ItemButton({ name, sign, disabled = false, onClick }: { readonly name: string; readonly sign: string; readonly disabled?: boolean; readonly onClick: () => void }): JSX.Element {
  return <button type="button" class="quiet" aria-label={visible(name)} title={visible(name)} disabled={disabled} onClick={onClick}>{sign}</button>;
}

// JSON has no holes in a list, so an item without an initial value starts as an empty string or null.
const startOf = (schema: JsonSchema): unknown => (isMembers(schema) && schema.type === 'string' ? '' : null);

/** An object with only free member names. */
export function MapField(props: Inside<'object'>): JSX.Element {
  const { own, shape, name, required, sentences, path } = props;
  const title = titleOf(own, name) || 'Members';
  if (shape.more === false) return <></>;
  return (
    <fieldset class="field nested">
      <legend><Safe text={title} />{required && path !== '' && <span class="required" aria-hidden="true">required</span>}</legend>
      {describe(own) && <p class="hint"><Safe text={describe(own)} most={1000} /></p>}
      <FreeMembers {...props} known={[]} schema={shape.more} />
      <Sentences id="" sentences={sentences} />
    </fieldset>
  );
}

function FreeMembers({ Field, form, path, value, onChange, problems, known, schema, depth = 0 }: Holding & { readonly known: readonly string[] }): JSX.Element {
  const adding = useSignal('');
  const members = isMembers(value) ? value : {};
  const free = Object.keys(members).filter((name) => !known.includes(name));
  const taken = adding.value === '' || Object.hasOwn(members, adding.value) || known.includes(adding.value);
  const add = (): void => {
    onChange(withMember(value, adding.value, initial(schema, form.schema, true, depth + 1) ?? startOf(schema)));
    adding.value = '';
  };
  return (
    <>
      {free.map((name) => (
        <div class="item" key={name}>
          <Field form={form} schema={schema} name={name} path={below(path, name)} required value={members[name]} problems={problems} depth={depth + 1}
            onChange={(next) => onChange(withMember(value, name, next ?? null))} />
          <span class="item-buttons"><ItemButton name={`Remove ${name}`} sign="×" onClick={() => { form.forget(below(path, name)); onChange(withMember(value, name, undefined)); }} /></span>
        </div>
      ))}
      <div class="row">
        <input type="text" class="short" placeholder="name" aria-label="Name of a new member" value={adding.value} onInput={(event) => { adding.value = event.currentTarget.value; }}
          onKeyDown={(event) => { if (event.key === 'Enter') { event.preventDefault(); if (!taken) add(); } }} />
        <button type="button" class="small" disabled={taken} onClick={add}>Add member</button>
      </div>
    </>
  );
}
