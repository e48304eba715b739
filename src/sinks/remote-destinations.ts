import { gzip } from "node:zlib"
import { promisify } from "node:util"
import type { LineAddressSettings, LineBucketSettings } from "../config/sections/log.ts"
import {
  type LineBatch,
  type LineDestination,
  LineDeliveryError,
  type LineFault,
} from "./destination.ts"
import { discard } from "../wire/http/response-body.ts"
import { pinnedFetch, PinnedFetchError, readWebAddress } from "../wire/http/pinned-fetch.ts"
import { BucketError } from "../wire/bucket/bucket-error.ts"
import { Bucket } from "../wire/bucket/bucket.ts"

const compress = promisify(gzip)

const TIMEOUT_MS = 30_000
const COMPRESSED_TYPE = "application/x-ndjson+gzip"
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
    const response = await sendLines({
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
    await discard(response)
    if (response.ok) return
    const { status } = response
    throw new LineDeliveryError(`it answered with status ${status}`, faultOf(status))
  }
}

/** Determines the cause of a failure. A server may report an internal error for lines that it does not expect. */
function faultOf(status: number): LineFault {
  if (UNRELATED_STATUSES.has(status)) return "destination"
  return status < SERVER_ERROR ? "lines" : "unclear"
}

interface SentLines {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
  /** Whether the address may be in a private network. */
  readonly allowsPrivate: boolean
  readonly signal: AbortSignal
}

/**
 * Sends lines to an address.
 * @returns the response, whose body has not been read.
 * @throws LineDeliveryError if there is no response.
 */
async function sendLines(lines: SentLines): Promise<Response> {
  const { url, ...request } = lines
  try {
    return await pinnedFetch(readWebAddress(url), {
      ...request,
      method: "POST",
      deadline: TIMEOUT_MS,
    })
  } catch (error) {
    if (!(error instanceof PinnedFetchError)) throw error
    const { message, isRejected } = error
    if (isRejected) throw new LineDeliveryError(rejectedAddress(message))
    // The lines themselves may have caused the receiver to crash.
    throw new LineDeliveryError(message, "unclear")
  }
}

/** Adds advice for the operator to the message about a rejected address. */
function rejectedAddress(message: string): string {
  return `${message}. Add "private: true" to it if this is intended`
}

/** Stores lines in an S3-compatible bucket, with one object per batch and one folder per hour. */
export class LineBucket implements LineDestination {
  readonly #prefix: string
  readonly #bucket: Bucket

  constructor({ place, prefix, allowsPrivate }: LineBucketSettings, timeoutMs = TIMEOUT_MS) {
    this.#prefix = prefix
    // Only one attempt, because the sink repeats failed batches.
    this.#bucket = new Bucket(place, { allowsPrivate, timeoutMs, attempts: 1 })
  }

  async deliver(batch: LineBatch, signal: AbortSignal): Promise<void> {
    const body = new Uint8Array(await compress(`${batch.lines.join("\n")}\n`))
    try {
      await this.#bucket.put(this.#keyOf(batch), body, { type: COMPRESSED_TYPE, signal })
    } catch (error) {
      if (!(error instanceof BucketError)) throw error
      const { message, isAddressRejected } = error
      throw new LineDeliveryError(isAddressRejected ? rejectedAddress(message) : message)
    }
  }

  /** Returns the key of a batch, which is the same for each attempt. Keys sort chronologically. */
  #keyOf({ since, id }: LineBatch): string {
    const time = new Date(since).toISOString()
    const folder = time.slice(0, "2026-11-24T13".length).replaceAll(/[-T]/g, "/")
    return `${this.#prefix}${folder}/${time.replaceAll(/[-:.]/g, "")}-${id}.jsonl.gz`
  }
}
