import { randomBytes, timingSafeEqual } from "node:crypto"
import type { BucketSettings, ImageSettings } from "../config/settings.ts"
import { BucketShelf, FolderShelf, type PictureShelf } from "./picture-shelf.ts"

/** Where links point to at this gateway. */
export const PICTURE_PATH = "/v1/images/files/"

/** What a picture store is made of. */
export interface PictureStoreParts {
  /** The folder for pictures, unless there is a bucket. */
  readonly folder: string
  /** A secret of this installation, from which the key that signs links is made. */
  readonly secret: string
  /** Those of now: they may change while the gateway runs. */
  readonly settings: () => ImageSettings
  /** Told when expired pictures could not be removed. */
  readonly onFailure: (error: unknown) => void
}

/** A picture as it is handed out. */
export interface KeptPicture {
  readonly body: Blob
  readonly mediaType: string
  /** Milliseconds that its link still works. */
  readonly lifetime: number
}

/** How often expired pictures are removed, milliseconds. */
const SWEEP_EVERY = 5 * 60_000

const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
}
const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(ENDINGS).map(([type, ending]) => [ending, type]),
)
/** When it expires in Unix milliseconds, 128 random bits, and what it is. Nothing else is a name. */
const NAME = /^(\d{13})-[0-9a-f]{32}\.(png|jpg|webp|gif)$/

/**
 * Pictures of vendors that give no links, kept for a while. A link holds the picture's name, which
 * holds the time until which it works, and a signature over it: no record is kept of either.
 */
export class PictureStore implements Disposable {
  readonly #folder: FolderShelf
  readonly #signingKey: string
  readonly #parts: PictureStoreParts
  readonly #timer: ReturnType<typeof setInterval>
  #bucket: { readonly settings: BucketSettings; readonly shelf: BucketShelf } | undefined

  constructor(parts: PictureStoreParts) {
    this.#parts = parts
    this.#folder = new FolderShelf(parts.folder)
    this.#signingKey = new Bun.CryptoHasher("sha256", parts.secret)
      .update("links to pictures")
      .digest("hex")
    this.#timer = setInterval(() => void this.sweep(), SWEEP_EVERY)
    this.#timer.unref()
    void this.sweep()
  }

  /**
   * Keeps a picture.
   * @param base the address of this gateway, for the link.
   * @returns a link that works without a key.
   */
  async keep(bytes: Uint8Array<ArrayBuffer>, mediaType: string, base: string): Promise<string> {
    const { linkLifetime } = this.#parts.settings()
    const ending = ENDINGS[mediaType] ?? "png"
    const expires = Date.now() + linkLifetime
    const name = `${expires}-${randomBytes(16).toString("hex")}.${ending}`
    const bucket = this.#currentBucket()
    await (bucket ?? this.#folder).put(name, bytes, mediaType)
    if (bucket) return bucket.link(name, linkLifetime)
    return `${base}${PICTURE_PATH}${name}?signature=${this.#sign(name)}`
  }

  /** The picture of a link; undefined when the link is wrong, or does not work any more. */
  async open(name: string, signature: string): Promise<KeptPicture | undefined> {
    const [, expires, ending = ""] = NAME.exec(name) ?? []
    const mediaType = TYPES.get(ending)
    if (mediaType === undefined || !isEqual(signature, this.#sign(name))) return undefined
    const lifetime = Number(expires) - Date.now()
    if (lifetime <= 0) return undefined
    const body = await this.#folder.open(name)
    return body && { body, mediaType, lifetime }
  }

  /** Removes what has expired. */
  async sweep(): Promise<void> {
    try {
      await removeExpired(this.#folder)
      const bucket = this.#currentBucket()
      if (bucket) await removeExpired(bucket)
    } catch (error) {
      this.#parts.onFailure(error)
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #currentBucket(): BucketShelf | undefined {
    const { bucket: settings } = this.#parts.settings()
    if (settings === undefined) return undefined
    if (this.#bucket?.settings !== settings) {
      this.#bucket = { settings, shelf: new BucketShelf(settings) }
    }
    return this.#bucket.shelf
  }

  #sign(name: string): string {
    return new Bun.CryptoHasher("sha256", this.#signingKey).update(name).digest("hex")
  }
}

async function removeExpired(shelf: PictureShelf): Promise<void> {
  const now = Date.now()
  for (const name of await shelf.names()) {
    const [, expires] = NAME.exec(name) ?? []
    if (expires !== undefined && Number(expires) <= now) await shelf.remove(name)
  }
}

function isEqual(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)]
  return one.byteLength === other.byteLength && timingSafeEqual(one, other)
}
