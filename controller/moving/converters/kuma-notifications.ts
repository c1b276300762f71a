import { parsedUrl } from '../../../shared/net-guard.ts';
import type { Conversion, DestinationDraft } from '../conversion.ts';
import { isTrue, jsonOf, numberOf, textOf, textsOf, type Fields } from '../loose.ts';
import type { KumaFile } from './kuma-file.ts';

type Settings = Pick<DestinationDraft, 'type' | 'config'>;

/** Names of its destinations in the document, by id. Notifications without a counterpart are skipped. */
export function addKumaNotifications({ notifications }: KumaFile, into: Conversion): Map<number, string> {
  const names = new Map<number, string>();
  for (const { id, name, type, config, isDefault, isActive } of notifications) {
    const notes: string[] = [];
    const settings = settingsOf(type, config, notes);
    if (settings === null) into.skip(name, `Farwatch has no destination of the type ${type}.`);
    else {
      const added = into.addDestination(name, {
        ...settings, ...(isDefault ? { is_default: true } : {}), ...(isActive ? {} : { enabled: false }),
      }, notes);
      if (added !== null) names.set(id, added);
    }
  }
  return names;
}

function settingsOf(type: string, config: Fields, notes: string[]): Settings | null {
  const text = (name: string) => textOf(config[name]);
  const given = (name: string) => text(name) || undefined;
  const number = (name: string) => numberOf(config[name]) ?? undefined;
  switch (type) {
    case 'slack': return { type, config: { webhook_url: text('slackwebhookURL') } };
    case 'discord': return { type, config: { url: text('discordWebhookUrl') } };
    case 'teams': return { type, config: { url: text('webhookUrl') } };
    case 'mattermost': return { type, config: { url: text('mattermostWebhookUrl') } };
    case 'GoogleChat': return { type: 'google_chat', config: { url: text('googleChatWebhookURL') } };
    case 'rocket.chat': return { type: 'rocket_chat', config: { url: text('rocketwebhookURL') } };
    case 'telegram': return { type, config: {
      bot_token: text('telegramBotToken'), chat_id: text('telegramChatID'), thread_id: number('telegramMessageThreadID'),
      base_url: given('telegramServerUrl'),
    } };
    case 'smtp': return emailSettings(config, notes);
    case 'webhook': return webhookSettings(config, notes);
    case 'PagerDuty': return { type: 'pagerduty', config: {
      routing_key: text('pagerdutyIntegrationKey'), base_url: originOf(text('pagerdutyIntegrationUrl')),
    } };
    case 'ntfy': {
      if (text('ntfyAuthenticationMethod') === 'usernamePassword') notes.push('Enter an access token: it does not sign in with a password.');
      return { type, config: {
        topic: text('ntfytopic'), base_url: given('ntfyserverurl'), token: given('ntfyaccesstoken'), priority: number('ntfyPriority'),
      } };
    }
    case 'gotify': return { type, config: {
      base_url: text('gotifyserverurl'), token: text('gotifyapplicationToken'), priority: number('gotifyPriority'),
    } };
    case 'pushover': return { type, config: { token: text('pushoverapptoken'), user: text('pushoveruserkey') } };
    case 'matrix': return { type, config: {
      base_url: text('homeserverUrl'), access_token: text('accessToken'), room_id: text('internalRoomId'),
    } };
    case 'twilio': return { type, config: {
      account_sid: text('twilioAccountSID'), auth_token: text('twilioAuthToken'), from: text('twilioFromNumber'),
      to: [text('twilioToNumber')],
    } };
    default: return null;
  }
}

/** Farwatch sends with its own mail server. */
function emailSettings(config: Fields, notes: string[]): Settings {
  const to = ['smtpTo', 'smtpCC', 'smtpBCC'].flatMap((name) => textOf(config[name]).split(/[,;]/))
    .map((one) => /<([^>]*)>/.exec(one)?.[1] ?? one).map((one) => one.trim()).filter((one) => one !== '');
  notes.push('It is sent by the mail server of Farwatch.');
  return { type: 'email', config: { to: [...new Set(to)] } };
}

function webhookSettings(config: Fields, notes: string[]): Settings {
  const headers = textsOf(jsonOf(config['webhookAdditionalHeaders']));
  const isPut = textOf(config['httpMethod']).toLowerCase() === 'put';
  notes.push('Its body is that of Farwatch; change the receiver, or add a template.');
  return { type: 'webhook', config: {
    url: textOf(config['webhookURL']), ...(isPut ? { method: 'PUT' } : {}),
    ...(Object.keys(headers).length > 0 && !isFalse(config['webhookAdditionalHeadersEnabled']) ? { headers } : {}),
  } };
}

function isFalse(value: unknown): boolean {
  return value !== undefined && !isTrue(value);
}

function originOf(url: string): string | undefined {
  return parsedUrl(url)?.origin;
}
