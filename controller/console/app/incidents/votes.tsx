import { useQuery } from '@tanstack/preact-query';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { incidentTexts as texts } from '../texts/incidents.ts';
import { QueryResult } from '../ui/loading.tsx';
import { StateBadge } from '../ui/state.tsx';
import { Time } from '../ui/time.tsx';

type Vote = components['schemas']['IncidentVote'];

/** The regions' votes when the incident began and when it ended. */
export function Votes({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['incidents', id, 'votes'],
    queryFn: () => unwrap(api.GET('/api/incidents/{id}/votes', { params: { path: { id } } })),
  });
  return (
    <QueryResult query={query}>
      {({ votes, policy }) => {
        if (votes.length === 0) return <p class="faint">{texts.noVotes}</p>;
        const groups = [
          { title: texts.votesDown, votes: votes.filter(({ verdict }) => verdict === 'down') },
          { title: texts.votesUp, votes: votes.filter(({ verdict }) => verdict === 'up') },
        ].filter((one) => one.votes.length > 0);
        return (
          <>
            {policy !== null && <p class="faint">{texts.policy(policy.regions, texts.retries(policy.retries))}</p>}
            {groups.map((group) => <VoteTable key={group.title} {...group} />)}
          </>
        );
      }}
    </QueryResult>
  );
}

function VoteTable({ title, votes }: { title: string; votes: Vote[] }) {
  return (
    <div class="table-wrap" tabIndex={0} role="group" aria-label={title}>
      <table class="stacked">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.region}</th><th scope="col">{texts.vote}</th>
            <th scope="col">{texts.reason}</th><th scope="col">{texts.time}</th>
          </tr>
        </thead>
        <tbody>
          {votes.map((vote, at) => (
            <tr key={at}>
              <th scope="row" class="line">{vote.region}</th>
              <td data-label={texts.vote}>
                <StateBadge state={vote.vote === 'none' ? 'unknown' : vote.vote} text={vote.vote === 'none' ? texts.silent : texts[vote.vote]} />
                {vote.weight !== 'counted' && <p class="faint small">{vote.weight === 'silent' ? texts.silentWeight : texts[vote.weight]}</p>}
              </td>
              <td class="line" data-label={texts.reason}>{[vote.error?.message, vote.reason].filter(Boolean).join(' · ') || '–'}</td>
              <td data-label={texts.time}>{vote.at === null ? '–' : <Time at={vote.at} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
