import type { z } from 'zod';
import type { Managed } from '../access/managed.ts';
import type { ProjectRole } from '../access/tenant.ts';
import type { ProjectContext } from '../http/routing/route.ts';
import type { ConfigurationDeps } from './deps.ts';
import type { VariableDoc } from '../monitors/variable.ts';
import type { Difference } from './difference.ts';
import type { Faults } from './faults.ts';
import type { ProjectNames } from './project-names.ts';
import type { DocumentInput } from './schema.ts';

/** The lists of a document. */
export type SectionName = Exclude<keyof DocumentInput, 'version'>;

/** One import or export of a project. */
export interface Scope {
  deps: ConfigurationDeps;
  ctx: ProjectContext;
  names: ProjectNames;
}

export interface ImportScope extends Scope {
  /** What it writes is managed by this owner; null leaves that as it is. */
  owner: string | null;
  faults: Faults;
  /** Set by the plan of variables. */
  variables: {
    /** Those of the project after the import. */
    after: VariableDoc[];
    /** Those that get another value, with their index in the document. */
    changed: { at: number; doc: VariableDoc }[];
    removed: VariableDoc[];
  };
}

export interface Stored extends Managed {
  _id: string;
  created_at: number;
}

/** An item of the document. */
export interface Matched<Item, Doc> {
  item: Item;
  /** Its index in the document. */
  at: number;
  /** Null if it is new. */
  current: Doc | null;
  /** The id that it has or gets. */
  id: string;
}

export interface Planned<Item, Doc, Next> extends Matched<Item, Doc> {
  /** Its settings after the import. */
  next: Next;
  /** Empty if it is new. */
  differences: Difference[];
}

/** What an import does to one section, besides its items. */
export interface Rest<Doc> {
  /** Existing items that stay as they are. Of monitors, only those with names that the document contains. */
  others: Doc[];
  /** Existing items that it removes. */
  removed: Doc[];
}

/** Which existing items to read: for an import or an export. Only monitors are too many to read all. */
export type Selection = ImportSelection | { offset: number };

export interface ImportSelection {
  names: string[];
  /** Also those that this owner manages, because the import removes them if the document lacks them. */
  prunedOwner: string | null;
}

/**
 * One list of a document. An import first plans all sections and writes nothing if there is a fault or a
 * limit is exceeded.
 */
export interface Section<Item, Doc extends Stored, Next extends object> {
  /** What an item is called in messages. */
  noun: string;
  /** Schema of an exported item. */
  exported: z.ZodType;
  /** Editors and viewers can neither import nor export its items. */
  isForAdmins?: 'import' | 'both';
  /** Only in the last document of a project that needs several, because its items refer to monitors. */
  isInLastDocument?: true;
  nameOf(one: Item | Doc): string;
  /** What other sections call it; by default its name. */
  referenceOf?(item: Item, current: Doc | null): string;
  /** Distinguishes monitors with one name. */
  targetOf?(one: Item | Doc): string | undefined;
  /** Oldest first. */
  load(scope: Scope, selection: Selection): Promise<Doc[]>;
  /** How well an existing item of the same name fits. */
  similarity?(item: Item, doc: Doc): number;
  /** Replaces matching by name and similarity. Null if the item is new. */
  match?(items: readonly Item[], docs: readonly Doc[]): (Doc | null)[];
  /** Names of monitors that an item refers to. */
  monitorsIn?(item: Item): readonly string[];
  /** Ids of monitors that an existing item refers to. */
  monitorsOf?(doc: Doc): readonly string[];
  /** By item, null for one with a fault. Collects faults, and errors of exceeded limits. */
  plan(scope: ImportScope, matched: Matched<Item, Doc>[], rest: Rest<Doc>): Promise<(Next | null)[]>;
  /** Throws what only the whole plan shows, such as an exceeded limit. */
  check?(scope: ImportScope, planned: Planned<Item, Doc, Next>[], rest: Rest<Doc>): Promise<void>;
  /** The item as in an export. */
  view(doc: Doc, names: ProjectNames, isConcealed: boolean): Readonly<Record<string, unknown>>;
  /** Fields that differ from those of the view when items are compared. */
  comparedFields?(doc: Doc, isConcealed: boolean): Readonly<Record<string, unknown>>;
  /** Whether exports to this role conceal credentials. */
  isConcealedFrom?(role: ProjectRole): boolean;
  /** Creates and changes items. What they refer to is written before, or has its id already. */
  write(scope: ImportScope, planned: Planned<Item, Doc, Next>[]): Promise<void>;
  remove(scope: ImportScope, docs: Doc[]): Promise<void>;
}

export type AnySection = Section<object, Stored, object>;

/** The compiler cannot see that a section gets its own items only. */
export function defineSection<Item extends object, Doc extends Stored, Next extends object>(
  section: Section<Item, Doc, Next>,
): AnySection {
  return section as unknown as AnySection;
}
