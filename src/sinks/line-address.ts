import { gzip } from "node:zlib"
import { promisify } from "node:util"
import type { LineAddressSettings } from "../config/log-settings.ts"
import { pinnedFetch, PinnedFetchError, readWebAddress } from "../wire/http/pinned-fetch.ts"
import { type LineBatch, type LineDestination, LineDeliveryError } from "./destination.ts"

const compress = promisify(gzip)

/** How long one delivery may take, milliseconds. */
const PATIENCE = 30_000
/** What may be otherwise the next time, besides all faults of the server. */
const PASSING: ReadonlySet<number> = new Set([401, 403, 404, 408, 425, 429])
const SERVER_ERROR = 500

/** An address that takes lines of JSON: an insert of ClickHouse, a log store, a webhook. */
export class LineAddress implements LineDestination {
  readonly #settings: LineAddressSettings

  constructor(settings: LineAddressSettings) {
    this.#settings = settings
  }

  async deliver({ id, lines }: LineBatch, signal: AbortSignal): Promise<void> {
    const { url, headers, allowsPrivate, isCompressed } = this.#settings
    const text = `${lines.join("\n")}\n`
    const body = isCompressed ? new Uint8Array(await compress(text)) : text
    signal.throwIfAborted()
    const status = await statusOf(
      pinnedFetch(readAddress(url), {
        method: "POST",
        headers: {
          "content-type": "application/x-ndjson",
          ...(isCompressed && { "content-encoding": "gzip" }),
          // The same when it is sent again, so that the receiver can leave it out.
          "idempotency-key": id,
          ...headers,
        },
        body,
        allowsPrivate,
        deadline: PATIENCE,
      }),
    )
    if (status >= 200 && status < 300) return
    const isRefused = status < SERVER_ERROR && !PASSING.has(status)
    throw new LineDeliveryError(`it answered with status ${status}`, isRefused)
  }
}

function readAddress(url: string): URL {
  try {
    return readWebAddress(url)
  } catch (error) {
    throw failureOf(error)
  }
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  try {
    const { status, body } = await answer
    await body?.cancel()
    return status
  } catch (error) {
    throw failureOf(error)
  }
}

function failureOf(error: unknown): unknown {
  return error instanceof PinnedFetchError ? new LineDeliveryError(error.message) : error
}
