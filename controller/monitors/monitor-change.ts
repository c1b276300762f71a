import { isDeepStrictEqual } from 'node:util';
import type { ShardMap } from '../../shared/ids.ts';
import { affectsCounts } from './counts/count-rules.ts';
import { type MonitorDoc, searchTextOf, slugKeyOf } from './monitor.ts';
import { invalidatesEarlierResults } from './settings/registry.ts';
import { monitoredDomain } from './target.ts';

/** Bookkeeping fields for the journal of the monitor's shard and for the counts of its project. */
type Marks = 'unjournaled' | 'windows_changed_at' | 'uncounted' | 'counted' | 'counted_revision';

/** Fields that follow from the others. */
type Derived = 'revision' | 'check_revision' | 'search_text' | 'domain' | 'slug_key';

export type NewMonitor = Omit<MonitorDoc, Derived | Marks>;

/** The fields of a monitor that a change may set. */
export type MonitorChange = Partial<
  Omit<NewMonitor, '_id' | 'organization_id' | 'project_id' | 'created_by' | 'type' | 'created_at'>
>;

/** One write, conditional on the revision of `seen`: the change, the next revision and the bookkeeping. */
export function changeOf(seen: MonitorDoc, change: MonitorChange, shardMap: ShardMap) {
  const next = { ...seen, ...change };
  const revised = invalidatesEarlierResults(seen, next) ? { check_revision: seen.revision + 1 } : {};
  const uncounted = affectsCounts(seen, next) ? { uncounted: seen.project_id } : {};
  const { _id, organization_id, project_id, revision } = seen;
  const marks = { unjournaled: shardMap.of(_id), ...uncounted };
  const [domain, slugKey] = [monitoredDomain(next), slugKeyOf(next)];
  const keys = { ...(domain === null ? {} : { domain }), ...(slugKey === null ? {} : { slug_key: slugKey }) };
  const $set = { search_text: searchTextOf(next), ...change, ...revised, ...marks, ...keys };
  const $unset = {
    ...(domain === null ? { domain: '' } as const : {}), ...(slugKey === null ? { slug_key: '' } as const : {}),
  };
  return {
    filter: { _id, organization_id, project_id, deleted_at: null, revision },
    update: { $set, $inc: { revision: 1 }, ...(Object.keys($unset).length > 0 ? { $unset } : {}) },
  };
}

/** Whether `current` is the result of the change: the next revision, with every field as set. */
export function isChanged(seen: MonitorDoc, change: MonitorChange, current: MonitorDoc | undefined): boolean {
  return current?.revision === seen.revision + 1 && isDeepStrictEqual({ ...current, ...change }, current);
}
