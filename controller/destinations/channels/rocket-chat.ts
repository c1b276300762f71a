import { z } from 'zod';
import { defineChannel, jsonRequest } from './channel.ts';
import { secretUrl } from './fields.ts';
import { breakMention, fittedMessage } from './text.ts';

/** The default of the server's setting `Message_MaxAllowedSize`. */
const MAX_TEXT_LENGTH = 5000;
/** A zero-width space after brackets separates the parts of a link, which have no escape. */
const SEPARATED = '[]<!';
const ESCAPED = '\\*_~`#';
const markup = {
  max: MAX_TEXT_LENGTH,
  escape: (character: string) => {
    if (ESCAPED.includes(character)) return `\\${character}`;
    return SEPARATED.includes(character) ? `${character}\u200b` : breakMention(character);
  },
  label: (text: string) => `*${text}*`, link: (text: string, url: string) => `[${text}](${url})`,
};

export const rocketChat = defineChannel({
  label: 'Rocket.Chat', help: 'In the workspace’s settings, under Integrations, create an incoming webhook and copy its URL.',
  domains: ['rocket.chat'], address: 'url',
  config: z.strictObject({
    url: secretUrl({ title: 'Webhook URL', description: 'Anyone with this URL can post to the channel.' }),
  }),
  render: ({ config, content }) => jsonRequest(config.url, { text: fittedMessage(content, markup) }),
});
