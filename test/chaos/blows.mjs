// The disturbances ("blows") of the chaos run for a store and its workers, by name. `plan` draws them; `blow` carries one out.
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { trueTime } from './clock.mjs';
import { leaseMs } from './order.mjs';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const hour = 3_600_000;

/** For each blow: how many per 1,000 orders, the stores that it applies to, and its name in the report. */
const shares = [
  ['kill', 210, () => true, 'kills'],
  ['stop', 210, () => true, 'stops'],
  ['sleep', 12, () => true, 'sleeps of the machine'],
  ['clock', 40, () => true, 'clock steps'],
  ['disk', 60, (place) => !place.hold, 'full disks'],
  ['foreign', 30, (place) => !place.hold, 'foreign files'],
  ['engine clock', 30, (place) => place.hold, "steps of the engine's clock"],
  ['stall', 20, (place) => place.hold, 'stalls of the engine'],
  ['cut', 20, (place) => place.hold, 'cuts of all connections'],
  ['silence', 10, (place) => place.hold, 'cuts without a word'],
  ['restart', 4, (place) => place.hold, 'restarts of the engine'],
];

/** The blows for a number of orders, in random order; at least one of each kind that applies to the store. */
export function plan(orders, place, random) {
  const all = shares.flatMap(([what, share, fits]) =>
    (fits(place) ? Array(Math.max(1, Math.round(share * orders / 1000))).fill(what) : []));
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all;
}

/** Counts the blows by their names in the report; adds a fault for each kind with fewer than planned. */
export function countBlows(planned, blows) {
  const counts = {};
  const faults = [];
  const of = (list, what) => list.filter((one) => one === what).length;
  for (const [what, , , name] of shares) {
    const [wanted, dealt] = [of(planned, what), of(blows.map((blow) => blow.what), what)];
    if (dealt < wanted) faults.push(`${name}: ${wanted} were planned, and ${dealt} were dealt`);
    if (dealt > 0) counts[name] = dealt;
  }
  return { counts, faults };
}

/**
 * @param place the backend of the store
 * @param setDisk sets the chance that a write of this process finds the disk full
 * @param setClock sets the clock of all processes ahead, in milliseconds
 * @param world has `blows`, `random`, and `ahead`, the state of the clock
 */
export function dealer({ place, crew, setDisk, setClock, world }) {
  const { random, blows } = world;
  const between = (least, most) => least + random() * (most - least);
  const any = (list) => list[Math.floor(random() * list.length)];
  const note = (what, more) => {
    const one = { what, at: trueTime(), ...more };
    blows.push(one);
    return one;
  };
  /** Files that other programs put into the folder, by path: the store must not change them. */
  const foreign = new Map();

  const step = (ms) => {
    world.ahead = Math.max(-6 * hour, Math.min(6 * hour, world.ahead + ms));
    note('clock', { by: ms });
    setClock(world.ahead);
  };
  const steps = () => Math.round(any([-1, 1]) * any([between(1000, 20_000), between(20_000, 3 * hour)]));
  const during = async (what, ms, end) => {
    const one = note(what, { till: Infinity });
    await pause(ms);
    await end();
    one.till = trueTime();
  };

  const deal = {
    async kill() {
      for (;;) {
        const victim = any(crew.awake());
        if (victim) return crew.kill(victim);
        await pause(20);
      }
    },
    async stop() {
      // At least one worker stays running, if there are several.
      for (;;) {
        const awake = crew.awake();
        if (awake.length > (crew.size > 2 ? 2 : 0)) return crew.stop(any(awake), between(1.2, 1.8) * leaseMs);
        await pause(20);
      }
    },
    async sleep() {
      const ms = between(1.2, 2.5) * leaseMs;
      place.hold?.();
      const one = note('sleep', { till: Infinity });
      await Promise.all(crew.awake().map((child) => crew.stop(child, ms, 'asleep')));
      one.till = trueTime();
      // The steady clock may stand still while a machine sleeps.
      if (random() < 0.5) step(hour);
      place.letGo?.();
    },
    async clock() {
      step(steps());
    },
    async disk() {
      setDisk(0.5);
      crew.tell({ disk: 0.5 });
      await during('disk', between(50, 400), () => {
        setDisk(0);
        crew.tell({ disk: 0 });
      });
    },
    async foreign() {
      const name = `${any(['notes', 'photos', '.env', 'Report.pdf', '.gone-fishing'])}-${foreign.size}`;
      const [task] = (await readdir(place.at)).filter((entry) => /^[0-9a-f]{40}$/.test(entry));
      const folder = join(place.at, any(['', `${name}-folder`, ...task ? [task] : []]));
      await mkdir(folder, { recursive: true });
      const path = join(folder, name);
      await writeFile(path, name);
      foreign.set(path, name);
      await utimes(path, 0, 0);
      if (!/[0-9a-f]{40}$/.test(folder) && folder !== place.at) await utimes(folder, 0, 0);
      note('foreign');
    },
    async 'engine clock'() {
      const ms = steps();
      const one = note('engine clock', { by: ms, till: Infinity });
      // The engine may be starting.
      while (!await place.step(ms).then(() => true, () => false)) await pause(50);
      one.till = trueTime();
    },
    async stall() {
      place.hold();
      await during('stall', between(0.5, 4) * leaseMs, () => place.letGo());
    },
    async cut() {
      note('cut', { till: trueTime() + 100 });
      place.cut();
    },
    async silence() {
      note('silence', { till: trueTime() + 10_000 });
      place.silence();
    },
    async restart() {
      await during('restart', 0, () => place.restart());
    },
  };
  return {
    deal: (what) => deal[what](),
    /** Ends all disturbances. */
    calm() {
      place.letGo?.();
      setDisk(0);
      crew.tell({ disk: 0 });
      crew.go();
    },
    /** Faults for changed or missing files of other programs. */
    async damaged() {
      const faults = [];
      for (const [path, wanted] of foreign) {
        const found = await readFile(path, 'utf8').catch((error) => error.code);
        if (found !== wanted) faults.push(`${path}, which is not the store's, is ${found}`);
        await rm(path, { force: true });
      }
      return faults;
    },
  };
}
