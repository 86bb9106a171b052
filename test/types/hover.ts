// { city: string; days?: number; stops?: { name: string; }[]; }
import type { FromSchema } from '../../src/schema/index.ts';

declare function tool<const S>(schema: S): FromSchema<S>;

export const args = tool({
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'integer' },
    stops: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
  },
  required: ['city'],
});
