import type { Socket } from "bun"
import type { Address } from "../subjects/subject.ts"
import { ResponseReader } from "./response-reader.ts"
import { requestBytes } from "./request.ts"

/** Streams that have received their first frame and stay open. */
export class IdleStreams implements Disposable {
  readonly #sockets: Socket<undefined>[] = []
  readonly #begun = new Set<Socket<undefined>>()

  /** Opens the given number of further streams at once. */
  async open(address: Address, body: string, count: number): Promise<void> {
    const request = requestBytes(address, body)
    await Promise.all(Array.from({ length: count }, () => this.#open(address.port, request)))
  }

  /** Number of open streams that have received a frame. */
  get begun(): number {
    return this.#begun.size
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.terminate()
  }

  async #open(port: number, request: Buffer): Promise<void> {
    const reader = new ResponseReader()
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data: (socket, bytes) => {
          reader.take(bytes)
          if (reader.status === 200 && reader.frames > 0) this.#begun.add(socket)
        },
        close: (socket) => void this.#begun.delete(socket),
      },
    })
    this.#sockets.push(socket)
    socket.write(request)
  }
}
