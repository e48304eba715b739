import { ptr } from "bun:ffi"
import { cLibrary } from "./c-library.ts"
import { type KernelSocket, socketsAt, socketsOf } from "./kernel-sockets.ts"
import { chooseFrom } from "./socket-programs.ts"

/** Linux's numbers of system calls that its C library does not wrap; the same on all machines that Bun runs on. */
const PIDFD_OPEN = 434
const PIDFD_GETFD = 438
const SHUT_RD = 0
const AF_INET = 2
const SOCK_STREAM = 1
const SOL_SOCKET = 1
const SO_ATTACH_REUSEPORT_CBPF = 51
const SO_DETACH_REUSEPORT_BPF = 68
const IPPROTO_IP = 0
const IP_MINTTL = 21
const IPPROTO_IPV6 = 41
const IPV6_MINHOPCOUNT = 73
/** How many hops a packet must have left: more than any usual one has, and as many as it has. */
const MORE = 255
const ANY = 0
const IPPROTO_TCP = 6
const TCP_INFO = 11
/** The part of the kernel's `tcp_info` that is read, and where a listening socket has the length of its queue. */
const TCP_INFO_LENGTH = 104
const TCPI_UNACKED = 24
/** How long the kernel's text for an address of IPv4 and its port is. */
const NARROW = 13

function openLibrary() {
  return cLibrary({
    syscall: { args: ["i64", "i64", "i64"], returns: "int" },
    getsockopt: { args: ["int", "int", "int", "ptr", "ptr"], returns: "int" },
    setsockopt: { args: ["int", "int", "int", "ptr", "u32"], returns: "int" },
    socket: { args: ["int", "int", "int"], returns: "int" },
    dup2: { args: ["int", "int"], returns: "int" },
    shutdown: { args: ["int", "int"], returns: "int" },
    close: { args: ["int"], returns: "int" },
  })
}

interface ProcessSocket {
  readonly processId: number
  readonly port: number
  /** What the process calls the socket. */
  readonly number: number
}

/** The socket on which a process of ours listens. Only on Linux, and not where a sandbox forbids it. */
export class ListeningSocket {
  readonly #socket: ProcessSocket
  readonly #local: string
  readonly #library = openLibrary()

  private constructor(socket: ProcessSocket, { local }: KernelSocket) {
    this.#socket = socket
    this.#local = local
  }

  /** That of a process at a port; undefined where it has none, or none can be found. */
  static of(processId: number, port: number): ListeningSocket | undefined {
    try {
      const open = socketsOf(processId)
      for (const socket of socketsAt(port)) {
        const number = open.get(socket.inode)
        if (socket.state === "listening" && number !== undefined) {
          return new ListeningSocket({ processId, port, number }, socket)
        }
      }
    } catch {
      // Not Linux, or a sandbox.
    }
    return undefined
  }

  /** The sockets that listen at the same address, this one included. @throws Error when they cannot be read. */
  get sharers(): KernelSocket[] {
    return socketsAt(this.#socket.port).filter(
      ({ state, local }) => state === "listening" && local === this.#local,
    )
  }

  /**
   * Where the callers are whose connections are being opened, with any process that shares the port.
   * @throws Error when it cannot be read.
   */
  get opening(): string[] {
    // A socket for IPv6 may serve IPv4 as well, whose connections are in the other table until they are open.
    const isNarrow = this.#local.length === NARROW
    return socketsAt(this.#socket.port, isNarrow ? ["tcp"] : undefined)
      .filter(({ state }) => state === "opening")
      .map(({ remote }) => remote)
  }

  /** How many connections wait to be accepted by this process, which must be the socket's own. */
  get waiting(): number {
    const information = new Uint8Array(TCP_INFO_LENGTH)
    const length = new Uint32Array([TCP_INFO_LENGTH])
    const { number } = this.#socket
    this.#library.getsockopt(number, IPPROTO_TCP, TCP_INFO, ptr(information), ptr(length))
    return new DataView(information.buffer).getUint32(TCPI_UNACKED, true)
  }

  /**
   * Gives all new connections at the port to some of the sockets that share it.
   * @param first index of the first of them, in the order in which they began to listen. Where there is no such
   *   socket, the kernel gives them to any.
   * @returns whether that is possible here.
   */
  giveTo(first: number, count: number): boolean {
    const program = chooseFrom(first, count)
    // The kernel's `sock_fprog`: the number of instructions, and where they are.
    const described = new DataView(new ArrayBuffer(16))
    described.setUint16(0, program.length / 8, true)
    described.setBigUint64(8, BigInt(ptr(program)), true)
    return this.#set(SO_ATTACH_REUSEPORT_CBPF, new Uint8Array(described.buffer))
  }

  /** Gives new connections to all sockets that share the port. */
  giveToAll(): void {
    this.#set(SO_DETACH_REUSEPORT_BPF, new Uint8Array(4))
  }

  /**
   * Drops the first packets of new connections, whose callers send them again after a second. Those that are being opened
   * already open, but then drop what comes until `admitAccepted` is called. Only for this process.
   */
  refuseNew(): void {
    this.#setHops(this.#socket.number, MORE)
  }

  /** Lets connections that were opened since `refuseNew` go on. @throws Error when they cannot be listed. */
  admitAccepted(): void {
    const open = socketsOf(process.pid)
    for (const { state, inode } of socketsAt(this.#socket.port)) {
      const number = open.get(inode)
      if (state !== "listening" && number !== undefined) this.#setHops(number, ANY)
    }
  }

  /**
   * Stops listening, for good: connections that wait to be accepted are lost, all others remain. The event loop
   * goes on with a socket that is never ready.
   * @returns whether that was possible; only for this process.
   */
  replaceByDead(): boolean {
    const { socket, dup2, close } = this.#library
    const dead = socket(AF_INET, SOCK_STREAM, 0)
    if (dead < 0) return false
    const isDone = dup2(dead, this.#socket.number) >= 0
    close(dead)
    return isDone
  }

  /**
   * Stops listening on behalf of a process that hangs. Its open connections remain; what waits to be accepted is
   * lost.
   * @returns whether that was possible.
   */
  shutDown(): boolean {
    return this.#with((number) => this.#library.shutdown(number, SHUT_RD)) === 0
  }

  /** A socket for IPv6 may serve IPv4 as well; one for IPv4 refuses the other option. */
  #setHops(number: number, hops: number): void {
    const value = new Int32Array([hops])
    this.#library.setsockopt(number, IPPROTO_IP, IP_MINTTL, ptr(value), 4)
    this.#library.setsockopt(number, IPPROTO_IPV6, IPV6_MINHOPCOUNT, ptr(value), 4)
  }

  #set(option: number, value: Uint8Array): boolean {
    const { setsockopt } = this.#library
    const { length } = value
    return this.#with((number) => setsockopt(number, SOL_SOCKET, option, ptr(value), length)) === 0
  }

  /** Does something with it, or with a copy where another process has it. @returns -1 where that is forbidden. */
  #with(act: (number: number) => number): number {
    const { processId, number } = this.#socket
    if (processId === process.pid) return act(number)
    const { syscall, close } = this.#library
    const handle = syscall(PIDFD_OPEN, processId, 0)
    if (handle < 0) return -1
    const copy = syscall(PIDFD_GETFD, handle, number)
    close(handle)
    if (copy < 0) return -1
    const result = act(copy)
    close(copy)
    return result
  }
}
