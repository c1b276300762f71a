import { pino, type Logger } from 'pino';

export type Log = Logger;

/** Field names that hold secrets; their values are redacted in logs. */
const SECRET_FIELDS =
  ['password', 'token', 'secret', 'seed', 'key', 'authorization', 'cookie', 'headers', 'body'];

/** Logs JSON lines to standard output. Redacts secrets up to two levels deep. */
export function createLog(name: string, level: string): Log {
  const paths = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);
  return pino({ name, level, redact: { paths, censor: '[redacted]' }, base: { name, pid: process.pid } });
}
