import type { Conversion, DestinationDraft } from '../conversion.ts';
import { fieldsOf, numberOf, textOf, textsOf, type Fields } from '../loose.ts';

const VARIABLE = /\$\{?[A-Z_][A-Z0-9_]*\}?/;

type Settings = Pick<DestinationDraft, 'type' | 'config'>;

/** Adds the providers that alerts name. Returns their names in the document, by type. */
export function addGatusProviders(alerting: Fields, into: Conversion): Map<string, string> {
  const names = new Map<string, string>();
  for (const [type, sent] of Object.entries(alerting)) {
    const provider = fieldsOf(sent);
    const settings = settingsOf(type, provider);
    if (settings === null) {
      into.skip(`alerting.${type}`, `Farwatch has no destination of the type ${type}.`);
      continue;
    }
    const notes: string[] = [
      ...('overrides' in provider ? ['Its overrides for groups are left out.'] : []),
      ...(type === 'email' ? ['It is sent by the mail server of Farwatch.'] : []),
      ...(type === 'custom' ? ['Its body is that of Farwatch; change the receiver, or add a template.'] : []),
    ];
    noteVariables(provider, notes);
    const added = into.addDestination(type, settings, notes);
    if (added !== null) names.set(type, added);
  }
  return names;
}

export function noteVariables(item: Fields, notes: string[]): void {
  if (VARIABLE.test(JSON.stringify(item))) notes.push('It contains variables of the environment, which are not replaced.');
}

function settingsOf(type: string, provider: Fields): Settings | null {
  const text = (name: string) => textOf(provider[name]);
  const given = (name: string) => text(name) || undefined;
  const priority = numberOf(provider['priority']) ?? undefined;
  const url = { url: text('webhook-url') };
  switch (type) {
    case 'slack': return { type, config: { webhook_url: url.url } };
    case 'discord': case 'teams': case 'mattermost': return { type, config: url };
    case 'teams-workflows': return { type: 'teams', config: url };
    case 'googlechat': return { type: 'google_chat', config: url };
    case 'rocketchat': return { type: 'rocket_chat', config: url };
    case 'telegram': return { type, config: {
      bot_token: text('token'), chat_id: text('id'), thread_id: numberOf(provider['topic-id']) ?? undefined,
      base_url: given('api-url'),
    } };
    case 'pagerduty': return { type, config: { routing_key: text('integration-key') } };
    case 'ntfy': return { type, config: { topic: text('topic'), base_url: given('url'), token: given('token'), priority } };
    case 'gotify': return { type, config: { base_url: text('server-url'), token: text('token'), priority } };
    case 'pushover': return { type, config: { token: text('application-token'), user: text('user-key') } };
    case 'matrix': return { type, config: {
      base_url: given('server-url') ?? 'https://matrix-client.matrix.org', access_token: text('access-token'),
      room_id: text('internal-room-id'),
    } };
    case 'twilio': return { type, config: {
      account_sid: text('sid'), auth_token: text('token'), from: text('from'), to: [text('to')],
    } };
    case 'email': {
      const to = text('to').split(',').map((one) => one.trim()).filter((one) => one !== '');
      return { type, config: { to: [...new Set(to)] } };
    }
    case 'custom': {
      const headers = textsOf(provider['headers']);
      return { type: 'webhook', config: {
        url: text('url'), ...(text('method').toUpperCase() === 'PUT' ? { method: 'PUT' } : {}),
        ...(Object.keys(headers).length > 0 ? { headers } : {}),
      } };
    }
    default: return null;
  }
}
