import type { PublicContext } from '../../http/route.ts';
import type { UserDoc } from '../account.ts';
import type { AccountDeps } from '../deps.ts';
import { mailedLink, resetLetter } from '../letters.ts';
import { deadLink } from './verify-email.ts';

const LINK_MS = 3_600_000;

/** Mails a link that lets its reader choose a password. Nobody learns whether there is an account. */
export function forgotPassword(deps: AccountDeps, ctx: PublicContext, email: string): void {
  deps.post.post(async () => {
    const user = await deps.users.findByEmail(email);
    if (user === null || !(await deps.allowances.claim('reset_password', email, ctx.now))) return null;
    const token = await deps.mailedTokens.issue({ purpose: 'reset_password', userId: user._id, email, now: ctx.now, expiresAt: ctx.now + LINK_MS });
    return resetLetter(email, mailedLink(deps.baseUrl(), 'reset-password', token));
  });
}

/** Sets the password, ends every session and every other such link. Throws VALIDATION_ERROR as `verifyEmail` does. */
export async function resetPassword(deps: AccountDeps, ctx: PublicContext, input: { token: string; password: string }): Promise<UserDoc> {
  // Hashing is costly: only a good token gets that far, and it is used up only when the hash is there.
  if ((await deps.mailedTokens.find('reset_password', input.token, ctx.now)) === null) throw deadLink();
  const hash = await deps.hasher.hash(input.password);
  const taken = await deps.mailedTokens.take('reset_password', input.token, ctx.now);
  const user = taken === null ? null : await deps.users.resetPassword(taken.user_id, taken.email, hash);
  if (user === null) throw deadLink();
  await Promise.all([deps.sessions.deleteOfUser(user._id), deps.mailedTokens.deleteOfUser(user._id, 'reset_password')]);
  return user;
}
