import { expect, test } from "bun:test"
import { databaseOf } from "../../../src/store/installation-database.ts"
import { sampleOf } from "../../support/exhaustive.ts"
import { createInstallation, runJson, startServing } from "../../support/process.ts"
import { type RawCaller, sendRaw } from "../raw-caller.ts"
import { DONE, frame, startVendor, usageFrame } from "../scripted-vendor.ts"
import { HELLO } from "../support.ts"
import { until } from "../../support/until.ts"

const STREAMS = 1_000
const LAUNCHERS = ["bin/tollgate", "src/main.ts"] as const

/** Starts a vendor whose streams begin at the same time and end only when all of them are open. */
function startBarrier() {
  const allOpen = Promise.withResolvers<void>()
  const encoder = new TextEncoder()
  let open = 0
  let max = 0
  const vendor = startVendor(() => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        max = Math.max(max, ++open)
        controller.enqueue(encoder.encode(frame("begun")))
        if (open === STREAMS) allOpen.resolve()
        await allOpen.promise
        controller.enqueue(encoder.encode(frame("", "stop") + usageFrame(10, 1) + DONE))
        controller.close()
        open--
      },
    })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  })
  return { vendor, max: () => max }
}

// Bun runs 256 upstream requests at a time, unless it is started with another limit.
test.each(sampleOf(LAUNCHERS, 2))(
  "1,000 streams can be open simultaneously, and all of them finish: %s",
  async (launcher) => {
    const { vendor, max } = startBarrier()
    using _ = vendor
    using installation = createInstallation(`
server: { port: 0 }
providers:
  sim: { vendor: openai-compatible, base_url: "${vendor.url}" }
models:
  sim/x: { price: { input: 1, output: 2 }, context: 1000, max_output: 100 }
`)
    const account = await runJson<{ id: string }>(
      installation,
      "account",
      "create",
      "many",
      "--credits",
      "100",
    )
    const { key } = await runJson<{ key: string }>(
      installation,
      "key",
      "create",
      "--account",
      "many",
    )
    await using serving = await startServing(installation, {}, launcher)
    const body = { model: "sim/x", messages: HELLO, stream: true, max_tokens: 10 }
    const callers: RawCaller[] = []
    try {
      for (let count = 0; count < STREAMS; count++) callers.push(sendRaw(serving.url, key, body))
      await until(() => callers.every((caller) => caller.text().includes("[DONE]")))
    } finally {
      for (const caller of callers) caller[Symbol.dispose]()
    }
    expect(max()).toBe(STREAMS)
    serving.process.kill("SIGTERM")
    expect(await serving.process.exited).toBe(0)
    await using store = await databaseOf(installation).openStore()
    const entries = await store.entries.list(account.id, 0, 2 * STREAMS)
    expect(entries.filter(({ kind }) => kind === "charge")).toHaveLength(STREAMS)
    // Each stream has ten input tokens and one output token.
    const balance = 100_000_000_000n - 12_000n * BigInt(STREAMS)
    expect((await store.accounts.find(account.id))?.balance).toBe(balance)
  },
)
