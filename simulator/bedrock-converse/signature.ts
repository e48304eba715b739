import { createHash, createHmac } from "node:crypto"
import type { Exchange } from "../exchange.ts"

/** The parts of a request's `Authorization` header of AWS Signature Version 4. */
export interface SignedRequest {
  readonly accessKey: string
  /** Year, month and day as eight digits. */
  readonly date: string
  readonly region: string
  readonly service: string
  readonly headerNames: readonly string[]
  readonly signature: string
}

const ALGORITHM = "AWS4-HMAC-SHA256"
const PARAMETERS =
  /^AWS4-HMAC-SHA256 +Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request, *SignedHeaders=([a-z0-9;-]+), *Signature=([0-9a-f]{64})$/

/** Parses the header; undefined if the header is malformed. */
export function readAuthorization(header: string): SignedRequest | undefined {
  const found = PARAMETERS.exec(header)
  if (found === null) return undefined
  const [accessKey = "", date = "", region = "", service = "", names = "", signature = ""] =
    found.slice(1)
  return { accessKey, date, region, service, headerNames: names.split(";"), signature }
}

/**
 * Returns the expected signature of a request. It is computed over the received bytes in the four steps that AWS
 * specifies.
 */
export function signatureOf(exchange: Exchange, signed: SignedRequest, secret: string): string {
  const { date, region, service } = signed
  const scope = `${date}/${region}/${service}/aws4_request`
  const time = exchange.headers.get("x-amz-date") ?? ""
  const digest = sha256(canonicalRequest(exchange, signed.headerNames))
  let key = hmac(`AWS4${secret}`, date)
  for (const part of [region, service, "aws4_request"]) key = hmac(key, part)
  return hmac(key, [ALGORITHM, time, scope, digest].join("\n")).toString("hex")
}

function canonicalRequest(exchange: Exchange, names: readonly string[]): string {
  const [path = "", query = ""] = exchange.address.split("?", 2)
  const headers = names.map((name) => {
    const value = exchange.headers.get(name) ?? ""
    return `${name}:${value.trim().replaceAll(/ +/g, " ")}\n`
  })
  return [
    exchange.method,
    // Every service except S3 encodes the path a second time, in addition to the encoding of the address.
    path.split("/").map(encodeStrictly).join("/"),
    query.split("&").toSorted().join("&"),
    headers.join(""),
    names.join(";"),
    sha256(exchange.bodyText),
  ].join("\n")
}

/** `encodeURIComponent` does not encode five characters that RFC 3986 reserves. */
function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex")
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest()
}
