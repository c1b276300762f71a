import { z } from 'zod';
import { ADDRESS, addressProblem, MAX_ADDRESS_LENGTH, withoutDuplicates } from '../email-rules.ts';
import type { ChannelSettings } from './channel.ts';

const MAX_RECIPIENTS = 20;
/** Longer strings are rejected before they are parsed as addresses. */
const MAX_RECIPIENT_LENGTH = 320;

const recipient = z.string().max(MAX_RECIPIENT_LENGTH).superRefine((address, context) => {
  const message = addressProblem(address);
  if (message !== null) context.addIssue({ code: 'custom', message, input: address });
}).meta({ maxLength: MAX_ADDRESS_LENGTH, pattern: `^${ADDRESS}$` });

const recipients = z.array(recipient).min(1, 'Add at least one recipient')
  .max(MAX_RECIPIENTS, `At most ${MAX_RECIPIENTS} recipients`)
  .meta({ title: 'Recipients', description: `Up to ${MAX_RECIPIENTS} email addresses, one per line.` });

const config = z.strictObject({ to: recipients.transform(withoutDuplicates) });

/** Sent by the mailer, not as a request. */
export const email = {
  label: 'Email', help: 'Farwatch sends each address its own email.', domains: [], config,
  recipients: ({ to }) => to,
} satisfies ChannelSettings<z.output<typeof config>>;
