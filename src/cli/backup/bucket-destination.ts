import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { BucketError } from "../../wire/bucket/bucket-error.ts"
import { Bucket } from "../../wire/bucket/bucket.ts"
import { CommandError } from "../exit-codes.ts"
import { FolderDestination } from "./folder-destination.ts"
import { MANIFEST } from "./manifest.ts"
import { type BackupDestination, installationIn, type StoredBackup, textOf } from "./destination.ts"
import { sendFile } from "./send-file.ts"
import type { Environment } from "../../config/substitute.ts"
import type { BucketAddress } from "../../wire/bucket/bucket-request.ts"

/** Timeouts of each request to a bucket. */
const RESPONSE_TIMEOUT_MS = 60_000
const MAX_ATTEMPTS = 3

const BUCKET_ADDRESS =
  /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(?<prefix>[^?#]*))?$/

/** Whether an address names a bucket. */
export function isBucket(address: string): boolean {
  return /^s3:/i.test(address)
}

/**
 * Backups in an S3-compatible bucket. A bucket has no folders, so the manifest marks a complete
 * backup.
 */
export class BucketDestination implements BackupDestination {
  readonly words: string
  readonly workshop: string
  readonly #bucket: Bucket
  /** Prefix of all object names; empty or with a trailing slash. */
  readonly #prefix: string

  /**
   * @param address `s3://bucket/prefix`; all other settings come from the environment.
   * @param data the data folder, used for assembling backups.
   * @throws CommandError.
   */
  constructor(address: string, data: string) {
    const { bucket, prefix = "" } = BUCKET_ADDRESS.exec(address)?.groups ?? {}
    if (bucket === undefined) throw notAnAddress()
    const path = prefix.split("/").filter((part) => part !== "")
    this.words = ["s3:/", bucket, ...path].join("/")
    this.workshop = join(data, "backup")
    const bucketAddress = bucketOf(bucket, process.env)
    this.#bucket = new Bucket(bucketAddress, {
      timeoutMs: RESPONSE_TIMEOUT_MS,
      attempts: MAX_ATTEMPTS,
    })
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
    // The manifest is sent last, because it marks the backup as complete.
    for (const path of [...paths, MANIFEST]) await this.#send(name, path, join(folder, path))
  }

  async clean(installation: string): Promise<void> {
    await new FolderDestination(this.workshop).clean(installation)
    const own = (await this.#all()).filter((name) => installationIn(name) === installation)
    for (const name of own) if (!(await this.#isWhole(name))) await this.#removeAll(name)
  }

  async remove(name: string): Promise<void> {
    await this.#withCommandErrors(() => this.#bucket.remove(this.#key(name, MANIFEST)))
    await this.#removeAll(name)
  }

  async open(name: string): Promise<StoredBackup | undefined> {
    if (!(await this.#isWhole(name))) return undefined
    const read = (path: string) => this.#read(name, path)
    const manifest = await textOf(read(MANIFEST))
    return { words: `${this.words}/${name}`, manifest, read }
  }

  async #send(name: string, path: string, file: string): Promise<void> {
    const key = this.#key(name, path)
    await this.#withCommandErrors(() => sendFile(this.#bucket, key, file))
    const size = await this.#withCommandErrors(() => this.#bucket.size(key))
    if (size === (await stat(file)).size) return
    throw new CommandError(
      "failed",
      `${this.words} has only ${size ?? 0} bytes of ${path}`,
      "Check the bucket and any proxy in front of it. The next backup removes the parts of this one.",
    )
  }

  async *#read(name: string, path: string): AsyncGenerator<Uint8Array> {
    const bytes = await this.#withCommandErrors(() => this.#bucket.get(this.#key(name, path)))
    if (bytes === undefined) {
      throw Object.assign(new Error(`${path} is missing`), { code: "ENOENT" })
    }
    try {
      yield* bytes
    } catch (error) {
      throw this.#rejection(error)
    }
  }

  async #isWhole(name: string): Promise<boolean> {
    const size = await this.#withCommandErrors(() => this.#bucket.size(this.#key(name, MANIFEST)))
    return size !== undefined
  }

  /** Returns the names of all backups, including incomplete ones. */
  async #all(): Promise<string[]> {
    const prefix = this.#prefix
    const found = await this.#withCommandErrors(async () => {
      const names: string[] = []
      for await (const { folders } of this.#bucket.list({ prefix, byFolder: true })) {
        names.push(...folders.map((folder) => folder.slice(prefix.length, -1)))
      }
      return names
    })
    return found.filter((name) => installationIn(name) !== undefined).toSorted()
  }

  async #removeAll(name: string): Promise<void> {
    const prefix = `${this.#prefix}${name}/`
    await this.#withCommandErrors(async () => {
      const keys: string[] = []
      for await (const page of this.#bucket.list({ prefix })) keys.push(...page.keys)
      for (const key of keys) await this.#bucket.remove(key)
    })
  }

  async #withCommandErrors<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step()
    } catch (error) {
      throw this.#rejection(error)
    }
  }

  #rejection(error: unknown): unknown {
    if (!(error instanceof BucketError)) return error
    const { message, code = "", status = 0 } = error
    const hint = HINTS[code] ?? (REJECTED.has(status) ? RIGHTS : ADDRESS)
    return new CommandError("failed", `the bucket ${this.words} cannot be used: ${message}`, hint)
  }

  #key(name: string, path: string): string {
    return `${this.#prefix}${name}/${path}`
  }
}

const CREDENTIALS = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
const RIGHTS = `${CREDENTIALS} to a key that may list, read, write and delete there.`
const OWN = `${CREDENTIALS} to those of the bucket.`
const ADDRESS = "Check the bucket's name, AWS_REGION, and AWS_ENDPOINT for servers other than AWS."
const HINTS: Readonly<Record<string, string>> = {
  AccessDenied: RIGHTS,
  InvalidAccessKeyId: OWN,
  SignatureDoesNotMatch: OWN,
}
/** HTTP statuses that mean a rejection if the response has no error code, such as a response to `HEAD`. */
const REJECTED: ReadonlySet<number> = new Set([401, 403])

function notAnAddress(): CommandError {
  return new CommandError(
    "usage",
    "that is not the address of a bucket",
    "Write s3://bucket/prefix. It contains no credentials: set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and, for servers other than AWS, AWS_ENDPOINT.",
  )
}

/** Prefixes of the environment variables. Variables for the bucket alone take precedence over Amazon's own names. */
const PREFIXES = ["S3", "AWS"] as const

/**
 * Returns a bucket with its settings from the environment. The parts of a key belong together, so a session token is
 * only used with the key of the same prefix.
 * @throws CommandError if there are no keys.
 */
function bucketOf(bucket: string, environment: Environment): BucketAddress {
  const named = (prefix: string, name: string): string | undefined =>
    environment[`${prefix}_${name}`] || undefined
  const either = (name: string): string | undefined => named("S3", name) ?? named("AWS", name)
  const prefix = PREFIXES.find((each) => named(each, "ACCESS_KEY_ID") !== undefined) ?? "AWS"
  const accessKeyId = named(prefix, "ACCESS_KEY_ID")
  const secretAccessKey = named(prefix, "SECRET_ACCESS_KEY")
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new CommandError(
      "failed",
      `there are no keys for the bucket ${bucket} in the environment`,
      `Set ${prefix}_ACCESS_KEY_ID and ${prefix}_SECRET_ACCESS_KEY, ${prefix}_REGION, and ${prefix}_ENDPOINT for servers other than AWS.`,
    )
  }
  return {
    bucket,
    accessKeyId,
    secretAccessKey,
    sessionToken: named(prefix, "SESSION_TOKEN"),
    region: either("REGION"),
    endpoint: either("ENDPOINT"),
  }
}
