/** Numeric pino levels used by the quickstart. */
export const LEVELS = { info: 30, warn: 40, error: 50 } as const;
export type Level = keyof typeof LEVELS;

export interface LogEntry {
  level: number;
  msg: string;
}

/** Level and message of a JSON log line, with the level as a number or name; null for other lines. */
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
 * The lines that explain why a process died: the errors it logged, otherwise the first line of an uncaught
 * error, otherwise its last lines. Oldest first, as plain text, without repetition.
 */
export function crashMessages(lines: readonly string[]): string[] {
  const entries = lines.map((line) => logEntry(line) ?? { level: 0, msg: line });
  const errors = entries.filter(
    (entry) => entry.level >= LEVELS.error || /^(?:Uncaught )?[A-Za-z]*Error\b.*:/.test(entry.msg),
  );
  const relevant = errors.length > 0 ? errors : entries;
  return [...new Set(relevant.map((entry) => entry.msg))].slice(-MAX_SHOWN_LINES);
}
