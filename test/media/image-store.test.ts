import { afterEach, beforeEach, describe, expect, setSystemTime, test } from "bun:test"
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ImageSettings } from "../../src/config/settings.ts"
import { ImageStore, BucketImageStorage } from "../../src/media/image-store.ts"
import { FolderFiles } from "../../src/store/sqlite/folder-files.ts"
import { FakeBucket } from "../support/fake-bucket.ts"
import { png } from "../support/png.ts"

let folder: string
let failures: unknown[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-images-"))
  failures = []
})

afterEach(() => {
  setSystemTime()
  rmSync(folder, { recursive: true, force: true })
})

function store(settings: Partial<ImageSettings> = {}, secret = "a secret"): ImageStore {
  return new ImageStore({
    files: new FolderFiles(join(folder, "tollgate.db"), "images"),
    secret,
    settings: () => ({ linkLifetime: 60_000, ...settings }),
    onFailure: (error) => failures.push(error),
  })
}

function partsOf(link: string): readonly [name: string, signature: string] {
  const { pathname, searchParams } = new URL(link)
  return [pathname.replace("/v1/images/files/", ""), searchParams.get("signature") ?? ""]
}

const BASE = "http://gateway"

describe("the image store of a folder", () => {
  test("returns images unchanged for the lifetime of their link", async () => {
    using images = store()
    const link = await images.keep(png(8, 8), "image/png", BASE)
    const kept = await images.open(...partsOf(link))
    expect(kept?.mediaType).toBe("image/png")
    expect(kept?.lifetime).toBeWithin(50_000, 60_001)
    expect(await new Response(kept?.body).bytes()).toEqual(png(8, 8))
  })

  test("creates links that are valid only in its own installation", async () => {
    using images = store()
    using others = store({}, "another secret")
    const link = await images.keep(png(8, 8), "image/png", BASE)
    expect(await others.open(...partsOf(link))).toBeUndefined()
  })

  test("removes images after their link has expired", async () => {
    using images = store({ linkLifetime: 1 })
    const link = await images.keep(png(8, 8), "image/png", BASE)
    setSystemTime(Date.now() + 2)
    expect(await images.open(...partsOf(link))).toBeUndefined()
    await images.sweep()
    expect(readdirSync(join(folder, "images"))).toEqual([])
    expect(failures).toEqual([])
  })

  test("removes expired images without removing valid images or other files", async () => {
    using images = store()
    await images.keep(png(8, 8), "image/jpeg", BASE)
    writeFileSync(join(folder, "images", "notes.txt"), "mine")
    await images.sweep()
    expect(readdirSync(join(folder, "images")).toSorted()).toEqual([
      expect.stringMatching(/^\d{13}-[0-9a-f]{32}\.jpg$/),
      "notes.txt",
    ])
  })

  test("removes images of an earlier process at its start", async () => {
    using before = store({ linkLifetime: 1 })
    await before.keep(png(8, 8), "image/png", BASE)
    setSystemTime(Date.now() + 2)
    using images = store()
    await images.sweep()
    expect(readdirSync(join(folder, "images"))).toEqual([])
  })

  test("creates no folder before the first image", async () => {
    using images = store()
    await images.sweep()
    expect(existsSync(join(folder, "images"))).toBeFalse()
    expect(failures).toEqual([])
  })

  for (const name of [
    "",
    "..",
    "../secrets/key-pepper",
    "1-2.png",
    `1700000000000-${"a".repeat(32)}.svg`,
  ]) {
    test(`finds nothing under the invalid name '${name}'`, async () => {
      using images = store()
      expect(await images.open(name, "0".repeat(64))).toBeUndefined()
    })
  }
})

describe("images stored in a bucket", () => {
  test("have the bucket's own links, and are removed when they expire", async () => {
    const bucket = new FakeBucket()
    using server = bucket.listen()
    const settings: ImageSettings = {
      linkLifetime: 60_000,
      bucket: {
        bucket: "shelf",
        endpoint: server.url.origin,
        region: "us-east-1",
        accessKeyId: "id",
        secretAccessKey: "secret",
      },
    }
    using images = store(settings)
    const link = await images.keep(png(8, 8), "image/png", BASE)
    expect(new URL(link).origin).toBe(server.url.origin)
    expect(link).toContain("X-Amz-Expires=60")
    expect(link).toContain("X-Amz-Signature=")
    const kept = await fetch(link)
    expect(new Uint8Array(await kept.arrayBuffer())).toEqual(png(8, 8))
    expect(kept.headers.get("content-type")).toBe("image/png")

    bucket.objects.set(`/shelf/tollgate-images/1000000000000-${"0".repeat(32)}.png`, OLD)
    await images.sweep()
    expect(failures).toEqual([])
    expect([...bucket.objects.keys()]).toEqual([new URL(link).pathname])
  })
})

describe("the image store of a bucket", () => {
  const place = { bucket: "shelf", accessKeyId: "id", secretAccessKey: "secret" }

  test("times out if the bucket never answers", async () => {
    using server = Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => {}) })
    const storage = new BucketImageStorage({ ...place, endpoint: server.url.origin }, 200)
    const storing = storage.put("name", png(8, 8), "image/png")
    expect(await storing.then(String, String)).toContain("cannot be reached")
  })

  test("accepts only the keys in the settings, and follows no redirects", async () => {
    const heard: Headers[] = []
    using server = Bun.serve({
      port: 0,
      fetch: ({ headers }) => {
        heard.push(headers)
        return Response.redirect("http://169.254.169.254/", 307)
      },
    })
    process.env["AWS_SESSION_TOKEN"] = "of something else"
    try {
      const storage = new BucketImageStorage({ ...place, endpoint: server.url.origin })
      expect(await storage.names().then(String, String)).toContain("status 307")
      expect(heard.map((headers) => headers.get("x-amz-security-token"))).toEqual([null])
    } finally {
      delete process.env["AWS_SESSION_TOKEN"]
    }
  })
})

const OLD = { body: new Uint8Array(1), type: "image/png" }
