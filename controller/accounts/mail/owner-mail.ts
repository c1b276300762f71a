import type { Mail } from '../../platform/mail/mailer-port.ts';
import type { AccountDeps } from '../deps.ts';

/** Organizations rarely have more owners. */
const MAX_NOTIFIED_OWNERS = 20;

type OwnerMailDeps = Pick<AccountDeps, 'members' | 'users' | 'mailers' | 'log'>;

/** Mails each owner with a verified address. Returns at once; failures are logged. */
export function mailOwners(deps: OwnerMailDeps, organizationId: string, compose: (to: string) => Mail): void {
  addressesOfOwners(deps, organizationId).then(
    (addresses) => addresses.forEach((to) => deps.mailers.owners.send(to, async () => compose(to))),
    (error: unknown) => {
      deps.log.error({ err: error, organizationId }, 'could not email the owners of the organization');
    },
  );
}

async function addressesOfOwners({ members, users }: OwnerMailDeps, organizationId: string) {
  const owners = (await members.listOfOrganization(organizationId)).filter(({ role }) => role === 'owner');
  const found = await users.findMany(owners.slice(0, MAX_NOTIFIED_OWNERS).map((member) => member.user_id));
  return found.filter((user) => user.email_verified).map((user) => user.email);
}
