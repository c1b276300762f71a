import { destinationTexts as texts } from '../texts/destinations.ts';
import { Ago, Since } from '../ui/time.tsx';
import { formText } from './forms.ts';
import { targetOf, type Destination } from './draft.ts';

export function HealthBadge({ destination: { enabled, health: { status } } }: { destination: Destination }) {
  if (!enabled) return <span class="state-badge">{texts.off}</span>;
  const state = { failing: 'down', healthy: 'up', unknown: 'unknown' }[status];
  return <span class={`state-badge ${state}`}>{texts[status]}</span>;
}

/** The problem, its start and its reason; nothing for a healthy destination. */
export function HealthNote({ destination: { enabled, health } }: { destination: Destination }) {
  const { status, failing_since: since, last_error: error } = health;
  const { failing_recipients: failingRecipients, suppressed_recipients: suppressedRecipients } = health;
  return (
    <>
      {enabled && status === 'failing' && (
        <p class="error-text">
          {error ?? texts.failing}{since !== null && <> · {texts.failingFor} <Since at={since} /></>}
          {failingRecipients.length > 0 && <> ({failingRecipients.join(', ')})</>}
        </p>
      )}
      {suppressedRecipients.length > 0 && <p class="hint">{texts.stopped(suppressedRecipients.join(', '))}</p>}
    </>
  );
}

export function LastDelivered({ destination: { health: { last_delivered_at: at } } }: { destination: Destination }) {
  return at === null ? <span class="faint">{texts.never}</span> : <Ago at={at} />;
}

export function Target({ destination }: { destination: Destination }) {
  return <><span class="tag">{formText(destination.type)}</span> <span class="destination-target">{targetOf(destination)}</span></>;
}
