// barewire/host/node and /oauth/node: their files.
import { fileStore } from 'barewire/host/node';
import { fileStore as tokens } from 'barewire/oauth/node';

export async function run({ folder }) {
  const kept = fileStore(`${folder}/host`);
  await kept.set('a', { b: 1 });
  if ((await kept.get('a')).b !== 1) throw new Error('not kept');
  void tokens({ path: `${folder}/tokens.json` });
}
