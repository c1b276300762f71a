import {
  FIELD, MONITOR_FIELDS, NONE, REGION_FIELD, REGION_FIELDS, RESPONSE_TIME_SCALE, SHARE_SCALE,
  type MonitorPage,
} from '../results/reading/metrics/monitor-page.ts';
import { escapeLabel, type Family } from './exposition.ts';
import type { TextBytes } from './text-bytes.ts';

/** Names by id. */
export interface Names {
  projects: ReadonlyMap<string, string>;
  groups: ReadonlyMap<string, string>;
}

/** Monitors with what families need of them. */
export interface LabeledPage {
  /** Each monitor's labels up to the closing brace, one after another, and where each one's end. */
  labels: Uint8Array;
  ends: Uint32Array;
  /** The label of a region, by its place. */
  regions: Buffer[];
  numbers: Uint32Array;
}

/** Samples of a monitor, or of each of its regions: the place of the value, with further labels. */
interface MonitorFamily extends Family {
  of: 'monitor' | 'region';
  /** A value is the number at `place`, divided by `scale`. */
  samples: { place: number; scale: number; labels: string }[];
}

const one = (place: number, scale = 1) => [{ place, scale, labels: '' }];

export const MONITOR_FAMILIES: readonly MonitorFamily[] = [
  {
    name: 'farwatch_monitor_up', type: 'gauge', of: 'monitor', samples: one(FIELD.up),
    help: '1 if the monitor is up or degraded, 0 if it is down. Absent if it is unknown or not active.',
  },
  {
    name: 'farwatch_monitor_region_up', type: 'gauge', of: 'region', samples: one(REGION_FIELD.up),
    help: 'The same as one region sees it.',
  },
  {
    name: 'farwatch_monitor_response_time_seconds', type: 'gauge', of: 'region',
    samples: one(REGION_FIELD.responseTime, RESPONSE_TIME_SCALE),
    help: 'Response time of the latest check in a region.',
  },
  {
    name: 'farwatch_monitor_checks_total', type: 'counter', of: 'region',
    help: 'Checks by outcome, since a controller first counted them.',
    samples: (['success', 'failure', 'missed'] as const)
      .map((outcome) => ({ place: REGION_FIELD[outcome], scale: 1, labels: `,outcome="${outcome}"` })),
  },
  {
    name: 'farwatch_monitor_uptime_ratio', type: 'gauge', of: 'monitor',
    help: 'Share of the monitored time that was up or degraded. Absent without monitored time.',
    samples: [
      { place: FIELD.uptime24h, scale: SHARE_SCALE, labels: ',window="24h"' },
      { place: FIELD.uptime30d, scale: SHARE_SCALE, labels: ',window="30d"' },
    ],
  },
  {
    name: 'farwatch_monitor_certificate_expiry_timestamp_seconds', type: 'gauge', of: 'monitor',
    samples: one(FIELD.certificateExpiry), help: 'When the certificate expires; the earliest one that regions see.',
  },
  {
    name: 'farwatch_monitor_domain_expiry_timestamp_seconds', type: 'gauge', of: 'monitor',
    samples: one(FIELD.domainExpiry), help: 'When the registration of the domain expires.',
  },
  {
    name: 'farwatch_monitor_last_check_timestamp_seconds', type: 'gauge', of: 'monitor',
    samples: one(FIELD.lastCheck), help: 'When the latest check started.',
  },
  {
    name: 'farwatch_monitor_in_maintenance', type: 'gauge', of: 'monitor', samples: one(FIELD.inMaintenance),
    help: '1 during a maintenance window of the monitor.',
  },
];

/** Prepares a page, so that families only copy its labels. Writes them to `text`. */
export function labelPage(
  text: TextBytes, { ids, names, texts, numbers: list }: MonitorPage, { projects, groups }: Names,
): LabeledPage {
  const numbers = new Uint32Array(list);
  const ends: number[] = [];
  for (let at = 0; at < numbers.length; at = next(numbers, at)) {
    const nameOf = (field: number) => texts[numbers[at + field] as number];
    const [type = '', project = '', group] = [nameOf(FIELD.type), nameOf(FIELD.project), nameOf(FIELD.group)];
    const index = ends.length;
    text.utf8(`{id="${ids[index]}"${labelOf('name', names[index] ?? '')}${labelOf('type', type)}`);
    text.utf8(labelOf('project', projects.get(project) ?? project));
    if (group !== undefined) text.utf8(labelOf('group', groups.get(group) ?? group));
    ends.push(text.length);
  }
  return {
    labels: new Uint8Array(text.take()), ends: new Uint32Array(ends),
    regions: texts.map((region) => Buffer.from(labelOf('region', region))), numbers,
  };
}

function labelOf(name: string, value: string): string {
  return `,${name}="${escapeLabel(value)}"`;
}

/** Writes the family's samples of these monitors. */
export function writeSamples(out: TextBytes, { name, of, samples }: MonitorFamily, page: LabeledPage): void {
  const { labels, ends, regions, numbers } = page;
  for (let index = 0, at = 0; index < ends.length; index += 1) {
    const [from, to, after] = [ends[index - 1] ?? 0, ends[index] as number, next(numbers, at)];
    const length = of === 'monitor' ? after - at : REGION_FIELDS;
    for (let start = of === 'monitor' ? at : at + MONITOR_FIELDS; start < after; start += length) {
      for (const { place, labels: more, scale } of samples) {
        const value = numbers[start + place] as number;
        if (value === NONE) continue;
        out.ascii(name);
        out.copy(labels, from, to);
        if (of === 'region') {
          const region = regions[numbers[start + REGION_FIELD.region] as number] as Buffer;
          out.copy(region, 0, region.length);
        }
        out.ascii(more);
        out.ascii('} ');
        out.ascii(String(scale === 1 ? value : value / scale));
        out.ascii('\n');
      }
    }
    at = after;
  }
}

/** Where the numbers of the next monitor begin. */
function next(numbers: Uint32Array, at: number): number {
  return at + MONITOR_FIELDS + (numbers[at + FIELD.regions] as number) * REGION_FIELDS;
}
