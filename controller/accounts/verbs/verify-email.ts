import type { AppError } from '../../../shared/errors.ts';
import type { PublicContext } from '../../http/route.ts';
import { fieldError } from '../../http/validation.ts';
import type { UserDoc } from '../account.ts';
import type { AccountDeps } from '../deps.ts';
import { mailedLink, verificationLetter } from '../letters.ts';

const LINK_MS = 24 * 3_600_000;

/** Mails a link that verifies the address; nothing when the address had its share of mails in this hour. */
export function mailVerification(deps: AccountDeps, user: UserDoc, now: number): void {
  deps.post.post(async () => {
    if (!(await deps.allowances.claim('verify_email', user.email, now))) return null;
    const token = await deps.mailedTokens.issue({ purpose: 'verify_email', userId: user._id, email: user.email, now, expiresAt: now + LINK_MS });
    return verificationLetter(user.email, mailedLink(deps.baseUrl(), 'verify-email', token));
  });
}

/** Mails the link again to an account that is not verified. Nobody learns whether there is one. */
export function resendVerification(deps: AccountDeps, ctx: PublicContext, email: string): void {
  deps.post.post(async () => {
    const user = await deps.users.findByEmail(email);
    if (user !== null && !user.email_verified) mailVerification(deps, user, ctx.now);
    return null;
  });
}

/** Throws VALIDATION_ERROR for a token that is unknown, used or expired: the three are told alike. */
export async function verifyEmail(deps: AccountDeps, ctx: PublicContext, token: string): Promise<UserDoc> {
  const taken = await deps.mailedTokens.take('verify_email', token, ctx.now);
  if (taken === null || !(await deps.users.markVerified(taken.user_id, taken.email))) throw deadLink();
  const user = await deps.users.find(taken.user_id);
  if (user === null) throw deadLink();
  return user;
}

export function deadLink(): AppError {
  return fieldError('token', 'This link is not valid: it was used already, has expired or is incomplete');
}
