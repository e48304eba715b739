import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { CommandError } from "../exit-codes.ts"
import { FolderPlace } from "./folder-place.ts"
import { MANIFEST } from "./manifest.ts"
import { type BackupPlace, installationIn, type StoredBackup } from "./place.ts"

/** Of a large file, which is sent in parts: a bucket takes 10,000 of them. Bytes. */
const PART_SIZE = 16 * 1024 * 1024
/** Parts that are sent at the same time. */
const PARTS_AT_ONCE = 4
/** As many as a bucket lists at once. */
const PAGE = 1_000

const BUCKET_ADDRESS =
  /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(?<prefix>[^?#]*))?$/

/** Whether an address is meant to be a bucket's. */
export function isBucket(address: string): boolean {
  return /^s3:/i.test(address)
}

/** Backups in an S3-compatible bucket. It has no folders: what has a manifest is a backup. */
export class BucketPlace implements BackupPlace {
  readonly words: string
  readonly workshop: string
  readonly #client: Bun.S3Client
  /** Empty, or with a slash at its end. */
  readonly #prefix: string

  /**
   * @param address `s3://bucket/prefix`; the environment has the rest.
   * @param data the data folder: backups are put together there.
   * @throws CommandError.
   */
  constructor(address: string, data: string) {
    const { bucket, prefix = "" } = BUCKET_ADDRESS.exec(address)?.groups ?? {}
    if (bucket === undefined) throw notAnAddress()
    const path = prefix.split("/").filter((part) => part !== "")
    this.words = ["s3:/", bucket, ...path].join("/")
    this.workshop = join(data, "backup")
    this.#client = new Bun.S3Client({ bucket })
    this.#prefix = path.map((part) => `${part}/`).join("")
  }

  async names(): Promise<string[]> {
    const names = await this.#all()
    const isWhole = await Promise.all(names.map((name) => this.#isWhole(name)))
    return names.filter((_, index) => isWhole[index])
  }

  async publish(name: string, folder: string): Promise<void> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .filter((path) => path !== MANIFEST)
    // Last: with it, it is a backup.
    for (const path of [...paths, MANIFEST]) await this.#send(name, path, join(folder, path))
  }

  async clean(installation: string): Promise<void> {
    await new FolderPlace(this.workshop).clean(installation)
    const own = (await this.#all()).filter((name) => installationIn(name) === installation)
    for (const name of own) if (!(await this.#isWhole(name))) await this.#removeAll(name)
  }

  async remove(name: string): Promise<void> {
    await this.#asked(() => this.#client.delete(this.#key(name, MANIFEST)))
    await this.#removeAll(name)
  }

  async open(name: string): Promise<StoredBackup | undefined> {
    if (!(await this.#isWhole(name))) return undefined
    const read = (path: string) => this.#read(name, path)
    const manifest = this.#client.file(this.#key(name, MANIFEST))
    return {
      words: `${this.words}/${name}`,
      manifest: await this.#asked(() => manifest.text()),
      read,
    }
  }

  async #send(name: string, path: string, file: string): Promise<void> {
    const key = this.#key(name, path)
    const options = { partSize: PART_SIZE, queueSize: PARTS_AT_ONCE }
    await this.#asked(() => this.#client.write(key, Bun.file(file), options))
    const { size } = await this.#asked(() => this.#client.stat(key))
    if (size === (await stat(file)).size) return
    throw new CommandError(
      "failed",
      `${this.words} has ${size} bytes of ${path}, which are not all`,
      "Look at the bucket and what is before it. The next backup removes what is there of this one.",
    )
  }

  async *#read(name: string, path: string): AsyncGenerator<Uint8Array> {
    const file = this.#client.file(this.#key(name, path))
    // A stream does not say so well that there is nothing.
    if (!(await this.#asked(() => file.exists()))) {
      throw Object.assign(new Error(`${path} is missing`), { code: "ENOENT" })
    }
    try {
      yield* file.stream()
    } catch (error) {
      throw this.#refusal(error)
    }
  }

  #isWhole(name: string): Promise<boolean> {
    return this.#asked(() => this.#client.exists(this.#key(name, MANIFEST)))
  }

  /** The names of all, also of those that are not whole. */
  async #all(): Promise<string[]> {
    const names: string[] = []
    const from = { prefix: this.#prefix, delimiter: "/", maxKeys: PAGE }
    for (let next: string | undefined; ;) {
      const continuationToken = next === undefined ? {} : { continuationToken: next }
      const page = await this.#asked(() => this.#client.list({ ...from, ...continuationToken }))
      const found = page.commonPrefixes ?? []
      names.push(...found.map(({ prefix }) => prefix.slice(this.#prefix.length, -1)))
      next = page.nextContinuationToken
      if (!page.isTruncated || next === undefined) break
    }
    return names.filter((name) => installationIn(name) !== undefined).toSorted()
  }

  async #removeAll(name: string): Promise<void> {
    const prefix = `${this.#prefix}${name}/`
    for (;;) {
      const page = await this.#asked(() => this.#client.list({ prefix, maxKeys: PAGE }))
      const keys = (page.contents ?? []).map(({ key }) => key)
      for (const key of keys) await this.#asked(() => this.#client.delete(key))
      if (keys.length === 0 || !page.isTruncated) return
    }
  }

  async #asked<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step()
    } catch (error) {
      throw this.#refusal(error)
    }
  }

  #refusal(error: unknown): unknown {
    if (!(error instanceof Error) || error.name !== "S3Error") return error
    const code = "code" in error ? String(error.code) : ""
    const hint =
      HINTS[code] ??
      "Look at the bucket's name, AWS_REGION, and AWS_ENDPOINT where it is not Amazon's."
    const message = `the bucket ${this.words} cannot be used: ${code}, ${error.message}`
    return new CommandError("failed", message, hint)
  }

  #key(name: string, path: string): string {
    return `${this.#prefix}${name}/${path}`
  }
}

const CREDENTIALS = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
const HINTS: Readonly<Record<string, string>> = {
  ERR_S3_MISSING_CREDENTIALS: `${CREDENTIALS}, AWS_REGION, and AWS_ENDPOINT where it is not Amazon's.`,
  AccessDenied: `${CREDENTIALS} to a key that may list, read, write and delete there.`,
  InvalidAccessKeyId: `${CREDENTIALS} to those of the bucket.`,
  SignatureDoesNotMatch: `${CREDENTIALS} to those of the bucket.`,
}

function notAnAddress(): CommandError {
  return new CommandError(
    "usage",
    "that is no address of a bucket",
    "Write s3://bucket/prefix. Credentials are never in it: set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and, where it is not Amazon's, AWS_ENDPOINT.",
  )
}
