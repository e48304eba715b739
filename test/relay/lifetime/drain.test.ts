import { expect, test } from "bun:test"
import { databaseOf } from "../../../src/store/installation-database.ts"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { connectTo, sendRaw } from "../raw-caller.ts"
import { DONE, helloUntil, startVendor } from "../scripted-vendor.ts"
import { CHAT, contentOf, errorOf, HELLO, receiptsOf, streamErrorOf } from "../support.ts"
import { until } from "../../support/until.ts"

/** Starts a vendor whose stream sends a word, and ends when the test allows it. */
function startPausing() {
  const end = Promise.withResolvers<void>()
  const vendor = startVendor(() => {
    return helloUntil(end.promise)
  })
  return { vendor, end: () => end.resolve() }
}

async function startPaused(
  vendorUrl: string,
  drainTime: number,
  isShared = false,
): Promise<TestGateway> {
  return startGateway({
    drainTime,
    isShared,
    providers: { pausing: provider(vendorUrl) },
    models: { "pausing/x": simulated() },
  })
}

const BODY = { model: "pausing/x", messages: HELLO, stream: true }

test("a gateway that shuts down rejects new requests and lets running streams complete", async () => {
  const { vendor, end } = startPausing()
  using _ = vendor
  await using gateway = await startPaused(vendor.url, 10_000)
  const caller = await gateway.caller("1")
  const running = await caller.post(CHAT, BODY)
  const ended = gateway.app[Symbol.asyncDispose]()
  await until(() =>
    fetch(`${gateway.url}/healthz`, { keepalive: false }).then(
      () => false,
      () => true,
    ),
  )
  end()
  const text = await running.text()
  expect(contentOf(text)).toBe("Hello")
  expect(text).toEndWith(DONE)
  await ended
  expect(receiptsOf(gateway, caller)).toMatchObject([{ status: "settled", estimated: false }])
  expect((await gateway.store.accounts.find(caller.account.id))?.leased).toBe(0n)
})

test.each([false, true])(
  "a stream that outlasts the shutdown is cut off, and the delivered part is charged (shared: %p)",
  async (isShared) => {
    const { vendor } = startPausing()
    using _ = vendor
    await using gateway = await startPaused(vendor.url, 200, isShared)
    const caller = await gateway.caller("1")
    using raw = sendRaw(gateway.url, caller.key, BODY)
    await until(() => raw.text().includes("Hello"))
    await gateway.app[Symbol.asyncDispose]()
    await until(() => raw.text().endsWith(LAST_CHUNK))
    expect(streamErrorOf(bodyOf(raw.text()))).toMatchObject({ code: "overloaded" })
    const receipts = receiptsOf(gateway, caller)
    expect(receipts).toMatchObject([{ status: "settled", estimated: true }])
    expect(gateway.heard.map(({ name }) => name)).not.toContain("ledgerFailed")
    await using store = await databaseOf(gateway.settings).openStore()
    const account = await store.accounts.find(caller.account.id)
    expect(account?.leased).toBe(0n)
    expect(account?.balance).toBeLessThan(1_000_000_000n)
  },
)

/** The last chunk of a complete response. It may be read shortly after the gateway has ended. */
const LAST_CHUNK = "\r\n0\r\n\r\n"

/** Returns the body of a chunked response without the sizes of the chunks. */
function bodyOf(answer: string): string {
  const body = answer.slice(answer.indexOf("\r\n\r\n") + 4)
  return body.replace(/\r\n0\r\n\r\n$/, "").replace(/(^|\r\n)[0-9a-f]+\r\n/g, "")
}

const OTHER_DIALECTS = [
  {
    path: "/v1/messages",
    body: { model: "pausing/x", messages: HELLO, stream: true, max_tokens: 50 },
    ending: /event: error\ndata: (\{"type":"error","error":\{"type":"overloaded_error".*\})\n\n$/,
  },
  {
    path: "/v1/responses",
    body: { model: "pausing/x", input: "Hello", stream: true },
    ending: /event: response\.failed\ndata: (\{.*"status":"failed".*\})\n\n$/,
  },
  {
    path: "/v1beta/models/pausing/x:streamGenerateContent?alt=sse",
    body: { contents: [{ role: "user", parts: [{ text: "Hello there" }] }] },
    ending: /data: (\{"error":\{"code":503,.*"status":"UNAVAILABLE".*\})\s+$/,
  },
]

for (const { path, body, ending } of OTHER_DIALECTS) {
  test(`a stream that is cut off ends with the dialect's own error event: ${path}`, async () => {
    const { vendor } = startPausing()
    using _ = vendor
    await using gateway = await startPaused(vendor.url, 100)
    const caller = await gateway.caller("1")
    using raw = sendRaw(gateway.url, caller.key, body, path)
    await until(() => raw.text().includes("Hello"))
    await gateway.app[Symbol.asyncDispose]()
    await until(() => raw.text().endsWith(LAST_CHUNK))
    const [, event = "{}"] = ending.exec(bodyOf(raw.text())) ?? []
    expect(JSON.stringify(JSON.parse(event))).toContain("shutting down")
    expect(receiptsOf(gateway, caller)).toMatchObject([{ status: "settled", estimated: true }])
  })
}

test("a whole response that outlasts the shutdown becomes a retryable error, free of charge", async () => {
  const silence = Promise.withResolvers<Response>()
  const asked = Promise.withResolvers<void>()
  using vendor = startVendor(() => {
    asked.resolve()
    return silence.promise
  })
  await using gateway = await startPaused(vendor.url, 100)
  const caller = await gateway.caller("1")
  const answer = caller.post(CHAT, { ...BODY, stream: false })
  await asked.promise
  await gateway.app[Symbol.asyncDispose]()
  const response = await answer
  expect(response.headers.get("x-should-retry")).toBe("true")
  expect(await errorOf(response)).toMatchObject({ status: 503, code: "overloaded" })
  expect(receiptsOf(gateway, caller)).toMatchObject([{ status: "released" }])
  expect(gateway.heard.map(({ name }) => name)).not.toContain("attemptFailed")
  silence.resolve(new Response())
})

test("speech that outlasts the shutdown is cut off in a way that clients can detect", async () => {
  using vendor = startVendor(
    () =>
      new Response(
        new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(new Uint8Array(4_096).fill(65))
            controller.enqueue(new Uint8Array(4_096).fill(65))
          },
        }),
        { headers: { "content-type": "audio/mpeg" } },
      ),
  )
  await using gateway = await startGateway({
    drainTime: 100,
    providers: { pausing: provider(vendor.url, "openai") },
    models: { "pausing/voice": { kind: "speech", price: { character: "1" } } },
  })
  const caller = await gateway.caller("1")
  const body = { model: "pausing/voice", input: "Hello there", voice: "alloy" }
  using raw = sendRaw(gateway.url, caller.key, body, "/v1/audio/speech")
  await until(() => raw.text().includes("AAAA"))
  await gateway.app[Symbol.asyncDispose]()
  await until(() => raw.socket.closed)
  expect(raw.text()).not.toEndWith(LAST_CHUNK)
  expect(receiptsOf(gateway, caller)).toMatchObject([{ status: "settled" }])
})

test("a gateway that drains is not ready and refuses connections, and a second signal ends all streams", async () => {
  const { vendor } = startPausing()
  using _ = vendor
  await using gateway = await startPaused(vendor.url, 60_000)
  const caller = await gateway.caller("1")
  const idle = connectTo(gateway.url)
  await until(() => !idle.socket.connecting)
  using raw = sendRaw(gateway.url, caller.key, BODY)
  await until(() => raw.text().includes("Hello"))
  // Idle connections are closed immediately, so this connection begins a request first.
  idle.socket.write("GET /readyz HTTP/1.1\r\n")
  await fetch(`${gateway.url}/healthz`)
  const ended = gateway.app[Symbol.asyncDispose]()
  idle.socket.write("host: gateway\r\n\r\n")
  await until(() => idle.text().includes("draining"))
  expect(idle.text()).toStartWith("HTTP/1.1 503")
  const refused = fetch(`${gateway.url}/healthz`, { keepalive: false })
  expect(await refused.catch(() => "refused")).toBe("refused")
  gateway.app.skipDrain()
  await ended
  await until(() => raw.text().endsWith(LAST_CHUNK))
  expect(streamErrorOf(bodyOf(raw.text()))).toMatchObject({ code: "overloaded" })
  idle.socket.destroy()
})

test("an upload that began before the shutdown is accepted and gets its response", async () => {
  await using gateway = await startGateway({ drainTime: 60_000 })
  const caller = await gateway.caller("1")
  const body = JSON.stringify({ model: "sim/echo", messages: HELLO })
  using raw = connectTo(gateway.url)
  const head = [
    `POST ${CHAT} HTTP/1.1`,
    "host: gateway",
    `authorization: Bearer ${caller.key}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
  ].join("\r\n")
  raw.socket.write(`${head}\r\n\r\n${body.slice(0, 10)}`)
  // This connection is accepted after the connection of the upload, which was opened earlier.
  await until(() => !raw.socket.connecting)
  await fetch(`${gateway.url}/healthz`, { keepalive: false })
  const ended = gateway.app[Symbol.asyncDispose]()
  raw.socket.write(body.slice(10))
  await ended
  await until(() => raw.text() !== "")
  expect(raw.text()).toStartWith("HTTP/1.1 200")
  expect(receiptsOf(gateway, caller)).toMatchObject([{ status: "settled" }])
})
