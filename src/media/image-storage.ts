import type { BucketSettings } from "../config/sections/bucket.ts"
import { Bucket } from "../wire/bucket/bucket.ts"

/** The prefix of image names. A bucket may then also contain other objects. */
const PREFIX = "tollgate-images/"
/** Timeout of a storage request, for which a caller waits. */
const TIMEOUT_MS = 20_000
const ATTEMPTS = 2

/** Image storage in an S3-compatible bucket, which signs its links itself. */
export class BucketImageStorage {
  readonly #bucket: Bucket

  constructor(settings: BucketSettings, timeoutMs = TIMEOUT_MS) {
    this.#bucket = new Bucket(settings, { timeoutMs, attempts: ATTEMPTS })
  }

  async put(name: string, bytes: Uint8Array<ArrayBuffer>, mediaType: string): Promise<void> {
    await this.#bucket.put(PREFIX + name, bytes, { type: mediaType })
  }

  /**
   * Returns a link to an image.
   * @param lifetime lifetime of the link in milliseconds.
   */
  link(name: string, lifetime: number): Promise<string> {
    return this.#bucket.link(PREFIX + name, Math.max(1, Math.ceil(lifetime / 1000)))
  }

  /** Returns the first page of names. It contains the oldest images, because names start with their expiry. */
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
