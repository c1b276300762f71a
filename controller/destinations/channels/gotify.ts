import { z } from 'zod';
import { below, defineChannel, jsonRequest } from './channel.ts';
import { optional, secretText, serverUrl } from './fields.ts';
import { fit, fittedMessage, PLAIN } from './text.ts';

const MAX_TITLE_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 4000;

export const gotify = defineChannel({
  label: 'Gotify', help: 'Create an application on your Gotify server.',
  domains: ['gotify.net'], address: 'base_url',
  config: z.strictObject({
    base_url: serverUrl({ title: 'Server', description: 'URL of your Gotify server.' }),
    token: secretText({ title: 'Application token', description: 'Of the application, not of a client.' }),
    priority: optional(z.int().min(0).max(10).meta({
      title: 'Priority', description: '0 to 10. Default: 8 for outages, otherwise 5.',
    })),
  }),
  texts: ['title', 'message'],
  render: ({ config: { base_url, token, priority }, content }) => {
    const { subject, links: [link], tone } = content;
    const body = {
      title: fit(subject, { max: MAX_TITLE_LENGTH }),
      message: fittedMessage(content, { max: MAX_MESSAGE_LENGTH, ...PLAIN }),
      priority: priority ?? (tone === 'bad' ? 8 : 5),
      extras: {
        'client::display': { contentType: 'text/plain' },
        ...(link ? { 'client::notification': { click: { url: link.url } } } : {}),
      },
    };
    return jsonRequest(below(base_url, '/message'), body, { 'X-Gotify-Key': token });
  },
});
