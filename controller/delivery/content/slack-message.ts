import type { AlertContent } from './alert-content.ts';
import { clip } from './text.ts';

/** Slack's limits for blocks, in characters. */
const MAX_HEADER_LENGTH = 150;
const MAX_SECTION_LENGTH = 3000;

const EMOJI: Record<AlertContent['tone'], string> = {
  bad: ':red_circle:', warning: ':large_yellow_circle:', good: ':large_green_circle:',
};

/**
 * Body of a Slack incoming webhook: blocks, and the text that its notification shows. Text from elsewhere is
 * escaped, so that it can neither mention a channel nor pose as a link.
 */
export function slackMessage({ subject, headline, facts, links, tone }: AlertContent) {
  const lines = facts.map(({ label, text }) => `*${label}:* ${escaped(text)}`);
  const anchors = links.map(({ label, url }) => `<${escaped(url)}|${label}>`);
  return {
    text: escaped(subject),
    unfurl_links: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: clip(subject, MAX_HEADER_LENGTH), emoji: false } },
      section(withinLimit([`${EMOJI[tone]} ${escaped(headline)}`, ...lines])),
      section(anchors.join(' · ')),
    ],
  };
}

function section(text: string) {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } };
}

/** Drops whole lines: a line cut short could end within an escape. */
function withinLimit(lines: string[]): string {
  let text = '';
  for (const line of lines) {
    if (text.length + line.length < MAX_SECTION_LENGTH) text += text === '' ? line : `\n${line}`;
  }
  return text;
}

/** Escapes Slack's three control characters, without which there is no mention, link or command. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
