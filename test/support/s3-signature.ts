import { createHash, createHmac } from "node:crypto"

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=[^/]+\/(?<scope>[^,]+), ?SignedHeaders=(?<names>[^,]+), ?Signature=(?<signature>\w+)$/

const UNSIGNED = "UNSIGNED-PAYLOAD"

/** Whether a request to a bucket, including its body, has a valid AWS signature. */
export function isSigned(request: Request, body: Uint8Array, secret: string): boolean {
  const { headers, method, url } = request
  const { scope, names, signature } =
    AUTHORIZATION.exec(headers.get("authorization") ?? "")?.groups ?? {}
  if (scope === undefined || names === undefined) return false
  const digest = headers.get("x-amz-content-sha256")
  if (digest !== UNSIGNED && digest !== sha256(body)) return false
  const { pathname, search } = new URL(url)
  const signed = names.split(";").map((name) => `${name}:${headers.get(name)}\n`)
  const path = pathname.split("/").map(encodeStrictly).join("/")
  const canonical = [method, path, search.slice(1), signed.join(""), names, digest].join("\n")
  const text = ["AWS4-HMAC-SHA256", headers.get("x-amz-date"), scope, sha256(canonical)].join("\n")
  let key: string | Buffer = `AWS4${secret}`
  for (const part of scope.split("/")) key = hmac(key, part)
  return hmac(key, text).toString("hex") === signature
}

/** `encodeURIComponent` does not encode five characters that Amazon requires to be encoded. */
function encodeStrictly(text: string): string {
  return encodeURIComponent(decodeURIComponent(text)).replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex")
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest()
}
