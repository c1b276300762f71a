import { catalogue } from './catalogue.ts';

const english = {
  monitor: 'Monitor', crumbs: 'Where you are', summary: 'Summary', since: 'for', openIncident: 'Open incident',
  every: (duration: string) => `every ${duration}`, lastCheck: 'Last check', more: 'More actions',
  upIn: (count: number) => (count === 1 ? 'Seen up in one region' : `Seen up in all ${count} regions`),
  downIn: (down: number, all: number, names: string) => `Down in ${down} of ${all}: ${names}`,
  runNow: 'Run now', pause: 'Pause', resume: 'Resume', pauseOrResume: 'Pause or resume', edit: 'Edit',
  duplicate: 'Duplicate', disable: 'Disable', close: 'Close', again: 'Run again',
  running: 'Checking in every region. A target that does not answer takes until the timeout.',
  donePause: 'Paused', doneResume: 'Resumed; it is checked at once', doneDisable: 'Disabled',
  deleted: (name: string) => `“${name}” was deleted`, deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteText: 'It is no longer checked, and its results are gone. Its incidents stay. This cannot be undone.',
  passed: 'Passed', slow: 'Slow', failed: 'Failed', missed: 'Not run',
  dns: 'Name lookup', connect: 'Connection', tls: 'TLS', first_byte: 'First byte', transfer: 'Transfer',
  missedBecause: (reason: string) => `Not checked: ${reason}`,
  uptime24: 'Uptime, 24 hours', uptime30: 'Uptime, 30 days', uptime90: 'Uptime, 90 days', latestTime: 'Latest response time',
  last24: 'Last 24 hours', last90: 'Last 90 days', notWatched: 'not watched',
  barsTold: (label: string, bad: number, all: number) => `${label}: ${bad === 0 ? 'no downtime' : `downtime in ${bad} of ${all}`}`,
  regions: 'Regions', region: 'Region', state: 'State', time: 'Response time',
  noRegion: 'No region checks this monitor. Add a probe, or choose other regions.',
  mapLabel: (text: string) => `Map. ${text}`,
  responseTimes: 'Response times', show: 'Show', figure: 'Figure', span: 'Time span', outage: 'outage', maintenance: 'maintenance',
  by_regions: 'Regions', by_percentiles: 'Percentiles', by_phases: 'Phases', allRegions: 'All',
  avg: 'Mean', p50: 'Median', p95: '95th percentile', p99: '99th percentile', max: 'Slowest',
  earlier: 'Earlier', later: 'Later', closer: 'Zoom in', farther: 'Zoom out', whole: 'Reset zoom',
  dragHint: 'Drag over the chart to zoom.', sampled: 'Phases of up to 20 checks for each of 24 parts of this time.',
  noTimes: 'No response times in this time', asTable: 'As a table', when: 'Time',
  short_1h: '1 h', short_6h: '6 h', short_24h: '24 h', short_7d: '7 d', short_30d: '30 d', short_90d: '90 d', short_365d: '1 y',
  silent: 'Its probes say nothing', quarantined: 'Its probe is in quarantine', noLiveProbe: 'None of its probes is online',
  overload: 'The probe has too much to do', blockedTarget: 'The probe may not reach this target',
  unsupported: 'The probe is too old for this type', probeUnhealthy: 'The probe is not well',
  probeDown: 'The probe was down', clockJump: 'The clock of the probe jumped', unreachable: 'The probe did not answer',
};

export const monitorTexts = catalogue(english, { de: () => import('./de/monitor.ts') });
export type MonitorTexts = typeof english;
