import { isDeepStrictEqual } from 'node:util';
import { decodeBlock } from '../../controller/results/hours/block-codec.ts';
import { DAY_MS, HOUR_MS } from '../../controller/verdicts/time-accounting/time-accounting-rules.ts';
import { isInMaintenance } from '../../controller/verdicts/time-accounting/maintenance-rules.ts';
import type { CertificateSighting, FeatureRecord, MonitorState } from '../../controller/verdicts/monitor-state.ts';
import { ResultColumns } from '../../controller/results/hours/result-columns.ts';
import { mergeRollups, rollupOf } from '../../controller/results/hours/rollup.ts';
import { Lanes, type ShardState } from '../../controller/results/state/shard-state.ts';
import type { LanePosition } from '../../controller/results/state/records.ts';
import type { Reference } from './reference.ts';
import type { OwnedStates, World } from './world.ts';
import { rowsOf } from '../../controller/results/hours/hour-rows.ts';
import { shardMap } from '../helpers/shard-map.ts';
import { BLANK_CONFIG } from '../../controller/results/writing/blank-state.ts';
import type { MonitorConfig } from '../../controller/verdicts/monitor-config.ts';

/** Checks that states, executed effects, blocks, rollups and snapshots equal those of one replay of the journal. */
export function checkDerived(world: World, references: Reference[], states: OwnedStates): string[] {
  const found = [
    ...world.db.complaints, ...checkEffects(world, references), ...checkRollups(world, references, states),
    ...checkDays(world, states), ...checkConfigs(world, references),
  ];
  for (const shard of shardMap.all) {
    const owner = states.get(shard)?.[0];
    const reference = references[shard] as Reference;
    if (owner) found.push(...checkStates(world, reference.state, owner, 'owner'));
    found.push(...checkSnapshot(world, reference, shard));
  }
  return found;
}

/** Compares states in memory with the reference. `checkAccounted` compares times that are already in rollups. */
export function checkStates(world: World, wanted: ShardState, found: ShardState, who: string): string[] {
  const violations: string[] = [];
  if (wanted.n !== found.n) violations.push(`${who} of shard ${wanted.shard} is at ${found.n} of ${wanted.n}`);
  for (const [id, monitor] of wanted.monitors) {
    const held = found.monitors.get(id);
    if (!held) violations.push(`${who}: monitor ${id} is missing`);
    else if (!isDeepStrictEqual(comparable(monitor.state), comparable(held.state))) {
      violations.push(
        `${who}: monitor ${id} is ${JSON.stringify(comparable(held.state))}, not ${JSON.stringify(comparable(monitor.state))}`,
      );
    } else violations.push(...checkAccounted(world, id, monitor.state, held.state, who));
  }
  return violations;
}

/** Checks that the journal and the probes have the latest user configuration. */
function checkConfigs(world: World, references: Reference[]): string[] {
  const violations: string[] = [];
  for (const [id, { config, isMarked }] of world.db.monitors) {
    const journaled = references[shardMap.of(id)]?.state.monitors.get(id)?.state.config.revision;
    if (isMarked || journaled !== config.revision) {
      violations.push(
        `monitor ${id} is at revision ${config.revision}, in the journal at ${journaled}${isMarked ? ', marked' : ''}`,
      );
    }
    for (const [region, placed] of world.db.assignments) {
      const placedRevision = placed.get(id)?.config.revision;
      const isAssigned = config.type !== 'HEARTBEAT' &&
        (config.monitoring_regions.length === 0 || config.monitoring_regions.includes(region));
      if (isAssigned && placedRevision !== config.revision) {
        violations.push(`monitor ${id} is at revision ${config.revision}, in ${region} at ${placedRevision}`);
      }
    }
  }
  return violations;
}

function comparable(state: MonitorState): unknown {
  const { accounted: _accounted, maintained: _maintained, unrolled_day: _day, ...rest } = state;
  return JSON.parse(textOf(rest));
}

/** Equal for values that differ only in the order of fields, and in fields that a checkpoint sets to their default. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    const isDefault = ([name, field]: [string, unknown]): boolean =>
      name in BLANK_CONFIG && isDeepStrictEqual(field, BLANK_CONFIG[name as keyof MonitorConfig]);
    const fields = Object.entries(inner).filter((entry) => !isDefault(entry));
    return Object.fromEntries(fields.sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

/** Checks that each hour's accounted time is in the state or in its rollup. */
function checkAccounted(
  world: World, id: string, wanted: MonitorState, held: MonitorState, who: string,
): string[] {
  const violations: string[] = [];
  for (const hour of Object.keys(wanted.accounted).map(Number)) {
    const found =
      held.accounted[hour] ?? world.db.hours.get(`${id}:${hour / HOUR_MS}`)?.rollup.accounted ?? [0, 0, 0];
    if (!isDeepStrictEqual(wanted.accounted[hour], found)) {
      violations.push(`I6 (${who}): hour ${hour} of ${id} has ${found} accounted, not ${wanted.accounted[hour]}`);
    }
    const maintenance = held.accounted[hour]
      ? held.maintained?.[hour]
      : world.db.hours.get(`${id}:${hour / HOUR_MS}`)?.rollup.maintenance.accounted;
    if (!isDeepStrictEqual(wanted.maintained?.[hour] ?? [0, 0, 0], maintenance ?? [0, 0, 0])) {
      violations.push(`I6 (${who}): maintenance of ${id} in ${hour} is ${maintenance}, not ${wanted.maintained?.[hour]}`);
    }
  }
  return violations;
}

/** Checks that every decided effect was executed exactly once. */
export function checkEffects(world: World, references: Reference[]): string[] {
  const { statusChanges, incidents, votes, regionChanges, alerts, certificates, features, sightings } = world.db;
  const wanted = new Map<string, string>();
  const shown = new Map<string, CertificateSighting>();
  const shared = new Map<string, FeatureRecord>();
  for (const { effects } of references) {
    for (const effect of effects) {
      if (effect.kind === 'status') wanted.set(`status ${effect.change.id}`, textOf(effect.change));
      else if (effect.kind === 'open') {
        wanted.set(`incident ${effect.opening.id}`, textOf(effect.opening));
      } else if (effect.kind === 'resolve') {
        wanted.set(`resolved ${effect.resolution.id}`, textOf(effect.resolution));
      } else if (effect.kind === 'alert') {
        wanted.set(`alert ${effect.alert.id}`, textOf(effect.alert));
      } else if (effect.kind === 'region') {
        wanted.set(`region ${effect.change.id}`, textOf(effect.change));
      } else if (effect.kind === 'votes') {
        wanted.set(`votes ${effect.record.id}`, textOf(effect.record));
      } else if (effect.kind === 'features') {
        const { monitor_id: id, position } = effect.record;
        if (position > (shared.get(id)?.position ?? -Infinity)) shared.set(id, effect.record);
      } else if (effect.kind === 'sighting') {
        const { monitor_id: id, position } = effect.sighting;
        wanted.set(`sighting ${id} ${position}`, textOf(effect.sighting));
      } else {
        const { monitor_id: id, seen_at: at } = effect.sighting;
        if (at > (shown.get(id)?.seen_at ?? -Infinity)) shown.set(id, effect.sighting);
      }
    }
  }
  for (const [id, one] of shown) wanted.set(`certificate ${id}`, textOf(one));
  for (const [id, one] of shared) wanted.set(`features ${id}`, textOf(one));
  const found = new Map<string, string>();
  for (const [id, one] of features) found.set(`features ${id}`, textOf(one));
  for (const [id, one] of sightings) found.set(`sighting ${id}`, textOf(one));
  for (const [id, change] of statusChanges) found.set(`status ${id}`, textOf(change));
  for (const [id, one] of certificates) found.set(`certificate ${id}`, textOf(one));
  for (const [id, change] of regionChanges) found.set(`region ${id}`, textOf(change));
  for (const [id, record] of votes) found.set(`votes ${id}`, textOf(record));
  for (const [id, alert] of alerts) found.set(`alert ${id}`, textOf(alert));
  for (const [id, { opening, resolution }] of incidents) {
    found.set(`incident ${id}`, textOf(opening));
    if (resolution) found.set(`resolved ${id}`, textOf(resolution));
  }
  const violations: string[] = [];
  for (const [key, text] of wanted) {
    if (found.get(key) !== text) violations.push(`${key} is ${found.get(key) ?? 'missing'}, not ${text}`);
  }
  for (const [key, text] of found) {
    if (!wanted.has(key)) violations.push(`${key} was executed but never decided: ${text}`);
  }
  return violations.slice(0, 5);
}

/** Checks that each hour's rollup matches its block, unless both are due to be rewritten. */
function checkRollups(world: World, references: Reference[], states: OwnedStates): string[] {
  const violations: string[] = [];
  for (const [key, { position, rollup }] of world.db.hours) {
    const block = world.db.blocks.get(key);
    if (block && block.position > position && isPending(states, key)) continue;
    const id = key.slice(0, key.lastIndexOf(':'));
    const intervalMs = world.db.monitors.get(id)?.config.interval_ms ?? 0;
    const config = references[shardMap.of(id)]?.state.monitors.get(id)?.state.config ?? {};
    const maintenance = { accounted: rollup.maintenance.accounted, isAt: (at: number) => isInMaintenance(config, at) };
    const wanted = JSON.stringify(
      rollupOf(block ? decodeBlock(block.bytes) : new ResultColumns(0), rollup.accounted, intervalMs, maintenance),
    );
    if (!isDeepStrictEqual(JSON.parse(wanted), rollup)) {
      violations.push(`rollup ${key} is ${JSON.stringify(rollup)}, not ${wanted}`);
    }
    const monitored = rollup.times[0] + rollup.times[1] + rollup.times[2];
    if (monitored > HOUR_MS || rollup.times.some((time) => time < 0)) {
      violations.push(`rollup ${key} has times outside one hour: ${rollup.times}`);
    }
  }
  return violations.slice(0, 5);
}

function isPending(states: OwnedStates, key: string): boolean {
  const at = key.lastIndexOf(':');
  const [id, hour] = [key.slice(0, at), Number(key.slice(at + 1)) * HOUR_MS];
  return states.get(shardMap.of(id))?.some(({ monitors }) => {
    const monitor = monitors.get(id);
    return monitor !== undefined && (rowsOf(monitor, hour) !== undefined || monitor.state.accounted[hour] !== undefined);
  }) ?? false;
}

function checkDays(world: World, states: OwnedStates): string[] {
  const violations: string[] = [];
  for (const [key, { rollup }] of world.db.days) {
    const at = key.lastIndexOf(':');
    const [id, day] = [key.slice(0, at), Number(key.slice(at + 1)) * DAY_MS];
    const hours = Array.from({ length: 24 }, (_, hour) => `${id}:${(day + hour * HOUR_MS) / HOUR_MS}`);
    if (hours.some((hour) => isPending(states, hour))) continue;
    const wanted = mergeRollups(hours.flatMap((hour) => world.db.hours.get(hour)?.rollup ?? []));
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(wanted)), rollup)) {
      violations.push(`day ${key} is ${JSON.stringify(rollup)}, not ${JSON.stringify(wanted)}`);
    }
  }
  return violations.slice(0, 5);
}

/**
 * Checks that the journal continues without a gap after the snapshot, and that the snapshot has the lane positions of its entry.
 */
function checkSnapshot(world: World, reference: Reference, shard: number): string[] {
  const snapshot = world.db.snapshots.get(shard);
  const n = snapshot?.position ?? 0;
  const violations: string[] = [];
  for (let at = n + 1; at <= reference.state.n; at += 1) {
    if (!world.db.journalOf(shard).has(at)) {
      violations.push(`journal ${shard}:${at} is gone before the snapshot at ${n}`);
    }
  }
  const lanes = new Lanes();
  for (const entry of (world.db.truth.get(shard) ?? []).slice(0, n)) {
    for (const { lane, position } of entry.lanes) lanes.move(lane, position, entry.taken_at);
  }
  const { lanes: found = [] } = JSON.parse(snapshot?.content ?? '{}') as { lanes?: LanePosition[] };
  if (!isDeepStrictEqual(new Map([...lanes].map(named)), new Map(found.map(named)))) {
    violations.push(`snapshot ${shard} at ${n} has different lanes than the journal`);
  }
  return violations.slice(0, 3);
}

function named({ lane, position }: LanePosition): [lane: string, position: number] {
  return [lane, position];
}
