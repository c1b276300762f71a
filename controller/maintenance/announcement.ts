import type { MaintenancePhase } from '../subscribers/notice.ts';
import type { Announcement } from '../subscribers/verbs/notify.ts';
import type { Occurrence, WindowDoc } from './window.ts';

type Announced = Pick<WindowDoc, '_id' | 'title' | 'description' | 'updated_at'>;

/** The message to subscribers about an occurrence. Omits the description when it has ended. */
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
