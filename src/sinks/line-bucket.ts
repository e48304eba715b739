import { promisify } from "node:util"
import { gzip } from "node:zlib"
import type { LineBucketSettings } from "../config/log-settings.ts"
import { type LineBatch, type LineDestination, LineDeliveryError } from "./destination.ts"

const compress = promisify(gzip)

/** An S3-compatible bucket: an object for each batch, in a folder for each hour. */
export class LineBucket implements LineDestination {
  readonly #client: Bun.S3Client
  readonly #prefix: string

  constructor({ place, prefix }: LineBucketSettings) {
    this.#client = new Bun.S3Client(place)
    this.#prefix = prefix
  }

  async deliver(batch: LineBatch, signal: AbortSignal): Promise<void> {
    const bytes = await compress(`${batch.lines.join("\n")}\n`)
    signal.throwIfAborted()
    try {
      await this.#client.write(this.#keyOf(batch), bytes, { type: "application/x-ndjson+gzip" })
    } catch (error) {
      throw new LineDeliveryError(error instanceof Error ? error.message : "it cannot be written")
    }
  }

  /** The same when it is stored again. Names are in the order of time. */
  #keyOf({ since, id }: LineBatch): string {
    const time = new Date(since).toISOString()
    const folder = time.slice(0, "2026-11-24T13".length).replaceAll(/[-T]/g, "/")
    return `${this.#prefix}${folder}/${time.replaceAll(/[-:.]/g, "")}-${id}.jsonl.gz`
  }
}
