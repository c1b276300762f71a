import { z } from 'zod';
import { below, classify, defineChannel, jsonRequest } from './channel.ts';
import { secretList, serverUrl } from './fields.ts';
import { breakMention, fit, fittedMessage, PLAIN } from './text.ts';

const MAX_TITLE_LENGTH = 200;
const MAX_BODY_LENGTH = 4000;
const MAX_URLS = 20;
const TYPES = { bad: 'failure', warning: 'warning', good: 'success' } as const;
/** Apprise passes mentions such as `<!channel>` on. */
const escape = (character: string) => (character === '<' ? '<\u200b' : breakMention(character));

export const apprise = defineChannel({
  label: 'Apprise', help: 'Sends to more than 100 services through your Apprise API server.',
  domains: [], address: 'base_url',
  config: z.strictObject({
    base_url: serverUrl({ title: 'Server', description: 'URL of your Apprise API server.' }),
    urls: secretList({ title: 'Apprise URLs', description: `Up to ${MAX_URLS}, one per line, such as mailto://….` }, MAX_URLS),
  }),
  texts: ['title', 'body'],
  render: ({ config: { base_url, urls }, content }) => jsonRequest(below(base_url, '/notify'), {
    urls: urls.join(','), title: fit(content.subject, { max: MAX_TITLE_LENGTH, escape }),
    body: fittedMessage(content, { ...PLAIN, max: MAX_BODY_LENGTH, escape }), type: TYPES[content.tone], format: 'text',
  }),
  classify: (response) => {
    if (response.status === 204) return { kind: 'dead', reason: 'the Apprise server accepts none of the URLs' };
    // One of the services failed.
    if (response.status === 424) return { kind: 'retry', reason: 'the Apprise server could not reach every service' };
    return classify(response);
  },
});
