import type { z } from 'zod';
import { parseHttpUrl } from '../../../shared/net-guard.ts';
import type { Conditions, Grouping } from '../conditions.ts';
import type { Channel, ChannelSettings } from './channel.ts';
import { alertmanager } from './alertmanager.ts';
import { apprise } from './apprise.ts';
import { discord } from './discord.ts';
import { email } from './email.ts';
import { gotify } from './gotify.ts';
import { googleChat } from './google-chat.ts';
import { matrix } from './matrix.ts';
import { mattermost } from './mattermost.ts';
import { ntfy } from './ntfy.ts';
import { pagerduty } from './pagerduty.ts';
import { pushover } from './pushover.ts';
import { rocketChat } from './rocket-chat.ts';
import { slack } from './slack.ts';
import { teams } from './teams.ts';
import { telegram } from './telegram.ts';
import { twilio } from './twilio.ts';
import { webhook } from './webhook.ts';

/** All types of destinations, in the order of forms. */
export const CHANNELS = {
  email, slack, teams, discord, telegram, google_chat: googleChat, mattermost, rocket_chat: rocketChat,
  matrix, pagerduty, alertmanager, ntfy, gotify, pushover, twilio, apprise, webhook,
};

export type DestinationType = keyof typeof CHANNELS;
type Config<Type extends DestinationType> = z.output<(typeof CHANNELS)[Type]['config']>;
/** The type of a destination with its config. */
export type DestinationSettings =
  { [Type in DestinationType]: { type: Type; config: Config<Type> } }[DestinationType];

export const DESTINATION_TYPES = Object.keys(CHANNELS) as [DestinationType, ...DestinationType[]];

/** The channel of any type. The compiler cannot see that a config of the same type fits it. */
export function channelOf(type: DestinationType): ChannelSettings<object> & { config: z.ZodObject } {
  return CHANNELS[type] as ReturnType<typeof channelOf>;
}

/** The channel of a type that is sent by requests. */
export function requestChannel(type: Exclude<DestinationType, 'email'>): Channel<object> {
  return CHANNELS[type] as unknown as Channel<object>;
}

/** Types that have a state for each incident. */
export const TRACKING_TYPES =
  DESTINATION_TYPES.filter((type) => type !== 'email' && requestChannel(type).tracksIncidents);
/** Types that forget alerts which are not repeated. */
export const REPEATED_TYPES =
  DESTINATION_TYPES.filter((type) => type !== 'email' && requestChannel(type).isRepeated);

/** Whether the destination gets one alert per cause; a type has a default. */
export function groupingOf({ type, grouping }: { type: DestinationType } & Pick<Conditions, 'grouping'>): Grouping {
  return grouping ?? (type !== 'email' && requestChannel(type).isUngrouped ? 'off' : 'auto');
}

/** The URL that deliveries connect to, and its field; null if it is the vendor's own or there is none. */
export function addressOf({ type, config }: DestinationSettings): { url: string; field: string } | null {
  const { address } = channelOf(type) as { address?: string };
  const url = address === undefined ? undefined : (config as Record<string, unknown>)[address];
  return typeof url === 'string' ? { url, field: `config.${address}` } : null;
}

/** Who gets a delivery each; null if there is one delivery for the destination. */
export function recipientsIn({ type, config }: DestinationSettings): string[] | null {
  return channelOf(type).recipients?.(config) ?? null;
}

export function hasRecipients(type: DestinationType): boolean {
  return channelOf(type).recipients !== undefined;
}

/** Why a URL of another vendor does not fit; null for URLs of this vendor and of unknown hosts. */
export function foreignVendor(type: DestinationType, url: string): string | null {
  const parsed = parseHttpUrl(url);
  // A webhook may go anywhere.
  if (type === 'webhook' || !parsed.ok || isBelow(parsed.host, CHANNELS[type].domains)) return null;
  const owner = DESTINATION_TYPES.find((one) => isBelow(parsed.host, CHANNELS[one].domains));
  if (owner === undefined) return null;
  return `belongs to ${CHANNELS[owner].label}: create an integration of type ${owner} instead`;
}

function isBelow(host: string, domains: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return domains.some((domain) => name === domain || name.endsWith(`.${domain}`));
}
