import { catalogue } from './catalogue.ts';
import { hints, labels } from './en/monitor-fields.ts';

export const fieldLabels = catalogue(labels, { de: () => import('./de/monitor-fields.ts') });
export const fieldHints = catalogue(hints, { de: () => import('./de/monitor-hints.ts') });
export type FieldLabels = typeof labels;
export type FieldHints = typeof hints;
