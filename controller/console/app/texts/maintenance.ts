import { catalogue } from './catalogue.ts';

const english = {
  title: 'Maintenance', plan: 'Schedule maintenance', list: 'List', calendar: 'Calendar', none: 'No maintenance scheduled',
  noneText: 'Schedule maintenance in advance to hold alerts while you work and to inform visitors of your status pages.', scheduled: 'Scheduled', active: 'In progress',
  over: 'Ended', next: 'Next', repeats: 'Repeats', monitors: 'Monitors', pages: 'Status pages', state: 'State', window: 'Maintenance',
  month: 'Month', previousMonth: 'Previous month', nextMonth: 'Next month', today: 'Today', name: 'Title', description: 'Description',
  starts: 'Starts', ends: 'Ends', zone: 'Time zone', zoneHint: 'Local times stay the same when daylight saving time starts or ends.',
  repeat: 'Repeats', once: 'Does not repeat', DAILY: 'Every day', WEEKLY: 'Every week', MONTHLY: 'Every month', YEARLY: 'Every year',
  custom: 'Custom rule', on: 'On', monthDay: (day: number) => `On day ${day} of the month`,
  nthDay: (nth: string, day: string) => `On the ${nth} ${day} of the month`, lastDay: (day: string) => `On the last ${day} of the month`,
  every: 'Every', everyHint: '1 = every time, 2 = every other time', rule: 'Rule', ruleHint: 'An iCalendar RRULE with at most one occurrence per day.',
  times: 'Number of occurrences', hold: 'Hold alerts during maintenance',
  holdHint: 'Monitors still down at the end of the window trigger alerts.', nextTimes: 'Next occurrences', save: 'Save',
  cancel: 'Cancel', remove: 'Delete', removeTitle: (title: string) => `Delete “${title}”?`,
  removeText: 'If it’s in progress, it ends now and held alerts are sent.', saved: 'Saved', removed: 'Deleted', back: 'All maintenance',
  search: 'Find monitors', chosen: (count: string) => `${count} selected`, noPages: 'No status pages yet.',
  noMonitors: 'No monitors yet.', more: (count: number) => `${count} more`, first: 'first', second: 'second', third: 'third', fourth: 'fourth',
  weekdays: 'Weekdays', showFinished: 'Show past maintenance', noOccurrence: 'This schedule has no occurrences.',
};

export const maintenanceTexts = catalogue(english, { de: () => import('./de/maintenance.ts') });
export type MaintenanceTexts = typeof english;
