import { truncate, visible } from '../explain/safe-text.ts';
import type { CommandProcess } from './command-process.ts';

/** A line on stderr with the progress of a call. */
export interface ProgressBar {
  show(report: { readonly progress: number; readonly total?: number | undefined; readonly message?: string | undefined }): void;
  /** Removes the line, so that other text can be printed. */
  hide(): void;
}

const cells = 24;

/** Draws a bar at a terminal. Elsewhere, prints one line for each report that has a message. */
export function progressBar(stream: CommandProcess['stderr']): ProgressBar {
  let drawn = false;
  return {
    show({ progress, total, message }) {
      const said = message === undefined ? '' : ` ${visible(message)}`;
      if (!stream.isTTY) {
        if (said) stream.write(`${progress}${total === undefined ? '' : `/${total}`}${said}\n`);
        return;
      }
      const share = total !== undefined && total > 0 ? Math.max(0, Math.min(1, progress / total)) : undefined;
      const full = share === undefined ? 0 : Math.round(share * cells);
      const bar = share === undefined
        ? `${progress}`
        : `${'█'.repeat(full)}${'░'.repeat(cells - full)} ${String(Math.floor(share * 100)).padStart(3)} %`;
      stream.write(`\r\x1b[K${truncate(`${bar}${said}`, (stream.columns || 80) - 1)}`);
      drawn = true;
    },
    hide() {
      if (drawn) stream.write('\r\x1b[K');
      drawn = false;
    },
  };
}
