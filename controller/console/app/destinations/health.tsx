import { destinationTexts as texts } from '../texts/destinations.ts';
import { Ago, Since } from '../ui/time.tsx';
import { targetOf, type Destination } from './draft.ts';

/** Whether alerts arrive there. */
export function HealthBadge({ of: { enabled, health: { status } } }: { of: Destination }) {
  if (!enabled) return <span class="state-badge">{texts.off}</span>;
  const state = { failing: 'down', healthy: 'up', unknown: 'unknown' }[status];
  return <span class={`state-badge ${state}`}>{texts[status]}</span>;
}

/** What is wrong with it, since when and why; nothing where all is well. */
export function HealthNote({ of: { enabled, health } }: { of: Destination }) {
  const { status, failing_since: since, last_error: error, failing_recipients: failing, suppressed_recipients: stopped } = health;
  return (
    <>
      {enabled && status === 'failing' && (
        <p class="error-text">
          {error ?? texts.failing}{since !== null && <> · {texts.failingFor} <Since at={since} /></>}
          {failing.length > 0 && <> ({failing.join(', ')})</>}
        </p>
      )}
      {stopped.length > 0 && <p class="hint">{texts.stopped(stopped.join(', '))}</p>}
    </>
  );
}

export function LastDelivered({ of: { health: { last_delivered_at: at } } }: { of: Destination }) {
  return at === null ? <span class="faint">{texts.never}</span> : <Ago at={at} />;
}

export function Target({ of }: { of: Destination }) {
  return <><span class="tag">{texts[of.type]}</span> <span class="destination-target">{targetOf(of)}</span></>;
}
