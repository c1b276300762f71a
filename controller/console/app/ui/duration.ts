const UNITS = [['d', 86_400], ['h', 3600], ['min', 60], ['s', 1]] as const;

/**
 * A duration in one or two units with international symbols: 2 h 5 min. Rounded to seconds; negative durations are 0 s.
 * @param singleUnitFrom number of the larger unit from which the smaller one is left out
 */
export function durationText(seconds: number, singleUnitFrom = Infinity): string {
  const whole = Math.max(0, Math.round(seconds));
  const at = UNITS.findIndex(([unit, size]) => whole >= size || unit === 's');
  const [unit, size] = UNITS[at] ?? UNITS[3];
  const value = Math.floor(whole / size);
  const [lesser, lesserSize] = UNITS[at + 1] ?? [];
  const rest = lesserSize === undefined || value >= singleUnitFrom ? 0 : Math.floor((whole % size) / lesserSize);
  return rest === 0 ? `${value} ${unit}` : `${value} ${unit} ${rest} ${lesser}`;
}

/** A response or run time: in ms below ten seconds, in s below a minute, otherwise like other durations. */
export function msText(ms: number, locale: string): string {
  const short = (value: number, digits: number) => value.toLocaleString(locale, { maximumFractionDigits: digits });
  if (ms < 10_000) return `${short(ms, ms < 10 ? 1 : 0)} ms`;
  return ms < 59_950 ? `${short(ms / 1000, 1)} s` : durationText(ms / 1000);
}
