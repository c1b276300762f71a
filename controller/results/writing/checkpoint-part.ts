import { BLANK_CONFIG, BLANK_REGION, BLANK_STATE } from './blank-state.ts';
import { type Columns, fromColumns, toColumns } from './columns.ts';
import type { CheckpointPart } from '../state/records.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import type { MonitorState, RegionState } from '../../verdicts/monitor-state.ts';

/** Columns of monitors; those of `regions` have the regions of the first monitor, then of the next. */
export interface PackedPart {
  records: Columns;
  states: Columns;
  configs: Columns;
  regions: Columns;
}

const BLANK_RECORD = {
  monitor_id: '', position: 0, unsaved_from: null as number | null, regions: [] as string[],
};

export function packPart(part: CheckpointPart): PackedPart {
  return {
    records: toColumns(part.map(({ monitor_id, position, unsaved_from, state }) =>
      ({ monitor_id, position, unsaved_from, regions: Object.keys(state.regions) }))),
    states: toColumns(part.map(({ state }) => ({ ...state, config: undefined, regions: undefined }))),
    configs: toColumns(part.map(({ state: { config } }) => ({ ...config, monitor_id: undefined }))),
    regions: toColumns(part.flatMap(({ state }) => Object.values(state.regions))),
  };
}

export function unpackPart({ records, states, configs, regions }: PackedPart): CheckpointPart {
  const eachState = fromColumns(states, BLANK_STATE);
  const eachConfig = fromColumns(configs, BLANK_CONFIG);
  const eachRegion = fromColumns(regions, BLANK_REGION).values();
  return fromColumns(records, BLANK_RECORD).map((record, at) => {
    const { monitor_id, position, unsaved_from } = record;
    const state = eachState[at] as MonitorState;
    state.config = eachConfig[at] as MonitorConfig;
    // The same string, not a copy.
    state.config.monitor_id = monitor_id;
    state.regions = {};
    for (const name of record.regions) state.regions[name] = eachRegion.next().value as RegionState;
    return { monitor_id, position, unsaved_from, state };
  });
}
