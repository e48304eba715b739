import { waitAtMost } from "../../canon/wait-at-most.ts"
import { createHash } from "node:crypto"
import { mkdirSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { ResponseHead } from "./response-file.ts"

/**
 * Header that contains the status and headers of the response. The connection between the processes has its own status
 * and headers.
 */
const HEAD = "x-tollgate-answer"
/** Maximum bytes of a socket address. Systems allow 104 to 108 bytes, including the terminator. */
const MAX_ADDRESS_BYTES = 100
const SOCKET_EXTENSION = ".sock"
/** Maximum time at shutdown during which other processes can read their responses. */
const SHUTDOWN_TIMEOUT_MS = 2_000

/** A response received from another process. */
export interface NeighbourResponse {
  readonly head: ResponseHead
  readonly response: Response
}

export interface NeighbourParts {
  /** The data folder of the installation. */
  readonly data: string
  readonly node: string
  /** Returns the response to a request in this process; undefined if the request is not running here. */
  readonly respond: (request: string, caller: AbortSignal) => Promise<Response | undefined>
}

/**
 * Exchanges responses between the processes that share a data folder. Each process listens on a socket in that folder,
 * which only the owner of the folder can use.
 */
export class Neighbours implements AsyncDisposable {
  readonly #folder: string
  readonly #parts: NeighbourParts
  #server: Bun.Server<undefined> | undefined

  constructor(parts: NeighbourParts) {
    this.#parts = parts
    this.#folder = folderOf(parts.data, parts.node)
  }

  /** Starts listening, unless it has already started. */
  listen(): void {
    if (this.#server) return
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    this.#server = Bun.serve({
      unix: this.#addressOf(this.#parts.node),
      fetch: (request, server) => {
        server.timeout(request, 0)
        return this.#respond(request)
      },
    })
  }

  /**
   * Removes sockets of dead processes.
   * @param living ids of the other running processes.
   */
  async sweep(living: ReadonlySet<string>): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const node = name.endsWith(SOCKET_EXTENSION)
        ? name.slice(0, -SOCKET_EXTENSION.length)
        : undefined
      if (node === undefined || node === this.#parts.node || living.has(node)) continue
      await rm(join(this.#folder, name), { force: true })
    }
  }

  /**
   * Fetches the response to a request that runs in another process.
   * @returns `absent` if the request does not run there, `unreachable` if the process does not respond.
   */
  async ask(
    node: string,
    request: string,
    caller: AbortSignal,
  ): Promise<NeighbourResponse | "absent" | "unreachable"> {
    let response: Response
    try {
      response = await fetch(`http://tollgate/${request}`, {
        unix: this.#addressOf(node),
        signal: caller,
        keepalive: false,
        timeout: false,
      } as RequestInit)
    } catch {
      return "unreachable"
    }
    const head = response.headers.get(HEAD)
    if (head === null) return "absent"
    return { head: JSON.parse(decodeURIComponent(head)) as ResponseHead, response }
  }

  /** Gives other processes a limited time to read the end of their responses. */
  async [Symbol.asyncDispose](): Promise<void> {
    const server = this.#server
    if (!server) return
    await waitAtMost(server.stop(false), SHUTDOWN_TIMEOUT_MS)
    await server.stop(true)
    await rm(this.#addressOf(this.#parts.node), { force: true })
  }

  async #respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const response = await this.#parts.respond(pathname.slice(1), request.signal)
    if (!response) return new Response(null, { status: 404 })
    const head: ResponseHead = { status: response.status, headers: response.headers.toJSON() }
    return new Response(response.body, {
      headers: { [HEAD]: encodeURIComponent(JSON.stringify(head)) },
    })
  }

  #addressOf(node: string): string {
    return join(this.#folder, node + SOCKET_EXTENSION)
  }
}

/** Returns the folder of the sockets. It is in the data folder, unless its path is too long for a socket. */
function folderOf(data: string, node: string): string {
  const folder = join(resolve(data), "run")
  if (Buffer.byteLength(join(folder, node + SOCKET_EXTENSION)) <= MAX_ADDRESS_BYTES) return folder
  const name = createHash("sha256").update(resolve(data)).digest("hex").slice(0, 16)
  return join(tmpdir(), `tollgate-${name}`)
}
