import type { ComponentChildren, JSX } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { JsonTree } from './json-tree.tsx';
import { Safe } from './safe-text.tsx';

/** If the data of a server cannot be rendered, shows it as JSON instead; the rest of the page keeps working. */
export function Boundary({ value, children }: { readonly value: unknown; readonly children: ComponentChildren }): JSX.Element {
  const [error] = useErrorBoundary();
  if (error === undefined) return <>{children}</>;
  return (
    <div class="outcome bad" role="alert">
      <p>This does not follow the protocol, so it is shown unchanged. <Safe text={String(error)} /></p>
      <JsonTree value={value} open={2} />
    </div>
  );
}
