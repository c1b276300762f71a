/** pino's numbers for the levels that the quickstart itself uses. */
export const LEVELS = { info: 30, warn: 40, error: 50 } as const;
export type Level = keyof typeof LEVELS;

export interface LogEntry {
  level: number;
  msg: string;
}

/** Level and message of a JSON log line, the level by number or by name; null when it is not one. */
export function logEntry(line: string): LogEntry | null {
  if (!line.startsWith('{')) return null;
  try {
    const { level, msg } = JSON.parse(line) as { level?: unknown; msg?: unknown };
    const number = typeof level === 'number' ? level : (LEVELS[level as Level] ?? LEVELS.info);
    return { level: number, msg: typeof msg === 'string' ? msg : '' };
  } catch {
    return null;
  }
}

const MAX_SHOWN_LINES = 5;

/**
 * What of a dead process's last lines says why it died: the errors that it logged, else the first line of an
 * uncaught one, else simply the last lines. Oldest first, as plain text, without repetition.
 */
export function crashMessages(lines: readonly string[]): string[] {
  const entries = lines.map((line) => logEntry(line) ?? { level: 0, msg: line });
  const errors = entries.filter(
    (entry) => entry.level >= LEVELS.error || /^(?:Uncaught )?[A-Za-z]*Error\b.*:/.test(entry.msg),
  );
  const relevant = errors.length > 0 ? errors : entries;
  return [...new Set(relevant.map((entry) => entry.msg))].slice(-MAX_SHOWN_LINES);
}
