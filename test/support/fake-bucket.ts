import { isSigned } from "./s3-signature.ts"

interface StoredObject {
  readonly body: Uint8Array<ArrayBuffer>
  readonly type: string
}

/** The parts of S3 that the gateway uses: put (also in parts), get, head, list and delete, by path. */
export class FakeBucket {
  /** Objects by path: `/bucket/key`. */
  readonly objects = new Map<string, StoredObject>()
  /** Returns the code of an error with which a request is rejected; undefined: the request is answered. */
  rejects: (method: string, path: string) => string | undefined = () => undefined
  /** The secret with which requests must be signed; undefined: any. */
  secret: string | undefined
  /** Called with the headers of each request. */
  hears: (headers: Headers) => void = () => undefined
  /** Maximum number of objects in a list. */
  page = 1_000
  /** Uploads in parts that are not complete yet. */
  readonly uploads = new Map<string, Uint8Array<ArrayBuffer>[]>()

  listen(): Bun.Server<undefined> {
    return Bun.serve({
      port: 0,
      maxRequestBodySize: 1024 ** 3,
      fetch: (request) => this.#response(request),
    })
  }

  async #response(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const path = decodeURIComponent(pathname)
    this.hears(request.headers)
    const code = this.rejects(request.method, path)
    if (code !== undefined) return failure(code, 403)
    const { secret } = this
    if (secret !== undefined && !isSigned(request, await request.clone().bytes(), secret)) {
      return failure("SignatureDoesNotMatch", 403)
    }
    if (request.method === "POST") return this.#multipart(path, searchParams)
    if (request.method === "PUT") return this.#put(path, searchParams, request)
    if (request.method === "DELETE") {
      const upload = searchParams.get("uploadId")
      if (upload === null) this.objects.delete(path)
      else this.uploads.delete(upload)
      return new Response(null, { status: 204 })
    }
    if (searchParams.has("prefix")) return this.#list(path, searchParams)
    const found = this.objects.get(path)
    if (!found) return failure("NoSuchKey", 404)
    return new Response(found.body, { headers: { "content-type": found.type, etag: '"e"' } })
  }

  async #put(path: string, parameters: URLSearchParams, request: Request): Promise<Response> {
    const body = new Uint8Array(await request.arrayBuffer())
    const upload = this.uploads.get(parameters.get("uploadId") ?? "")
    if (upload) upload[Number(parameters.get("partNumber"))] = body
    else this.objects.set(path, { body, type: request.headers.get("content-type") ?? "" })
    return new Response(null, { headers: { etag: '"e"' } })
  }

  #multipart(path: string, parameters: URLSearchParams): Response {
    const id = parameters.get("uploadId")
    if (id === null) {
      const begun = crypto.randomUUID()
      this.uploads.set(begun, [])
      return xml("InitiateMultipartUploadResult", `<UploadId>${begun}</UploadId>`)
    }
    const parts = (this.uploads.get(id) ?? []).filter((part) => part !== undefined)
    this.objects.set(path, { body: new Uint8Array(Buffer.concat(parts)), type: "" })
    this.uploads.delete(id)
    return xml("CompleteMultipartUploadResult", "")
  }

  #list(bucket: string, parameters: URLSearchParams): Response {
    const prefix = `${bucket}${parameters.get("prefix")}`
    const delimiter = parameters.get("delimiter")
    const after = parameters.get("continuation-token") ?? ""
    const found = new Set<string>()
    for (const path of this.objects.keys()) {
      if (!path.startsWith(prefix)) continue
      const end = delimiter === null ? -1 : path.indexOf(delimiter, prefix.length)
      found.add((end === -1 ? path : path.slice(0, end + 1)).slice(bucket.length))
    }
    const all = [...found].toSorted().filter((key) => key > after)
    const page = all.slice(0, Math.min(this.page, Number(parameters.get("max-keys") ?? 1_000)))
    const rest = all.length > page.length
    const token = rest
      ? `<NextContinuationToken>${Bun.escapeHTML(page.at(-1) ?? "")}</NextContinuationToken>`
      : ""
    const rows = page.map((key) =>
      key.endsWith("/")
        ? `<CommonPrefixes><Prefix>${Bun.escapeHTML(key)}</Prefix></CommonPrefixes>`
        : `<Contents><Key>${Bun.escapeHTML(key)}</Key><Size>1</Size></Contents>`,
    )
    return xml("ListBucketResult", `<IsTruncated>${rest}</IsTruncated>${token}${rows.join("")}`)
  }
}

function xml(name: string, body: string, status = 200): Response {
  return new Response(`<?xml version="1.0"?><${name}>${body}</${name}>`, {
    status,
    headers: { "content-type": "application/xml" },
  })
}

function failure(code: string, status: number): Response {
  return xml("Error", `<Code>${code}</Code><Message>of the test</Message>`, status)
}
