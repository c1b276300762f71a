import type { DestinationFormRules } from './form-field.ts';
import { catalogue } from '../texts/catalogue.ts';
import type { Kind } from './draft.ts';

/** Replaced by the build. */
declare const DESTINATION_FORMS: Readonly<Record<Kind, DestinationFormRules>>;

export const forms = DESTINATION_FORMS;
export const KINDS = Object.keys(forms) as Kind[];

/** By `type`, `type.field` and, for explanations, with ` help` after it. */
const english: Record<string, string> = Object.fromEntries(KINDS.flatMap((kind) => [
  [kind, forms[kind].label], [`${kind} help`, forms[kind].help],
  ...forms[kind].fields.flatMap(({ name, label, help }) => [[`${kind}.${name}`, label], [`${kind}.${name} help`, help]]),
]));
const texts = catalogue(english, { de: () => import('../texts/de/destination-fields.ts') });

/** The text of a name; English if it is not translated. */
export function formText(name: string): string {
  return texts[name] ?? english[name] ?? name;
}
