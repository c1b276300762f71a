/** The MongoDB features that Farwatch uses: a small set that every compatible server implements correctly. */

const fields = (...names: string[]): ReadonlySet<string> => new Set(names);

const GREETING = fields('helloOk', 'client', 'compression', 'backpressure');

/** The commands by lower-case name, with their allowed fields besides the name and the envelope. */
export const COMMANDS = {
  hello: GREETING,
  ismaster: GREETING,
  ping: fields(),
  endsessions: fields(),
  find: fields('filter', 'sort', 'projection', 'hint', 'skip', 'limit', 'batchSize', 'singleBatch'),
  getmore: fields('collection', 'batchSize'),
  killcursors: fields('cursors'),
  /** Only the pipelines that the driver sends for `countDocuments`, and those with `_id: '$field'`. */
  aggregate: fields('pipeline', 'cursor'),
  insert: fields('documents', 'ordered'),
  update: fields('updates', 'ordered'),
  delete: fields('deletes', 'ordered'),
  findandmodify: fields('query', 'update', 'remove', 'new', 'upsert'),
  createindexes: fields('indexes'),
  /** Only the names of all collections. */
  listcollections: fields('filter', 'cursor', 'nameOnly', 'authorizedCollections'),
} as const;

export type CommandName = keyof typeof COMMANDS;

/** Fields that the driver adds to any command. */
export const ENVELOPE_FIELDS = fields('$db', 'lsid', '$readPreference', 'writeConcern');

export const UPDATE_STATEMENT_FIELDS = fields('q', 'u', 'multi', 'upsert');
export const DELETE_STATEMENT_FIELDS = fields('q', 'limit');
export const INDEX_OPTIONS = fields('key', 'name', 'unique', 'sparse');

export const QUERY_OPERATORS = fields(
  '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$exists', '$regex',
);
export const LOGICAL_OPERATORS = fields('$or');

/** `$push` needs `$each`; `$addToSet` and `$pull` take one plain value. */
export const UPDATE_OPERATORS = fields(
  '$set', '$unset', '$inc', '$min', '$max', '$setOnInsert', '$push', '$addToSet', '$pull',
);
