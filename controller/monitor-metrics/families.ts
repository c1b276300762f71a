import {
  FIELD, MONITOR_FIELDS, NONE, REGION_FIELD, REGION_FIELDS, type MonitorPage,
} from '../results/reading/metrics/monitor-page.ts';
import { escapeLabel, type Family } from './exposition.ts';

/** Names by id. */
export interface Names {
  projects: ReadonlyMap<string, string>;
  groups: ReadonlyMap<string, string>;
}

/** Monitors with what families need of them. */
export interface LabeledPage {
  ids: string[];
  /** Escaped. */
  names: string[];
  /** By monitor: the end of its name, and the labels after it. */
  ends: string[];
  /** The label of a region, by its place. */
  regions: string[];
  numbers: Float64Array;
}

/** Samples of a monitor, or of each of its regions: the place of the value, with further labels. */
interface MonitorFamily extends Family {
  of: 'monitor' | 'region';
  samples: { place: number; labels: string }[];
}

const one = (place: number) => [{ place, labels: '' }];

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
    name: 'farwatch_monitor_response_time_seconds', type: 'gauge', of: 'region', samples: one(REGION_FIELD.responseTime),
    help: 'Response time of the latest check in a region.',
  },
  {
    name: 'farwatch_monitor_checks_total', type: 'counter', of: 'region',
    help: 'Checks by outcome, since a controller first counted them.',
    samples: (['success', 'failure', 'missed'] as const)
      .map((outcome) => ({ place: REGION_FIELD[outcome], labels: `,outcome="${outcome}"` })),
  },
  {
    name: 'farwatch_monitor_uptime_ratio', type: 'gauge', of: 'monitor',
    help: 'Share of the monitored time that was up or degraded. Absent without monitored time.',
    samples: [
      { place: FIELD.uptime24h, labels: ',window="24h"' }, { place: FIELD.uptime30d, labels: ',window="30d"' },
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

/** Prepares the labels of pages. Monitors share what is equal of them. */
export function labelPages(pages: MonitorPage[], { projects, groups }: Names): LabeledPage[] {
  const shared = new Map<string, string>();
  const labelOf = (name: string, value: string) => `,${name}="${escapeLabel(value)}"`;
  return pages.map(({ ids, names, texts, numbers: list }) => {
    const numbers = new Float64Array(list);
    const ends: string[] = [];
    for (let at = 0; at < numbers.length; at = next(numbers, at)) {
      const [type = '', project = '', group] = [FIELD.type, FIELD.project, FIELD.group]
        .map((field) => texts[numbers[at + field] as number]);
      const key = `${type}/${project}/${group}`;
      const end = shared.get(key) ?? `"${labelOf('type', type)}${labelOf('project', projects.get(project) ?? project)}${
        group === undefined ? '' : labelOf('group', groups.get(group) ?? group)}`;
      shared.set(key, end);
      ends.push(end);
    }
    return { ids, names: names.map(escapeLabel), ends, regions: texts.map((text) => labelOf('region', text)), numbers };
  });
}

/** The family's samples of these monitors. */
export function samplesOf({ name, of, samples }: MonitorFamily, page: LabeledPage): string {
  const { ids, names, ends, regions, numbers } = page;
  let text = '';
  const add = (labels: string, start: number): void => {
    for (const { place, labels: more } of samples) {
      const value = numbers[start + place] as number;
      if (value !== NONE) text += `${labels}${more}} ${value}\n`;
    }
  };
  for (let index = 0, at = 0; index < ids.length; index += 1, at = next(numbers, at)) {
    const labels = `${name}{id="${ids[index]}",name="${names[index]}${ends[index]}`;
    if (of === 'monitor') add(labels, at);
    else {
      for (let region = at + MONITOR_FIELDS; region < next(numbers, at); region += REGION_FIELDS) {
        add(`${labels}${regions[numbers[region + REGION_FIELD.region] as number]}`, region);
      }
    }
  }
  return text;
}

/** Where the numbers of the next monitor begin. */
function next(numbers: Float64Array, at: number): number {
  return at + MONITOR_FIELDS + (numbers[at + FIELD.regions] as number) * REGION_FIELDS;
}
