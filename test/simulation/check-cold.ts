import { createLog } from '../../shared/log.ts';
import { SHARD_COUNT } from '../../shared/ids.ts';
import { ShardActor } from '../../controller/results/shards/shard-actor.ts';
import { checkStates } from './check-derived.ts';
import { checkRows } from './check-results.ts';
import type { Reference } from './reference.ts';
import { RAW_RETENTION_MS } from './simulated-controller.ts';
import { simulatedStores } from './simulated-stores.ts';
import { HEALTHY, Wire } from './wire.ts';
import type { World } from './world.ts';
import { limitsOf } from '../helpers/take-limits.ts';

const LOAD_MS = 20_000;

/** A controller that starts now finds, from documents and the rest of the journal, exactly what the whole journal says. */
export async function checkCold(world: World, references: Reference[]): Promise<string[]> {
  const process = world.bystander();
  const wire = new Wire({ clock: world.clock, random: world.random.fork(), process, health: () => HEALTHY, kill: () => undefined });
  const stores = simulatedStores(world.db, wire);
  const said: string[] = [];
  const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard).filter((shard) => (references[shard]?.state.n ?? 0) > 0);
  let left = shards.length;
  for (const shard of shards) {
    const reference = references[shard] as Reference;
    const deps = { clock: process, log: createLog('cold', 'silent'), stores, limits: limitsOf(RAW_RETENTION_MS), onApplied: () => undefined, onFailed: () => undefined };
    ShardActor.load(shard, 'cold', deps).then((actor) => {
      said.push(...checkStates(world, reference.state, actor.state, 'cold'), ...checkRows(world, reference, actor.state, 'cold'));
    }).catch((error: unknown) => said.push(`cold: shard ${shard} cannot be loaded: ${String(error)}`)).finally(() => {
      left -= 1;
    });
  }
  if (!(await world.runUntil(() => left === 0, LOAD_MS))) said.push('cold: loading did not end');
  return said;
}
