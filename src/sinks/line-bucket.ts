import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { AwsV4Signer } from "aws4fetch"
import type { BucketSettings } from "../config/bucket-settings.ts"
import type { LineBucketSettings } from "../config/log-settings.ts"
import { type LineBatch, type LineDestination, LineDeliveryError } from "./destination.ts"
import { discard, sendLines } from "./send-lines.ts"

const compress = promisify(gzip)

const REGION = "us-east-1"
/** The word for what went wrong, in the beginning of the answer. */
const CODE = /<Code>([A-Za-z]{1,64})<\/Code>/

/** An S3-compatible bucket: an object for each batch, in a folder for each hour. */
export class LineBucket implements LineDestination {
  readonly #settings: LineBucketSettings
  /** Milliseconds; undefined but in tests. */
  readonly #patience: number | undefined

  constructor(settings: LineBucketSettings, patience?: number) {
    this.#settings = settings
    this.#patience = patience
  }

  async deliver(batch: LineBatch, signal: AbortSignal): Promise<void> {
    const { allowsPrivate } = this.#settings
    const body = new Uint8Array(await compress(`${batch.lines.join("\n")}\n`))
    const url = this.#addressOf(batch)
    const headers = await this.#sign(url, body)
    const patience = this.#patience
    const answer = await sendLines({
      url,
      method: "PUT",
      headers,
      body,
      allowsPrivate,
      signal,
      ...(patience !== undefined && { patience }),
    })
    if (answer.ok) return await discard(answer)
    const [, code] = CODE.exec(await beginningOf(answer)) ?? []
    const reason = `it answered with status ${answer.status}`
    throw new LineDeliveryError(code === undefined ? reason : `${reason} (${code})`)
  }

  /** The same when it is stored again. Names are in the order of time. */
  #addressOf({ since, id }: LineBatch): string {
    const { place, prefix } = this.#settings
    const time = new Date(since).toISOString()
    const folder = time.slice(0, "2026-11-24T13".length).replaceAll(/[-T]/g, "/")
    const key = `${prefix}${folder}/${time.replaceAll(/[-:.]/g, "")}-${id}.jsonl.gz`
    const path = [place.bucket, ...key.split("/")].map(encodeURIComponent).join("/")
    return `${endpointOf(place).replace(/\/+$/, "")}/${path}`
  }

  /** Credentials of the environment, which the vendors may use, have no part in it. */
  async #sign(url: string, body: Uint8Array<ArrayBuffer>): Promise<Record<string, string>> {
    const { region = REGION, accessKeyId, secretAccessKey } = this.#settings.place
    const signer = new AwsV4Signer({
      method: "PUT",
      url,
      service: "s3",
      region,
      accessKeyId,
      secretAccessKey,
      headers: {
        "content-type": "application/x-ndjson+gzip",
        "x-amz-content-sha256": createHash("sha256").update(body).digest("hex"),
      },
    })
    const { headers } = await signer.sign()
    return Object.fromEntries(headers)
  }
}

/** Where a bucket is asked: Amazon's own address unless the settings name another. */
export function endpointOf({ endpoint, region = REGION }: BucketSettings): string {
  return endpoint ?? `https://s3.${region}.amazonaws.com`
}

/** What arrives first of an answer, however long it is; empty where it breaks off. */
async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  try {
    const read = await reader?.read()
    return new TextDecoder().decode(read?.value)
  } catch {
    return ""
  } finally {
    await reader?.cancel().catch(() => undefined)
  }
}
