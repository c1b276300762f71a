import { ErrorCode, MongoFailure } from '../errors.ts';

/** Failures that a sound program meets: the data or the moment is to blame, not what was asked. */
const ORDINARY: ReadonlySet<number> = new Set([
  ErrorCode.duplicateKey, ErrorCode.cursorNotFound, ErrorCode.namespaceNotFound, ErrorCode.namespaceExists, ErrorCode.indexNotFound,
  ErrorCode.maxTimeExpired, ErrorCode.shutdown, ErrorCode.planKilled,
]);

/** What of a reply, or of a failure thrown instead of one, says that something was asked for which this store does not serve. */
export function refusalsOf(outcome: unknown): string[] {
  const failures = outcome instanceof MongoFailure ? [{ code: outcome.code, errmsg: outcome.message }] : writeErrorsOf(outcome);
  return failures.filter(({ code }) => !ORDINARY.has(code)).map(({ code, errmsg }) => `${code}: ${errmsg}`);
}

function writeErrorsOf(reply: unknown): { code: number; errmsg: string }[] {
  const { writeErrors } = (reply ?? {}) as { writeErrors?: { code: number; errmsg: string }[] };
  return writeErrors ?? [];
}
