import type { BucketSettings } from "../config/sections/bucket.ts"
import { Bucket } from "../wire/bucket/bucket.ts"

/** The prefix of image names, so that a bucket may hold other things too. */
const PREFIX = "tollgate-pictures/"
/** How long the bucket may take: a caller waits for it. Milliseconds. */
const PATIENCE = 20_000
const ATTEMPTS = 2

/** An S3-compatible bucket, which signs its links itself. */
export class BucketImageStorage {
  readonly #bucket: Bucket

  /** @param patience milliseconds. */
  constructor(settings: BucketSettings, patience = PATIENCE) {
    this.#bucket = new Bucket(settings, { patience, attempts: ATTEMPTS })
  }

  async put(name: string, bytes: Uint8Array<ArrayBuffer>, mediaType: string): Promise<void> {
    await this.#bucket.put(PREFIX + name, bytes, { type: mediaType })
  }

  /** @param lifetime milliseconds. */
  link(name: string, lifetime: number): Promise<string> {
    return this.#bucket.link(PREFIX + name, Math.max(1, Math.ceil(lifetime / 1000)))
  }

  /** The first of them, the oldest first: names start with the time at which they expire. */
  async names(): Promise<string[]> {
    for await (const { keys } of this.#bucket.list({ prefix: PREFIX })) {
      return keys.map((key) => key.slice(PREFIX.length))
    }
    return []
  }

  async remove(name: string): Promise<void> {
    await this.#bucket.remove(PREFIX + name)
  }
}
