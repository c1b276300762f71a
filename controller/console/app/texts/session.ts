import { catalogue } from './catalogue.ts';

const english = { signIn: 'Sign in', email: 'E-mail address', password: 'Password' };

export const sessionTexts = catalogue(english, { de: () => import('./de/session.ts') });
export type SessionTexts = typeof english;
