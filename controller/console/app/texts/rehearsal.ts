import { catalogue } from './catalogue.ts';

const english = {
  title: 'Test on the past 30 days',
  policyText: 'See which alerts the settings above would have sent for this monitor. Nothing is sent or saved.',
  destinationText: 'See which alerts this destination would have received with the settings above if all monitors of this project used it. Nothing is sent or saved.',
  run: 'Run test', cancel: 'Cancel', running: 'Replaying 30 days of results…', cancelled: 'Cancelled.',
  tooMuch: 'This project has too many monitors or outages for one test. A test takes at most 100 monitors, including those that they depend on.',
  runPart: (count: string) => `Test up to ${count} monitors`,
  part: (count: string) => `Monitors tested: ${count}.`,
  outdated: 'You changed the settings after this test.',
  alerts: (count: string, actual: string) => `${count} alerts instead of ${actual}`,
  nothingMissed: 'no outages missed.',
  nothingLonger: (duration: string) => `no outage longer than ${duration} missed.`,
  missed: (count: string) => `Missed outages: ${count}`, more: (count: string) => `And ${count} more.`,
  timeline: 'Alerts per day', now: 'Current settings', changed: 'New settings',
  day: (day: string, count: string) => `${day}: ${count}`,
};

export type RehearsalTexts = typeof english;

export const rehearsalTexts = catalogue(english, { de: () => import('./de/rehearsal.ts') });
