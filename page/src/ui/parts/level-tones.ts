import type { FindingView } from '../../messages.ts';

/** The colours of the doctor's findings. */
export const levelTones: Readonly<Record<FindingView['level'], string>> = { error: 'bad', warning: 'warn', note: '', ok: 'good' };
