import { z } from 'zod';
import { MAX_URL_LENGTH } from '../../../shared/net-guard.ts';
import { type AlertContent, clip } from './alert-content.ts';
import { defineChannel, jsonRequest } from './channel.ts';
import { escapeEntity, escapeEntities, fit, fittedMessage } from './text.ts';

/** Slack's limits for header and section blocks. */
const MAX_HEADER_LENGTH = 150;
const MAX_SECTION_LENGTH = 3000;
const MAX_TEXT_LENGTH = 4000;
const MARKS = { bad: ':red_circle:', warning: ':large_yellow_circle:', good: ':large_green_circle:' };

export const slack = defineChannel({
  label: 'Slack', help: 'Create an app with an incoming webhook at api.slack.com/apps.',
  domains: ['slack.com', 'slack-gov.com'], address: 'webhook_url', concealed: { webhook_url: 'path' },
  config: z.strictObject({
    // Reads show it in full.
    webhook_url: z.string().min(1).max(MAX_URL_LENGTH).meta({
      title: 'Webhook URL', description: 'The channel’s incoming webhook. Anyone with this URL can post to the channel.',
    }),
  }),
  texts: ['text', 'blocks.1.text.text', 'blocks.2.text.text'],
  render: ({ config, content }) => jsonRequest(config.webhook_url, slackMessage(content)),
});

/**
 * Body of a Slack incoming webhook. `text` is shown in notifications. Text from targets and users is escaped,
 * so that it can neither mention a channel nor form a link.
 */
export function slackMessage(content: AlertContent) {
  const { subject, links } = content;
  const markup = { max: MAX_SECTION_LENGTH, escape: escapeEntity, marks: MARKS, label: bold, link: anchor };
  return {
    text: fit(subject, { max: MAX_TEXT_LENGTH, escape: escapeEntity }),
    unfurl_links: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: clip(subject, MAX_HEADER_LENGTH), emoji: false } },
      section(fittedMessage({ ...content, links: [] }, markup)),
      section(links.map(({ label, url }) => anchor(label, url)).join(' · ')),
    ],
  };
}

const bold = (text: string): string => `*${text}*`;
const anchor = (label: string, url: string): string => `<${escapeEntities(url)}|${label}>`;

function section(text: string) {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } };
}
