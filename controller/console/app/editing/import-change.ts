import { PATHS, type Path } from './fields.ts';
import { valueText, type Change } from './value-text.ts';

interface Difference {
  field: string;
  before: unknown;
  after: unknown;
}

/** Formats a difference that the API reports. */
export function changeOf({ field, before, after }: Difference, labels: Readonly<Record<Path, string>>): Change {
  return { field: labelOf(field, labels), before: valueText(field, before), after: valueText(field, after) };
}

/** The form's label, with the subfield if the form shows several as one; otherwise the API's name. */
function labelOf(field: string, labels: Readonly<Record<Path, string>>): string {
  if (field === 'group') return labels.group_id;
  const path = PATHS.find((one) => field === one || field.startsWith(`${one}.`));
  return path === undefined ? field : `${labels[path]} ${field.slice(path.length + 1)}`.trim();
}
