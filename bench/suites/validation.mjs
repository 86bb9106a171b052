// Validation: compares JSON Schema validators, and the cost of schema types for the compiler; there is no bare program for
// comparison.
import { measureTypes, typesTable } from '../validation-types.mjs';
import { measureValidation, table } from '../validation.mjs';

export const tables = {};
export const rounds = 1;

export async function round(bench) {
  const text = table(await measureValidation(bench.quick ? { rounds: 5 } : {}));
  bench.include({ text, markdown: `### Validation\n\n\`\`\`\n${text}\n\`\`\`` });
  const types = typesTable(measureTypes(bench.quick ? 1 : 3));
  bench.include({ text: types, markdown: `### Types\n\n\`\`\`\n${types}\n\`\`\`` });
}
