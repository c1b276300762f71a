export const UNITS = [['day', 86_400], ['hour', 3600], ['minute', 60], ['second', 1]] as const;
type Unit = (typeof UNITS)[number][0];

/**
 * A duration as people say it, in one unit or two: 2 hours and 5 minutes. Rounded to seconds; what is less than
 * that, and what is negative, is 0 seconds.
 * @param most from so many of the first unit on, the second one does not matter
 */
export function durationParts(seconds: number, most = Infinity): { unit: Unit; value: number }[] {
  const whole = Math.max(0, Math.round(seconds));
  const at = UNITS.findIndex(([unit, size]) => whole >= size || unit === 'second');
  const [unit, size] = UNITS[at] ?? UNITS[3];
  const value = Math.floor(whole / size);
  const [lesser, lesserSize] = UNITS[at + 1] ?? [];
  const rest = lesserSize === undefined || value >= most ? 0 : Math.floor((whole % size) / lesserSize);
  return lesser === undefined || rest === 0 ? [{ unit, value }] : [{ unit, value }, { unit: lesser, value: rest }];
}
