import { expect, test } from "bun:test"
import { databasePath } from "../../src/app.ts"
import { openStore } from "../../src/store/open-store.ts"
import { provider, simulated, startGateway, type TestGateway, until } from "../support/gateway.ts"
import { sendRaw } from "./raw-caller.ts"
import { DONE, frame, startVendor, usageFrame } from "./scripted-vendor.ts"
import { CHAT, contentOf, HELLO, receiptsOf } from "./support.ts"

/** A stream that says a word and ends when it is let. */
function startPausing() {
  const end = Promise.withResolvers<void>()
  const encoder = new TextEncoder()
  const vendor = startVendor(() => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(encoder.encode(frame("Hello")))
        await end.promise
        controller.enqueue(encoder.encode(frame("", "stop") + usageFrame(10, 1) + DONE))
        controller.close()
      },
    })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
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

test("a gateway that ends takes nothing new and lets running streams finish", async () => {
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
  expect((await gateway.store.findAccount(caller.account.id))?.leased).toBe(0n)
})

test.each([false, true])(
  "a stream that outlasts the end is cut, and what was delivered is in the book (shared: %p)",
  async (isShared) => {
    const { vendor } = startPausing()
    using _ = vendor
    await using gateway = await startPaused(vendor.url, 200, isShared)
    const caller = await gateway.caller("1")
    using raw = sendRaw(gateway.url, caller.key, BODY)
    await until(() => raw.text().includes("Hello"))
    await gateway.app[Symbol.asyncDispose]()
    expect(raw.text()).not.toContain("[DONE]")
    const receipts = receiptsOf(gateway, caller)
    expect(receipts).toMatchObject([{ status: "settled", estimated: true }])
    expect(gateway.heard.map(({ name }) => name)).not.toContain("bookFailed")
    await using store = await openStore(databasePath(gateway.settings.data))
    const account = await store.findAccount(caller.account.id)
    expect(account?.leased).toBe(0n)
    expect(account?.balance).toBeLessThan(1_000_000_000n)
  },
)
