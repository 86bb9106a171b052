// node test/judge/fill.mjs [TABLE …] : after a build, puts what the judge says now into the tables of this folder (probe-rows-http.ts …), and
// prints what has changed: read it before a commit. A new row or fault has ['@'] in each place to fill.
import { readFileSync, writeFileSync } from 'node:fs';

const tables = {
  'probe-rows-features': ['featureRows', 'probing'], 'probe-rows-http': ['httpRows', 'probing'], 'probe-rows-messages': ['messageRows', 'probing'], 'probe-rows-rounds': ['roundRows', 'probing'],
  'scene-rows-legacy': ['legacyRows', 'playing'], 'scene-rows-modern': ['modernRows', 'playing'], 'watch-rows': ['watchRows', 'watching'], 'ruling-rows': ['rulingRows', 'ruling'],
};

const quoted = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll('\'', '\\\'').replace(/[\x00-\x1f\ufffd\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}'`;
const written = (lines) => `[${lines.map(quoted).join(', ')}]`;

async function fill(name, [rows, harness]) {
  const at = new URL(`${name}.ts`, import.meta.url);
  const built = (file) => import(new URL(`../../dist/test/judge/${file}.js`, import.meta.url));
  const { probed, played = probed } = await built(harness);
  let [text, from] = [readFileSync(at, 'utf8'), 0];
  const put = (before, now) => {
    const old = written(before);
    let place = from - 1;
    do place = text.indexOf(old, place + 1); while (place >= 0 && !/(asks: |says: |, )$/.test(text.slice(Math.max(0, place - 8), place)));
    if (place < 0) throw new Error(`${name} has no ${old.slice(0, 100)}`);
    if (old !== written(now)) console.log(`${name}: ${old}\n  ${written(now)}`);
    text = text.slice(0, place) + written(now) + text.slice(place + old.length);
    from = place + written(now).length;
  };
  for (const { asks, says, faults, ...one } of (await built(name))[rows]) {
    const good = await played(one);
    put(asks, good.asks);
    put(says, good.says);
    for (const [, edits, wanted] of faults) put(wanted, (await played(one, edits)).says);
  }
  writeFileSync(at, text);
}

const chosen = process.argv.slice(2);
for (const [name, table] of Object.entries(tables)) if (chosen.length === 0 || chosen.includes(name)) await fill(name, table);
