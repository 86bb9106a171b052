import { effect, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

const key = 'barewire-theme';

/** Light, dark, or as the system has it. Kept by the browser where it keeps such things for the page. */
export const theme: Signal<Theme> = signal<Theme>('auto');

/** Follows `theme` from now on. */
export function followTheme(): void {
  try {
    const kept = localStorage.getItem(key);
    if (kept === 'light' || kept === 'dark') theme.value = kept;
  } catch {
    // A file from a disk may have no storage: then the choice is as long as the page.
  }
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const systemTheme = signal(dark.matches ? 'dark' : 'light');
  dark.addEventListener('change', () => { systemTheme.value = dark.matches ? 'dark' : 'light'; });
  effect(() => {
    const chosen = theme.value;
    document.documentElement.dataset['theme'] = chosen === 'auto' ? systemTheme.value : chosen;
    try {
      localStorage.setItem(key, chosen);
    } catch {
      // As above.
    }
  });
}
