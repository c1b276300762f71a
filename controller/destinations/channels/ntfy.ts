import { z } from 'zod';
import { below, defineChannel, jsonRequest } from './channel.ts';
import { optional, secretText, serverUrl } from './fields.ts';
import { fit, fittedMessage, jsonBytes, PLAIN } from './text.ts';

/** The server accepts 4,096 bytes of text, in a document of at most 8,192. */
const MAX_MESSAGE_BYTES = 4000;
const MAX_TITLE_BYTES = 250;
const TAGS = { bad: 'red_circle', warning: 'yellow_circle', good: 'green_circle' };

export const ntfy = defineChannel({
  label: 'ntfy', help: 'Subscribe to the topic in the ntfy app.',
  domains: ['ntfy.sh'], address: 'base_url',
  config: z.strictObject({
    topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/, 'Use 1–64 letters, digits, hyphens and underscores')
      .meta({ title: 'Topic', description: 'On a public server, anyone who knows it can read along.' }),
    base_url: optional(serverUrl({ title: 'Server', description: 'Default: https://ntfy.sh.' })),
    token: optional(secretText({ title: 'Access token', description: 'For topics that require one.' })),
    priority: optional(z.int().min(1).max(5).meta({
      title: 'Priority', description: '1 to 5. Default: 4 for outages, otherwise 3.',
    })),
  }),
  texts: ['title', 'message'],
  render: ({ config: { topic, base_url, token, priority }, content }) => {
    const { subject, links: [link], tone } = content;
    const body = {
      topic, title: fit(subject, { max: MAX_TITLE_BYTES, size: jsonBytes }),
      message: fittedMessage(content, { max: MAX_MESSAGE_BYTES, size: jsonBytes, ...PLAIN }),
      priority: priority ?? (tone === 'bad' ? 4 : 3), tags: [TAGS[tone]], ...(link ? { click: link.url } : {}),
    };
    return jsonRequest(below(base_url ?? 'https://ntfy.sh', '/'), body, token ? { Authorization: `Bearer ${token}` } : {});
  },
});
