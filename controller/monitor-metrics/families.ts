import {
  FIELD, REGION_FIELD, RESPONSE_TIME_SCALE, SHARE_SCALE,
} from '../results/reading/metrics/monitor-page.ts';
import type { Family } from './exposition.ts';

/** Samples of a monitor, or of each of its regions: the place of the value, with further labels. */
export interface MonitorFamily extends Family {
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
