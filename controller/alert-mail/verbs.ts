import type { Recipient, RecipientTokens } from '../access/link-tokens.ts';
import { fieldError } from '../http/input/validation.ts';
import type { PublicContext } from '../http/routing/route.ts';
import { html } from '../pages/html.ts';
import { nameInMail } from '../pages/name-in-mail.ts';
import type { Mail } from '../platform/mail/mailer-port.ts';
import type { SuppressionStore } from './store.ts';

export interface AlertMailDeps {
  tokens: RecipientTokens;
  suppressions: SuppressionStore;
  /** Null if the organization is gone. */
  organizationName(id: string): Promise<string | null>;
  /** Mails each owner of the organization in the background. */
  notifyOwners(organizationId: string, compose: (to: string) => Mail): void;
}

export interface RecipientState extends Recipient {
  organizationName: string;
  isStopped: boolean;
  /** Whether this request changed it. */
  isChanged: boolean;
}

/** Owners get at most one notice a day per address, however often it is stopped and resumed. */
const OWNER_NOTICE_INTERVAL_MS = 86_400_000;

/** Throws VALIDATION_ERROR for an invalid token. */
export async function readRecipient(deps: AlertMailDeps, token: string): Promise<RecipientState> {
  const recipient = recipientOf(deps, token);
  const { organizationId, address } = recipient;
  const isStopped = await deps.suppressions.isStopped(organizationId, address);
  return { isStopped, isChanged: false, ...(await withOrganizationName(deps, recipient)) };
}

/** Stops the organization's alert mails to the address. Throws VALIDATION_ERROR for an invalid token. */
export async function stopAlertMail(deps: AlertMailDeps, ctx: PublicContext, token: string) {
  const recipient = recipientOf(deps, token);
  const isChanged = await deps.suppressions.stop(recipient, ctx.now);
  const named = await withOrganizationName(deps, recipient);
  const state: RecipientState = { isStopped: true, isChanged, ...named };
  // Also when nothing changed, because an earlier request may have died before it notified the owners.
  if (await deps.suppressions.claimOwnerNotice(recipient, ctx.now, OWNER_NOTICE_INTERVAL_MS)) {
    const { organizationId, address, organizationName } = state;
    deps.notifyOwners(organizationId, (to) => stoppedNotice(to, address, organizationName));
  }
  return state;
}

/**
 * Only the recipient can resume alerts, with the mailed token. Throws VALIDATION_ERROR for an invalid one.
 */
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

/** Notifies an owner that the recipient at `address` stopped the organization's alert mails. */
export function stoppedNotice(to: string, address: string, organizationName: string): Mail {
  const lines = [
    `${address} opted out of alert emails from the organization "${nameInMail(organizationName)}".`,
    'Email destinations with this address show that it opted out. Make sure that someone else receives '
    + 'their alerts.',
    'Only the owner of the address can resume the emails, using the link in any earlier alert email.',
  ];
  return {
    to,
    subject: 'An address no longer receives your alerts',
    text: `${lines.join('\n\n')}\n`,
    html: html`${lines.map((line) => html`<p>${line}</p>\n`)}`.text,
  };
}
