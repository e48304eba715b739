import { discard } from "../http/answer-body.ts"
import { BucketError } from "./bucket-error.ts"
import {
  type BucketRequest,
  refusal,
  sendAndForget,
  sendToBucket,
  signedLink,
} from "./bucket-request.ts"
import type { BucketAddress } from "./bucket-address.ts"
import { cutOff, elementsOf, textOf } from "./read-answer.ts"

export interface BucketOptions {
  /** Whether it may be in a private network. Absent: yes. */
  readonly allowsPrivate?: boolean
  /** How long one answer may take besides what bytes take to be sent, milliseconds. */
  readonly patience: number
  /** How often a request is tried that may succeed another time. */
  readonly attempts: number
  /** The first pause between two attempts, milliseconds; for tests. */
  readonly pause?: number
}

/** A page of a list. */
interface BucketList {
  readonly keys: readonly string[]
  /** What is between the prefix and the next slash, of those that have one; only where that was asked for. */
  readonly folders: readonly string[]
}

/** How a list is narrowed. */
export interface BucketListQuery {
  readonly prefix: string
  /** Whether names end at the next slash. */
  readonly byFolder?: boolean
}

export interface PutOptions {
  /** Its media type. */
  readonly type?: string
  readonly signal?: AbortSignal
}

/** The parts of a large object. */
export interface BucketUpload {
  readonly key: string
  readonly id: string
  /** What the bucket calls each of them, in their order. */
  readonly tags: string[]
}

type Sent = Omit<BucketRequest, "allowsPrivate" | "patience"> & { readonly patience?: number }

/** As many as a bucket lists at once. */
const PAGE = 1_000
const PAUSE = 300
/** What the slowest connection sends, bytes in a millisecond. */
const SLOWEST = 64
/** A bucket puts the parts of a large object together in some minutes. Milliseconds. */
const ASSEMBLY = 600_000
/** An object may be of any length: this is how long it may take in all, milliseconds. */
const DOWNLOAD = 7 * 86_400_000

/** An S3-compatible bucket. Every method throws BucketError. */
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

  /** The bytes of an object; undefined where there is none. They are not waited for longer than for any answer. */
  async get(key: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { patience } = this.#options
    const idle = new AbortController()
    const restart = (): ReturnType<typeof setTimeout> => setTimeout(() => idle.abort(), patience)
    const first = restart()
    try {
      const request = { method: "GET", key, patience: DOWNLOAD, signal: idle.signal } as const
      const answer = await this.#found(request)
      return answer && bytesOf(answer, restart)
    } finally {
      clearTimeout(first)
    }
  }

  /** Of an object, in bytes; undefined where there is none. */
  async size(key: string): Promise<number | undefined> {
    const answer = await this.#found({ method: "HEAD", key })
    if (!answer) return undefined
    await discard(answer)
    return Number(answer.headers.get("content-length") ?? Number.NaN)
  }

  async remove(key: string): Promise<void> {
    await this.#send({ method: "DELETE", key }, sendAndForget)
  }

  /** Page by page, in the order of the keys. */
  async *list({ prefix, byFolder = false }: BucketListQuery): AsyncGenerator<BucketList> {
    for (let next: string | undefined; ;) {
      const query = {
        "list-type": "2",
        "max-keys": String(PAGE),
        prefix,
        ...(byFolder && { delimiter: "/" }),
        ...(next !== undefined && { "continuation-token": next }),
      }
      const text = await this.#send({ method: "GET", key: "", query }, readText)
      const folders = [...text.matchAll(/<CommonPrefixes>(.*?)<\/CommonPrefixes>/gs)]
      yield {
        // What is listed may be removed.
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
   * A link to an object that works without keys.
   * @param lifetime seconds.
   */
  link(key: string, lifetime: number): Promise<string> {
    return signedLink(this.#address, key, lifetime)
  }

  /** Begins an object that is sent in parts. */
  async beginUpload(key: string): Promise<BucketUpload> {
    const request = { method: "POST", key, query: { uploads: "" } } as const
    const [id] = elementsOf(await this.#send(request, readText), "UploadId")
    if (id === undefined) throw new BucketError("it gave no id for an upload")
    return { key, id, tags: [] }
  }

  /** Sends a part of it, of which the first has number 1. */
  async putPart(
    { key, id, tags }: BucketUpload,
    number: number,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<void> {
    const query = { partNumber: String(number), uploadId: id }
    const request = { method: "PUT", key, query, body } as const
    tags[number - 1] = await this.#send(request, async (address, sent) => {
      const answer = await sendToBucket(address, sent)
      await discard(answer)
      return answer.headers.get("etag") ?? ""
    })
  }

  /** Makes the parts an object. */
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
      patience: ASSEMBLY,
    } as const
    const text = await this.#send(request, readText)
    // The status comes before the bucket knows whether it can.
    if (!text.includes("CompleteMultipartUploadResult")) throw refusal(200, text)
  }

  /** Has the bucket forget the parts. */
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
    const { allowsPrivate = true, attempts, pause = PAUSE } = this.#options
    const sending = Math.ceil((request.body?.length ?? 0) / SLOWEST)
    const patience = (request.patience ?? this.#options.patience) + sending
    const whole = { ...request, patience, allowsPrivate }
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

/** The bucket itself may be what is missing. */
function isMissing({ status, code }: BucketError): boolean {
  return status === 404 && (code === undefined || code === "NoSuchKey")
}

async function readText(address: BucketAddress, request: BucketRequest): Promise<string> {
  return textOf(await sendToBucket(address, request))
}

/** @param restart begins to wait for the next bytes. */
async function* bytesOf(
  answer: Response,
  restart: () => ReturnType<typeof setTimeout>,
): AsyncGenerator<Uint8Array> {
  const expected = answer.headers.get("content-length")
  let length = 0
  let timer = restart()
  try {
    for await (const chunk of answer.body ?? []) {
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
