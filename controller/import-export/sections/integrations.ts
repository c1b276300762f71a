import { z } from 'zod';
import { readFields } from '../../destinations/channels/fields.ts';
import { channelOf, groupingOf, type DestinationSettings } from '../../destinations/channels/registry.ts';
import { CONDITION_FIELDS, conditionViews, namedFilter, type AlertFilter } from '../../destinations/conditions.ts';
import { ALERT_EVENTS, DEFAULT_EVENTS, type DestinationDoc } from '../../destinations/destination.ts';
import { byType, changedSettings, newSettings, type IntegrationItem } from '../../destinations/schema.ts';
import {
  checkRoom, deleteDestination, newDestination, rejectForbiddenAddress, reviseDestination,
} from '../../destinations/verbs.ts';
import { viewSettings } from '../../destinations/views.ts';
import { fieldError } from '../../http/input/validation.ts';
import { countEqual } from '../match-by-name.ts';
import { inStoredOrder, type ProjectNames } from '../project-names.ts';
import { defineSection } from '../section.ts';

const SETTINGS = ['name', 'enabled', 'is_default', 'events', ...CONDITION_FIELDS] as const;
type Settings = DestinationSettings & Pick<DestinationDoc, (typeof SETTINGS)[number]>;
const DEFAULTS = {
  enabled: true, is_default: false, events: DEFAULT_EVENTS, filter: null, hours: null, delay_minutes: null,
  reminder_minutes: null, grouping: null,
};

const exported = byType({
  name: z.string(), enabled: z.boolean(), is_default: z.boolean(), events: z.array(z.enum(ALERT_EVENTS)),
  ...conditionViews, filter: namedFilter.nullable(),
}, (type) => z.strictObject(readFields(channelOf(type).config)));

export const integrations = defineSection<IntegrationItem, DestinationDoc, Settings>({
  noun: 'integration', isForAdmins: 'both', exported,
  nameOf: ({ name }) => name,
  load: async ({ deps, ctx }) => (await deps.destinations.destinations.list(ctx.tenant)).reverse(),
  similarity: (item, doc) => 100 * Number(item.type === doc.type) + countEqual(item, doc),
  monitorsIn: ({ filter }) => filter?.monitors ?? [],
  monitorsOf: ({ filter }) => filter?.monitor_ids ?? [],
  plan: async ({ deps, ctx, names, faults }, matched) => {
    const planned: (Settings | null)[] = [];
    for (const { item, at, current } of matched) {
      planned.push(await faults.collect(['integrations', at], async () => {
        const next = settingsAfter(item, current, names);
        await rejectForbiddenAddress(deps.destinations, ctx, next, current);
        return next;
      }));
    }
    return planned;
  },
  check: async (_scope, planned, { others }) => checkRoom(others.length + planned.length),
  view: (doc, names, isConcealed) => {
    const { name, type, enabled, is_default, events } = doc;
    const { filter, hours, delay_minutes, reminder_minutes } = { ...DEFAULTS, ...doc };
    const plain = channelOf(type).view?.(doc.config) ?? doc.config;
    return {
      name, type, enabled, is_default, events, filter: viewFilter(filter ?? null, names), hours,
      delay_minutes, reminder_minutes, grouping: groupingOf(doc),
      config: isConcealed ? viewSettings(doc, true).config : plain,
    };
  },
  isConcealedFrom: () => true,
  write: async (scope, planned) => {
    const { deps: { destinations: deps }, ctx, owner, names } = scope;
    for (const { id: _id, item, current, next, differences } of planned) {
      if (current === null) {
        await deps.destinations.insert({ ...newDestination(ctx), _id, ...next, managed_by: owner });
      } else if (differences.length > 0) {
        await reviseDestination(deps, ctx, _id, async (seen) => {
          const { type: _type, ...change } = settingsAfter(item, seen, names);
          return { ...change, managed_by: owner ?? undefined };
        });
      }
    }
  },
  remove: async ({ deps, ctx }, docs) => {
    for (const { _id } of docs) await deleteDestination(deps.destinations, ctx, _id);
  },
});

/** Throws VALIDATION_ERROR. */
function settingsAfter(item: IntegrationItem, current: DestinationDoc | null, names: ProjectNames): Settings {
  const { type, config, filter, ...sent } = item;
  if (current !== null && current.type !== type) {
    throw fieldError('type', `Type cannot be changed; the integration with this name has type ${current.type}`);
  }
  const settings = current === null ? newSettings({ type, config }) : changedSettings(current, config, true);
  const before = { ...DEFAULTS, ...current };
  const kept = Object.fromEntries(SETTINGS.map((name) => [name, before[name as keyof typeof before]]));
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
  // The compiler cannot see that these are all settings.
  const after = { ...kept, ...given, ...settings } as Settings;
  return filter === undefined ? after : { ...after, filter: filterAfter(filter, before.filter, names) };
}

/** Throws VALIDATION_ERROR for unknown names. */
function filterAfter(
  filter: IntegrationItem['filter'], current: AlertFilter | null | undefined, names: ProjectNames,
): AlertFilter | null {
  if (!filter) return null;
  const { tags, severities, ...named } = filter;
  const idsOf = (field: 'groups' | 'monitors', kept: string[] | undefined) => {
    if (named[field] === undefined) return undefined;
    const { ids, unknown: [unknown] } = names.resolveAll(field, named[field], kept);
    if (unknown !== undefined) throw fieldError(`filter.${field}`, `Unknown ${field.slice(0, -1)}: ${unknown}`);
    return ids;
  };
  const after = {
    tags: inStoredOrder(tags, current?.tags), severities: inStoredOrder(severities, current?.severities),
    group_ids: idsOf('groups', current?.group_ids), monitor_ids: idsOf('monitors', current?.monitor_ids),
  };
  return Object.fromEntries(Object.entries(after).filter(([, value]) => value !== undefined));
}

function viewFilter(filter: AlertFilter | null, names: ProjectNames) {
  if (filter === null) return null;
  const { group_ids, monitor_ids, ...rest } = filter;
  return {
    ...rest, ...(group_ids && { groups: names.namesOf(group_ids) }),
    ...(monitor_ids && { monitors: names.namesOf(monitor_ids) }),
  };
}
