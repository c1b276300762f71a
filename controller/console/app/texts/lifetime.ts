import { catalogue } from './catalogue.ts';

const english = {
  expires: 'Expires', expired: 'expired', never: 'never', inDays: (days: number) => `in ${days} ${days === 1 ? 'day' : 'days'}`,
};

export type LifetimeTexts = typeof english;

export const lifetimeTexts = catalogue(english, { de: () => import('./de/lifetime.ts') });
