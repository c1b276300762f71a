import { canAdministerProject } from '../session/session.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { Ago } from '../ui/time.tsx';
import type { Subscriber } from './reading.ts';

/** Subscribers to choose from, for those who may do something with them. */
export function SubscriberTable({ subscribers, chosen, onChosen }: {
  subscribers: Subscriber[]; chosen: ReadonlySet<string>; onChosen: (chosen: ReadonlySet<string>) => void;
}) {
  const areAll = subscribers.every(({ id }) => chosen.has(id));
  const choose = (id: string, isOn: boolean) => onChosen(new Set(isOn ? [...chosen, id] : [...chosen].filter((one) => one !== id)));
  return (
    <div class="table-wrap">
      <table class="stacked">
        <thead>
          <tr>
            {canAdministerProject.value && (
              <td>
                <input
                  type="checkbox" aria-label={texts.chooseAll} checked={areAll}
                  onChange={() => onChosen(new Set(areAll ? [] : subscribers.map(({ id }) => id)))}
                />
              </td>
            )}
            <th scope="col">{texts.address}</th><th scope="col">{texts.state}</th><th scope="col">{texts.wants}</th>
            <th scope="col">{texts.since}</th>
          </tr>
        </thead>
        <tbody>
          {subscribers.map((one) => (
            <tr key={one.id}>
              {canAdministerProject.value && (
                <td>
                  <input
                    type="checkbox" aria-label={texts.chooseOne(one.email)} checked={chosen.has(one.id)}
                    onChange={({ currentTarget }) => choose(one.id, currentTarget.checked)}
                  />
                </td>
              )}
              <td class="wide">{one.email}{one.webhook_url !== null && <> <span class="tag">{texts.webhook}</span></>}</td>
              <td><State of={one} /></td>
              <td class="small">{wants(one)}</td>
              <td>{one.subscribed_at === null ? '–' : <Ago at={one.subscribed_at} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function State({ of: { is_verified: isVerified, unsubscribed_at: left } }: { of: Subscriber }) {
  if (left !== null) return <span class="state-badge">{texts.unsubscribed}</span>;
  return <span class={`state-badge ${isVerified ? 'up' : 'degraded'}`}>{isVerified ? texts.verified : texts.unverified}</span>;
}

function wants({ preferences: { critical_incidents: critical, all_incidents: all, maintenance, frequency } }: Subscriber): string {
  const incidents = all ? texts.allIncidents : critical ? texts.criticalIncidents : '';
  return [incidents, maintenance ? texts.maintenance : '', texts[frequency]].filter(Boolean).join(', ');
}
