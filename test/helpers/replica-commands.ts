import { deserialize, serialize, type Document } from 'bson';
import { BsonType, fieldOf, stringOf } from '../../deploy/embedded/mongo/bson/value.ts';
import type { Context } from '../../deploy/embedded/mongo/commands/command.ts';
import { Cursors } from '../../deploy/embedded/mongo/commands/cursors.ts';
import { Dispatcher, type DispatcherListener } from '../../deploy/embedded/mongo/commands/dispatch.ts';
import type { Request } from '../../deploy/embedded/mongo/wire/message.ts';
import { systemClock } from '../../shared/time.ts';
import type { RetryableWrites } from './retryable-writes.ts';

const NOT_WRITABLE_PRIMARY = 10107;
const NOT_PRIMARY_NO_SECONDARY_OK = 13435;
const INTERRUPTED_DUE_TO_REPL_STATE_CHANGE = 11602;
/** Codes of a member whose state has changed. */
const STATE_CHANGES = new Set([91, 189, 10107, 11600, 11602, 13435, 13436]);
/** Codes that a server labels in responses to retryable writes. */
const RETRYABLE = new Set([...STATE_CHANGES, 262, 9001]);

const WRITE = /^(insert|update|delete|findandmodify|createindexes)$/;
const READ = /^(find|aggregate|listcollections)$/;

/**
 * What happens to a command: an error, an error of its first statement, an error of its write concern after it took
 * effect, or no response.
 */
export type Fault =
  | { code: number; isApplied?: boolean }
  | { statementCode: number }
  | { writeConcernCode: number }
  | { connection: 'reset' | 'silent'; isApplied?: boolean };

export interface CommandDeps {
  data: Omit<Context, 'cursors'>;
  writes: RetryableWrites;
  listener: DispatcherListener;
  /** Called with each command, such as `insert journal`, except greetings. */
  faultOf(command: string): Fault | null;
  /** Called when a write has taken effect, before its response. */
  onApplied(command: string): void;
}

/** The state of the member that executes the commands. */
export interface MemberState {
  /** Whether it says that it is the primary. */
  readonly isPrimary: boolean;
  /** False for a primary that has lost its majority without noticing. */
  readonly canWrite: boolean;
  /** The latest election that it knows. */
  readonly term: number;
  readonly topologyVersion: Document;
  /** Passes through another state, in which `act` runs. */
  falter<T>(act: () => T): T;
}

/** The embedded store's commands, with the rules of a primary or a secondary. */
export class MemberCommands {
  readonly #deps: CommandDeps;
  readonly #member: MemberState;
  #cursors = new Cursors(systemClock);

  constructor(deps: CommandDeps, member: MemberState) {
    this.#deps = deps;
    this.#member = member;
  }

  async respond(request: Request): Promise<Uint8Array | 'reset' | 'silent'> {
    const command = commandOf(request);
    const fault = this.#deps.faultOf(command);
    if (fault === null) return this.#perform(request, command);
    const isApplied = 'writeConcernCode' in fault || ('isApplied' in fault && fault.isApplied);
    const response = isApplied ? await this.#perform(request, command) : null;
    if ('connection' in fault) return fault.connection;
    if ('statementCode' in fault) {
      const { statementCode: code } = fault;
      return serialize({ ok: 1, n: 0, writeErrors: [{ index: 0, code, errmsg: `error ${code}` }] });
    }
    const code = 'code' in fault ? fault.code : fault.writeConcernCode;
    const fail = (): Uint8Array => (response === null || 'code' in fault
      ? this.#failure(request, code)
      : this.#unconfirmed(request, response, code));
    return STATE_CHANGES.has(code) ? this.#member.falter(fail) : fail();
  }

  /** Closes all cursors, as a restart does. */
  killCursors(): void {
    this.stop();
    this.#cursors = new Cursors(systemClock);
  }

  stop(): void {
    this.#cursors.stop();
  }

  async #perform(request: Request, command: string): Promise<Uint8Array> {
    const { isPrimary, canWrite, term } = this.#member;
    const name = request.name.toLowerCase();
    const isWrite = WRITE.test(name);
    if (isWrite && !canWrite) return this.#failure(request, NOT_WRITABLE_PRIMARY);
    if (READ.test(name) && !isPrimary && !mayReadSecondary(request)) {
      return this.#failure(request, NOT_PRIMARY_NO_SECONDARY_OK);
    }
    const dispatcher = new Dispatcher({ ...this.#deps.data, cursors: this.#cursors }, this.#deps.listener);
    const response = await this.#deps.writes.once(request, (plain) => dispatcher.respond(plain));
    if (!isWrite) return response;
    this.#deps.onApplied(command);
    const isSamePrimary = this.#member.canWrite && this.#member.term === term;
    return isSamePrimary ? response : this.#failure(request, INTERRUPTED_DUE_TO_REPL_STATE_CHANGE);
  }

  /** The response to a write that took effect, with an error of its write concern. */
  #unconfirmed(request: Request, response: Uint8Array, code: number): Uint8Array {
    const { topologyVersion } = this.#member;
    const writeConcernError = { code, errmsg: `error ${code}` };
    return serialize({
      ...deserialize(response, { promoteValues: false }), ...labels(request, code), topologyVersion, writeConcernError,
    });
  }

  #failure(request: Request, code: number): Uint8Array {
    const { topologyVersion } = this.#member;
    return serialize({ ok: 0, code, errmsg: `error ${code}`, topologyVersion, ...labels(request, code) });
  }
}

/** Its name and its collection, if it has one: `find journal`. */
function commandOf({ name, fields }: Request): string {
  const named = [name, 'collection'].flatMap((field) => fields.get(field) ?? []);
  const collection = named.find(({ type }) => type === BsonType.string);
  return [name.toLowerCase(), ...(collection ? [stringOf(collection)] : [])].join(' ');
}

function mayReadSecondary({ fields }: Request): boolean {
  const preference = fields.get('$readPreference');
  const mode = preference && fieldOf(preference, 'mode');
  return mode !== undefined && stringOf(mode) !== 'primary';
}

function labels({ fields }: Request, code: number): Document {
  return fields.has('txnNumber') && RETRYABLE.has(code) ? { errorLabels: ['RetryableWriteError'] } : {};
}
