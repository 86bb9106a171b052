// Validation: JSON Schema validators beside each other; there is no bare program to compare them with.
import { measureValidation, table } from '../validation.mjs';

export const tables = {};
export const rounds = 1;

export async function round(bench) {
  const text = table(await measureValidation(bench.quick ? { rounds: 5 } : {}));
  bench.include({ text, markdown: `### Validation\n\n\`\`\`\n${text}\n\`\`\`` });
}
