import { z } from 'zod';
import { defineChannel, jsonRequest } from './channel.ts';
import { secretUrl } from './fields.ts';
import { escapeMarkdown, fittedMessage } from './text.ts';

/** The default of the server's setting `Message_MaxAllowedSize`. */
const MAX_TEXT_LENGTH = 5000;
/** Most markup of Rocket.Chat has a backslash escape. */
const escape = escapeMarkdown('*_~`#');
/** These have none: a zero-width space after them, or a character that looks the same, replaces them. */
const REPLACED: Record<string, string> = {
  '[': '\uff3b', ']': '\uff3d', '\\': '\uff3c', $: '\uff04', '<': '<\u200b', '|': '|\u200b',
};
const markup = {
  max: MAX_TEXT_LENGTH,
  escape: (character: string, before: string, after: string) => (
    REPLACED[character] ?? escape(character, before, after)
  ),
  label: (text: string) => `*${text}*`, link: (text: string, url: string) => `[${text}](${url})`,
};

export const rocketChat = defineChannel({
  label: 'Rocket.Chat', help: 'In the workspace’s settings, under Integrations, create an incoming webhook and copy its URL.',
  domains: ['rocket.chat'], address: 'url',
  config: z.strictObject({
    url: secretUrl({ title: 'Webhook URL', description: 'Anyone with this URL can post to the channel.' }),
  }),
  texts: ['text'],
  render: ({ config, content }) => jsonRequest(config.url, { text: fittedMessage(content, markup) }),
});
