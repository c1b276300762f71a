const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6, us: 1e-3, 'µs': 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000,
  y: 31_536_000_000,
};
const PART = /(\d+(?:\.\d+)?)(ns|us|µs|ms|[smhdwy])/gy;

/** Milliseconds of a duration such as `1h30m`, as Go and Prometheus write it; null for anything else. */
export function durationMs(value: unknown): number | null {
  if (typeof value !== 'string' || value === '') return null;
  let [total, end] = [0, 0];
  for (const [part, count, unit] of value.trim().matchAll(PART)) {
    total += Number(count) * (UNITS_MS[unit as string] as number);
    end += part.length;
  }
  return end === value.trim().length ? total : null;
}

/** Whole seconds; null for anything that is no duration. */
export function durationSeconds(value: unknown): number | null {
  const ms = durationMs(value);
  return ms === null ? null : Math.round(ms / 1000);
}
