import { useQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { unwrap, api } from '../api/client.ts';
import { canAdministerProject } from '../api/session.ts';
import { useCommands } from '../shell/commands.ts';
import { useKeys } from '../shell/keys.ts';
import { destinationTexts as texts } from '../texts/destinations.ts';
import { LinkButton } from '../ui/button.tsx';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { useOptimistic } from '../ui/optimistic.ts';
import { Empty, Page } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { byUrgency, type Destination } from './draft.ts';
import { Logo } from './logo.tsx';
import { TestAlertButton } from './test-alert.tsx';
import { HealthBadge, HealthNote, LastDelivered, Target } from './health.tsx';

/** Deliveries emit no live events. */
const REFETCH_INTERVAL_MS = 60_000;
const KEY = ['destinations', 'list'];
const NEW = '/destinations/new';

/** All destinations, failing ones first. */
export default function Destinations() {
  if (!canAdministerProject.value) return <Page title={texts.title}><Empty title={texts.adminsOnly} /></Page>;
  return <DestinationList />;
}

function DestinationList() {
  const { route } = useLocation();
  const query = useQuery({
    queryKey: KEY, refetchInterval: REFETCH_INTERVAL_MS, queryFn: () => unwrap(api.GET('/api/integrations')),
  });
  const add = [{ text: texts.add, run: () => route(href(NEW)) }];
  useCommands(add);
  useKeys(add.map((each) => ({ ...each, keys: 'c' })));
  return (
    <Page title={texts.title} actions={<LinkButton variant="primary" href={href(NEW)}>{texts.add} <kbd aria-hidden="true">c</kbd></LinkButton>}>
      <QueryResult query={query} lines={5}>
        {({ integrations }) => (integrations.length === 0
          ? <Empty title={texts.none}><p>{texts.noneText}</p><LinkButton variant="primary" href={href(NEW)}>{texts.add}</LinkButton></Empty>
          : (
            <>
              {!integrations.some((one) => one.is_default && one.enabled) && <p class="note">{texts.noDefault}</p>}
              <DestinationTable all={integrations.toSorted(byUrgency)} />
            </>
          ))}
      </QueryResult>
    </Page>
  );
}

function DestinationTable({ all }: { all: Destination[] }) {
  return (
    <Table class="destination-table" columns={[texts.state, texts.destination, texts.lastDelivered, texts.enabled, { hidden: texts.test }]}>
      {all.map((one) => (
        <tr key={one.id}>
          <td><HealthBadge destination={one} /></td>
          <td class="wide">
            <Logo kind={one.type} /> <a href={href(`/destinations/${one.id}`)}>{one.name}</a> {one.is_default && <span class="tag">{texts.default}</span>}
            <p class="faint small"><Target destination={one} /></p>
            <HealthNote destination={one} />
          </td>
          <td data-label={texts.lastDelivered}><LastDelivered destination={one} /></td>
          <td data-label={texts.enabled}><Switch destination={one} /></td>
          <td class="line"><TestAlertButton id={one.id} name={one.name} /></td>
        </tr>
      ))}
    </Table>
  );
}

type DestinationPage = { integrations: Destination[] };

function Switch({ destination: { id, name, enabled } }: { destination: Destination }) {
  const setEnabled = useOptimistic<DestinationPage, boolean>({
    key: KEY,
    applyChange: ({ integrations }, to) => ({ integrations: integrations.map((one) => (one.id === id ? { ...one, enabled: to } : one)) }),
    send: (to) => unwrap(api.PATCH('/api/integrations/{id}', { params: { path: { id } }, body: { enabled: to } })),
  });
  return (
    <input
      type="checkbox" role="switch" aria-label={texts.enabledOf(name)} checked={enabled}
      onChange={({ currentTarget }) => setEnabled.mutate(currentTarget.checked)}
    />
  );
}
