import { type AlertContent, clip } from './alert-content.ts';

/** Slack's limits for header and section blocks. */
const MAX_HEADER_LENGTH = 150;
const MAX_SECTION_LENGTH = 3000;

const EMOJI: Record<AlertContent['tone'], string> = {
  bad: ':red_circle:', warning: ':large_yellow_circle:', good: ':large_green_circle:',
};

/**
 * Body of a Slack incoming webhook. `text` is shown in notifications. Text from targets and users is escaped,
 * so that it can neither mention a channel nor form a link.
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

/** Drops whole lines, because a truncated line could end inside an escape sequence. */
function withinLimit(lines: string[]): string {
  let text = '';
  for (const line of lines) {
    if (text.length + line.length < MAX_SECTION_LENGTH) text += text === '' ? line : `\n${line}`;
  }
  return text;
}

/** Escapes the three characters that mentions, links and commands in Slack need. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
