import { catalogue } from './catalogue.ts';

const english = {
  back: 'All groups', dependencies: 'Monitors and dependencies', noMonitors: 'This group has no monitors',
  hint: 'Below each monitor are those it depends on. While one of them is down, the monitor’s alerts are held.',
  dependsOn: (name: string) => `${name} depends on`,
};

export const groupTexts = catalogue(english, { de: () => import('./de/groups.ts') });
export type GroupTexts = typeof english;
