import { effect, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

const key = 'barewire-theme';

/** Light, dark, or the system's choice. Stored in `localStorage` if the browser allows it. */
export const theme: Signal<Theme> = signal<Theme>('auto');

/** Applies `theme` from now on. */
export function followTheme(): void {
  try {
    const kept = localStorage.getItem(key);
    if (kept === 'light' || kept === 'dark') theme.value = kept;
  } catch {
    // A page opened from a file may have no storage: the choice then lasts as long as the page.
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
