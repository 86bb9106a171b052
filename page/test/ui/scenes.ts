// Screens and colour schemes for the tests: two, or sixteen with SCENES=all.
import type { BrowserContextOptions } from 'playwright-core';

export type Scene = BrowserContextOptions & { readonly viewport: { readonly width: number; readonly height: number } };

const sizes = { wide: [1500, 900], medium: [900, 800], low: [1280, 600], narrow: [360, 700] } as const;

/** Two sizes, one light and one dark. With `all`: four sizes, each light, dark, in forced colours and at 200 %. */
export const scenes: Readonly<Record<string, Scene>> = process.env['SCENES'] !== 'all'
  ? { 'light and wide': { colorScheme: 'light', viewport: { width: 1500, height: 900 } }, 'dark and narrow': { colorScheme: 'dark', viewport: { width: 360, height: 700 } } }
  : Object.fromEntries(Object.entries(sizes).flatMap(([size, [width, height]]): [string, Scene][] => [
    [`light and ${size}`, { colorScheme: 'light', viewport: { width, height } }], [`dark and ${size}`, { colorScheme: 'dark', viewport: { width, height } }],
    [`forced colours and ${size}`, { forcedColors: 'active', viewport: { width, height } }],
    // A zoom of 200 %: half the CSS pixels, each twice as large.
    [`${size} at 200 %`, { deviceScaleFactor: 2, viewport: { width: Math.max(width / 2, 320), height: Math.max(height / 2, 300) } }],
  ]));

/** Whether only one half of the page is shown at a time. */
export const isNarrow = ({ viewport: { width } }: Scene): boolean => width < 720;
