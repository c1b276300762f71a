import { catalogue } from './catalogue.ts';

const english = {
  title: 'Try it on the past 30 days',
  policyText: 'Replays the stored results of this monitor with the settings above. Nothing is sent or saved.',
  destinationText: 'Replays the stored results of this project’s monitors as if all their alerts went here, with the settings above. Nothing is sent or saved.',
  run: 'Try it', cancel: 'Cancel', running: 'Replaying the results of 30 days…', cancelled: 'Cancelled.',
  tooMuch: 'This project has too many monitors or outages to try all at once: at most 100 monitors, including those that they depend on.',
  runPart: (count: string) => `Try it with up to ${count} monitors`,
  part: (count: string) => `Monitors tried: ${count}.`,
  outdated: 'The settings have changed since.',
  alerts: (count: string, actual: string) => `${count} alerts instead of ${actual}`,
  nothingMissed: 'no outage missed.',
  nothingLonger: (duration: string) => `nothing missed that lasted over ${duration}.`,
  missed: (count: string) => `Missed outages: ${count}`, more: (count: string) => `And ${count} more.`,
  timeline: 'Alerts per day', now: 'With today’s settings', changed: 'With these settings',
  day: (day: string, count: string) => `${day}: ${count}`,
};

export type RehearsalTexts = typeof english;

export const rehearsalTexts = catalogue(english, { de: () => import('./de/rehearsal.ts') });
