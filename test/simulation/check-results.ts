import { laneName } from '../../shared/contracts/result.ts';
import { decodeBlock } from '../../controller/results/hours/block-codec.ts';
import { HOUR_MS } from '../../controller/verdicts/time-accounting/time-accounting-rules.ts';
import type { ShardState } from '../../controller/results/state/shard-state.ts';
import type { StoredResult } from '../../controller/results/hours/stored-result.ts';
import { toStored } from '../helpers/to-stored.ts';
import type { Reference } from './reference.ts';
import type { OwnedStates, World } from './world.ts';
import { shardMap } from '../helpers/shard-map.ts';

/**
 * I1, I2, I7: every result on a probe's disk is in the true journal once, and blocks and the owner's rows contain exactly the
 * journal's results, each once.
 */
export function checkResults(world: World, references: Reference[], states: OwnedStates): string[] {
  const found = [...checkJournal(world, references)];
  for (const shard of shardMap.all) {
    const owner = states.get(shard)?.[0];
    if (!owner) found.push(`shard ${shard} has no owner`);
    else found.push(...checkRows(world, references[shard] as Reference, owner, 'owner'));
  }
  return found;
}

function checkJournal(world: World, references: Reference[]): string[] {
  const found: string[] = [];
  const seen = new Map<string, number>();
  for (const { accepted } of references) {
    for (const { key } of accepted) seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  let spooled = 0;
  for (const probe of world.probes) {
    if (probe.depth > 0) found.push(`I7: probe in ${probe.region} still has ${probe.depth} results`);
    for (const { epoch, shard, synced, results } of probe.disk.lanes.values()) {
      const lane = laneName(probe.probeId, epoch);
      if (synced > 0 && world.db.truePosition(shard, lane) !== synced) {
        found.push(
          `I7: lane ${lane} of shard ${shard} is at ${world.db.truePosition(shard, lane)} of ${synced}`,
        );
      }
      const reference = references[shard] as Reference;
      for (const { seq, monitor_id: id } of results) {
        const key = `${shard} ${lane} ${seq}`;
        spooled += 1;
        if (seen.get(key) === 1) continue;
        const isDeleted = world.db.monitors.get(id)?.config.status === 'deleted';
        if (reference.refused.has(key) && isDeleted) spooled -= 1;
        else {
          found.push(
            `I1: result ${key} is ${seen.get(key) ?? 0} times in the journal${reference.dropped.has(key) ? ', dropped' : ''}`,
          );
        }
      }
    }
  }
  const accepted = references.reduce((sum, reference) => sum + reference.accepted.length, 0);
  if (found.length === 0 && accepted !== spooled) {
    found.push(`I2: ${accepted} results in the journal, ${spooled} spooled`);
  }
  return found;
}

/** Compares the rows of a shard's monitors, from blocks and its owner's memory, with the journal. */
export function checkRows(world: World, reference: Reference, state: ShardState, who: string): string[] {
  const wanted = new Map<string, number>();
  for (const [id, monitor] of reference.state.monitors) {
    for (const rows of monitor.hours) for (const row of rows.after(0)) count(wanted, id, row);
  }
  const accepted = new Map<string, number>();
  for (const { probe_id: probeId, region, result } of reference.accepted) {
    count(accepted, result.monitor_id, toStored(region, probeId, false, result), false);
  }
  for (const { monitor_id: id, row } of reference.pingRows) count(accepted, id, row, false);
  const stored = new Map<string, number>();
  const withoutLate = new Map<string, number>();
  for (const [id, rows] of rowsOf(world, state)) {
    for (const row of rows) {
      count(stored, id, row);
      count(withoutLate, id, row, false);
    }
  }
  return [
    ...differences(accepted, withoutLate, `I1/I2 (${who})`), ...differences(wanted, stored, `replay (${who})`),
  ].slice(0, 5);
}

function count(into: Map<string, number>, id: string, row: StoredResult, withLate = true): void {
  const {
    region, probe_id: probeId, scheduled_at: scheduledAt, started_at: startedAt,
    outcome, attempt, response_time_ms: took, late, received, missed,
  } =
    row;
  const key = [
    id, region, probeId, scheduledAt, startedAt, outcome, attempt, took, missed?.count,
    ...(withLate ? [late, received?.at, received?.epoch] : []),
  ].join(' ');
  into.set(key, (into.get(key) ?? 0) + 1);
}

function differences(wanted: Map<string, number>, found: Map<string, number>, name: string): string[] {
  const violations: string[] = [];
  for (const [key, times] of wanted) {
    if (found.get(key) !== times) {
      violations.push(`${name}: ${key} is stored ${found.get(key) ?? 0} times, not ${times}`);
    }
  }
  for (const [key, times] of found) {
    if (!wanted.has(key)) violations.push(`${name}: ${key} is stored ${times} times and was never issued`);
  }
  return violations;
}

/** All rows by monitor: from blocks, and from memory if no block has them. Without `withBlocks`, from memory only. */
export function rowsOf(world: World, state: ShardState, withBlocks = true): Map<string, StoredResult[]> {
  const all = new Map<string, StoredResult[]>();
  for (const [id, monitor] of state.monitors) {
    const rows: StoredResult[] = [];
    for (const held of monitor.hours) {
      rows.push(
        ...held.after(withBlocks ? (world.db.blocks.get(`${id}:${held.hour / HOUR_MS}`)?.position ?? 0) : 0),
      );
    }
    all.set(id, rows);
  }
  if (withBlocks) {for (const [key, { bytes }] of world.db.blocks) {
    all.get(key.slice(0, key.lastIndexOf(':')))?.push(...decodeBlock(bytes).rows());
  }}
  return all;
}
