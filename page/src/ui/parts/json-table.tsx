// Shows structured content as tables, where possible: lists of objects, objects of plain values, lists of plain values.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { isMembers } from '../form/shape.ts';
import { Safe } from './safe-text.tsx';
import { Scroller } from './scroller.tsx';

const PIECE = 100;
const MAX_COLUMNS = 24;
/** The most tables for one value, and the greatest depth of nested objects in them. */
const MAX_TABLES = 12;
const MAX_DEPTH = 4;

interface Rows {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** The number of members beyond the last shown column. */
  readonly hidden: number;
}

export interface Tables {
  readonly tables: readonly Rows[];
  /** The number of members that no table shows. */
  readonly left: number;
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** The tables for a value, and the number of its members that are in none of them. */
export function tablesOf(value: unknown): Tables {
  if (Array.isArray(value)) {
    const one = rowsOf('', value);
    return one ? { tables: [one], left: 0 } : { tables: [], left: value.length };
  }
  if (!isMembers(value)) return { tables: [], left: 0 };
  return tablesOfMembers('', value, 0);
}

function tablesOfMembers(title: string, value: Readonly<Record<string, unknown>>, depth: number): Tables {
  if (depth > MAX_DEPTH) return { tables: [], left: 1 };
  const members = Object.entries(value);
  const plain = members.filter(([, one]) => isPlain(one));
  const found: Rows[] = plain.length > 0 ? [{ title, columns: ['member', 'value'], rows: plain, hidden: 0 }] : [];
  let left = 0;
  for (const [name, one] of members) {
    if (isPlain(one)) continue;
    const below = title === '' ? name : `${title} / ${name}`;
    const inside: Tables = Array.isArray(one) ? tableOfList(below, one) : tablesOfMembers(below, one as Readonly<Record<string, unknown>>, depth + 1);
    if (inside.tables.length > 0 && found.length + inside.tables.length <= MAX_TABLES) {
      found.push(...inside.tables);
      left += inside.left;
    } else left++;
  }
  return { tables: found, left };
}

function tableOfList(title: string, list: readonly unknown[]): Tables {
  const one = rowsOf(title, list);
  return one ? { tables: [one], left: 0 } : { tables: [], left: 1 };
}

function rowsOf(title: string, list: readonly unknown[]): Rows | undefined {
  if (list.length === 0) return undefined;
  if (list.every(isPlain)) return { title, columns: ['', 'value'], rows: list.map((one, at) => [at, one]), hidden: 0 };
  if (!list.every(isMembers)) return undefined;
  // Only the first hundred rows determine the columns.
  const names = [...new Set(list.slice(0, 100).flatMap((row) => Object.keys(row)))];
  const columns = names.slice(0, MAX_COLUMNS);
  return { title, columns, rows: list.map((row) => columns.map((name) => row[name])), hidden: names.length - columns.length };
}

export function JsonTable({ table }: { readonly table: Rows }): JSX.Element {
  const end = useSignal(PIECE);
  return (
    <Scroller class="scroll-x" label={table.title || 'Table'}>
      <table>
        {table.title && <caption><Safe text={table.title} /></caption>}
        <thead><tr>{table.columns.map((name, at) => <th key={at} scope="col">{name ? <Safe text={name} most={60} /> : <span class="unseen">place</span>}</th>)}</tr></thead>
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
    </Scroller>
  );
}

function Cell({ value }: { readonly value: unknown }): JSX.Element | null {
  if (value === undefined) return null;
  return <Safe text={typeof value === 'string' ? value : JSON.stringify(value)} most={200} />;
}
