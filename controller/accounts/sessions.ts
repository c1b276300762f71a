import { newId } from '../../shared/ids.ts';
import type { UserDoc } from './account.ts';
import type { SessionStore } from './session-store.ts';
import type { SessionTokens } from './session-tokens.ts';

const SESSION_MS = 7 * 86_400_000;

export interface StartedSession {
  token: string;
  /** Unix ms. */
  expiresAt: number;
}

export interface SessionDeps {
  sessions: SessionStore;
  tokens: SessionTokens;
}

/** Starts a session of seven days, and forgets those of this user that have run out. */
export async function startSession(deps: SessionDeps, user: UserDoc, now: number): Promise<StartedSession> {
  const session = { _id: newId(now), user_id: user._id, token_version: user.token_version, created_at: now, expires_at: now + SESSION_MS };
  await Promise.all([deps.sessions.insert(session), deps.sessions.deleteExpired(user._id, now)]);
  const token = await deps.tokens.sign({ userId: user._id, sessionId: session._id }, now, session.expires_at);
  return { token, expiresAt: session.expires_at };
}
