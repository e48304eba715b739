import type { BucketSettings } from "../config/bucket-settings.ts"

/** The prefix of image names, so that a bucket may hold other things too. */
const PREFIX = "tollgate-pictures/"

/** An S3-compatible bucket, which signs its links itself. */
export class BucketImageStorage {
  readonly #client: Bun.S3Client

  constructor(settings: BucketSettings) {
    this.#client = new Bun.S3Client(settings)
  }

  async put(name: string, bytes: Uint8Array<ArrayBuffer>, mediaType: string): Promise<void> {
    await this.#client.write(PREFIX + name, bytes, { type: mediaType })
  }

  /** @param lifetime milliseconds. */
  link(name: string, lifetime: number): string {
    const expiresIn = Math.max(1, Math.ceil(lifetime / 1000))
    return this.#client.presign(PREFIX + name, { method: "GET", expiresIn })
  }

  /** Oldest first: names start with the time at which they expire. */
  async names(): Promise<string[]> {
    const { contents = [] } = await this.#client.list({ prefix: PREFIX })
    return contents.map(({ key }) => key.slice(PREFIX.length))
  }

  async remove(name: string): Promise<void> {
    await this.#client.delete(PREFIX + name)
  }
}
