import { promisify } from "node:util"
import { gzip } from "node:zlib"
import type { LineBucketSettings } from "../config/sections/log.ts"
import { BucketError } from "../wire/bucket/bucket-error.ts"
import { Bucket } from "../wire/bucket/bucket.ts"
import { type LineBatch, type LineDestination, LineDeliveryError } from "./destination.ts"
import { TIMEOUT_MS, rejectedAddress } from "./send-lines.ts"

const compress = promisify(gzip)

const TYPE = "application/x-ndjson+gzip"

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
      await this.#bucket.put(this.#keyOf(batch), body, { type: TYPE, signal })
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
