import { z } from 'zod';
import { defineChannel, jsonRequest } from './channel.ts';
import { secretUrl } from './fields.ts';
import { escapeMarkdown, fittedMessage } from './text.ts';

/** The limit of servers before 5.0; later ones accept more. */
const MAX_TEXT_LENGTH = 4000;
const markup = {
  max: MAX_TEXT_LENGTH, escape: escapeMarkdown('\\`*_[]~'),
  label: (text: string) => `**${text}**`, link: (text: string, url: string) => `[${text}](${url})`,
};

export const mattermost = defineChannel({
  label: 'Mattermost', help: 'In the main menu, under Integrations, create an incoming webhook and copy its URL.',
  domains: ['cloud.mattermost.com'], address: 'url',
  config: z.strictObject({
    url: secretUrl({ title: 'Webhook URL', description: 'Anyone with this URL can post to the channel.' }),
  }),
  texts: ['text'],
  render: ({ config, content }) => jsonRequest(config.url, { text: fittedMessage(content, markup) }),
});
