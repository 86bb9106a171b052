// Structured content as a table, where it is one: a list of objects, or one object of plain values.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { isMembers } from '../form/shape.ts';
import { Safe } from './safe-text.tsx';

const PIECE = 100;
const MAX_COLUMNS = 24;

interface Rows {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Members that come after the most columns that are drawn. */
  readonly hidden: number;
}

/** The tables that a value can be drawn as: itself, or its members that are lists of objects. */
export function tablesOf(value: unknown): readonly Rows[] {
  if (Array.isArray(value)) {
    const one = rowsOf('', value);
    return one ? [one] : [];
  }
  if (!isMembers(value)) return [];
  const plain = Object.entries(value).filter(([, one]) => typeof one !== 'object' || one === null);
  const lists = Object.entries(value).flatMap(([name, one]) => (Array.isArray(one) ? rowsOf(name, one) ?? [] : []));
  return [...plain.length > 0 ? [{ title: '', columns: ['member', 'value'], rows: plain, hidden: 0 }] : [], ...lists];
}

function rowsOf(title: string, list: readonly unknown[]): Rows | undefined {
  if (list.length === 0 || !list.every(isMembers)) return undefined;
  // The first hundred rows name the columns.
  const names = [...new Set(list.slice(0, 100).flatMap((row) => Object.keys(row)))];
  const columns = names.slice(0, MAX_COLUMNS);
  return { title, columns, rows: list.map((row) => columns.map((name) => row[name])), hidden: names.length - columns.length };
}

export function JsonTable({ table }: { readonly table: Rows }): JSX.Element {
  const end = useSignal(PIECE);
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label={table.title || 'Table'}>
      <table>
        {table.title && <caption><Safe text={table.title} /></caption>}
        <thead><tr>{table.columns.map((name) => <th key={name} scope="col"><Safe text={name} most={60} /></th>)}</tr></thead>
        <tbody>
          {table.rows.slice(0, end.value).map((row, at) => (
            <tr key={at}>{row.map((cell, column) => <td key={column} class={typeof cell === 'number' ? 'number' : ''}><Cell value={cell} /></td>)}</tr>
          ))}
        </tbody>
      </table>
      {table.hidden > 0 && <p class="dim">{table.hidden} columns more are in the tree.</p>}
      {table.rows.length > end.value && (
        <button type="button" onClick={() => { end.value += PIECE; }}>{table.rows.length - end.value} rows more</button>
      )}
    </div>
  );
}

function Cell({ value }: { readonly value: unknown }): JSX.Element | null {
  if (value === undefined) return null;
  return <Safe text={typeof value === 'string' ? value : JSON.stringify(value)} most={200} />;
}
