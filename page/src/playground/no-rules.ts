// The build puts this file in the place of the host's rules about calls: the playground has no configuration that holds some.
import type { rule as hostRule } from 'barewire/host';

export const checkRule = (): void => {};
export const deniesAnyCall = (): number => -1;
export const rule: typeof hostRule = () => Promise.resolve({ verdict: 'ask', at: -1 });
