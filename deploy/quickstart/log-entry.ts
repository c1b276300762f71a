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
