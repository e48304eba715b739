import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { findConsole } from "../../src/http/console/console-files.ts"
import { ConsolePages } from "../../src/http/console/serve-console.ts"

const PAGE = "<!doctype html><title>console</title>"
const SCRIPT = "console.log('the console')"

let folder: string
let server: Bun.Server<undefined>

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-console-"))
  const dist = join(folder, "dist")
  mkdirSync(join(dist, "assets"), { recursive: true })
  writeFileSync(join(dist, "index.html"), PAGE)
  writeFileSync(join(dist, "index.html.gz"), gzipSync(PAGE))
  writeFileSync(join(dist, "assets", "main-a1.js"), SCRIPT)
  writeFileSync(join(dist, "assets", "main-a1.js.gz"), gzipSync(SCRIPT))
  writeFileSync(join(folder, "secret.txt"), "not to be seen")
  const pages = new ConsolePages({ find: () => findConsole(dist) })
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => pages.respond(request),
  })
})

afterAll(async () => {
  await server.stop(true)
  rmSync(folder, { recursive: true, force: true })
})

/** Requests a path without compression, which `fetch` would request by default. */
function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.url.origin}${path}`, {
    headers: { "accept-encoding": "identity", ...headers },
  })
}

describe("the console file server", () => {
  test("sends pages with a security policy, and requires browsers to revalidate them", async () => {
    const response = await get("/console/")
    expect(await response.text()).toBe(PAGE)
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8")
    const policy = response.headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'; script-src 'self'; ")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(response.headers.get("x-content-type-options")).toBe("nosniff")
    expect(response.headers.get("referrer-policy")).toBe("no-referrer")
    expect(response.headers.get("cache-control")).toBe("no-cache")
  })

  test("returns 304 for an unchanged page", async () => {
    const first = await get("/console/")
    const tag = first.headers.get("etag") ?? ""
    expect(tag).toMatch(/^"\w+"$/)
    await first.body?.cancel()
    const again = await get("/console/", { "if-none-match": `"other", W/${tag}` })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe("")
  })

  test("allows permanent caching of files with a hash in their name", async () => {
    const response = await get("/console/assets/main-a1.js")
    expect(await response.text()).toBe(SCRIPT)
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
    expect(response.headers.get("cache-control")).toContain("immutable")
  })

  test.each([
    ["br, gzip", "gzip"],
    ["gzip;q=0.5, deflate", "gzip"],
    ["gzip;q=0, br", null],
    ["identity", null],
  ])("compresses files for a browser that accepts gzip: %s", async (accepted, encoding) => {
    const response = await get("/console/assets/main-a1.js", { "accept-encoding": accepted })
    expect(response.headers.get("content-encoding")).toBe(encoding)
    expect(response.headers.get("vary")).toBe("accept-encoding")
    expect(await response.text()).toBe(SCRIPT)
  })

  test("sends the app's page for unknown paths, and status 404 for missing assets", async () => {
    for (const path of ["/console/keys", "/console/models/openai/gpt-5.2", "/console/%ZZ"]) {
      expect(await (await get(path)).text()).toBe(PAGE)
    }
    const gone = await get("/console/assets/main-b2.js")
    expect(gone.status).toBe(404)
    expect(gone.headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(gone.headers.get("x-content-type-options")).toBe("nosniff")
    await gone.body?.cancel()
  })

  test("never reads files outside its folder", async () => {
    for (const path of [
      "/console/..%2fsecret.txt",
      "/console/%2e%2e/secret.txt",
      "/console/assets/..%2f..%2fsecret.txt",
      "/console/..\\secret.txt",
      "/console//etc/passwd",
      "/console/index.html%00.txt",
    ]) {
      expect(await (await get(path)).text()).not.toContain("not to be seen")
    }
  })

  test("sends no body for HEAD, and rejects POST", async () => {
    const url = `${server.url.origin}/console/`
    const head = await fetch(url, { method: "HEAD" })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe("")
    const post = await fetch(url, { method: "POST", body: "x" })
    expect(post.status).toBe(405)
    expect(post.headers.get("allow")).toBe("GET, HEAD")
    await post.body?.cancel()
  })

  test("serves a new build without a restart, and shows an explanation if there is no build", async () => {
    const later = join(folder, "later")
    const pages = new ConsolePages({ find: () => findConsole(later) })
    const request = new Request("http://127.0.0.1/console/")
    const before = await pages.respond(request)
    expect(before.status).toBe(503)
    expect(await before.text()).toContain("npm run build:console")
    mkdirSync(later)
    for (const built of [PAGE, `${PAGE} again`]) {
      writeFileSync(join(later, "index.html"), built)
      utimesSync(join(later, "index.html"), 1, built.length)
      expect(await (await pages.respond(request)).text()).toBe(built)
    }
  })
})
