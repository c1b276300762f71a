/** Joins lines, so that text from a target cannot start a new one. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** Truncates to `maxLength` UTF-16 units without splitting a surrogate pair. */
export function clip(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Formats Unix ms as `2026-03-01 03:14:15 UTC`. */
export function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Formats a duration in its two largest units: `4 min 12 s`, `2 h 3 min`, `1 d 4 h`. */
export function durationText(durationMs: number): string {
  const seconds = Math.max(0, Math.round(durationMs / 1000));
  const units = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const largest = units.findIndex(([count]) => count > 0);
  if (largest === -1) return '0 s';
  const shown = units.slice(largest, largest + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}

/** Formats a response time as `240 ms` or `2.3 s`. */
export function responseTimeText(durationMs: number): string {
  return durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
}

/** Removes secrets from the target: the token of a heartbeat, or credentials in a URL. */
export function redactedTarget({ target, type }: { target: string; type: string }): string {
  if (type === 'HEARTBEAT') return `${target.slice(0, 4)}…`;
  return target.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');
}
