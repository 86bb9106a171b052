// The build replaces the host's call rules by this file: the playground has no configuration with rules.
import type { rule as hostRule } from 'barewire/host';

export const checkRule = (): void => {};
export const deniesAnyCall = (): number => -1;
export const rule: typeof hostRule = () => Promise.resolve({ verdict: 'ask', at: -1 });
