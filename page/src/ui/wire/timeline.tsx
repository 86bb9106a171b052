// A timeline from left to right: a bar for each request until its response, and a mark for every other entry.
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useSignal, useSignalEffect } from '@preact/signals';
import type { WireEntry } from '../../messages.ts';
import { useState } from '../context.ts';
import { clock, duration } from '../parts/controls.tsx';
import { watchSize } from '../parts/size.ts';
import { theme } from '../theme.ts';
import { draw, laneOf } from './timeline-drawing.ts';

/** A period of time, in milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const HEIGHT = 72;
/** With more messages than this, the timeline is drawn at most every `REST_MS`. */
const MANY = 5_000;
const REST_MS = 300;
/** The shortest period that fills the whole width, in milliseconds. */
const MIN_SPAN = 2;

export function Timeline(): JSX.Element {
  const { wire } = useState();
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSignal(0);
  /** Undefined: the whole time, which grows. */
  const zoom = useSignal<Span | undefined>(undefined);
  const drawnAt = useRef(0);
  const drag = useRef<{ readonly x: number; readonly span: Span; moved: boolean } | undefined>(undefined);

  const whole = (): Span => {
    const from = wire.entries[0]?.at ?? 0;
    return { from, to: Math.max(wire.entries.at(-1)?.at ?? 0, from + MIN_SPAN) };
  };
  const span = (): Span => zoom.value ?? whole();

  useLayoutEffect(() => watchSize(canvas.current, ({ clientWidth }) => { width.value = clientWidth; }), []);
  useSignalEffect(() => {
    // Subscribes to the inputs of the drawing; it is drawn at most once a frame.
    void wire.version.value;
    void wire.selected.value;
    void theme.value;
    const across = width.value;
    const shown = span();
    let frame = 0;
    const wait = setTimeout(() => {
      frame = requestAnimationFrame(() => {
        drawnAt.current = performance.now();
        if (canvas.current && across > 0) draw(canvas.current, across, HEIGHT, wire.shown, shown, wire.selected.peek());
      });
    }, wire.shown.length > MANY ? drawnAt.current + REST_MS - performance.now() : 0);
    return () => {
      clearTimeout(wait);
      cancelAnimationFrame(frame);
    };
  });

  /** Zooms by a factor around a point: 0 is the left edge, 1 the right. */
  const scale = (factor: number, around: number): void => {
    const { from, to } = span();
    const all = whole();
    const size = Math.max((to - from) * factor, MIN_SPAN);
    if (size >= all.to - all.from) {
      zoom.value = undefined;
      return;
    }
    const point = from + (to - from) * around;
    zoom.value = clamp({ from: point - size * around, to: point + size * (1 - around) }, all);
  };
  const pan = (share: number): void => {
    const { from, to } = span();
    const by = (to - from) * share;
    zoom.value = clamp({ from: from + by, to: to + by }, whole());
  };
  const keys = (event: KeyboardEvent): void => {
    const does = { '+': () => scale(0.5, 0.5), '=': () => scale(0.5, 0.5), '-': () => scale(2, 0.5), 'ArrowLeft': () => pan(-0.2), 'ArrowRight': () => pan(0.2), '0': () => { zoom.value = undefined; } }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  };
  const pick = (event: MouseEvent & { readonly currentTarget: HTMLElement }): void => {
    if (drag.current?.moved) return;
    const box = event.currentTarget.getBoundingClientRect();
    const found = nearest(wire.shown, span(), (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    if (found) wire.reveal(found.seq);
  };
  void wire.version.value;
  const { from, to } = span();
  return (
    <div class="timeline" role="group" aria-label="Timeline" onKeyDown={keys}>
      <canvas ref={canvas} height={HEIGHT} aria-hidden="true"
        onWheel={(event) => {
          if (!event.ctrlKey && Math.abs(event.deltaX) < Math.abs(event.deltaY) && !event.shiftKey) return;
          event.preventDefault();
          const box = event.currentTarget.getBoundingClientRect();
          if (event.ctrlKey) scale(event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - box.left) / box.width);
          else pan((event.deltaX || event.deltaY) / box.width);
        }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { x: event.clientX, span: span(), moved: false };
        }}
        onPointerMove={(event) => {
          const held = drag.current;
          if (!held || event.buttons === 0 || Math.abs(event.clientX - held.x) < 4 && !held.moved) return;
          held.moved = true;
          const by = (held.x - event.clientX) / event.currentTarget.clientWidth * (held.span.to - held.span.from);
          zoom.value = clamp({ from: held.span.from + by, to: held.span.to + by }, whole());
        }}
        onClick={pick} />
      <div class="row timeline-foot">
        <span class="dim">{wire.entries.length > 0 ? `${clock(from)}, ${duration(to - from)} wide` : 'no time yet'}</span>
        <span class="legend" aria-hidden="true"><i class="sent">●</i> sent <i>▬</i> call <i class="received">●</i> received <i class="wrong">●</i> error</span>
        <span class="spring" />
        <button type="button" class="quiet" aria-label="Earlier" onClick={() => pan(-0.3)}>◂</button>
        <button type="button" class="quiet" aria-label="Zoom out" onClick={() => scale(2, 0.5)}>−</button>
        <button type="button" class="quiet" aria-label="Zoom in" onClick={() => scale(0.5, 0.5)}>+</button>
        <button type="button" class="quiet" aria-label="Later" onClick={() => pan(0.3)}>▸</button>
        <button type="button" class="quiet" aria-label="All of the time" onClick={() => { zoom.value = undefined; }}>all</button>
      </div>
    </div>
  );
}

/** Moves a period so that it lies within the whole time. */
function clamp({ from, to }: Span, all: Span): Span {
  const size = Math.min(to - from, all.to - all.from);
  const begin = Math.min(Math.max(from, all.from), all.to - size);
  return { from: begin, to: begin + size };
}

function nearest(entries: readonly WireEntry[], { from, to }: Span, x: number, y: number): WireEntry | undefined {
  const at = from + (to - from) * x;
  let best: WireEntry | undefined;
  let least = Infinity;
  for (const entry of entries) {
    // The bar of a response begins at its request.
    const begin = entry.kind === 'message' && entry.ms !== null ? entry.at - entry.ms : entry.at;
    const away = (at < begin ? begin - at : at > entry.at ? at - entry.at : 0) / (to - from) + Math.abs(laneOf(entry) - y);
    if (away < least) [least, best] = [away, entry];
  }
  return best;
}
