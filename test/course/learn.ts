import { fileURLToPath } from 'node:url';
import { course } from './course.ts';

// The package barewire-learn: the course without a clone. integrations/learn makes one file of this and of what it reaches.
export const main = (words: readonly string[]): Promise<number> =>
  course(words, { typed: 'barewire-learn', texts: fileURLToPath(new URL('course/', import.meta.url)) });
