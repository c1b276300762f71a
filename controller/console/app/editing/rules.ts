interface FieldRule {
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  enum?: string[];
}

/** The build makes it of the API's own schema. */
declare const MONITOR_RULES: Readonly<Record<string, FieldRule>>;

/** Limits and known values of each field, by its path in the API's bodies; of a list's entries, by that of the list. */
export const rules = MONITOR_RULES;
