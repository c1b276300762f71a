import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Long, ObjectId, serialize, type Document } from 'bson';
import { fieldOf, toDouble, type Value } from '../../deploy/embedded/mongo/bson/value.ts';
import { hello } from '../../deploy/embedded/mongo/commands/session.ts';
import { frameResponse, HEADER_BYTES, OpCode, parseMessage, type Request } from '../../deploy/embedded/mongo/wire/message.ts';
import { MemberCommands, type CommandDeps, type MemberState } from './replica-commands.ts';

const FLAG_MORE_TO_COME = 2;
const FLAG_EXHAUST_ALLOWED = 0x10000;
const GREETING = /^(hello|ismaster)$/i;

/** What a member knows about its set. */
export interface View {
  setName: string;
  hosts: string[];
  /** The address of the primary, and the number of its election. */
  primary: string | null;
  term: number;
}

/** A listening member of a replica set. Clients may poll its greetings or have them streamed. */
export class ReplicaMember implements MemberState {
  readonly #commands: MemberCommands;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Called after each change, for streams of greetings. */
  readonly #waiting = new Set<() => void>();
  readonly #processId = new ObjectId();
  #version = 1;
  view: View = { setName: '', hosts: [], primary: null, term: 0 };
  canWrite = false;
  address = '';
  /** True to pose as a router of a sharded cluster. */
  isRouter = false;
  /** True to send no greetings, as a member that hangs. */
  isSilent = false;

  constructor(deps: CommandDeps) {
    this.#commands = new MemberCommands(deps, this);
    this.#server = createServer((socket) => {
      this.#sockets.add(socket.setNoDelay(true));
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
      void this.#serve(socket).catch(() => socket.destroy());
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.address = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get isPrimary(): boolean {
    return this.view.primary === this.address;
  }

  get term(): number {
    return this.view.term;
  }

  get topologyVersion(): Document {
    return { processId: this.#processId, counter: Long.fromNumber(this.#version) };
  }

  show(view: View, canWrite = view.primary === this.address): void {
    this.view = view;
    this.canWrite = canWrite;
    this.#changed();
  }

  falter<T>(act: () => T): T {
    this.#version += 1;
    const result = act();
    this.#changed();
    return result;
  }

  killCursors(): void {
    this.#commands.killCursors();
  }

  /** Breaks every open connection with a TCP RST. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    this.#commands.stop();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #changed(): void {
    this.#version += 1;
    for (const wake of this.#waiting) wake();
  }

  async #serve(socket: Socket): Promise<void> {
    let responses = 0;
    const send = (request: Request, body: Uint8Array, flags = 0): void => {
      const frame = frameResponse(request, responses += 1, Buffer.from(body));
      if (request.opCode === OpCode.message) frame.writeUInt32LE(flags, HEADER_BYTES);
      if (socket.writable) socket.write(frame);
    };
    const greet = (request: Request, flags = 0): void => {
      if (!this.isSilent) send(request, this.#greeting(), flags);
    };
    for await (const message of messagesOf(socket)) {
      const request = parseMessage(message);
      if (!GREETING.test(request.name)) {
        const response = await this.#commands.respond(request);
        if (response === 'reset') socket.resetAndDestroy();
        else if (response !== 'silent' && request.wantsResponse) send(request, response);
      } else if (request.fields.has('topologyVersion') && isExhaustAllowed(message)) {
        void this.#stream(socket, request, () => greet(request, FLAG_MORE_TO_COME));
      } else greet(request);
    }
  }

  /** Sends a greeting after each change, and at least as often as the client wants, until the client is gone. */
  async #stream(socket: Socket, { fields }: Request, greet: () => void): Promise<void> {
    const known = fieldOf(fields.get('topologyVersion') as Value, 'counter') as Value;
    const maxAwaitMs = toDouble(fields.get('maxAwaitTimeMS') as Value);
    for (let version = toDouble(known); !socket.destroyed; version = this.#version) {
      if (version === this.#version) await this.#nextChange(socket, maxAwaitMs);
      greet();
    }
  }

  #nextChange(socket: Socket, maxMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        socket.off('close', wake);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, maxMs);
      socket.on('close', wake);
      this.#waiting.add(wake);
    });
  }

  #greeting(): Uint8Array {
    const limits = { ...(hello()(null as never) as Document), ok: 1 };
    if (this.isRouter) return serialize({ ...limits, msg: 'isdbgrid' });
    const { isPrimary, topologyVersion, address: me, view: { setName, hosts, primary, term } } = this;
    return serialize({
      ...limits, setName, hosts, me, topologyVersion, setVersion: 1,
      isWritablePrimary: isPrimary, ismaster: isPrimary, secondary: !isPrimary,
      ...(primary === null ? {} : { primary }), ...(isPrimary ? { electionId: electionIdOf(term) } : {}),
    });
  }
}

/** As servers form it: a later election has a greater id. */
function electionIdOf(term: number): ObjectId {
  return new ObjectId(`7fffffff${term.toString(16).padStart(16, '0')}`);
}

async function* messagesOf(socket: Socket): AsyncGenerator<Buffer> {
  let buffered: Buffer = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    while (buffered.length >= 4 && buffered.length >= buffered.readInt32LE(0)) {
      const size = buffered.readInt32LE(0);
      yield buffered.subarray(0, size);
      buffered = buffered.subarray(size);
    }
  }
}

function isExhaustAllowed(message: Buffer): boolean {
  return message.readInt32LE(12) === OpCode.message && (message.readUInt32LE(HEADER_BYTES) & FLAG_EXHAUST_ALLOWED) !== 0;
}
