import { logEntry } from './log-entry.ts';

const ERROR_LEVEL = 50;
const SHOWN_LINES = 5;

/**
 * What of a dead process's last lines says why it died: the errors that it logged, else the first line of an
 * uncaught one, else simply the last lines. Oldest first, as plain text, without repetition.
 */
export function lastWords(lines: readonly string[]): string[] {
  const entries = lines.map((line) => logEntry(line) ?? { level: 0, msg: line });
  const errors = entries.filter(
    (entry) => entry.level >= ERROR_LEVEL || /^(?:Uncaught )?[A-Za-z]*Error\b.*:/.test(entry.msg),
  );
  const telling = errors.length > 0 ? errors : entries;
  return [...new Set(telling.map((entry) => entry.msg))].slice(-SHOWN_LINES);
}
