import { isoTime } from '../../../shared/time.ts';
import type { PublicContext } from '../../http/routing/route.ts';
import { viewAccount } from '../views.ts';
import type { SignedIn, StartedSession } from './verbs.ts';

/** `data` with the session added, and the headers of the answer: the token is in one or the other. */
export function withSession<T extends object>(
  { cookie, now }: PublicContext, { token, expiresAt }: StartedSession, data: T,
) {
  const expires_at = isoTime(expiresAt);
  if (cookie === undefined) return { data: { token, expires_at, ...data }, headers: {} };
  const headers = { 'Set-Cookie': cookie.setCookie(token, expiresAt - now) };
  return { data: { token: null, expires_at, ...data }, headers };
}

/** As `withSession`, for somebody who has signed in. */
export function withSignedIn(ctx: PublicContext, { session, ...account }: SignedIn) {
  return withSession(ctx, session, viewAccount(account));
}
