import { catalogue } from './catalogue.ts';

const english = {
  pings: 'Pings', lastPing: 'Last ping', noPing: 'none so far', expected: 'Expected', dueBy: 'Late after',
  everyWithin: (interval: string, grace: string) => `every ${interval}, ${grace} grace period`,
  bySchedule: (cron: string, timezone: string, grace: string) => `${cron} (${timezone}), ${grace} grace period`,
  maxRuntime: 'Maximum run time', pingAddress: 'Ping command',
  pingHint: 'To track run times and failures, also report the job’s start and exit code:',
  byName: 'Show the address with the monitor’s name', byNameHint: 'With the project’s ping key and the monitor’s slug:',
  nextDue: 'Next due times, in your time zone', noDueTimes: 'Enter five fields: minute, hour, day of month, month and day of week.',
  latest: 'Latest pings', latestHint: 'The newest 100 are kept.', showAll: 'Show all', noPings: 'No pings yet', at: 'Received', kind: 'Report',
  success: 'Success', fail: 'Failure', start: 'Start', log: 'Log', exitCode: (code: number) => `exit code ${code}`,
  duration: 'Duration', source: 'From', run: (id: string) => `Run ${id}`, output: 'Output',
  key: 'Ping key', keyOf: (project: string) => `Ping key of ${project}`, keyText: 'Jobs use this key and a monitor’s name in their ping address, and can create monitors with it.',
  showKey: 'Show key', rotate: 'Rotate', rotateTitle: 'Rotate the ping key?',
  rotateText: 'All jobs that ping by name need the new key. The old one stops working immediately.', rotated: 'Ping key rotated',
};

export const heartbeatTexts = catalogue(english, { de: () => import('./de/heartbeats.ts') });
export type HeartbeatTexts = typeof english;
