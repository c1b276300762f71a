import { createLog } from '../../shared/log.ts';
import { Shards } from '../../controller/results/shards/shards.ts';
import { checkStates } from './check-derived.ts';
import { checkRows } from './check-results.ts';
import type { Reference } from './reference.ts';
import { RAW_RETENTION_MS } from './simulated-controller.ts';
import { simulatedStores } from './simulated-stores.ts';
import { HEALTHY, Wire } from './wire.ts';
import type { World } from './world.ts';
import { shardState } from '../helpers/shard-states.ts';
import { limitsOf } from '../helpers/take-limits.ts';
import { shardMap } from '../helpers/shard-map.ts';

const LOAD_MS = 20_000;

/**
 * Checks that a newly started controller derives the same state from documents and the remaining journal as a replay of the whole
 * journal does.
 */
export async function checkCold(world: World, references: Reference[]): Promise<string[]> {
  const process = world.bystander();
  const wire = new Wire({
    clock: world.clock, random: world.random.fork(), process, health: () => HEALTHY, kill: () => undefined,
  });
  const stores = simulatedStores(world.db, wire);
  const violations: string[] = [];
  const shards = [...shardMap.all].filter(
    (shard) => (references[shard]?.state.n ?? 0) > 0,
  );
  const cold = new Shards({
    clock: process, log: createLog('cold', 'silent'), random: () => 1, stores, limits: limitsOf(RAW_RETENTION_MS),
    instance: 'cold',
    holdsLease: () => true, surrender: () => undefined, onStarted: () => undefined, onEnded: () => undefined,
    listeners: { onApplied: [], onConfigs: () => undefined },
  });
  for (const shard of shards) cold.acquire(shard);
  await world.runUntil(() => shards.every((shard) => cold.summaries.get(shard)?.isWhole), LOAD_MS);
  for (const shard of shards) {
    const reference = references[shard] as Reference;
    const state = await shardState(cold, shard);
    if (!state) violations.push(`cold: shard ${shard} cannot be loaded`);
    else {
      violations.push(
        ...checkStates(world, reference.state, state, 'cold'), ...checkRows(world, reference, state, 'cold'),
      );
    }
  }
  return violations;
}
