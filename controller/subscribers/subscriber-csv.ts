import { isoTime } from '../../shared/time.ts';
import type { SubscriberDoc, SubscriberState } from './subscriber.ts';

const COLUMNS = [
  'Email', 'Status', 'Subscribed At', 'Verified At', 'Critical Incidents', 'All Incidents', 'Maintenance',
  'Frequency', 'Webhook URL',
];

const STATUS: Record<SubscriberState, string> =
  { verified: 'Verified', unverified: 'Unverified', unsubscribed: 'Unsubscribed' };

/** The header line of the export. */
export const CSV_HEAD = csvLine(COLUMNS);

export function subscriberLine({ email, state, preferences, ...rest }: SubscriberDoc): string {
  const { critical_incidents, all_incidents, maintenance, frequency } = preferences;
  const topics = [critical_incidents, all_incidents, maintenance].map((isChosen) => (isChosen ? 'Yes' : 'No'));
  return csvLine([
    email, STATUS[state], isoTime(rest.subscribed_at), isoTime(rest.verified_at) ?? '', ...topics, frequency,
    rest.webhook_url ?? '',
  ]);
}

/** A line of RFC 4180. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** Spreadsheets treat cells with one of these first characters as formulas, even in full width (OWASP). */
function csvCell(text: string): string {
  const plain = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
