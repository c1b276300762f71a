import { z } from 'zod';
import { clip, type AlertContent } from './alert-content.ts';
import { defineChannel, jsonRequest } from './channel.ts';
import { secretUrl } from './fields.ts';
import { escapeEntities, escapeEntity, fit, fittedMessage } from './text.ts';

/** Far below the limit of a message, 32,000 bytes. */
const MAX_PARAGRAPH_LENGTH = 4000;
const MAX_TITLE_LENGTH = 200;
const markup = {
  max: MAX_PARAGRAPH_LENGTH, escape: escapeEntity, newline: '<br>',
  label: (text: string) => `<b>${text}</b>`,
  link: (text: string, url: string) => `<a href="${escapeEntities(url)}">${text}</a>`,
};

export const googleChat = defineChannel({
  label: 'Google Chat', help: 'In the space’s settings, under Apps & integrations, add a webhook and copy its URL.',
  domains: ['chat.googleapis.com'], address: 'url',
  config: z.strictObject({
    url: secretUrl({ title: 'Webhook URL', description: 'Anyone with this URL can post to the space.' }),
  }),
  texts: ['cardsV2.0.card.header.title', 'cardsV2.0.card.sections.0.widgets.0.textParagraph.text'],
  render: ({ config, content }) => jsonRequest(config.url, message(content)),
});

/** A card, because texts of messages have no escapes. */
function message(content: AlertContent) {
  return {
    // Outside cards, `<users/all>` is a mention.
    fallbackText: fit(content.subject, { max: MAX_TITLE_LENGTH, escape: (one) => (one === '<' ? '<\u200b' : one) }),
    cardsV2: [{
      cardId: 'alert',
      card: {
        header: { title: clip(content.subject, MAX_TITLE_LENGTH) },
        sections: [{ widgets: [{ textParagraph: { text: fittedMessage(content, markup) } }] }],
      },
    }],
  };
}
