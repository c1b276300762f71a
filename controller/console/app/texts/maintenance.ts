import { catalogue } from './catalogue.ts';

const english = {
  title: 'Maintenance', plan: 'Plan maintenance', list: 'List', calendar: 'Calendar', none: 'No maintenance is planned',
  noneLong: 'Plan it before you begin: nobody is woken meanwhile, and your status pages say why.', scheduled: 'Planned', active: 'Under way',
  over: 'Over', next: 'Next', repeats: 'Repeats', monitors: 'Monitors', pages: 'Status pages', state: 'State', window: 'Maintenance',
  month: 'Month', previousMonth: 'Previous month', nextMonth: 'Next month', today: 'Today', name: 'Title', description: 'Description',
  starts: 'Begins', ends: 'Ends', zone: 'Time zone', zoneHint: 'In which it keeps its time of day when the clocks change',
  repeat: 'Repeats', once: 'Does not repeat', DAILY: 'Every day', WEEKLY: 'Every week', MONTHLY: 'Every month', YEARLY: 'Every year',
  custom: 'By a rule of its own', on: 'On', monthDay: (day: number) => `On day ${day} of the month`,
  nthDay: (nth: string, day: string) => `On the ${nth} ${day} of the month`, lastDay: (day: string) => `On the last ${day} of the month`,
  every: 'Every', everyHint: '1: each time', rule: 'Rule', ruleHint: 'An RRULE of iCalendar of at most one occurrence a day',
  times: 'After this many times', hold: 'Hold alerts until it is over',
  holdHint: 'Who is still down then is alerted. Otherwise alerts are sent as ever.', nextTimes: 'When it will be', save: 'Save',
  cancel: 'Cancel', remove: 'Delete', removeAsk: (title: string) => `Delete “${title}”?`,
  removeLong: 'If it is under way, it ends now: alerts that were held are sent.', saved: 'Saved', removed: 'Deleted', back: 'All maintenance',
  search: 'Find monitors', chosen: (count: string) => `${count} chosen`, noPages: 'There are no status pages yet.',
  noMonitors: 'No monitors yet.', more: (count: number) => `${count} more`, first: 'first', second: 'second', third: 'third', fourth: 'fourth',
  weekdays: 'Weekdays', past: 'Show what is over', noOccurrence: 'It never takes place.',
};

export const maintenanceTexts = catalogue(english, { de: () => import('./de/maintenance.ts') });
export type MaintenanceTexts = typeof english;
