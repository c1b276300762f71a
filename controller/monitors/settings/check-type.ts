import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { CheckSpec } from '../../../shared/contracts/check-spec.ts';
import { fieldError } from '../../http/input/validation.ts';

/** What a body or an answer with these fields contains. */
export type FieldsOf<Fields extends z.ZodRawShape> = z.output<z.ZodObject<Fields>>;

interface Common {
  target: string;
  interval_seconds: number;
}

/** A type of monitor. `Input`: its own fields in a body; `Own`: its own settings in a document. */
export interface CheckType<Input, Own> {
  /** Names of its own fields in a body. */
  fields: readonly string[];
  /**
   * The target, the settings, and the interval if it follows from them, after `input` over `current` (null
   * for a new monitor). Throws VALIDATION_ERROR, VALIDATION_FAILED.
   */
  resolve(
    input: Input & Partial<Common>, current: (Common & Own) | null, minIntervalSeconds: number,
  ): Pick<Common, 'target'> & Partial<Common & Own>;
  /** Its own fields in an answer; CONCEALED in place of credentials if these are to be. */
  view(doc: Own, isConcealed: boolean): object;
  toSpec(doc: Pick<Common, 'target'> & Own): CheckSpec;
}

type Some<S> = { [Name in keyof S]?: S[Name] | undefined };

interface SettingsSources<S> {
  /** The body's field that nests these settings, for the paths of errors. */
  config: string;
  /** Settings from the places of a body that can carry them. */
  sent: readonly Some<S>[];
  current: S | null;
  /** In the order of the settings; undefined for one that must be sent. */
  defaults: { [Name in keyof S]: S[Name] | undefined };
  /** Names in `config` that differ from those of the settings. */
  aliases?: { [Name in keyof S]?: string };
}

/**
 * Sent settings over the current ones or the defaults. Where the places of a body differ, a value that only
 * repeats the current one gives way, because an edited read looks like that. Null is a value, undefined is
 * none. Throws VALIDATION_ERROR for two different new values, and for a missing value without default.
 */
export function chooseSettings<S extends object>(sources: SettingsSources<S>): S {
  const { config, sent, current, defaults, aliases } = sources;
  const names = Object.keys(defaults) as (keyof S & string)[];
  return Object.fromEntries(names.map((name) => {
    const path = `${config}.${aliases?.[name] ?? name}`;
    const values: unknown[] = [current?.[name]];
    for (const { [name]: value } of sent) {
      if (value !== undefined && !values.some((one) => isDeepStrictEqual(one, value))) values.push(value);
    }
    if (values.length > 2) throw fieldError(path, 'Given twice with different values');
    const value = values.at(-1) === undefined ? defaults[name] : values.at(-1);
    if (value === undefined) throw fieldError(path, 'Required');
    return [name, value];
  })) as S;
}
