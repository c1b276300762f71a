export interface FieldRule {
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  enum?: string[];
  unit?: 'ms' | 's' | 'bytes' | 'days';
  default?: Scalar | Scalar[];
}

type Scalar = string | number | boolean;

/** The build makes it of the API's own schema. */
declare const MONITOR_RULES: Readonly<Record<string, FieldRule>>;

/** Limits, known values, unit and default of each field, by its path in the API's bodies; of a list's entries, by that of the list. */
export const rules = MONITOR_RULES;
