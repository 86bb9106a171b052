import { recorder } from 'barewire/transcript';
import type { Recorder, Transcript } from 'barewire/transcript';
import type { DifferenceView, RecordingView, WireMessage } from '../messages.ts';
import { PageError } from './failure.ts';

/** The most characters of one recording, and of all together. */
const maxChars = 16_000_000;
const maxAllChars = 64_000_000;

interface Recording {
  view: RecordingView;
  readonly parts: string[];
  readonly recorder: Recorder | undefined;
}

/** Recordings in progress, finished, and loaded. */
export class Recordings {
  readonly #onChange: (view: RecordingView) => void;
  readonly #held = new Map<string, Recording>();
  #count = 0;

  constructor(onChange: (view: RecordingView) => void) {
    this.#onChange = onChange;
  }

  get views(): readonly RecordingView[] {
    return [...this.#held.values()].map(({ view }) => view);
  }

  /** Begins to record a server. Returns the recording's id. */
  start(server: string, title: string): string {
    return this.#keep({ title, server, state: 'recording', messages: 0 }, [`${title.replaceAll(/\s+/g, ' ')}\n\n`], recorder());
  }

  /** Loads a `.wire` file. Throws a `PageError` `bad-transcript` that names the line. */
  async load(title: string, text: string): Promise<string> {
    const { lines } = await read(text);
    return this.#keep({ title, server: null, state: 'done', messages: lines.length }, [text], undefined);
  }

  #keep(view: Omit<RecordingView, 'id' | 'chars' | 'cut'>, parts: string[], made: Recorder | undefined): string {
    const id = `r${++this.#count}`;
    const chars = parts.reduce((sum, part) => sum + part.length, 0);
    const all = this.views.reduce((sum, one) => sum + one.chars, 0) + chars;
    if (chars > maxChars || all > maxAllChars) throw new PageError('bad-transcript', `recordings may take ${maxAllChars} characters, each ${maxChars}: remove one`);
    const recording = { view: { ...view, id, chars, cut: false }, parts, recorder: made };
    this.#held.set(id, recording);
    this.#onChange(recording.view);
    return id;
  }

  /** Adds a message to the running recordings of its server. */
  passed({ server, direction, shape }: WireMessage, text: string): void {
    for (const recording of this.#held.values()) {
      const { view, parts, recorder: made } = recording;
      if (view.server !== server || view.state !== 'recording' || !made || view.cut) continue;
      const part = made.add(direction === 'sent' ? 'client' : 'server', shape === 'unreadable' ? text.slice(0, maxChars) : text);
      const cut = view.chars + part.length > maxChars;
      if (!cut) parts.push(part);
      recording.view = { ...view, cut, messages: view.messages + (cut ? 0 : 1), chars: view.chars + (cut ? 0 : part.length) };
      this.#onChange(recording.view);
    }
  }

  stop(id: string): void {
    const recording = this.#find(id);
    recording.view = { ...recording.view, state: 'done' };
    this.#onChange(recording.view);
  }

  remove(id: string): void {
    this.#find(id);
    this.#held.delete(id);
  }

  text(id: string): string {
    return this.#find(id).parts.join('');
  }

  transcript(id: string): Promise<Transcript> {
    return read(this.text(id));
  }

  async compare(left: string, right: string, ignored: readonly string[]): Promise<readonly DifferenceView[]> {
    const { compareTranscripts } = await import('./transcripts.ts');
    return compareTranscripts(await this.transcript(left), await this.transcript(right), { ignored });
  }

  #find(id: string): Recording {
    const recording = this.#held.get(id);
    if (!recording) throw new PageError('no-such-recording', `there is no recording ${id}`);
    return recording;
  }
}

async function read(text: string): Promise<Transcript> {
  const { parseTranscript } = await import('./transcripts.ts');
  try {
    return parseTranscript(text);
  } catch (thrown) {
    throw new PageError('bad-transcript', thrown instanceof Error ? thrown.message : String(thrown));
  }
}
