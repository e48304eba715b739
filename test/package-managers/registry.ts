/** Matches the packages of this repository that are never published. */
const PRIVATE = /^(@tollgate|tollgate-)/

/** A registry on this machine. It serves the package `tollgate` itself and passes all other requests on. */
export interface Registry extends AsyncDisposable {
  readonly url: string
  /**
   * Requested names of packages that are never published. Each of these requests would permit a dependency confusion
   * attack.
   */
  readonly privateRequests: readonly string[]
}

interface Published {
  readonly document: Metadata
  readonly tarball: Buffer<ArrayBuffer>
}

interface Metadata {
  readonly "dist-tags": Readonly<Record<string, string>>
  readonly versions: Readonly<Record<string, { readonly dist: { tarball: string } }>>
}

/** The document that `npm publish` sends. */
interface Publication extends Metadata {
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>
}

/** @param upstream the registry that contains the dependencies. */
export function startRegistry(upstream: string): Registry {
  const published = new Map<string, Published>()
  const privateRequests: string[] = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    maxRequestBodySize: 64e6,
    async fetch(request): Promise<Response> {
      const { pathname, origin } = new URL(request.url)
      const path = decodeURIComponent(pathname.slice(1))
      const [name = "", file] = path.split("/-/")
      if (request.method === "PUT") {
        published.set(name, readPublication((await request.json()) as Publication, origin))
        return Response.json({ ok: true }, { status: 201 })
      }
      const [named = "", version] = name.split("/")
      const own = published.get(named)
      if (own !== undefined) return answer(own, file, version)
      if (PRIVATE.test(path)) privateRequests.push(path)
      if (PRIVATE.test(path) || request.method !== "GET") return notFound()
      return passOn(request, upstream, origin)
    },
  })
  return {
    url: server.url.origin,
    privateRequests,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/** pnpm requests the document of a single version, such as `tollgate/latest`. */
function answer({ document, tarball }: Published, file?: string, version?: string): Response {
  if (file !== undefined) return new Response(tarball)
  if (version === undefined) return Response.json(document)
  return Response.json(document.versions[document["dist-tags"][version] ?? version])
}

function readPublication(document: Publication, origin: string): Published {
  const { _attachments: attachments, ...metadata } = document
  for (const { dist } of Object.values(metadata.versions)) {
    dist.tarball = `${origin}${new URL(dist.tarball).pathname}`
  }
  const tarball = Object.values(attachments)[0]?.data ?? ""
  return { document: metadata, tarball: Buffer.from(tarball, "base64") }
}

/** Passes a request on. Links to tarballs are rewritten, so that package managers use only this registry. */
async function passOn(request: Request, upstream: string, origin: string): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const accept = request.headers.get("accept") ?? "*/*"
  const response = await fetch(`${upstream}${pathname}${search}`, { headers: { accept } })
  const type = response.headers.get("content-type") ?? "application/octet-stream"
  if (!type.includes("json")) {
    return new Response(response.body, {
      status: response.status,
      headers: { "content-type": type },
    })
  }
  const text = (await response.text()).replaceAll(`${upstream}/`, `${origin}/`)
  return new Response(text, { status: response.status, headers: { "content-type": type } })
}

function notFound(): Response {
  return Response.json({ error: "not found" }, { status: 404 })
}
