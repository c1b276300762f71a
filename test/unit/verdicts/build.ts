import type { Alert, VoteRecord } from '../../../controller/verdicts/effect.ts';
import { applyItem, newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import type { MonitorEffect, MonitorItem, MonitorState, RegionChange } from '../../../controller/verdicts/monitor-state.ts';
import type { MonitorConfig } from '../../../controller/verdicts/monitor-config.ts';
import { configOf, HOUR, resultOf } from '../results/build.ts';
import type { CheckResult } from '../../../shared/contracts/result.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;

/** A monitor that receives entries of one item each. Times are in seconds since its creation. */
export class MonitorRun {
  state: MonitorState;
  /** All effects except votes, features, sightings and single-region changes. */
  effects: MonitorEffect[] = [];
  votes: VoteRecord[] = [];
  regionChanges: RegionChange[] = [];
  /** Alerts of regions that are down while the monitor is not. */
  degraded: Alert[] = [];
  config: MonitorConfig;
  #n = 1;

  constructor(config: Partial<MonitorConfig> = {}) {
    this.config = configOf({ retries: 0, quorum: 'any', ...config });
    this.state = newMonitorState(this.config);
  }

  item(item: MonitorItem): MonitorEffect[] {
    const step = applyItem(this.state, item, { n: this.#n++, index: 0 });
    this.state = step.state;
    const shown = step.effects.filter((effect) => effect.kind !== 'votes' && effect.kind !== 'region'
      && effect.kind !== 'features' && effect.kind !== 'sighting' && !(effect.kind === 'alert' && effect.alert.event === 'monitor.region_degraded'));
    this.degraded.push(...step.effects.flatMap((effect) =>
      (effect.kind === 'alert' && effect.alert.event === 'monitor.region_degraded' ? effect.alert : [])));
    this.effects.push(...shown);
    this.regionChanges.push(...step.effects.flatMap((effect) => (effect.kind === 'region' ? effect.change : [])));
    this.votes.push(...step.effects.flatMap((effect) => (effect.kind === 'votes' ? effect.record : [])));
    return shown;
  }

  result(
    atSeconds: number, overrides: Partial<CheckResult> & { region?: string; late?: boolean } = {},
  ): MonitorEffect[] {
    const { region = 'eu', late = false, ...rest } = overrides;
    return this.item({
      kind: 'result', region, probe_id: `probe-${region}`, engine: 'test', late,
      result: resultOf(this.config, { started_at: HOUR + atSeconds * SECOND, ...rest }),
    });
  }

  resultAt(atSeconds: number): CheckResult {
    return resultOf(this.config, { started_at: HOUR + atSeconds * SECOND });
  }

  up(atSeconds: number, region = 'eu'): MonitorEffect[] {
    return this.result(atSeconds, { region });
  }

  down(atSeconds: number, region = 'eu'): MonitorEffect[] {
    return this.result(atSeconds, { region, outcome: 'failure' });
  }

  silent(region: string, atSeconds: number): MonitorEffect[] {
    return this.item({ kind: 'silent', region, at: HOUR + atSeconds * SECOND });
  }

  /** Changes the configuration, and with it the check unless `change` keeps the `check_revision`. */
  change(atSeconds: number, change: Partial<MonitorConfig>): MonitorEffect[] {
    const revision = this.config.revision + 1;
    this.config = {
      ...this.config, revision, check_revision: revision, ...change, changed_at: HOUR + atSeconds * SECOND,
    };
    return this.item({ kind: 'config', config: this.config });
  }

  closeHour(hours: number): void {
    this.item({ kind: 'hour', until: HOUR + hours * 60 * MINUTE });
  }

  /** The effects so far, in order, in short form. */
  get lines(): string[] {
    return this.effects.map(lineOf);
  }

  /** Accounted seconds as up, degraded and down in the given hour, counted from 0. */
  accountedSeconds(hours = 0): number[] {
    return (this.state.accounted[HOUR + hours * 60 * MINUTE] ?? [0, 0, 0]).map((ms) => ms / SECOND);
  }
}

export function lineOf(effect: MonitorEffect): string {
  const at = (ms: number): number => (ms - HOUR) / SECOND;
  if (effect.kind === 'status') return `${effect.change.from}→${effect.change.to}@${at(effect.change.at)}`;
  if (effect.kind === 'open') return `open@${at(effect.opening.started_at)}`;
  if (effect.kind === 'resolve') return `resolve@${at(effect.resolution.resolved_at)}`;
  if (effect.kind === 'certificate') return `certificate@${at(effect.sighting.seen_at)}`;
  if (effect.kind === 'region') return `${effect.change.region} ${effect.change.status}@${at(effect.change.at)}`;
  if (effect.kind === 'features') return `features ${effect.record.features.join(' ')}`;
  if (effect.kind === 'sighting') return `sighting@${at(effect.sighting.seen_at)}`;
  if (effect.kind === 'votes') return `votes@${at(effect.record.at)}`;
  return `${effect.alert.event}@${at(effect.alert.at)}`;
}
