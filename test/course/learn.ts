import { fileURLToPath } from 'node:url';
import { course } from './course.ts';

// The package barewire-learn: the course without a clone. integrations/learn bundles this file and its imports.
export const main = (words: readonly string[]): Promise<number> =>
  course(words, { typed: 'barewire-learn', texts: fileURLToPath(new URL('course/', import.meta.url)) });
