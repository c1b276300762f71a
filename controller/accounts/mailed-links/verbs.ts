import type { AppError } from '../../errors/app-error.ts';
import type { PublicContext } from '../../http/routing/route.ts';
import { fieldError } from '../../http/input/validation.ts';
import type { Mail } from '../../platform/mail/mailer-port.ts';
import type { AccountDeps } from '../deps.ts';
import { NO_ALLOWANCE } from '../mail/allowance-store.ts';
import { mailedLink, resetMessage, verificationMessage } from '../mail/account-messages.ts';
import { endAllSessions } from '../sessions/verbs.ts';
import type { UserDoc } from '../users/store.ts';

const HOUR_MS = 3_600_000;
const VERIFICATION_MS = 24 * HOUR_MS;
const RESET_MS = HOUR_MS;

/** Mails a verification link unless the address has used up its allowance for this hour. */
export function mailVerification(deps: AccountDeps, user: UserDoc, now: number): void {
  deps.mailers.accounts.send(user.email, () => composeVerification(deps, user, now));
}

async function composeVerification(deps: AccountDeps, user: UserDoc, now: number): Promise<Mail | string> {
  if (!(await deps.allowances.claim('verify_email', user.email, now))) return NO_ALLOWANCE;
  const token = await deps.mailedTokens.issue('verify_email', user, now, VERIFICATION_MS);
  return verificationMessage(user.email, mailedLink(deps.baseUrl(), 'verify-email', token));
}

/** Mails an unverified account another link. The response does not reveal whether the account exists. */
export function resendVerification(deps: AccountDeps, ctx: PublicContext, email: string): void {
  deps.mailers.accounts.send(email, async () => {
    const user = await deps.users.findByEmail(email);
    return user === null || user.email_verified ? null : composeVerification(deps, user, ctx.now);
  });
}

/** Throws the same VALIDATION_ERROR for unknown, used and expired tokens. */
export async function verifyEmail(deps: AccountDeps, ctx: PublicContext, token: string): Promise<UserDoc> {
  const taken = await deps.mailedTokens.take('verify_email', token, ctx.now);
  const user = taken === null ? null : await deps.users.markVerified(taken.user_id, taken.email);
  if (user === null) throw invalidLink();
  return user;
}

/** Mails a password reset link. The response does not reveal whether the account exists. */
export function forgotPassword(deps: AccountDeps, ctx: PublicContext, email: string): void {
  deps.mailers.accounts.send(email, async () => {
    const user = await deps.users.findByEmail(email);
    if (user === null) return null;
    if (!(await deps.allowances.claim('reset_password', email, ctx.now))) return NO_ALLOWANCE;
    const token = await deps.mailedTokens.issue('reset_password', user, ctx.now, RESET_MS);
    return resetMessage(email, mailedLink(deps.baseUrl(), 'reset-password', token));
  });
}

/**
 * Sets the password and ends every session and reset link of the account. Throws RATE_LIMIT_EXCEEDED, and
 * VALIDATION_ERROR for an invalid link or if the password has changed since the link was mailed.
 */
export async function resetPassword(
  deps: AccountDeps, ctx: PublicContext, input: { token: string; password: string },
): Promise<UserDoc> {
  const { mailedTokens, users } = deps;
  deps.attempts.takeAddress(ctx.address);
  // Hashing is expensive, so check the token first; consume it afterwards, in case hashing fails.
  if ((await mailedTokens.find('reset_password', input.token, ctx.now)) === null) throw invalidLink();
  const hash = await deps.hasher.hash(input.password, ctx.address);
  const taken = await mailedTokens.take('reset_password', input.token, ctx.now);
  const user = taken === null ? null : await users.resetPassword(taken, hash);
  if (user === null) throw invalidLink();
  await Promise.all([endAllSessions(deps, user._id), mailedTokens.deleteOfUser(user._id, 'reset_password')]);
  return user;
}

export function invalidLink(): AppError {
  return fieldError('token', 'This link is not valid: it was already used, has expired or is incomplete');
}
