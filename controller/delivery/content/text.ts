/** Text as one line: what a target answered cannot begin another one. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** At most `most` UTF-16 units, never half a character. */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** An instant, Unix ms, for people anywhere: `2026-03-01 03:14:15 UTC`. */
export function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A span in the two largest units that matter: `4 min 12 s`, `2 h 3 min`, `1 d 4 h`. */
export function durationText(spanMs: number): string {
  const seconds = Math.max(0, Math.round(spanMs / 1000));
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts.slice(first, first + 2).filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`).join(' ');
}

/** Time of a check: `240 ms`, `2.3 s`. */
export function responseText(tookMs: number): string {
  return tookMs < 1000 ? `${Math.round(tookMs)} ms` : `${(tookMs / 1000).toFixed(1)} s`;
}

/** A target without what lets others in: the token of a heartbeat, a password in an address. */
export function shownTarget(monitor: { target: string; type: string }): string {
  if (monitor.type === 'HEARTBEAT') return `${monitor.target.slice(0, 4)}…`;
  return monitor.target.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');
}
