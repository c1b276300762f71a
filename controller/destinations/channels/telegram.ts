import { z } from 'zod';
import { below, defineChannel, jsonRequest } from './channel.ts';
import { optional, secretText, serverUrl } from './fields.ts';
import { breakMention, escapeEntities, escapeEntity, fittedMessage } from './text.ts';

const MAX_TEXT_LENGTH = 4096;
const markup = {
  max: MAX_TEXT_LENGTH, escape: (character: string) => breakMention(escapeEntity(character)),
  label: (text: string) => `<b>${text}</b>`,
  link: (text: string, url: string) => `<a href="${escapeEntities(url)}">${text}</a>`,
};

export const telegram = defineChannel({
  label: 'Telegram', help: 'Create a bot with @BotFather and add it to the chat.',
  domains: ['telegram.org'], address: 'base_url',
  config: z.strictObject({
    bot_token: secretText({ title: 'Bot token', description: 'From @BotFather.' }).regex(/^[\w:-]+$/, 'Is not a bot token'),
    chat_id: z.union([z.int(), z.string().min(1).max(100)])
      .meta({ title: 'Chat ID', description: 'A number, negative for groups, or @name of a public channel.' }),
    thread_id: optional(z.int().min(1).meta({ title: 'Topic ID', description: 'A topic of a forum group.' })),
    base_url: optional(serverUrl({
      title: 'Bot API server', description: 'Default: https://api.telegram.org.',
    })),
  }),
  texts: ['text'],
  render: ({ config: { bot_token: token, chat_id, thread_id, base_url }, content }) => jsonRequest(
    below(base_url ?? 'https://api.telegram.org', `/bot${token}/sendMessage`), {
      chat_id, ...(thread_id ? { message_thread_id: thread_id } : {}),
      text: fittedMessage(content, markup), parse_mode: 'HTML', link_preview_options: { is_disabled: true },
    },
  ),
});
