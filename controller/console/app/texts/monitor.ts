import { catalogue } from './catalogue.ts';

const english = {
  monitor: 'Monitor', summary: 'Summary', since: 'for', openIncident: 'View incident',
  every: (duration: string) => `every ${duration}`, lastCheck: 'Last check', more: 'More actions',
  upIn: (count: number) => (count === 1 ? 'Up in one region' : `Up in all ${count} regions`),
  downIn: (down: number, all: number, names: string) => `Down in ${down} of ${all} ${all === 1 ? 'region' : 'regions'}: ${names}`,
  runNow: 'Check now', pause: 'Pause', resume: 'Resume', pauseOrResume: 'Pause or resume', edit: 'Edit',
  duplicate: 'Duplicate', disable: 'Disable', close: 'Close', again: 'Check again',
  running: 'Checking from every region. This can take as long as the timeout if the target doesn’t respond.',
  donePause: 'Paused', doneResume: 'Resumed. Checks start now.', doneDisable: 'Disabled',
  deleted: (name: string) => `“${name}” was deleted`, deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteText: 'Checks stop and all results are deleted. Incidents are kept. This can’t be undone.',
  passed: 'Passed', slow: 'Slow', failed: 'Failed', missed: 'Not run',
  dns: 'DNS lookup', connect: 'Connection', tls: 'TLS', first_byte: 'First byte', transfer: 'Transfer',
  uptime24: 'Uptime, 24 hours', uptime30: 'Uptime, 30 days', uptime90: 'Uptime, 90 days', latestTime: 'Latest response time',
  last24: 'Last 24 hours', last90: 'Last 90 days', notMonitored: 'not monitored',
  barsLabel: (label: string, bad: number, all: number) => `${label}: ${bad === 0 ? 'no downtime' : `downtime in ${bad} of ${all}`}`,
  regions: 'Regions', region: 'Region', state: 'State', time: 'Response time',
  noRegion: 'No region checks this monitor. Add a probe or choose other regions.',
  mapLabel: (text: string) => `Map. ${text}`,
  responseTimes: 'Response times', show: 'Show', figure: 'Metric', span: 'Time range', outage: 'outage', maintenance: 'maintenance',
  by_regions: 'Regions', by_percentiles: 'Percentiles', by_phases: 'Phases', allRegions: 'All',
  avg: 'Mean', p50: 'Median', p95: '95th percentile', p99: '99th percentile', max: 'Slowest',
  earlier: 'Earlier', later: 'Later', closer: 'Zoom in', farther: 'Zoom out', whole: 'Reset zoom',
  dragHint: 'Drag across the chart to zoom in.', sampled: 'Phases are sampled: up to 20 checks in each of 24 intervals.',
  pointIs: (duration: string, isOfOneRegion: boolean) => `Each point covers all checks in ${duration}${isOfOneRegion ? ' from one region' : ''}.`,
  noTimes: 'No response times in this time range', asTable: 'View as table', when: 'Time',
  short_1h: '1 h', short_6h: '6 h', short_24h: '24 h', short_7d: '7 d', short_30d: '30 d', short_90d: '90 d', short_365d: '1 y',
  settings: 'Settings', runTimes: 'Run times',
  silent: 'No data from its probes', quarantined: 'Probe quarantined', noProbeOnline: 'No probe online',
  overload: 'Probe overloaded', blockedTarget: 'Probe isn’t allowed to reach this target',
  unsupported: 'Probe doesn’t support this check type', probeUnhealthy: 'Probe unhealthy',
  probeDown: 'Probe was down', clockJump: 'Probe’s clock jumped', unreachable: 'Probe unreachable',
  timedOut: 'Probe didn’t respond in time', refused: 'Probe at capacity',
};

export const monitorTexts = catalogue(english, { de: () => import('./de/monitor.ts') });
export type MonitorTexts = typeof english;
