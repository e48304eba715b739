import { gzip } from "node:zlib"
import { promisify } from "node:util"
import type { LineAddressSettings } from "../config/sections/log.ts"
import {
  type LineBatch,
  type LineDestination,
  LineDeliveryError,
  type LineFault,
} from "./destination.ts"
import { discard } from "../wire/http/answer-body.ts"
import { sendLines } from "./send-lines.ts"

const compress = promisify(gzip)

/** HTTP statuses that do not depend on the lines. */
const UNRELATED_STATUSES: ReadonlySet<number> = new Set([
  401, 403, 404, 408, 425, 429, 502, 503, 504,
])
const SERVER_ERROR = 500

/** An address that accepts JSON lines, such as a ClickHouse insert, a log store or a webhook. */
export class LineAddress implements LineDestination {
  readonly #settings: LineAddressSettings

  constructor(settings: LineAddressSettings) {
    this.#settings = settings
  }

  async deliver({ id, lines }: LineBatch, signal: AbortSignal): Promise<void> {
    const { url, headers, allowsPrivate, isCompressed } = this.#settings
    const text = `${lines.join("\n")}\n`
    const answer = await sendLines({
      url,
      headers: {
        "content-type": "application/x-ndjson",
        ...(isCompressed && { "content-encoding": "gzip" }),
        // Stays the same if the batch is sent again, so that the receiver can skip a repetition.
        "idempotency-key": id,
        ...headers,
      },
      body: isCompressed ? new Uint8Array(await compress(text)) : text,
      allowsPrivate,
      signal,
    })
    // The body is discarded, because it may repeat the address, which may contain a secret.
    await discard(answer)
    if (answer.ok) return
    const { status } = answer
    throw new LineDeliveryError(`it answered with status ${status}`, faultOf(status))
  }
}

/** Determines the cause of a failure. A server may report an internal error for lines that it does not expect. */
function faultOf(status: number): LineFault {
  if (UNRELATED_STATUSES.has(status)) return "destination"
  return status < SERVER_ERROR ? "lines" : "unclear"
}
