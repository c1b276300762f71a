import type { MaintenancePhase } from '../subscribers/notices/notice.ts';
import type { Announcement } from '../subscribers/verbs/notify.ts';
import type { Occurrence, WindowDoc } from './window.ts';

type Announced = Pick<WindowDoc, '_id' | 'title' | 'description' | 'updated_at'>;

/** What subscribers are told of an occurrence. The description is left out where it is over. */
export function announcementOf(
  { _id, title, description, updated_at }: Announced, phase: MaintenancePhase,
  { starts_at, ends_at }: Occurrence,
): Announcement {
  return {
    title, text: phase === 'end' ? '' : description ?? '', maintenance: { phase, starts_at, ends_at },
    about: `${_id}:${starts_at}:${ends_at}`,
    isFirst: phase === 'before' || (phase === 'start' && updated_at >= starts_at),
  };
}
