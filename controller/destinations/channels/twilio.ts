import { z } from 'zod';
import { below, defineChannel, formRequest } from './channel.ts';
import { optional, secretText, serverUrl } from './fields.ts';
import { fit } from './text.ts';

/** Twilio accepts 1,600 characters, but charges for each segment of 67 or 153. */
const MAX_SUBJECT_LENGTH = 300;
const MAX_BODY_LENGTH = 1600;
const MAX_RECIPIENTS = 20;
const number = z.string().regex(/^\+[1-9]\d{4,14}$/, 'Must be a phone number such as +4930123456');

export const twilio = defineChannel({
  label: 'Twilio', help: 'Sends text messages through your Twilio account.',
  domains: ['twilio.com'], address: 'base_url',
  config: z.strictObject({
    account_sid: z.string().regex(/^[A-Za-z0-9]{1,64}$/, 'Must be letters and digits')
      .meta({ title: 'Account SID', description: 'From the Twilio console. It starts with “AC”.' }),
    auth_token: secretText({ title: 'Auth token', description: 'From the Twilio console.' }),
    from: z.string().regex(/^\+?[A-Za-z0-9 ]{1,40}$/, 'Must be a number, a sender ID or a messaging service')
      .meta({ title: 'From', description: 'Your number, a sender ID or the SID of a messaging service.' }),
    to: z.array(number).min(1, 'Add at least one number').max(MAX_RECIPIENTS, `At most ${MAX_RECIPIENTS} numbers`)
      .meta({ title: 'To', description: `Up to ${MAX_RECIPIENTS} phone numbers such as +4930123456, one per line.` }),
    base_url: optional(serverUrl({ title: 'API server', description: 'Default: https://api.twilio.com.' })),
  }),
  recipients: ({ to }) => [...new Set(to)],
  texts: ['Body'],
  render: ({ config: { account_sid: sid, auth_token, from, base_url }, content, recipient }) => {
    const { brief, links: [link] } = content;
    const sender: Record<string, string> = /^MG[0-9a-f]{32}$/i.test(from) ? { MessagingServiceSid: from } : { From: from };
    const text = fit(brief, { max: MAX_SUBJECT_LENGTH });
    const whole = `${text}\n${link?.url ?? ''}`.trim();
    const path = `/2010-04-01/Accounts/${sid}/Messages.json`;
    const credentials = Buffer.from(`${sid}:${auth_token}`).toString('base64');
    return formRequest(
      below(base_url ?? 'https://api.twilio.com', path),
      { To: recipient, ...sender, Body: whole.length <= MAX_BODY_LENGTH ? whole : text }, { Authorization: `Basic ${credentials}` },
    );
  },
});
