import { expect, test } from "bun:test"
import { gunzipSync } from "node:zlib"
import { LineDeliveryError } from "../../src/sinks/destination.ts"
import { FakeBucket } from "../support/fake-bucket.ts"
import { startGateway } from "../support/gateway.ts"
import { until } from "../support/until.ts"
import { LineBucket } from "../../src/sinks/remote-destinations.ts"
import { chat, halted, linesOf, MEBIBYTE, reasons, Receiver, SECRET, storing } from "./receiver.ts"

function bucketLog(endpoint: string, more = {}) {
  const place = { bucket: "logs", endpoint, accessKeyId: "id", secretAccessKey: SECRET }
  return { log: { requests: false, queueBytes: MEBIBYTE, bucket: { ...storing(place), ...more } } }
}

test("log lines are stored in a bucket as one object per batch and one folder per hour", async () => {
  const bucket = new FakeBucket()
  bucket.secret = SECRET
  using server = bucket.listen()
  const gateway = await startGateway({ settings: bucketLog(server.url.href) })
  const ids = await chat(gateway, 2)
  await gateway[Symbol.asyncDispose]()
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "/")
  const stored = [...bucket.objects].toSorted(([one], [other]) => (one < other ? -1 : 1))
  for (const [path, { type }] of stored) {
    expect(path).toStartWith(`/logs/tollgate/a+b !/${day}/`)
    expect(path).toMatch(/\/\d\d\/\d{8}T\d{9}Z-\w{16}\.jsonl\.gz$/)
    expect(type).toBe("application/x-ndjson+gzip")
  }
  const lines = stored.flatMap(([, { body }]) => linesOf(Buffer.from(gunzipSync(body)).toString()))
  expect(lines.map(({ request }) => request)).toEqual(ids)
})

test("credentials in the environment are not used for a log bucket", async () => {
  const bucket = new FakeBucket()
  using server = bucket.listen()
  process.env["AWS_SESSION_TOKEN"] = "of something else"
  try {
    await using gateway = await startGateway({ settings: bucketLog(server.url.href) })
    let seen: Headers | undefined
    bucket.hears = (headers) => void (seen = headers)
    await chat(gateway)
    await until(() => bucket.objects.size === 1)
    expect(seen?.has("x-amz-security-token")).toBe(false)
  } finally {
    delete process.env["AWS_SESSION_TOKEN"]
  }
})

test("a log bucket that rejects lines affects no request, and no message contains its secret", async () => {
  const bucket = new FakeBucket()
  bucket.secret = "another"
  using server = bucket.listen()
  await using gateway = await startGateway({ settings: bucketLog(server.url.href) })
  await chat(gateway)
  await until(() => reasons(gateway).includes("status 403 (SignatureDoesNotMatch)"))
  expect(JSON.stringify(gateway.heard)).not.toContain(SECRET)
  gateway.app.skipDrain()
})

test("a log bucket in a private network is rejected unless the operator allows it", async () => {
  const bucket = new FakeBucket()
  using server = bucket.listen()
  const settings = bucketLog(server.url.href, { allowsPrivate: false })
  await using gateway = await startGateway({ settings })
  await chat(gateway)
  await until(() => reasons(gateway).includes('Add \\"private: true\\"'))
  expect(bucket.objects.size).toBe(0)
  gateway.app.skipDrain()
})

test.each([
  ["never answers", () => new Promise<Response>(() => {}), "it cannot be reached"],
  ["answers endlessly", () => new Response(endless(), { status: 500 }), "status 500"],
  ["stalls within its answer", () => new Response(halted(), { status: 500 }), "status 500"],
  ["redirects", () => Response.redirect("http://169.254.169.254/", 307), "status 307"],
])("a log bucket that %s is retried", async (_, response, words) => {
  using receiver = new Receiver()
  receiver.response = response
  const place = { bucket: "logs", endpoint: receiver.url, accessKeyId: "id", secretAccessKey: "k" }
  // A bucket that answers may need more time on a busy machine.
  const timeoutMs = words === "it cannot be reached" ? 200 : 5_000
  const destination = new LineBucket(storing(place), timeoutMs)
  const batch = { id: "1", since: 0, lines: ["{}"], size: 2 }
  const delivery = destination.deliver(batch, new AbortController().signal)
  const error = await delivery.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(LineDeliveryError)
  expect(String(error)).toContain(words)
})

test("the bucket's check of a signature agrees with another client", async () => {
  const bucket = new FakeBucket()
  bucket.secret = SECRET
  using server = bucket.listen()
  const keys = { accessKeyId: "id", secretAccessKey: SECRET }
  const client = new Bun.S3Client({ bucket: "logs", endpoint: server.url.href, ...keys })
  await client.write("a b", "text")
  expect([...bucket.objects.keys()]).toEqual(["/logs/a b"])
})

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(65_536)) })
}
