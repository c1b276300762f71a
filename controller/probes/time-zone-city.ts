const AREAS = new Set(['Africa', 'America', 'Antarctica', 'Arctic', 'Asia', 'Atlantic', 'Australia', 'Europe', 'Indian', 'Pacific']);

/** City in the name of an IANA time zone: `America/Argentina/Buenos_Aires` gives `Buenos Aires`; null for zones such as `UTC`, that name none. */
export function cityOfTimeZone(timeZone: string): string | null {
  const parts = timeZone.split('/');
  const city = parts[parts.length - 1];
  return parts.length > 1 && city && AREAS.has(parts[0] as string) ? city.replaceAll('_', ' ') : null;
}
