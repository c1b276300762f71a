import { pino, type Logger } from 'pino';

export type Log = Logger;

/** Names under which secrets travel; whatever is logged under one of them is replaced. */
const SECRET_FIELDS =
  ['password', 'token', 'secret', 'seed', 'key', 'authorization', 'cookie', 'headers', 'body'];

/** JSON lines on standard output. Secrets are redacted up to two levels deep. */
export function createLog(name: string, level: string): Log {
  const paths = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);
  return pino({ name, level, redact: { paths, censor: '[redacted]' }, base: { name, pid: process.pid } });
}
