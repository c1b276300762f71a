import { laneName } from '../../shared/contracts/result.ts';
import type { TakenMessage } from '../../controller/results/intake/take-limits.ts';
import { Random } from './random.ts';
import { report, settle, type SeedReport } from './run-seed.ts';
import { pair } from './scenarios.ts';
import type { World } from './world.ts';

const SHARD = 2;
const MONITORS = 6;
const INTERVAL_MS = 5000;
/** Process lives in each phase: more than twice the lanes that the controller keeps. */
const LIVES = 140;
const DRAIN_TIMEOUT_MS = 3_600_000;

/** Faults while a probe crashes every few seconds. */
export type CrashLoopFailure = 'nothing' | 'no responses' | 'half of the responses lost' | 'cut off' | 'database down';

export interface CrashLoopReport extends SeedReport {
  /** The probe's epochs with results in the shard, and its lanes that the owner keeps at the end. */
  epochs: number;
  retained: number;
  letters: number;
  backlog: number;
}

/**
 * A correct probe crashes every one to four seconds under one fault after another, then recovers. `lifeMs`: the longest time
 * between crashes.
 */
export async function probeCrashLoops(failures: CrashLoopFailure[], lifeMs = 4000): Promise<CrashLoopReport> {
  const random = new Random(7);
  let failure: CrashLoopFailure = 'nothing';
  const hand = (message: TakenMessage): TakenMessage => {
    const isMute = failure === 'no responses' || (failure === 'half of the responses lost' && random.chance(0.5));
    return isMute ? { ...message, acknowledge: () => undefined } : message;
  };
  const { world } = await pair({ hand, seed: 4 });
  for (let at = 1; at < MONITORS; at += 1) {
    world.createMonitor({ shard: SHARD, interval_ms: INTERVAL_MS, quorum: 'any' });
  }
  const probe = world.probes[0] as World['probes'][number];
  for (failure of failures) {
    if (failure === 'cut off') world.network.cutOff.add(probe.probeId);
    world.health = { ...world.health, isDown: failure === 'database down' };
    for (let life = 0; life < LIVES; life += 1) {
      await world.run(random.int(1000, lifeMs));
      probe.kill();
      await world.run(100);
      probe.start();
    }
    world.network.cutOff.clear();
  }
  failure = 'nothing';
  world.health = { ...world.health, isDown: false };
  const backlog = probe.depth;
  await world.runUntil(() => probe.depth < 20, DRAIN_TIMEOUT_MS);
  await settle(world);
  const lanes = [...((await world.statesOfOwners()).get(SHARD)?.[0]?.lanes ?? [])];
  const epochs = [...probe.disk.lanes.values()].filter(({ shard, synced }) => shard === SHARD && synced > 0);
  return {
    ...(await report(world, 0)), backlog,
    epochs: epochs.length, letters: world.db.letters.size,
    retained: lanes.filter(({ lane }) => epochs.some(({ epoch }) => lane === laneName(probe.probeId, epoch))).length,
  };
}
