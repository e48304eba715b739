import { discard } from "../http/response-body.ts"
import { BucketError } from "./bucket-error.ts"
import {
  type BucketRequest,
  rejection,
  sendAndForget,
  sendToBucket,
  signedLink,
  cutOff,
  elementsOf,
  textOf,
  type BucketAddress,
} from "./bucket-request.ts"

export interface BucketOptions {
  /** Whether the bucket may be in a private network. Default: true. */
  readonly allowsPrivate?: boolean
  /** Timeout for a response in milliseconds, in addition to the time to send the body. */
  readonly timeoutMs: number
  /** Maximum number of attempts for retryable requests. */
  readonly attempts: number
  /** Milliseconds before the first retry. Tests set a shorter time. */
  readonly pause?: number
}

/** One page of a list of objects. */
interface BucketList {
  readonly keys: readonly string[]
  /** The common prefixes up to the next slash, if they were requested. */
  readonly folders: readonly string[]
}

export interface BucketListQuery {
  readonly prefix: string
  /** Whether keys are grouped at the next slash. */
  readonly byFolder?: boolean
}

export interface PutOptions {
  /** The media type of the object. */
  readonly type?: string
  readonly signal?: AbortSignal
}

/** A multipart upload. */
export interface BucketUpload {
  readonly key: string
  readonly id: string
  /** The tags of the parts uploaded so far, in order. */
  readonly tags: string[]
}

type Sent = Omit<BucketRequest, "allowsPrivate" | "timeoutMs"> & { readonly timeoutMs?: number }

/** Maximum number of keys per list request. */
const MAX_LISTED_KEYS = 1_000
const RETRY_DELAY_MS = 300
/** Bytes per millisecond of the slowest connection that is supported. */
const MIN_BYTES_PER_MS = 64
/** Timeout for combining the parts of a large object, which may take minutes. */
const ASSEMBLY_TIMEOUT_MS = 600_000
/** Timeout for downloading an object, which may have any length. */
const DOWNLOAD_TIMEOUT_MS = 7 * 86_400_000

/** An S3-compatible bucket. Every method may throw a BucketError. */
export class Bucket {
  readonly #address: BucketAddress
  readonly #options: BucketOptions

  constructor(address: BucketAddress, options: BucketOptions) {
    this.#address = address
    this.#options = options
  }

  async put(
    key: string,
    body: Uint8Array<ArrayBuffer>,
    { type, ...options }: PutOptions = {},
  ): Promise<void> {
    const headers = type === undefined ? {} : { "content-type": type }
    await this.#send({ method: "PUT", key, headers, body, ...options }, sendAndForget)
  }

  /**
   * Downloads an object; undefined if it does not exist. The response timeout applies to each wait for further bytes.
   */
  async get(key: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { timeoutMs } = this.#options
    const idle = new AbortController()
    const restart = (): ReturnType<typeof setTimeout> => setTimeout(() => idle.abort(), timeoutMs)
    const first = restart()
    try {
      const request = {
        method: "GET",
        key,
        timeoutMs: DOWNLOAD_TIMEOUT_MS,
        signal: idle.signal,
      } as const
      const response = await this.#found(request)
      return response && bytesOf(response, restart)
    } finally {
      clearTimeout(first)
    }
  }

  /** Returns the size of an object in bytes; undefined if it does not exist. */
  async size(key: string): Promise<number | undefined> {
    const response = await this.#found({ method: "HEAD", key })
    if (!response) return undefined
    await discard(response)
    return Number(response.headers.get("content-length") ?? Number.NaN)
  }

  async remove(key: string): Promise<void> {
    await this.#send({ method: "DELETE", key }, sendAndForget)
  }

  /** Yields the list page by page, in the order of the keys. */
  async *list({ prefix, byFolder = false }: BucketListQuery): AsyncGenerator<BucketList> {
    for (let next: string | undefined; ;) {
      const query = {
        "list-type": "2",
        "max-keys": String(MAX_LISTED_KEYS),
        prefix,
        ...(byFolder && { delimiter: "/" }),
        ...(next !== undefined && { "continuation-token": next }),
      }
      const text = await this.#send({ method: "GET", key: "", query }, readText)
      const folders = [...text.matchAll(/<CommonPrefixes>(.*?)<\/CommonPrefixes>/gs)]
      yield {
        // Listed keys may be deleted later, so keys outside of the prefix are ignored.
        keys: elementsOf(text, "Key").filter((key) => key.startsWith(prefix)),
        folders: folders.flatMap(([, folder = ""]) => elementsOf(folder, "Prefix")),
      }
      const [last] = elementsOf(text, "NextContinuationToken")
      if (elementsOf(text, "IsTruncated")[0] !== "true" || last === undefined || last === next)
        return
      next = last
    }
  }

  /**
   * Returns a link to an object that works without keys.
   * @param lifetime lifetime of the link in seconds.
   */
  link(key: string, lifetime: number): Promise<string> {
    return signedLink(this.#address, key, lifetime)
  }

  async beginUpload(key: string): Promise<BucketUpload> {
    const request = { method: "POST", key, query: { uploads: "" } } as const
    const [id] = elementsOf(await this.#send(request, readText), "UploadId")
    if (id === undefined) throw new BucketError("it gave no id for an upload")
    return { key, id, tags: [] }
  }

  /** Uploads a part. The first part has number 1. */
  async putPart(
    { key, id, tags }: BucketUpload,
    number: number,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<void> {
    const query = { partNumber: String(number), uploadId: id }
    const request = { method: "PUT", key, query, body } as const
    tags[number - 1] = await this.#send(request, async (address, sent) => {
      const response = await sendToBucket(address, sent)
      await discard(response)
      return response.headers.get("etag") ?? ""
    })
  }

  /** Combines the uploaded parts into the object. */
  async endUpload({ key, id, tags }: BucketUpload): Promise<void> {
    const parts = tags.map(
      (tag, index) =>
        `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
    )
    const body = new Uint8Array(
      Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`),
    )
    const request = {
      method: "POST",
      key,
      query: { uploadId: id },
      body,
      timeoutMs: ASSEMBLY_TIMEOUT_MS,
    } as const
    const text = await this.#send(request, readText)
    // The bucket sends the status before it has combined the parts, so the body must be checked.
    if (!text.includes("CompleteMultipartUploadResult")) throw rejection(200, text)
  }

  /** Deletes the uploaded parts. */
  async abortUpload({ key, id }: BucketUpload): Promise<void> {
    await this.#send({ method: "DELETE", key, query: { uploadId: id } }, sendAndForget)
  }

  async #found(request: Sent): Promise<Response | undefined> {
    try {
      return await this.#send(request, sendToBucket)
    } catch (error) {
      if (error instanceof BucketError && isMissing(error)) return undefined
      throw error
    }
  }

  async #send<T>(
    request: Sent,
    step: (address: BucketAddress, request: BucketRequest) => Promise<T>,
  ): Promise<T> {
    const { allowsPrivate = true, attempts, pause = RETRY_DELAY_MS } = this.#options
    const sending = Math.ceil((request.body?.length ?? 0) / MIN_BYTES_PER_MS)
    const timeoutMs = (request.timeoutMs ?? this.#options.timeoutMs) + sending
    const whole = { ...request, timeoutMs, allowsPrivate }
    for (let attempt = 1; ; attempt++) {
      try {
        return await step(this.#address, whole)
      } catch (error) {
        const mayPass = error instanceof BucketError && error.isPassing
        if (!mayPass || attempt >= attempts || request.signal?.aborted === true) throw error
        await Bun.sleep(pause * 4 ** (attempt - 1))
      }
    }
  }
}

/** Reports whether an object is missing. A 404 with another code concerns the bucket itself. */
function isMissing({ status, code }: BucketError): boolean {
  return status === 404 && (code === undefined || code === "NoSuchKey")
}

async function readText(address: BucketAddress, request: BucketRequest): Promise<string> {
  return textOf(await sendToBucket(address, request))
}

/**
 * Yields the bytes of a response.
 * @param restart restarts the timeout before each wait for further bytes.
 */
async function* bytesOf(
  response: Response,
  restart: () => ReturnType<typeof setTimeout>,
): AsyncGenerator<Uint8Array> {
  const expected = response.headers.get("content-length")
  let length = 0
  let timer = restart()
  try {
    for await (const chunk of response.body ?? []) {
      clearTimeout(timer)
      length += chunk.length
      yield chunk
      timer = restart()
    }
  } catch {
    throw cutOff()
  } finally {
    clearTimeout(timer)
  }
  if (expected !== null && length < Number(expected)) throw cutOff()
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")
}
