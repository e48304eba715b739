import { mkdir, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import type { BucketSettings } from "../config/settings.ts"

/** Where images are stored. Their names are made by the code that stores them, and are safe in paths. */
export interface ImageStorage {
  put(name: string, bytes: Uint8Array<ArrayBuffer>, mediaType: string): Promise<void>
  names(): Promise<string[]>
  remove(name: string): Promise<void>
}

/** A local folder. */
export class FolderImageStorage implements ImageStorage {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async put(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await Bun.write(join(this.#folder, name), bytes, { mode: 0o600 })
  }

  /** The image as a body; undefined when it does not exist. */
  async open(name: string): Promise<Blob | undefined> {
    const file = Bun.file(join(this.#folder, name))
    return (await file.exists()) ? file : undefined
  }

  async names(): Promise<string[]> {
    try {
      return await readdir(this.#folder)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
      throw error
    }
  }

  /** Another process may have removed it already. */
  remove(name: string): Promise<void> {
    return rm(join(this.#folder, name), { force: true })
  }
}

/** The prefix of image names, so that a bucket may hold other things too. */
const PREFIX = "tollgate-pictures/"

/** An S3-compatible bucket, which signs its links itself. */
export class BucketImageStorage implements ImageStorage {
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
