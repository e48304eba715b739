import { describe, expect, test } from "bun:test"
import { createServer, type Socket } from "node:net"
import { BucketError } from "../../../src/wire/bucket/bucket-error.ts"
import { Bucket, type BucketOptions } from "../../../src/wire/bucket/bucket.ts"
import { FakeBucket } from "../../support/fake-bucket.ts"

const SECRET = "canary-of-the-bucket"
const KEYS = { accessKeyId: "id", secretAccessKey: SECRET, region: "eu-central-1" }

function bucketAt(endpoint: string, options: Partial<BucketOptions> = {}): Bucket {
  const place = { bucket: "shelf", endpoint, ...KEYS }
  return new Bucket(place, { timeoutMs: 5_000, attempts: 1, pause: 1, ...options })
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text))
}

async function read(chunks: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  return Buffer.concat(await Array.fromAsync(chunks ?? [])).toString()
}

async function failureOf(step: Promise<unknown>): Promise<BucketError> {
  const error = await step.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof BucketError)) throw new Error(`no BucketError: ${String(error)}`)
  expect(String(error)).not.toContain(SECRET)
  return error
}

async function keysIn(bucket: Bucket, prefix: string, byFolder = false) {
  const pages = await Array.fromAsync(bucket.list({ prefix, byFolder }))
  return {
    keys: pages.flatMap(({ keys }) => keys),
    folders: pages.flatMap(({ folders }) => folders),
  }
}

describe("the bucket client", () => {
  const NAMES = ["plain", "a b", "a+b", "it's (here)!*", "ünï/cödé", "50%", "x=1&y=2", "q?#"]

  test.each(NAMES)("stores, returns and removes '%s'", async (key) => {
    const fake = new FakeBucket()
    fake.secret = SECRET
    using server = fake.listen()
    const bucket = bucketAt(server.url.href)
    await bucket.put(key, bytes("text"), { type: "text/plain" })
    expect([...fake.objects]).toEqual([
      [`/shelf/${key}`, { body: bytes("text"), type: "text/plain" }],
    ])
    expect(await bucket.size(key)).toBe(4)
    expect(await read(await bucket.get(key))).toBe("text")
    await bucket.remove(key)
    expect(await bucket.size(key)).toBeUndefined()
    expect(await bucket.get(key)).toBeUndefined()
  })

  test("lists objects page by page and folder by folder", async () => {
    const fake = new FakeBucket()
    fake.secret = SECRET
    fake.page = 2
    using server = fake.listen()
    const bucket = bucketAt(server.url.href)
    const names = ["a/1", "a/2", "a/b&c/3", "a/b&c/<4>", "a/d/5", "z"]
    for (const name of names) await bucket.put(name, bytes(name))
    expect((await keysIn(bucket, "a/")).keys).toEqual(names.slice(0, 5))
    expect(await keysIn(bucket, "a/", true)).toEqual({
      keys: ["a/1", "a/2"],
      folders: ["a/b&c/", "a/d/"],
    })
    expect(await keysIn(bucket, "nothing/")).toEqual({ keys: [], folders: [] })
  })

  test("writes an object in parts in any order, or aborts the parts", async () => {
    const fake = new FakeBucket()
    fake.secret = SECRET
    using server = fake.listen()
    const bucket = bucketAt(server.url.href)
    const upload = await bucket.beginUpload("large")
    await bucket.putPart(upload, 2, bytes("two"))
    await bucket.putPart(upload, 1, bytes("one"))
    expect(await bucket.size("large")).toBeUndefined()
    await bucket.endUpload(upload)
    expect(await read(await bucket.get("large"))).toBe("onetwo")
    const other = await bucket.beginUpload("other")
    await bucket.putPart(other, 1, bytes("one"))
    await bucket.abortUpload(other)
    expect([fake.uploads.size, fake.objects.size]).toEqual([0, 1])
  })

  test("creates links that can be used without keys", async () => {
    const fake = new FakeBucket()
    using server = fake.listen()
    const bucket = bucketAt(server.url.href)
    await bucket.put("a b", bytes("text"))
    const link = await bucket.link("a b", 60)
    expect(new URL(link).pathname).toBe("/shelf/a%20b")
    const other = new Bun.S3Client({ bucket: "shelf", endpoint: server.url.origin, ...KEYS })
    const names = (address: string) => [...new URL(address).searchParams.keys()].toSorted()
    expect(names(link)).toEqual(names(other.presign("a b", { expiresIn: 60 })))
    expect(await (await fetch(link)).text()).toBe("text")
  })

  test("uses only its own keys, regardless of the environment", async () => {
    const fake = new FakeBucket()
    const heard: Headers[] = []
    fake.hears = (headers) => void heard.push(headers)
    using server = fake.listen()
    process.env["AWS_SESSION_TOKEN"] = "of something else"
    try {
      await bucketAt(server.url.href).put("key", bytes("text"))
    } finally {
      delete process.env["AWS_SESSION_TOKEN"]
    }
    const place = { bucket: "shelf", endpoint: server.url.href, ...KEYS, sessionToken: "own" }
    await new Bucket(place, { timeoutMs: 5_000, attempts: 1 }).put("key", bytes("text"))
    expect(heard.map((headers) => headers.get("x-amz-security-token"))).toEqual([null, "own"])
    expect(heard[0]?.get("authorization")).toContain("/eu-central-1/s3/aws4_request")
  })
})

/** The operations of a bucket, by name. */
const STEPS: Record<string, (bucket: Bucket) => Promise<unknown>> = {
  put: (bucket) => bucket.put("key", bytes("text")),
  get: async (bucket) => read(await bucket.get("key")),
  size: (bucket) => bucket.size("key"),
  list: (bucket) => keysIn(bucket, ""),
  remove: (bucket) => bucket.remove("key"),
  begin: (bucket) => bucket.beginUpload("key"),
  part: (bucket) => bucket.putPart({ key: "key", id: "1", tags: [] }, 1, bytes("text")),
}

describe.each(Object.keys(STEPS))("the bucket client on failures of %s", (name) => {
  const step = (bucket: Bucket): Promise<unknown> => STEPS[name]?.(bucket) ?? Promise.resolve()

  test("times out if the bucket never responds", async () => {
    using server = Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => {}) })
    const { message, status } = await failureOf(step(bucketAt(server.url.href, { timeoutMs: 200 })))
    expect([message, status]).toEqual(["it cannot be reached", undefined])
  })

  test("does not follow a redirect", async () => {
    let asked = 0
    using other = Bun.serve({ port: 0, fetch: () => new Response(`${++asked}`) })
    using server = Bun.serve({ port: 0, fetch: () => Response.redirect(other.url.href, 307) })
    const error = await failureOf(step(bucketAt(server.url.href)))
    expect([error.message, asked]).toEqual(["it answered with status 307", 0])
  })

  test("reports the error code of a rejection", async () => {
    const fake = new FakeBucket()
    fake.rejects = () => "AccessDenied"
    using server = fake.listen()
    const { status, message } = await failureOf(step(bucketAt(server.url.href, { attempts: 3 })))
    expect(status).toBe(403)
    // The response to HEAD has no body, so only its status is known.
    expect(message).toContain(name === "size" ? "403" : "403 (AccessDenied)")
  })

  test("retries temporary failures, and fails if they continue", async () => {
    const fake = new FakeBucket()
    fake.objects.set("/shelf/key", { body: bytes("text"), type: "" })
    let failing = 2
    const inner = fake.listen()
    let asked = 0
    using server = Bun.serve({
      port: 0,
      fetch: (request) => {
        asked++
        if (failing-- > 0) return new Response("<Code>SlowDown</Code>", { status: 503 })
        return fetch(
          new URL(new URL(request.url).pathname + new URL(request.url).search, inner.url),
          {
            method: request.method,
            headers: request.headers,
            ...(request.body && { body: request.body }),
          },
        )
      },
    })
    await step(bucketAt(server.url.href, { attempts: 3 }))
    failing = 100
    asked = 0
    const { status } = await failureOf(step(bucketAt(server.url.href, { attempts: 3 })))
    expect([status, asked]).toEqual([503, 3])
    await inner.stop(true)
  })

  test("fails if the connection breaks", async () => {
    await using cut = await cutting("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n<Key>half")
    // These operations use only the status, so their responses are complete.
    const isDone = ["put", "size", "remove", "part"].includes(name)
    if (isDone) await step(bucketAt(cut.url))
    else expect((await failureOf(step(bucketAt(cut.url)))).message).toContain("cut off")
    await using silent = await cutting("")
    expect((await failureOf(step(bucketAt(silent.url)))).message).toBe("it cannot be reached")
  })
})

/** Starts a server that sends some bytes and closes the connection. */
async function cutting(response: string) {
  const server = createServer((socket: Socket) => {
    socket.on("error", () => undefined)
    socket.once("data", () => socket.end(response))
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, "127.0.0.1", resolve)
  await promise
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

describe("the bucket client's transfer of an object", () => {
  test("times out if the transfer stalls", async () => {
    const halted = () =>
      new ReadableStream({
        start: (stream) => stream.enqueue(new Uint8Array(10)),
        pull: () => new Promise(() => {}),
      })
    using server = Bun.serve({ port: 0, fetch: () => new Response(halted()) })
    const bucket = bucketAt(server.url.href, { timeoutMs: 3_000 })
    const error = await failureOf(bucket.get("key").then(read))
    expect(error.message).toContain("cut off")
  })

  test("can take longer than the timeout while it makes progress", async () => {
    const slow = () =>
      new ReadableStream({
        async start(stream) {
          for (let chunk = 0; chunk < 8; chunk++) {
            stream.enqueue(bytes("x"))
            await Bun.sleep(500)
          }
          stream.close()
        },
      })
    using server = Bun.serve({ port: 0, fetch: () => new Response(slow()) })
    const bucket = bucketAt(server.url.href, { timeoutMs: 3_000 })
    expect(await read(await bucket.get("key"))).toBe("xxxxxxxx")
  })

  test("completes even if its reader is slow", async () => {
    const fake = new FakeBucket()
    fake.objects.set("/shelf/key", { body: new Uint8Array(5_000_000), type: "" })
    using server = fake.listen()
    const bucket = bucketAt(server.url.href, { timeoutMs: 3_000 })
    let length = 0
    for await (const chunk of (await bucket.get("key")) ?? []) {
      if (length === 0) await Bun.sleep(3_500)
      length += chunk.length
    }
    expect(length).toBe(5_000_000)
  })

  test("reports a missing bucket with its own error", async () => {
    const response = () => new Response("<Code>NoSuchBucket</Code>", { status: 404 })
    using server = Bun.serve({ port: 0, fetch: response })
    const error = await failureOf(bucketAt(server.url.href).get("key"))
    expect(error.code).toBe("NoSuchBucket")
  })
})

test("a large upload to a bucket can take longer than the timeout, but a stalled upload times out", async () => {
  const end = Promise.withResolvers<void>()
  const response = async () => {
    await end.promise
    return new Response()
  }
  using server = Bun.serve({ port: 0, fetch: response })
  const bucket = bucketAt(server.url.href, { timeoutMs: 100 })
  let isOver = false
  const large = bucket.put("key", new Uint8Array(64_000)).finally(() => {
    isOver = true
  })
  await failureOf(bucket.put("key", bytes("small")))
  expect(isOver).toBe(false)
  end.resolve()
  await large
})

test("the bucket client lists only the keys that were requested", async () => {
  const text = "<Contents><Key>mine/1</Key></Contents><Contents><Key>other</Key></Contents>"
  using server = Bun.serve({ port: 0, fetch: () => new Response(text) })
  expect((await keysIn(bucketAt(server.url.href), "mine/")).keys).toEqual(["mine/1"])
})

test("the bucket client stops reading an endless list", async () => {
  const endless = () =>
    new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(65_536).fill(32)) })
  using server = Bun.serve({ port: 0, fetch: () => new Response(endless()) })
  const error = await failureOf(keysIn(bucketAt(server.url.href), ""))
  expect(error.message).toContain("does not end")
})

test("the bucket client reports parts of an upload that the bucket could not join", async () => {
  const text = "<Error><Code>InternalError</Code></Error>"
  using server = Bun.serve({ port: 0, fetch: () => new Response(text) })
  const upload = { key: "key", id: "1", tags: ["a"] }
  const error = await failureOf(bucketAt(server.url.href).endUpload(upload))
  expect(error.code).toBe("InternalError")
})

test("the bucket client rejects private addresses unless they are allowed", async () => {
  const fake = new FakeBucket()
  using server = fake.listen()
  const bucket = bucketAt(server.url.href, { allowsPrivate: false, attempts: 3 })
  const error = await failureOf(bucket.put("key", bytes("text")))
  expect([error.isAddressRejected, fake.objects.size]).toEqual([true, 0])
})
