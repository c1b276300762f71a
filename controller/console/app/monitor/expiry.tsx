import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { unwrap, api } from '../api/client.ts';
import { ApiError } from '../api/api-error.ts';
import { regionName, useRegions } from '../live/regions.ts';
import { expiryTexts } from '../texts/expiry.ts';
import { QueryResult } from '../ui/loading.tsx';
import { Section } from '../ui/page.tsx';
import { StateBadge } from '../ui/state.tsx';
import { Ago, Time } from '../ui/time.tsx';
import type { Monitor } from './monitor-queries.ts';

/** Expiry of the target's certificate and domain. */
export function Expiry({ monitor }: { monitor: Monitor }) {
  return (
    <>
      <Section title={expiryTexts.certificate}><Certificate id={monitor.id} /></Section>
      <Section title={expiryTexts.domain}>
        {monitor.domain_monitoring?.enabled === true ? <Domain id={monitor.id} /> : <p class="card">{expiryTexts.domainOff}</p>}
      </Section>
    </>
  );
}

/** Null on 404. */
async function nullIfMissing<T>(query: Promise<T>): Promise<T | null> {
  return query.catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'STATS_NOT_FOUND') return null;
    throw error;
  });
}

function Certificate({ id }: { id: string }) {
  const regions = useRegions();
  const query = useQuery({
    queryKey: ['monitors', id, 'certificate'],
    queryFn: () => nullIfMissing(unwrap(api.GET('/api/monitors/{id}/certificate', { params: { path: { id } } }))),
  });
  return (
    <QueryResult query={query}>
      {(found) => {
        if (found === null) return <p class="card">{expiryTexts.noCertificate}</p>;
        const { certificate: one } = found;
        const isMixed = new Set(one.regions.map(({ fingerprint_sha256: print }) => print)).size > 1;
        return (
          <div class="card">
            <p>
              <StateBadge state={one.is_trusted ? 'up' : 'down'} text={one.is_trusted ? expiryTexts.trusted : expiryTexts.untrusted} />{' '}
              {one.problem}
            </p>
            <Facts
              facts={[
                [expiryTexts.validTo, one.valid_to !== null && <><Time at={one.valid_to} /> (<Ago at={one.valid_to} />)</>],
                [expiryTexts.validFrom, one.valid_from !== null && <Time at={one.valid_from} />],
                [expiryTexts.subject, one.subject], [expiryTexts.issuer, one.issuer],
                [expiryTexts.names, [...one.names, ...one.more_names > 0 ? [expiryTexts.more(one.more_names)] : []].join(', ')],
                [expiryTexts.key, [one.key, one.protocol].filter(Boolean).join(', ')],
                [expiryTexts.fingerprint, <code key="print">{one.fingerprint_sha256}</code>],
                [isMixed ? expiryTexts.differs : expiryTexts.seenIn, one.regions.map((seen) => (
                  <span key={seen.region} class="block">
                    {regionName(regions, seen.region)}{isMixed && <> <code>{seen.fingerprint_sha256.slice(0, 16)}…</code></>},{' '}
                    <Ago at={seen.checked_at} />
                  </span>
                ))],
              ]}
            />
          </div>
        );
      }}
    </QueryResult>
  );
}

function Domain({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['monitors', id, 'domain'],
    queryFn: () => nullIfMissing(unwrap(api.GET('/api/monitors/{id}/domain', { params: { path: { id } } }))),
  });
  return (
    <QueryResult query={query}>
      {(found) => {
        if (found === null) return <p class="card">{expiryTexts.noDomain}</p>;
        const { domain: one } = found;
        return (
          <div class="card">
            {one.message !== null && <p>{one.message}</p>}
            <Facts
              facts={[
                [expiryTexts.domain, one.domain],
                [expiryTexts.validTo, one.expires_at !== null && <><Time at={one.expires_at} /> (<Ago at={one.expires_at} />)</>],
                [expiryTexts.registrar, one.registrar], [expiryTexts.source, one.source?.toUpperCase()],
                [expiryTexts.lookedUp, one.looked_up_at !== null && <Ago at={one.looked_up_at} />],
              ]}
            />
          </div>
        );
      }}
    </QueryResult>
  );
}

/** Name and value pairs; unknown values are left out. */
function Facts({ facts }: { facts: [name: string, value: ComponentChildren][] }) {
  const present = facts.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '');
  return <dl class="facts">{present.map(([name, value]) => <><dt>{name}</dt><dd>{value}</dd></>)}</dl>;
}
