import { randomUUID } from 'node:crypto';

const SANE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** The caller's own id if it is short and plain enough to be repeated in headers and logs, else a new UUID. */
export function requestId(offered: string | string[] | undefined): string {
  return typeof offered === 'string' && SANE.test(offered) ? offered : randomUUID();
}
