import Split from 'split.js';

/** How far one press of a key moves the border, in percent. */
const STEP = 4;
const LEAST = 15;

/** Parts a place in two with a border that the mouse and the keyboard move. Returns what takes the border away. */
export function splitPanes(panes: readonly HTMLElement[], direction: 'horizontal' | 'vertical', sizes: readonly number[], onMove: (sizes: number[]) => void): () => void {
  const split = Split([...panes], {
    direction, sizes: [...sizes], minSize: 200, gutterSize: 9, onDragEnd: onMove,
    gutter: () => {
      const border = document.createElement('div');
      border.className = `gutter gutter-${direction}`;
      border.tabIndex = 0;
      border.setAttribute('role', 'separator');
      border.setAttribute('aria-label', 'Size of the two halves');
      border.setAttribute('aria-orientation', direction === 'horizontal' ? 'vertical' : 'horizontal');
      border.setAttribute('aria-valuenow', String(Math.round(sizes[0] ?? 50)));
      border.addEventListener('keydown', (event) => {
        const by = { ArrowLeft: -STEP, ArrowUp: -STEP, ArrowRight: STEP, ArrowDown: STEP }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        const first = Math.min(Math.max((split.getSizes()[0] ?? 50) + by, LEAST), 100 - LEAST);
        split.setSizes([first, 100 - first]);
        border.setAttribute('aria-valuenow', String(Math.round(first)));
        onMove([first, 100 - first]);
      });
      return border;
    },
  });
  return () => split.destroy();
}
