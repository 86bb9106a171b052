// One field of a form, chosen by the shape of its schema. It renders itself for nested places.
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { JsonSchema } from 'barewire/schema';
import type { FieldProps } from './field-props.ts';
import type { FormModel } from './form-model.ts';
import { ArrayField, MapField, ObjectField } from './containers.tsx';
import { problemsBelow } from './problems.ts';
import type { Problems } from './problems.ts';
import { Labelled } from './labelled.tsx';
import type { InputProps } from './input-props.ts';
import { NumberInput } from './number-input.tsx';
import { RawInput } from './raw-input.tsx';
import { Choice, Choices, Fixed, YesNo } from './scalars.tsx';
import { TextInput } from './text-input.tsx';
import { alternativeOf, initial, resolve, shapeOf, within } from './shape.ts';
import type { Members, Shape } from './shape.ts';

const MAX_DEPTH = 10;

export function Field(props: FieldProps): JSX.Element {
  const { form, schema, name, path, required, value, onChange, problems, depth = 0 } = props;
  const id = useId();
  const own = resolve(schema, form.schema);
  const shape: Shape = depth > MAX_DEPTH ? { kind: 'any' } : shapeOf(own);
  const sentences = form.sentencesAt(path, problems);
  const onLeave = (): void => form.touch(path);

  switch (shape.kind) {
    case 'object': {
      if (shape.properties.length === 0 && shape.more !== false) return <MapField {...props} Field={Field} own={own} shape={shape} sentences={sentences} />;
      return <ObjectField {...props} Field={Field} own={own} shape={shape} sentences={sentences} />;
    }
    case 'array': return <ArrayField {...props} Field={Field} own={own} shape={shape} sentences={sentences} />;
    case 'union': return <UnionField {...props} own={own} shape={shape} sentences={sentences} />;
    default: {
      const input: InputProps = {
        id, described: `${id}-d ${id}-p`, invalid: sentences.length > 0, required, value, onChange, onLeave,
        lexemes: form.kept(path), onLexemes: (lexemes) => form.keep(path, lexemes), 
        unread: form.unread.value.get(path)?.text, onUnread: (text, fault) => form.misread(path, text, fault),
      };
      const many = shape.kind === 'choices' || shape.kind === 'choice' && shape.options.length <= 3 && required;
      return (
        <Labelled id={id} own={own} name={name} required={required} sentences={sentences} group={many} inline={shape.kind === 'boolean' && (required || typeof own.default === 'boolean')}>
          {inputOf(shape, input, own, form, name)}
        </Labelled>
      );
    }
  }
}

function inputOf(shape: Shape, input: InputProps, own: Members, form: FormModel, name: string): JSX.Element {
  switch (shape.kind) {
    case 'choice': return <Choice {...input} options={shape.options} />;
    case 'choices': return <Choices {...input} options={shape.options} />;
    case 'boolean': return <YesNo {...input} twoWays={input.required || typeof own.default === 'boolean'} />;
    case 'number': return <NumberInput key={form.filled.value} {...input} whole={shape.whole} own={own} />;
    case 'string': return <TextInput {...input} format={shape.format} long={shape.long} own={own} form={form} name={name} />;
    case 'const': return <Fixed {...input} fixed={shape.value} />;
    case 'null': return <Fixed {...input} fixed={null} />;
    default: return <RawInput key={form.filled.value} {...input} />;
  }
}

type UnionProps = FieldProps & { readonly own: Members; readonly shape: Extract<Shape, { kind: 'union' }>; readonly sentences: readonly string[] };

/** One of several schemas: a choice, then the fields of the chosen one, which show its faults. */
function UnionField(props: UnionProps): JSX.Element {
  const { form, own, shape, name, path, required, value, onChange, sentences, depth = 0 } = props;
  const id = useId();
  const chosen = useSignal(alternativeOf(shape.alternatives, value, form.schema));
  const alternative = shape.alternatives[chosen.value]?.value as JsonSchema | undefined ?? true;
  const absent = value === undefined && !required;
  const inside = absent || depth > MAX_DEPTH ? props.problems : new Map([
    // The validator only reports that no alternative matches, so the chosen one is validated separately.
    ...[...props.problems].filter(([at]) => !at.startsWith(`${path}/`) && at !== path),
    ...problemsBelow(path, within(alternative, form.schema), value, form.formats),
  ]);
  const choose = (index: number): void => {
    chosen.value = Math.max(index, 0);
    form.forget(path);
    form.chosen.set(path, chosen.value);
    onChange(index < 0 ? undefined : initial(shape.alternatives[index]?.value as JsonSchema, form.schema, true, depth));
  };
  return (
    <div class="field union">
      <Labelled id={id} own={own} name={name} required={required} sentences={inside.size > 0 ? [] : sentences}>
        <select id={id} value={absent ? -1 : chosen.value} onChange={(event) => choose(Number(event.currentTarget.value))}>
          {!required && <option value={-1}>not given</option>}
          {shape.alternatives.map(({ title }, at) => <option key={at} value={at}>{title}</option>)}
        </select>
      </Labelled>
      {!absent && (
        <div class="nested">
          <Field {...props} key={chosen.value} schema={alternative} name={shape.alternatives[chosen.value]?.title ?? ''} required bare problems={inside} depth={depth + 1} />
        </div>
      )}
    </div>
  );
}
