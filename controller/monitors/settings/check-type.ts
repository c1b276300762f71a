import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { CheckSpec } from '../../../shared/contracts/check-spec.ts';
import { fieldError } from '../../http/input/validation.ts';

/** The value type of a body or response with these fields. */
export type FieldsOf<Fields extends z.ZodRawShape> = z.output<z.ZodObject<Fields>>;

interface Common {
  target: string;
  interval_seconds: number;
}

/** A type of monitor. `Input` are its own fields in a body, `Own` its own settings in a document. */
export interface CheckType<Input, Own> {
  /** Names of the fields of `Input`. */
  fields: readonly string[];
  /**
   * Merges `input` into `current` (null for a new monitor). Returns the target, the settings, and the
   * interval if the settings determine it. Throws VALIDATION_ERROR, VALIDATION_FAILED.
   */
  resolve(
    input: Input & Partial<Common>, current: (Common & Own) | null, minIntervalSeconds: number,
  ): Pick<Common, 'target'> & Partial<Common & Own>;
  /** Its own fields in a response. `isConcealed` replaces credentials by CONCEALED. */
  view(doc: Own, isConcealed: boolean): object;
  toSpec(doc: Pick<Common, 'target'> & Own): CheckSpec;
}

type Some<S> = { [Name in keyof S]?: S[Name] | undefined };

interface SettingsSources<S> {
  /** Name of the body field that nests these settings, for error paths. */
  config: string;
  /** Settings from each place in the body that can contain them. */
  sent: readonly Some<S>[];
  current: S | null;
  /** Undefined for settings that must be sent. */
  defaults: { [Name in keyof S]: S[Name] | undefined };
  /** Field names in `config` that differ from the names of the settings. */
  aliases?: { [Name in keyof S]?: string };
}

/**
 * Merges sent settings into the current ones or the defaults. If places in the body differ, a value that
 * repeats the current one loses, because an edited read looks like that. Null is a value. Throws
 * VALIDATION_ERROR for two different new values or a missing value.
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
