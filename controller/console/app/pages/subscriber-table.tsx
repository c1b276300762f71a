import { canAdministerProject } from '../api/session.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { Ago } from '../ui/time.tsx';
import type { Subscriber } from './page-queries.ts';
import { preferencesText, SubscriberState } from './badges.tsx';

/** Subscribers with checkboxes, if the user may manage them. */
export function SubscriberTable({ subscribers, chosen, onChosen, linkTo }: {
  subscribers: Subscriber[]; chosen: ReadonlySet<string>; onChosen: (chosen: ReadonlySet<string>) => void; linkTo: (id: string) => string;
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
            <th scope="col">{texts.address}</th><th scope="col">{texts.state}</th><th scope="col">{texts.preferences}</th>
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
              <td class="wide"><a href={linkTo(one.id)}>{one.email}</a>{one.webhook_url !== null && <> <span class="tag">{texts.webhook}</span></>}</td>
              <td><SubscriberState subscriber={one} /></td>
              <td class="small">{preferencesText(one)}</td>
              <td>{one.subscribed_at === null ? '–' : <Ago at={one.subscribed_at} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
