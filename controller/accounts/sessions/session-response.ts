import { isoTime } from '../../../shared/time.ts';
import type { PublicContext } from '../../http/routing/route.ts';
import { viewAccount } from '../views.ts';
import type { SignedIn, StartedSession } from './verbs.ts';

/**
 * Adds the session to the response. Its token goes into the cookie if the client accepts one, else the body.
 */
export function withSession<T extends object>(
  { cookie, now }: PublicContext, { token, expiresAt }: StartedSession, data: T,
) {
  const expires_at = isoTime(expiresAt);
  if (cookie === undefined) return { data: { token, expires_at, ...data }, headers: {} };
  const headers = { 'Set-Cookie': cookie.setCookie(token, expiresAt - now) };
  return { data: { token: null, expires_at, ...data }, headers };
}

export function withSignedIn(ctx: PublicContext, { session, ...account }: SignedIn) {
  return withSession(ctx, session, viewAccount(account));
}
