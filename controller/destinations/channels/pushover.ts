import { z } from 'zod';
import { below, defineChannel, formRequest } from './channel.ts';
import { optional, secretText, serverUrl } from './fields.ts';
import { fit, fittedMessage, PLAIN } from './text.ts';

const MAX_TITLE_LENGTH = 250;
const MAX_MESSAGE_LENGTH = 1024;
const MAX_URL_LENGTH = 512;

export const pushover = defineChannel({
  label: 'Pushover', help: 'Create an application at pushover.net.',
  domains: ['pushover.net'], address: 'base_url',
  config: z.strictObject({
    token: secretText({ title: 'API token', description: 'Of your application.' }),
    user: secretText({ title: 'User or group key', description: 'Whom to notify.' }),
    base_url: optional(serverUrl({ title: 'API server', description: 'Default: https://api.pushover.net.' })),
  }),
  texts: ['title', 'message'],
  render: ({ config: { token, user, base_url }, content, alert }) => {
    const { subject, links: [link], tone } = content;
    const hasLink = link !== undefined && link.url.length <= MAX_URL_LENGTH;
    const shown = { ...content, links: hasLink ? [] : content.links };
    return formRequest(below(base_url ?? 'https://api.pushover.net', '/1/messages.json'), {
      token, user, title: fit(subject, { max: MAX_TITLE_LENGTH }),
      message: fittedMessage(shown, { max: MAX_MESSAGE_LENGTH, ...PLAIN }),
      // High priority ignores quiet hours; an emergency would repeat until somebody confirms it there.
      priority: tone === 'bad' ? '1' : '0', timestamp: String(Math.floor(alert.at / 1000)),
      ...(hasLink ? { url: link.url, url_title: link.label } : {}),
    });
  },
});
