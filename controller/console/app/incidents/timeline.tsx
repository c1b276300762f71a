import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { answer, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { incidentTexts as texts } from '../texts/incidents.ts';
import { Checkbox } from '../ui/field.tsx';
import { Shown } from '../ui/loading.tsx';
import { Section } from '../ui/page.tsx';
import { stateText, type State } from '../ui/state.tsx';
import { msText, Time } from '../ui/time.tsx';

type Entry = components['schemas']['IncidentTimelineEntry'];
type Told = { tone: State; text: string; more?: string | undefined };

/** All that happened, in one list; the single checks only when asked for. */
export function Timeline({ id }: { id: string }) {
  const [hasResults, setResults] = useState(false);
  const read = useQuery({
    queryKey: ['incidents', id, 'timeline'],
    queryFn: () => answer(api.GET('/api/incidents/{id}/timeline', { params: { path: { id } } })),
  });
  return (
    <Section title={texts.timeline} actions={<Checkbox label={texts.showResults} value={hasResults} onValue={setResults} />}>
      <Shown of={read}>
        {({ timeline, is_truncated: isTruncated }) => (
          <>
            <ol class="timeline">
              {timeline.filter(({ kind }) => hasResults || kind !== 'result').map((entry, at) => {
                const { tone, text, more } = told(entry);
                return (
                  <li key={at} class={tone}>
                    <Time at={entry.at} /> <span>{text}</span>
                    {more !== undefined && more !== '' && <p class="faint">{more}</p>}
                  </li>
                );
              })}
            </ol>
            {isTruncated && <p class="faint">{texts.truncated}</p>}
          </>
        )}
      </Shown>
    </Section>
  );
}

function told(entry: Entry): Told {
  switch (entry.kind) {
    case 'result': {
      const { region, outcome, error, response_time_ms: time } = entry.result;
      const text = { success: texts.checkOk, failure: texts.checkFailed, missed: texts.checkMissed }[outcome];
      const tone = { success: 'up', failure: 'down', missed: 'unknown' } as const;
      return { tone: tone[outcome], text: `${text}: ${region}`, more: error?.message ?? (time === null ? undefined : msText(time)) };
    }
    case 'state': {
      const { status, in_maintenance: isMaintained, reason } = entry.state;
      const state = isMaintained ? `${stateText(status)} (${stateText('maintenance')})` : stateText(status);
      return { tone: isMaintained ? 'maintenance' : status, text: texts.stateBecame(state), more: reason };
    }
    case 'notification': {
      const { channel, recipient, status, error_message: problem } = entry.notification;
      const tone = status === 'delivered' ? 'maintenance' : status === 'pending' ? 'unknown' : 'degraded';
      return { tone, text: `${texts.alertTo(channel, recipient)}: ${texts[status]}`, more: problem ?? undefined };
    }
    case 'comment':
      return { tone: 'maintenance', text: texts.commented(entry.comment.user_name ?? '–'), more: entry.comment.comment_text };
    case 'update':
      return ofUpdate(entry.update);
  }
}

function ofUpdate({ kind, field = '', to, note, actor }: components['schemas']['IncidentUpdate']): Told {
  const value = Array.isArray(to) ? to.join(', ') : to ?? '';
  const more = [texts.by(actor.name), note].filter(Boolean).join(' · ');
  if (kind === 'created') return { tone: 'down', text: texts.created, more };
  if (kind === 'region_change') return { tone: value === 'up' ? 'up' : 'down', text: texts.regionBecame(field, stateText(value as State)), more };
  if (kind === 'status_change') {
    const status = value as 'open' | 'acknowledged' | 'resolved' | 'closed';
    return { tone: status === 'resolved' ? 'up' : 'degraded', text: texts.statusBecame(texts[status]), more };
  }
  return { tone: 'unknown', text: texts.fieldChanged(field, value), more };
}
