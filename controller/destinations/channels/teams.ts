import { z } from 'zod';
import type { AlertContent } from './alert-content.ts';
import { defineChannel, jsonRequest } from './channel.ts';
import { secretUrl } from './fields.ts';
import { escapeMarkdown, fit, jsonBytes, MARKS } from './text.ts';

/** Teams rejects messages of more than 28 KB. */
const MAX_HEADLINE_BYTES = 4000;
const MAX_FACT_BYTES = 1500;
const MAX_BODY_BYTES = 20_000;
const escape = escapeMarkdown('\\*_~`[]<');
const COLOR = { bad: 'attention', warning: 'warning', good: 'good' } as const;

export const teams = defineChannel({
  label: 'Microsoft Teams',
  help: 'In the channel’s menu, under Workflows, choose “Send webhook alerts to a channel” and copy the URL.',
  domains: ['logic.azure.com', 'api.powerplatform.com', 'webhook.office.com', 'outlook.office.com'], address: 'url',
  config: z.strictObject({
    url: secretUrl({ title: 'Workflow URL', description: 'Anyone with this URL can post to the channel.' }),
  }),
  texts: ['attachments.0.content.body.*.text'],
  render: ({ config, content }) => jsonRequest(config.url, {
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card(content) },
    ],
  }),
});

function card({ subject, headline, facts, links, tone }: AlertContent) {
  const fitted = (text: string, max: number) => fit(text, { max, escape, size: jsonBytes });
  const lines = facts.map(({ label, text }) => textBlock(`**${label}:** ${fitted(text, MAX_FACT_BYTES)}`));
  const title = { weight: 'bolder', size: 'medium', color: COLOR[tone] };
  const body = [
    { ...textBlock(`${MARKS[tone]} ${fitted(subject, MAX_HEADLINE_BYTES)}`), ...title },
    // A name at the start of a line could begin a list or a heading.
    textBlock(`\u200b${fitted(headline, MAX_HEADLINE_BYTES)}`),
  ];
  for (const line of lines) if (jsonBytes(JSON.stringify([...body, line])) <= MAX_BODY_BYTES) body.push(line);
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json', type: 'AdaptiveCard', version: '1.4', body,
    actions: links.map(({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url })),
  };
}

function textBlock(text: string) {
  return { type: 'TextBlock', text, wrap: true };
}
