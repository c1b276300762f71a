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

/** Derived from the API's own schema at build time. */
declare const MONITOR_RULES: Readonly<Record<string, FieldRule>>;

/**
 * Limits, known values, unit and default of each field by its path in the API's bodies. List entries use the list's
 * path.
 */
export const rules = MONITOR_RULES;
