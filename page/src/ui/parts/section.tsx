import type { JSX } from 'preact';

/** A link to a section of the specification. Only the person opens it. */
export function Section({ section }: { readonly section: string }): JSX.Element {
  const [, revision, page, heading = ''] = /^(\d{4}-\d{2}-\d{2}) ([\w/-]+)(#[\w-]*)?$/.exec(section) ?? [];
  if (!revision || !page) return <code class="section-name">{section}</code>;
  return (
    <a class="section-name" target="_blank" rel="noopener noreferrer external" href={`https://modelcontextprotocol.io/specification/${revision}/${page.replace(/\/index$/, '')}${heading}`}>{section}</a>
  );
}
