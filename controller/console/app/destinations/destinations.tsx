import { useQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { answer, api } from '../api/client.ts';
import { useOptimistic } from '../api/optimistic.ts';
import { canAdministerProject } from '../session/session.ts';
import { useCommands } from '../shell/commands.ts';
import { useKeys } from '../shell/keys.ts';
import { destinationTexts as texts } from '../texts/destinations.ts';
import { LinkButton } from '../ui/button.tsx';
import { href } from '../ui/link.ts';
import { Shown } from '../ui/loading.tsx';
import { Empty, Page } from '../ui/page.tsx';
import { byNeed, type Destination } from './draft.ts';
import { HealthBadge, HealthNote, LastDelivered, Target } from './health.tsx';

/** No event tells of deliveries. */
const REFRESH_MS = 60_000;
const KEY = ['destinations', 'list'];
const NEW = '/destinations/new';

/** Where alerts go; what does not arrive is on top. */
export default function Destinations() {
  if (!canAdministerProject.value) return <Page title={texts.title}><Empty title={texts.adminsOnly} /></Page>;
  return <DestinationList />;
}

function DestinationList() {
  const { route } = useLocation();
  const read = useQuery({
    queryKey: KEY, refetchInterval: REFRESH_MS, queryFn: () => answer(api.GET('/api/integrations')),
  });
  const add = [{ text: texts.add, run: () => route(href(NEW)) }];
  useCommands(add);
  useKeys(add.map((each) => ({ ...each, keys: 'c' })));
  return (
    <Page title={texts.title} actions={<LinkButton variant="primary" href={href(NEW)}>{texts.add} <kbd aria-hidden="true">c</kbd></LinkButton>}>
      <Shown of={read} lines={5}>
        {({ integrations }) => (integrations.length === 0
          ? <Empty title={texts.none}><p>{texts.noneLong}</p><LinkButton variant="primary" href={href(NEW)}>{texts.add}</LinkButton></Empty>
          : (
            <>
              {!integrations.some((one) => one.is_default && one.enabled) && <p class="note">{texts.noDefault}</p>}
              <DestinationTable all={integrations.toSorted(byNeed)} />
            </>
          ))}
      </Shown>
    </Page>
  );
}

function DestinationTable({ all }: { all: Destination[] }) {
  return (
    <div class="table-wrap">
      <table class="stacked destination-table">
        <thead>
          <tr>
            <th scope="col">{texts.state}</th><th scope="col">{texts.destination}</th><th scope="col">{texts.lastDelivered}</th>
            <th scope="col">{texts.enabled}</th>
          </tr>
        </thead>
        <tbody>
          {all.map((one) => (
            <tr key={one.id}>
              <td><HealthBadge of={one} /></td>
              <td class="wide">
                <a href={href(`/destinations/${one.id}`)}>{one.name}</a> {one.is_default && <span class="tag">{texts.default}</span>}
                <p class="faint small"><Target of={one} /></p>
                <HealthNote of={one} />
              </td>
              <td data-label={texts.lastDelivered}><LastDelivered of={one} /></td>
              <td data-label={texts.enabled}><Switch of={one} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Listed = { integrations: Destination[] };

function Switch({ of: { id, name, enabled } }: { of: Destination }) {
  const turn = useOptimistic<Listed, boolean>({
    key: KEY,
    change: ({ integrations }, to) => ({ integrations: integrations.map((one) => (one.id === id ? { ...one, enabled: to } : one)) }),
    send: (to) => answer(api.PATCH('/api/integrations/{id}', { params: { path: { id } }, body: { enabled: to } })),
  });
  return (
    <input
      type="checkbox" role="switch" aria-label={texts.enabledOf(name)} checked={enabled}
      onChange={({ currentTarget }) => turn.mutate(currentTarget.checked)}
    />
  );
}
