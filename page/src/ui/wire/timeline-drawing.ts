// Draws the timeline. A pixel that is drawn already is skipped, so that many messages cost little more than few.
import type { WireEntry } from '../../messages.ts';
import { isError } from './filter-language.ts';

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Lanes as shares of the height, from the top: sent messages, open calls, received messages, HTTP. */
const lanes = { sent: 0.14, call: 0.42, received: 0.7, http: 0.92 } as const;

/** The lane of an entry. */
export function laneOf(entry: WireEntry): number {
  if (entry.kind === 'http' || entry.kind === 'event') return lanes.http;
  if (entry.kind === 'message' && entry.ms !== null && (entry.shape === 'result' || entry.shape === 'error')) return lanes.call;
  return entry.direction === 'sent' ? lanes.sent : lanes.received;
}

export function draw(canvas: HTMLCanvasElement, width: number, height: number, entries: readonly WireEntry[], { from, to }: Stretch, selected: number): void {
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext('2d');
  if (!pen) return;
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(name);
  const colours = { sent: colour('--sent'), received: colour('--received'), bad: colour('--bad'), http: colour('--line-strong'), selected: colour('--accent') };
  const x = (at: number): number => (at - from) / Math.max(to - from, 1) * (width - 8) + 4;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.fillStyle = colour('--line');
  for (const lane of Object.values(lanes)) pen.fillRect(0, Math.round(lane * height), width, 1);

  const full = new Set<number>();
  const bars = freeRows();
  for (const entry of entries) {
    const ended = entry.at;
    const began = entry.kind === 'message' && entry.ms !== null ? entry.at - entry.ms : entry.at;
    if (ended < from || began > to) continue;
    const lane = laneOf(entry);
    const bad = isError(entry);
    const chosen = entry.seq === selected;
    const left = Math.max(x(began), 0);
    const right = Math.min(x(ended), width);
    pen.fillStyle = chosen ? colours.selected : bad ? colours.bad : lane === lanes.http ? colours.http : entry.direction === 'sent' ? colours.sent : colours.received;
    if (lane === lanes.call) {
      const row = bars(left, right);
      pen.fillRect(left, lane * height - 8 + row * 5, Math.max(right - left, 2), 4);
      continue;
    }
    // One dot a pixel and lane, but errors and the selected entry are always drawn.
    const pixel = Math.round(left) * 8 + Object.values(lanes).indexOf(lane as never) * 2 + Number(bad);
    if (full.has(pixel) && !chosen) continue;
    full.add(pixel);
    if (entry.kind === 'mark') pen.fillRect(left, 0, 1, height);
    else {
      pen.beginPath();
      pen.arc(left, lane * height, chosen ? 4 : 2.5, 0, Math.PI * 2);
      pen.fill();
    }
  }
}

// Overlapping bars get separate rows, at most four.
function freeRows(): (left: number, right: number) => number {
  const ends = [-1, -1, -1, -1];
  return (left, right) => {
    const row = Math.max(ends.findIndex((end) => end <= left), 0);
    ends[row] = right + 1;
    return row;
  };
}
