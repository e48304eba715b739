import { socketsAt, socketsOf } from "./kernel-sockets.ts"
import { ListeningSocket } from "./listening-socket.ts"

/** How often it checks whether a connection still waits, milliseconds. */
const LOOK = 2
/** How long connections that are being opened are waited for, milliseconds: a caller's packets may be lost once. */
const PATIENCE = 2_000
/** How often it looks for a moment at which no connection waits. */
const CALM_LOOKS = 25

/** The port that this process listens on. */
export class OpenPort {
  readonly #port: number

  constructor(port: number) {
    this.#port = port
  }

  /**
   * Stops listening without losing a connection: those that have been opened are accepted, and stay open. Callers
   * that come meanwhile are not answered, and come again after a second.
   * @returns whether that was possible: only on Linux. Otherwise nothing has changed.
   */
  async leave(): Promise<boolean> {
    const socket = ListeningSocket.of(process.pid, this.#port)
    if (socket === undefined) return false
    await calm(socket)
    socket.refuseNew()
    await allAccepted(socket)
    const isLeft = socket.replaceByDead()
    socket.admitAccepted()
    return isLeft
  }

  /** Whether any process listens there. */
  get isListenedTo(): boolean {
    return socketsAt(this.#port).some(({ state }) => state === "listening")
  }

  /** How many connections of callers are open in this process, idle ones included. */
  get connections(): number {
    const open = socketsOf(process.pid)
    return socketsAt(this.#port).filter(({ inode }) => open.has(inode)).length
  }
}

/** Waits for a moment at which the event loop has accepted all that has come, if there is one. */
async function calm(socket: ListeningSocket): Promise<void> {
  for (let look = 0; look < CALM_LOOKS; look++) {
    await Bun.sleep(LOOK)
    if (socket.waiting === 0) return
  }
}

/** Takes little time where nothing waits: whoever comes meanwhile loses a second. */
async function allAccepted(socket: ListeningSocket): Promise<void> {
  const deadline = performance.now() + PATIENCE
  // Callers that come later come to another process.
  let awaited = socket.opening
  // The last is asked last: what is no longer being opened waits.
  while ((awaited.length > 0 || socket.waiting > 0) && performance.now() < deadline) {
    // The event loop accepts it meanwhile.
    await Bun.sleep(LOOK)
    socket.admitAccepted()
    if (awaited.length === 0) continue
    const opening = new Set(socket.opening)
    awaited = awaited.filter((caller) => opening.has(caller))
  }
}
