import type { PublicContext } from '../http/routing/route.ts';
import { fieldError } from '../http/input/validation.ts';
import type { Mail } from '../platform/mail/mailer-port.ts';
import { stoppedNotice } from './messages.ts';
import type { Recipient, RecipientTokens } from './recipient-tokens.ts';
import type { SuppressionStore } from './store.ts';

export interface AlertMailDeps {
  tokens: RecipientTokens;
  suppressions: SuppressionStore;
  /** Null once the organization is gone. */
  organizationName(id: string): Promise<string | null>;
  /** Mails each owner of the organization, after the answer. */
  notifyOwners(organizationId: string, compose: (to: string) => Mail): void;
}

export interface RecipientState extends Recipient {
  organizationName: string;
  isStopped: boolean;
  /** Whether this request changed it. */
  isChanged: boolean;
}

/** Owners hear of an address once a day at most, however often it is stopped and resumed. */
const OWNER_NOTICE_INTERVAL_MS = 86_400_000;

/** Whether the address still receives alerts. Throws VALIDATION_ERROR for a token that is not ours. */
export async function readRecipient(deps: AlertMailDeps, token: string): Promise<RecipientState> {
  const recipient = recipientOf(deps, token);
  const { organizationId, address } = recipient;
  const isStopped = await deps.suppressions.isStopped(organizationId, address);
  return { isStopped, isChanged: false, ...(await withOrganizationName(deps, recipient)) };
}

/** The organization sends no more alert mails to the address. Throws as `readRecipient`. */
export async function stopAlertMail(deps: AlertMailDeps, ctx: PublicContext, token: string) {
  const recipient = recipientOf(deps, token);
  const isChanged = await deps.suppressions.stop(recipient, ctx.now);
  const named = await withOrganizationName(deps, recipient);
  const state: RecipientState = { isStopped: true, isChanged, ...named };
  // Claimed also when nothing changed: an earlier request may have died before it told anybody.
  if (await deps.suppressions.claimOwnerNotice(recipient, ctx.now, OWNER_NOTICE_INTERVAL_MS)) {
    const { organizationId, address, organizationName } = state;
    deps.notifyOwners(organizationId, (to) => stoppedNotice(to, address, organizationName));
  }
  return state;
}

/** The person wants alerts again, which nobody else can decide. Throws as `readRecipient`. */
export async function resumeAlertMail(deps: AlertMailDeps, token: string): Promise<RecipientState> {
  const recipient = recipientOf(deps, token);
  const isChanged = await deps.suppressions.resume(recipient);
  return { isStopped: false, isChanged, ...(await withOrganizationName(deps, recipient)) };
}

function recipientOf({ tokens }: AlertMailDeps, token: string): Recipient {
  const recipient = tokens.read(token);
  if (recipient === null) throw fieldError('token', 'This link is not valid: it is incomplete or has expired');
  return recipient;
}

async function withOrganizationName({ organizationName }: AlertMailDeps, recipient: Recipient) {
  const name = await organizationName(recipient.organizationId);
  return { organizationName: name ?? 'a former organization', ...recipient };
}
