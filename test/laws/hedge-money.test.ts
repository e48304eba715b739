import { expect, spyOn, test } from "bun:test"
import * as fc from "fast-check"
import { Load } from "../../src/routing/loads.ts"
import { provider, SHORT_TIMEOUTS, startGateway } from "../support/gateway.ts"
import { until } from "../support/until.ts"
import { lateSoon, normally, pair } from "../relay/pipeline/hedge-world.ts"
import { frame, startVendor, streamed } from "../relay/scripted-vendor.ts"
import {
  CHAT,
  contentOf,
  creditsOf,
  keptReceiptOf,
  nanocredits,
  nothingHeld,
  receiptsOf,
} from "../relay/support.ts"

type Ending = "ok" | "failed" | "rejected" | "broken" | "silent"

/** How a vendor reacts to a request. */
interface Behaviour {
  /** Milliseconds until the vendor reacts. */
  readonly after: number
  readonly ending: Ending
}

interface Case {
  readonly first: Behaviour
  readonly second: Behaviour
  readonly stream: boolean
  /** The time at which the caller disconnects, in milliseconds; null: never. */
  readonly leaves: number | null
}

const endings: readonly Ending[] = ["ok", "ok", "failed", "rejected", "broken", "silent"]
const behaviour = fc.record({
  after: fc.integer({ min: 0, max: 120 }),
  ending: fc.constantFrom(...endings),
})
const cases = fc.record({
  first: behaviour,
  second: behaviour,
  stream: fc.boolean(),
  leaves: fc.option(fc.integer({ min: 0, max: 200 })),
})

/** Starts a vendor whose behavior is given in the prompt. It counts open requests. */
function startObedient(name: "first" | "second") {
  let open = 0
  const vendor = startVendor(async (request, number) => {
    const body = vendor.bodies[number - 1] ?? {}
    open++
    const closed = Promise.withResolvers<void>()
    request.signal.addEventListener("abort", () => closed.resolve())
    const { ending, after } = behaviourIn(body, name)
    const isClosed = closed.promise.then(() => true)
    try {
      await Promise.race([ending === "silent" ? isClosed : Bun.sleep(after), isClosed])
    } finally {
      open--
    }
    if (ending === "failed") return Response.json({ error: { message: "no" } }, { status: 500 })
    if (ending === "rejected") return Response.json({ error: { message: "no" } }, { status: 400 })
    if (ending === "ok") return normally(body)
    return body["stream"] === true ? streamed([frame("Hel")]) : new Response("{")
  })
  return { vendor, open: () => open }
}

function behaviourIn(body: Record<string, unknown>, name: "first" | "second"): Behaviour {
  const [message] = body["messages"] as { content: string }[]
  return (JSON.parse(message?.content ?? "") as Case)[name]
}

/** The price in nanocredits of ten input tokens and one output token. */
const PRICE = 12_000n
const CASES = 40

test("only one of two hedged attempts is charged, only once, and no hold remains", async () => {
  using late = lateSoon()
  using begun = spyOn(Load.prototype, "begin")
  using ended = spyOn(Load.prototype, "end")
  const all = fc.sample(cases, { numRuns: CASES, seed: 61 })
  const first = startObedient("first")
  const second = startObedient("second")
  using firstVendor = first.vendor
  using secondVendor = second.vendor
  await using gateway = await startGateway({
    providers: { first: provider(firstVendor.url), second: provider(secondVendor.url) },
    // Each request has its own model, so that a failure does not affect the routes of other requests.
    models: Object.fromEntries(all.map((_, index) => [`first/${index}`, pair(String(index))])),
    // The gateway waits for silent providers although their callers have disconnected.
    settings: { timeouts: SHORT_TIMEOUTS },
  })
  const caller = await gateway.caller("10")
  const ask = async (one: Case, index: number): Promise<void> => {
    const { stream, leaves } = one
    const isSilent = one.first.ending === "silent" || one.second.ending === "silent"
    const timeoutMs = leaves ?? (isSilent ? 1_500 : 15_000)
    const body = {
      model: `first/${index}`,
      messages: [{ role: "user", content: JSON.stringify(one) }],
      stream,
    }
    const response = await fetch(`${gateway.url}${CHAT}`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(() => undefined)
    const text = await response?.text().catch(() => undefined)
    if (response === undefined || text === undefined) return
    const id = response.headers.get("x-request-id") ?? ""
    await until(() => keptReceiptOf(gateway, id) !== undefined)
    const receipt = keptReceiptOf(gateway, id)
    const cost = nanocredits(receipt?.cost ?? "0")
    const oks = receipt?.attempts.filter(({ outcome }) => outcome === "ok") ?? []
    if (response.status !== 200) {
      expect(cost).toBe(0n)
      expect(oks).toEqual([])
    } else if (!stream || text.includes("[DONE]")) {
      if (stream) expect(contentOf(text)).toBe("Hello")
      expect(cost).toBe(PRICE)
      expect(oks.map(({ deployment }) => deployment)).toEqual([receipt?.deployment ?? ""])
    }
    expect(receipt?.attempts.length).toBeLessThanOrEqual(2)
    const winner = receipt?.attempts.find(({ deployment }) => deployment === receipt.deployment)
    expect(winner?.provider_cost).toBeUndefined()
  }
  await Promise.all(all.map(ask))
  await nothingHeld(caller)
  await until(() => ended.mock.calls.length === begun.mock.calls.length)
  await until(() => first.open() + second.open() === 0)
  const receipts = receiptsOf(gateway, caller)
  const charged = receipts.reduce((sum, { cost }) => sum + nanocredits(cost), 0n)
  const { balance } = await creditsOf(caller)
  expect(nanocredits(balance)).toBe(10_000_000_000n - charged)
  // A request whose caller disconnects immediately may not reach the gateway.
  expect(receipts.length).toBeLessThanOrEqual(CASES)
  const hedged = receipts.filter(({ attempts }) =>
    attempts.some(({ outcome }) => outcome === "not_needed"),
  )
  expect(hedged.length).toBeGreaterThan(5)
  expect(late).toHaveBeenCalled()
})
