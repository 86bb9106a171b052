import type { FindingView } from '../../messages.ts';

/** The colours for the levels of findings. */
export const levelTones: Readonly<Record<FindingView['level'], string>> = { error: 'bad', warning: 'warn', note: '', ok: 'good' };
