import { catalogue } from './catalogue.ts';

const english = {
  overview: 'Monitors', incidents: 'Incidents', fleet: 'Fleet', destinations: 'Alerts', pages: 'Status pages',
  maintenance: 'Maintenance', settings: 'Settings', wall: 'Wallboard', newMonitor: 'New monitor',
  mainNavigation: 'Main', back: 'Back', skip: 'Skip to content', menu: 'Menu', account: 'Account', project: 'Project',
  signOut: 'Sign out', theme: 'Appearance', system: 'System', light: 'Light', dark: 'Dark', language: 'Language',
  live: 'Live', connecting: 'Connecting…', offline: 'Offline',
  unreachable: 'Can’t reach the server. We’ll keep trying.',
  offlineText: 'Can’t reach the server. What you see may be out of date. We’ll keep trying.',
  search: 'Search or jump to…', palette: 'Command palette', noCommand: 'No results', go: 'Go to',
  actions: 'Actions', monitors: 'Monitors', shortcuts: 'Keyboard shortcuts', shortcutsHint: 'Show shortcuts',
  general: 'Global', thisView: 'On this page', close: 'Close', cancel: 'Cancel', retry: 'Try again', save: 'Save',
  delete: 'Delete', undo: 'Undo', copy: 'Copy', copied: 'Copied', loading: 'Loading',
  notLoaded: 'Couldn’t load this part of the console. The server may have been updated in the meantime.',
  failed: 'Something went wrong', fixFields: 'Fix the highlighted fields.', invalid: 'Some values are invalid.',
  retryIn: (duration: string) => `Try again in ${duration}.`, request: (id: string) => `Request ${id}`, notFound: 'Page not found',
  notFoundText: 'It may have been deleted, or it may belong to another project.', allMonitors: 'All monitors',
  managedBy: (owner: string) => `Managed by ${owner}. Changes made here will be overwritten by the next apply.`, editAnyway: 'Edit anyway',
  leaveUnsaved: 'You have unsaved changes. Leave this page?',
  up: 'Up', down: 'Down', degraded: 'Degraded', unknown: 'Unknown', paused: 'Paused', disabled: 'Disabled',
  maintenanceState: 'Maintenance', optional: 'optional', justNow: 'just now', ago: (duration: string) => `${duration} ago`, ahead: (duration: string) => `in ${duration}`,
  apiReference: 'API reference', utc: (text: string) => `${text} UTC`,
};

export const shellTexts = catalogue(english, { de: () => import('./de/shell.ts') });
export type ShellTexts = typeof english;
