// npm run costs: what each feature of the playground weighs, gzipped: how much smaller the script is without it. Features share
// modules, and what is left is compressed otherwise without a part, so that the figures do not add up to the whole. The last pass
// of the build, which takes long, is left out: all figures are about 4 % larger.
import { gzipSync } from 'node:zlib';
import { playgroundBundle } from '../bundle.mjs';
import { readWords } from '../../scripts/words.mjs';

/** Modules by what they are for. */
const features = {
  'the judge, its quick rules over a pipe': /^(?:src\/judge\/|page\/src\/host\/judging|page\/src\/ui\/views\/judge)/,
  'the doctor': /^(?:src\/doctor\/|page\/src\/host\/examining|page\/src\/ui\/views\/doctor)/,
  'tasks, of server, client and page': /^(?:src\/tasks\/|page\/src\/host\/task|page\/src\/playground\/guide|page\/src\/ui\/views\/tasks)/,
  'recordings, playing again, dropped transcripts': /^(?:src\/transcript\/|page\/src\/host\/(?:recordings|replaying|transcripts|opened-files|compare)|page\/src\/ui\/views\/recordings)/,
  'sentences and sections of messages': /^src\/explain\/(?!safe-text)/,
  'the detail of a message, comparison': /^page\/src\/ui\/(?:wire\/wire-detail|parts\/(?:diff|line-diff))/,
  'step mode, send raw, share': /^page\/src\/(?:ui\/wire\/(?:steps|sender|share)|host\/sharing)/,
  'the filter of the wire': /^page\/src\/ui\/wire\/(?:filter|saved-filters)/,
  'the timeline': /^page\/src\/ui\/wire\/timeline/,
  'forms': /^page\/src\/ui\/form\//,
  'results: text, tables, trees, media': /^page\/src\/ui\/parts\/(?:result|content|json-table|json-tree|text-block)/,
  'numbers with the digits that passed': /^page\/src\/(?:json\/|host\/exact-numbers)/,
  'questions, sampling, approval': /^page\/src\/ui\/questions\//,
  'resources, prompts': /^page\/src\/ui\/views\/(?:resources|prompts)/,
  'logs, activity': /^page\/src\/ui\/views\/(?:logs|activity)/,
  'Ctrl+K, ? and addresses': /^page\/src\/ui\/(?:palette|keys|follow-address|address)/,
  'portability, changed tools, help after a failure': /^page\/src\/ui\/views\/(?:portability|tool-change|failed-call)/,
  'the travel example and its machine': /^(?:dist\/examples\/travel\/|page\/src\/playground\/machine)/,
  'the server of barewire': /^src\/server\//,
  'the host of barewire': /^src\/host\//,
  'the client of barewire': /^src\/client\//,
  'the validator of schemas': /^src\/schema\//,
  'the page\'s host in the worker': /^page\/src\/host\//,
  'all of the interface': /^page\/src\/ui\//,
};

const { names: [only] } = readWords({}, 1);
const weigh = async (without) => gzipSync(await playgroundBundle('0.0.0', without), { level: 9 }).length;
const whole = await weigh();
console.log(`| | KiB gzipped |\n|---|---|\n| all of the script | ${(whole / 1024).toFixed(1)} |`);
for (const [name, modules] of Object.entries(features)) {
  if (only !== undefined && !name.includes(only)) continue;
  console.log(`| ${name} | ${((whole - await weigh(modules)) / 1024).toFixed(1)} |`);
}
