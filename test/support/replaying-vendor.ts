import { isJsonObject, type JsonObject } from "../../src/canon/json.ts"

/** The vendor's response as the exact bytes. */
export interface Replay {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The body if it is not text, used instead of `body`. */
  readonly bytes?: Uint8Array<ArrayBuffer>
  /**
   * If it is set, the body is cut at random positions, and each chunk is sent separately. The same seed gives the same
   * positions.
   */
  readonly seed?: number
}

/** A request that reached the vendor. */
export interface ReceivedRequest {
  readonly path: string
  readonly headers: Headers
  readonly body: JsonObject
}

/**
 * A vendor that answers with recordings. The request's `model` selects the recording, or the path in the APIs of Google
 * and Amazon. At `/token`, it issues tokens to service accounts.
 */
export interface ReplayingVendor extends AsyncDisposable {
  readonly url: string
  /**
   * Returns the last request for a model.
   * @throws if there was none.
   */
  requestFor(model: string): ReceivedRequest
  /** Returns the number of requests for a model. */
  countFor(model: string): number
}

/** Starts a vendor on a free port. Dispose of it with `await using`. */
export function startReplayingVendor(replays: ReadonlyMap<string, Replay>): ReplayingVendor {
  const received = new Map<string, ReceivedRequest[]>()
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const path = new URL(request.url).pathname
      if (path === "/token") return Response.json({ access_token: "token", expires_in: 3600 })
      const body: unknown = await request.json()
      if (!isJsonObject(body)) return new Response("no object", { status: 400 })
      const model = modelOf(path, body)
      const requests = received.get(model) ?? []
      requests.push({ path, headers: request.headers, body })
      received.set(model, requests)
      const replay = replays.get(model)
      if (!replay) return new Response(`nothing is recorded as '${model}'`, { status: 418 })
      return new Response(bodyOf(replay), { status: replay.status, headers: replay.headers })
    },
  })
  return {
    url: `http://${server.hostname}:${server.port}`,
    requestFor(model) {
      const last = received.get(model)?.at(-1)
      if (!last) throw new Error(`the vendor was not asked for '${model}'`)
      return last
    },
    countFor: (model) => received.get(model)?.length ?? 0,
    async [Symbol.asyncDispose]() {
      await server.stop(true)
    },
  }
}

/** Matches the model in paths such as `/v1beta/models/<model>:generateContent` and `/model/<model>/converse`. */
const MODEL_IN_PATH = /\/models?\/([^/:]+)[:/]/

function modelOf(path: string, body: JsonObject): string {
  const named = MODEL_IN_PATH.exec(path)?.[1]
  return named === undefined ? String(body.model) : decodeURIComponent(named)
}

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>

function bodyOf(replay: Replay): Body {
  const { body, bytes, seed } = replay
  if (seed === undefined) return bytes ?? body
  return piecewise(cutAtRandom(bytes ?? new TextEncoder().encode(body), seed))
}

/** Returns a body whose chunks are written separately, each in a different turn of the event loop. */
function piecewise(
  chunks: readonly Uint8Array<ArrayBuffer>[],
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let next = 0
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    type: "bytes",
    async pull(controller) {
      await new Promise((resolve) => setImmediate(resolve))
      const chunk = chunks[next++]
      if (chunk) controller.enqueue(chunk)
      else controller.close()
    },
  })
}

/** Maximum number of cuts. Many small chunks of long bodies would only take time. */
const MAX_CUTS = 60

function cutAtRandom(bytes: Uint8Array<ArrayBuffer>, seed: number): Uint8Array<ArrayBuffer>[] {
  const random = randomNumbers(seed)
  const cuts = new Set<number>()
  const wanted = Math.min(MAX_CUTS, bytes.length - 1)
  while (cuts.size < wanted) cuts.add(1 + Math.floor(random() * (bytes.length - 1)))
  const places = [0, ...[...cuts].toSorted((left, right) => left - right), bytes.length]
  return places.slice(1).map((end, index) => bytes.slice(places[index], end))
}

/** Returns a generator of numbers from 0 to 1, excluding 1. The same seed gives the same numbers (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
