import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { incidentTexts as texts } from '../texts/incidents.ts';
import { Checkbox } from '../ui/field.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { Section } from '../ui/page.tsx';
import { stateText, type State } from '../ui/state.tsx';
import { msText, Time } from '../ui/time.tsx';

type Entry = components['schemas']['IncidentTimelineEntry'];
type TimelineItem = { tone: State; text: string; detail?: string | undefined };

/** All events of an incident in one list; individual checks only on demand. */
export function Timeline({ id }: { id: string }) {
  const [showsResults, setShowsResults] = useState(false);
  const query = useQuery({
    queryKey: ['incidents', id, 'timeline'],
    queryFn: () => unwrap(api.GET('/api/incidents/{id}/timeline', { params: { path: { id } } })),
  });
  return (
    <Section title={texts.timeline} actions={<Checkbox label={texts.showResults} value={showsResults} onValue={setShowsResults} />}>
      <QueryResult query={query}>
        {({ timeline, is_truncated: isTruncated }) => (
          <>
            <ol class="timeline">
              {timeline.filter(({ kind }) => showsResults || kind !== 'result').map((entry, at) => {
                const { tone, text, detail } = describeEntry(entry);
                return (
                  <li key={at} class={tone}>
                    <Time at={entry.at} /> <span>{text}</span>
                    {detail !== undefined && detail !== '' && <p class="faint">{detail}</p>}
                  </li>
                );
              })}
            </ol>
            {isTruncated && <p class="faint">{texts.truncated}</p>}
          </>
        )}
      </QueryResult>
    </Section>
  );
}

function describeEntry(entry: Entry): TimelineItem {
  switch (entry.kind) {
    case 'result': {
      const { region, outcome, error, response_time_ms: time } = entry.result;
      const text = { success: texts.checkOk, failure: texts.checkFailed, missed: texts.checkMissed }[outcome];
      const tone = { success: 'up', failure: 'down', missed: 'unknown' } as const;
      return { tone: tone[outcome], text: `${text}: ${region}`, detail: error?.message ?? (time === null ? undefined : msText(time)) };
    }
    case 'state': {
      const { status, in_maintenance: isMaintained, reason } = entry.state;
      const state = isMaintained ? `${stateText(status)} (${stateText('maintenance')})` : stateText(status);
      return { tone: isMaintained ? 'maintenance' : status, text: texts.stateChanged(state), detail: reason };
    }
    case 'notification': {
      const { channel, recipient, status, error_message: problem } = entry.notification;
      const tone = status === 'delivered' ? 'maintenance' : status === 'pending' ? 'unknown' : 'degraded';
      return { tone, text: `${texts.alertTo(channel, recipient)}: ${texts[status]}`, detail: problem ?? undefined };
    }
    case 'comment':
      return { tone: 'maintenance', text: texts.commented(entry.comment.user_name ?? '–'), detail: entry.comment.comment_text };
    case 'update':
      return describeUpdate(entry.update);
  }
}

function describeUpdate({ kind, field = '', to, note, actor }: components['schemas']['IncidentUpdate']): TimelineItem {
  const value = Array.isArray(to) ? to.join(', ') : to ?? '';
  const detail = [texts.by(actor.name), note].filter(Boolean).join(' · ');
  if (kind === 'created') return { tone: 'down', text: texts.created, detail };
  if (kind === 'region_change') return { tone: value === 'up' ? 'up' : 'down', text: texts.regionChanged(field, stateText(value as State)), detail };
  if (kind === 'status_change') {
    const status = value as 'open' | 'acknowledged' | 'resolved' | 'closed';
    return { tone: status === 'resolved' ? 'up' : 'degraded', text: texts.statusChanged(texts[status]), detail };
  }
  return { tone: 'unknown', text: texts.fieldChanged(field, value), detail };
}
