import { randomBytes, timingSafeEqual } from "node:crypto"
import type { BucketSettings } from "../config/sections/bucket.ts"
import type { ImageSettings } from "../config/settings.ts"
import type { KeptFiles } from "../store/kept-files.ts"
import { Bucket } from "../wire/bucket/bucket.ts"

/** The path of image links on this gateway. */
export const IMAGE_PATH = "/v1/images/files/"

export interface ImageStoreParts {
  /** The storage that is used without a bucket. */
  readonly files: KeptFiles
  /** A secret of this installation. The key for signing links is derived from it. */
  readonly secret: string
  /** Returns the current settings, which may change while the gateway runs. */
  readonly settings: () => ImageSettings
  /** Called if expired images could not be removed. */
  readonly onFailure: (error: unknown) => void
}

/** An image that is opened for a response. */
export interface StoredImage {
  readonly body: Blob | ReadableStream<Uint8Array>
  readonly mediaType: string
  /** Milliseconds until the link expires. */
  readonly lifetime: number
}

const SWEEP_INTERVAL_MS = 5 * 60_000

const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
}
const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(ENDINGS).map(([type, ending]) => [ending, type]),
)
/** Matches the name of an image: its expiry in Unix milliseconds, 128 random bits, and its format. */
const NAME = /^(\d{13})-[0-9a-f]{32}\.(png|jpg|webp|gif)$/

/**
 * Temporary storage for images from vendors that return no links. A link consists of the image's name, which contains
 * its expiry, and a signature of the name. No database record is needed.
 */
export class ImageStore implements Disposable {
  readonly #signingKey: string
  readonly #parts: ImageStoreParts
  readonly #timer: ReturnType<typeof setInterval>
  #bucket: { readonly settings: BucketSettings; readonly storage: BucketImageStorage } | undefined

  constructor(parts: ImageStoreParts) {
    this.#parts = parts
    this.#signingKey = new Bun.CryptoHasher("sha256", parts.secret)
      .update("links to images")
      .digest("hex")
    this.#timer = setInterval(() => void this.sweep(), SWEEP_INTERVAL_MS)
    this.#timer.unref()
    void this.sweep()
  }

  /**
   * Stores an image.
   * @param base the address of this gateway, which the link starts with.
   * @returns a link that works without a key.
   */
  async keep(bytes: Uint8Array<ArrayBuffer>, mediaType: string, base: string): Promise<string> {
    const { linkLifetime } = this.#parts.settings()
    const ending = ENDINGS[mediaType] ?? "png"
    const expires = Date.now() + linkLifetime
    const name = `${expires}-${randomBytes(16).toString("hex")}.${ending}`
    const bucket = this.#currentBucket()
    if (bucket) {
      await bucket.put(name, bytes, mediaType)
      return bucket.link(name, linkLifetime)
    }
    await this.#parts.files.write(name, bytes, linkLifetime)
    return `${base}${IMAGE_PATH}${name}?signature=${this.#sign(name)}`
  }

  /** Opens the image of a link; undefined if the link is invalid or has expired. */
  async open(name: string, signature: string): Promise<StoredImage | undefined> {
    const [, expires, ending = ""] = NAME.exec(name) ?? []
    const mediaType = TYPES.get(ending)
    if (mediaType === undefined || !isEqual(signature, this.#sign(name))) return undefined
    const lifetime = Number(expires) - Date.now()
    if (lifetime <= 0) return undefined
    const file = await this.#parts.files.open(name)
    return file && { body: file.body(), mediaType, lifetime }
  }

  /** Removes expired images. */
  async sweep(): Promise<void> {
    try {
      await this.#parts.files.sweep()
      const bucket = this.#currentBucket()
      if (bucket) await removeExpired(bucket)
    } catch (error) {
      this.#parts.onFailure(error)
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #currentBucket(): BucketImageStorage | undefined {
    const { bucket: settings } = this.#parts.settings()
    if (settings === undefined) return undefined
    if (this.#bucket?.settings !== settings) {
      this.#bucket = { settings, storage: new BucketImageStorage(settings) }
    }
    return this.#bucket.storage
  }

  #sign(name: string): string {
    return new Bun.CryptoHasher("sha256", this.#signingKey).update(name).digest("hex")
  }
}

async function removeExpired(storage: BucketImageStorage): Promise<void> {
  const now = Date.now()
  for (const name of await storage.names()) {
    const [, expires] = NAME.exec(name) ?? []
    if (expires !== undefined && Number(expires) <= now) await storage.remove(name)
  }
}

function isEqual(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)]
  return one.byteLength === other.byteLength && timingSafeEqual(one, other)
}

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
