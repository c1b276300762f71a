import { catalogue } from './catalogue.ts';
import english from './en/audit-actions.ts';

/** By the action's name in the API. */
export const auditActions: Readonly<Record<string, string | undefined>> =
  catalogue(english, { de: () => import('./de/audit-actions.ts') });
