import { z } from 'zod';
import { isoTime } from '../../../shared/time.ts';
import type { AlertContent } from './alert-content.ts';
import { defineChannel, jsonRequest } from './channel.ts';
import { secretUrl } from './fields.ts';
import { COLORS, escapeMarkdown, fit, fittedMessage } from './text.ts';

/** Discord's limits for a message and for the description of an embed. */
const MAX_CONTENT_LENGTH = 2000;
const MAX_DESCRIPTION_LENGTH = 4096;
const escape = escapeMarkdown('\\*_~`|[]<');

export const discord = defineChannel({
  label: 'Discord', help: 'In the channel’s settings, under Integrations, create a webhook and copy its URL.',
  domains: ['discord.com', 'discordapp.com'], address: 'url',
  config: z.strictObject({
    url: secretUrl({ title: 'Webhook URL', description: 'Anyone with this URL can post to the channel.' }),
  }),
  texts: ['content', 'embeds.0.description'],
  render: ({ config, content, alert }) => jsonRequest(config.url, {
    ...message(content), embeds: [{ ...embed(content), timestamp: isoTime(alert.at) }],
  }),
});

function message({ subject }: AlertContent) {
  return { content: fit(subject, { max: MAX_CONTENT_LENGTH, escape }), allowed_mentions: { parse: [] } };
}

function embed(content: AlertContent) {
  const label = (text: string) => `**${text}**`;
  const link = (text: string, url: string) => `[${text}](${url})`;
  return {
    description: fittedMessage(content, { max: MAX_DESCRIPTION_LENGTH, escape, label, link }),
    color: Number.parseInt(COLORS[content.tone].slice(1), 16),
  };
}
