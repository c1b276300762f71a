import type { Announcement } from '../subscribers/verbs/notify.ts';
import type { Occurrence, WindowDoc } from './window.ts';

type Phase = 'before' | 'start' | 'end' | 'cancelled';

/** In words, with times as the clocks of the zone show them. */
export function announcementOf(
  { _id, title, description, updated_at }: Pick<WindowDoc, '_id' | 'title' | 'description' | 'updated_at'>,
  phase: Phase, { starts_at, ends_at }: Occurrence, timeZone: string,
): Announcement {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'long', timeStyle: 'short' });
  const zone = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'short' })
    .formatToParts(ends_at).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
  const [start, end] = [format.format(starts_at), `${format.format(ends_at)} ${zone}`];
  const news: Record<Phase, string> = {
    before: `Maintenance is planned from ${start} to ${end}.`,
    start: `Maintenance has begun. It is planned to end on ${end}.`,
    end: 'Maintenance is over.',
    cancelled: `The maintenance that was planned from ${start} to ${end} is cancelled or over.`,
  };
  return {
    kind: 'maintenance', subject: `Maintenance: ${title}`,
    text: [news[phase], ...(description === null || phase === 'end' ? [] : [description])].join('\n\n'),
    about: `${_id}:${starts_at}:${ends_at}`, key: phase,
    isFirst: phase === 'before' || (phase === 'start' && updated_at >= starts_at),
  };
}
