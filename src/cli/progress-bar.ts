import { truncate, visible } from '../explain/safe-text.ts';
import type { CommandProcess } from './command-process.ts';

/** A line on stderr that says how far a call has come. */
export interface ProgressBar {
  show(report: { readonly progress: number; readonly total?: number | undefined; readonly message?: string | undefined }): void;
  /** Takes the line away, so that something else can be printed. */
  hide(): void;
}

const cells = 24;

/** Draws at a terminal; elsewhere it prints a line a report only where the server says something. */
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
