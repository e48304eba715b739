import { describe, expect, test } from "bun:test"
import { generateKeyPairSync } from "node:crypto"
import builtIn from "../../src/catalog/facts.json"
import { publicText, writeFeed } from "../../src/catalog/prices/feed.ts"
import type { PriceListSettings } from "../../src/config/sections/price-list.ts"
import type { PriceNews } from "../../src/telemetry/events.ts"
import { ask, asked, errorOf, startManaged } from "../http/admin/support.ts"
import { provider, simulated, type TestGateway } from "../support/gateway.ts"
import { startReceiver } from "../notices/receiver.ts"
import { until } from "../support/until.ts"

const { privateKey } = generateKeyPairSync("ed25519")
const KEYS = [publicText(privateKey)]
const PACE_MS = 20
const TOMORROW = new Date(Date.parse(builtIn.date) + 86_400_000).toISOString().slice(0, 10)

type Price = Record<string, unknown>

/** Returns a price list that changes the given OpenAI models. */
function feed(models: Record<string, Price | null>, date = TOMORROW): string {
  const openai: Record<string, unknown> = { ...builtIn.vendors.openai }
  for (const [name, price] of Object.entries(models)) {
    if (price === null) delete openai[name]
    else openai[name] = { kind: "chat", context: 1_000, max_output: 100, price }
  }
  return writeFeed(
    JSON.stringify({ ...builtIn, date, vendors: { ...builtIn.vendors, openai } }),
    privateKey,
  )
}

/**
 * A server that sends each price list once, because reading a list takes ten times as long as a failed download. At all
 * other times it is unavailable.
 */
class PriceListServer implements Disposable {
  #text = ""
  #asked = 0
  readonly #server = Bun.serve({
    port: 0,
    fetch: () => {
      this.#asked++
      const text = this.#text
      this.#text = ""
      return new Response(text, { status: text === "" ? 503 : 200 })
    },
  })

  /** Sends the list to the next request. */
  publish(text: string): void {
    this.#text = text
  }

  /** Waits until the gateway has applied or rejected the published list. It then requests the list again. */
  async wasRead(): Promise<void> {
    await until(() => this.#text === "")
    const asked = this.#asked
    await until(() => this.#asked > asked)
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/prices.json`
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true)
  }
}

function start(list: PriceListServer, rule: PriceListSettings["apply"]): Promise<TestGateway> {
  const prices = { refresh: list.url, apply: rule, keys: KEYS }
  return startManaged({
    settings: { prices },
    providersAt: (url) => ({
      openai: { ...provider(`${url}/v1`, "openai"), knownModels: true },
    }),
    pricePace: PACE_MS,
  })
}

function news(gateway: TestGateway): PriceNews[] {
  return gateway.heard
    .filter(({ name }) => name === "priceChanged")
    .map(({ facts }) => facts[0] as PriceNews)
}

const GPT = builtIn.vendors.openai["gpt-4o"].price

async function priceOf(gateway: TestGateway, id: string): Promise<unknown> {
  const response = await ask(gateway, "GET", `/models/openai/${id}`)
  return response.ok ? ((await response.json()) as { price: unknown }).price : undefined
}

describe("automatic price updates", () => {
  test("wait for the operator with `ask`, and apply to each request after the operator accepts them", async () => {
    using list = new PriceListServer()
    const added = feed({ echo: { input: "1", output: "2" } })
    list.publish(added)
    await using gateway = await start(list, "ask")
    await until(() => news(gateway).length > 0)
    expect(news(gateway)).toMatchObject([{ state: "pending", date: TOMORROW, added: 1 }])
    const caller = await gateway.caller()
    const chat = { model: "openai/echo", messages: [{ role: "user", content: "Hi" }] }
    expect((await caller.post("/v1/chat/completions", chat)).status).toBe(404)
    expect(await asked(gateway, "GET", "/prices")).toMatchObject({
      date: builtIn.date,
      source: "built in",
      pending: {
        date: TOMORROW,
        source: list.url,
        added: 1,
        increased: 0,
        changes: [{ vendor: "openai", model: "echo", change: "added" }],
      },
    })
    // Offering the same list again must have no effect.
    list.publish(added)
    await list.wasRead()
    expect(news(gateway)).toHaveLength(1)

    const other = await ask(gateway, "POST", "/prices/apply", { date: builtIn.date })
    expect(other.status).toBe(409)
    expect((await errorOf(other)).message).toContain(`is now that of ${TOMORROW}`)
    const applied = await asked(gateway, "POST", "/prices/apply", { date: TOMORROW })
    expect(applied).toMatchObject({ date: TOMORROW, source: list.url, pending: null })
    expect((await caller.post("/v1/chat/completions", chat)).status).toBe(200)
    expect(news(gateway)).toMatchObject([{ state: "pending" }, { state: "applied", added: 1 }])
    expect((await ask(gateway, "POST", "/prices/apply", { date: TOMORROW })).status).toBe(404)
  })

  test("apply increases immediately with `increases`, and delay all other changes", async () => {
    using list = new PriceListServer()
    const changed = feed({
      "gpt-4o": { ...GPT, output: "11" },
      "gpt-4o-mini": { ...builtIn.vendors.openai["gpt-4o-mini"].price, output: "0.5" },
      echo: { input: "1", output: "2" },
      "gpt-5-mini": null,
    })
    list.publish(changed)
    await using gateway = await start(list, "increases")
    await until(() => news(gateway).length > 1)
    expect(news(gateway)).toMatchObject([
      { state: "applied", increased: 1, decreased: 0, added: 0, removed: 0 },
      { state: "pending", increased: 0, decreased: 1, added: 1, removed: 1 },
    ])
    const view = await asked(gateway, "GET", "/prices")
    expect(view).toMatchObject({ date: TOMORROW, pending: { date: TOMORROW, decreased: 1 } })
    expect(JSON.stringify(await priceOf(gateway, "gpt-4o"))).toContain('"11"')
    expect(await priceOf(gateway, "echo")).toBeUndefined()
    expect(await priceOf(gateway, "gpt-5-mini")).toBeDefined()
    list.publish(changed)
    await list.wasRead()
    expect(news(gateway)).toHaveLength(2)
    await asked(gateway, "POST", "/prices/apply", { date: TOMORROW })
    expect(await priceOf(gateway, "echo")).toBeDefined()
    expect(await priceOf(gateway, "gpt-5-mini")).toBeUndefined()
  })

  test("apply the whole list with `all`, and the audit log records the actor", async () => {
    using list = new PriceListServer()
    list.publish(feed({ echo: { input: "1", output: "2" } }))
    await using gateway = await start(list, "all")
    await until(() => news(gateway).length > 0)
    expect(await priceOf(gateway, "echo")).toBeDefined()
    const { data } = await asked(gateway, "GET", "/audit?action=prices.*")
    expect(data).toMatchObject([
      { action: "prices.apply", target: TOMORROW, actor: { name: "prices.refresh" } },
    ])
  })

  test("change nothing and are retried if a download fails, is invalid or is older", async () => {
    using list = new PriceListServer()
    await using gateway = await start(list, "all")
    const failures = (): string[] =>
      gateway.heard
        .filter(({ name }) => name === "pricesNotRefreshed")
        .map(({ facts }) => String(facts[0]))
    await until(() => failures().some((text) => text.includes("answered with status 503")))
    list.publish("<html>")
    await until(() => failures().some((text) => text.includes("not a price list")))
    list.publish(writeFeed("{}", generateKeyPairSync("ed25519").privateKey))
    await until(() => failures().some((text) => text.includes("not trusted here")))
    list.publish(feed({ echo: { input: "0", output: "0" } }, "2026-01-01"))
    await list.wasRead()
    expect(await asked(gateway, "GET", "/prices")).toMatchObject({
      date: builtIn.date,
      pending: null,
    })
    list.publish(feed({ echo: { input: "1", output: "2" } }))
    await until(() => news(gateway).length > 0)
    expect(news(gateway)).toMatchObject([{ state: "applied", date: TOMORROW }])
  })

  test("keep the operator's own prices", async () => {
    using list = new PriceListServer()
    list.publish(feed({ "gpt-4o": { ...GPT, output: "99" } }))
    const settings = { prices: { refresh: list.url, apply: "all" as const, keys: KEYS } }
    await using gateway = await startManaged({
      settings,
      providersAt: (url) => ({
        openai: { ...provider(`${url}/v1`, "openai"), knownModels: true },
      }),
      models: { "openai/gpt-4o": { price: { input: "7", output: "8" } } },
      pricePace: PACE_MS,
    })
    await until(() => news(gateway).length > 0)
    expect(JSON.stringify(await priceOf(gateway, "gpt-4o"))).toContain('"8"')
    expect(JSON.stringify(await priceOf(gateway, "gpt-4o"))).not.toContain('"99"')
  })
})

test("any of the processes can send the operator's notice of a pending price list", async () => {
  using list = new PriceListServer()
  using receiver = startReceiver()
  await using gateway = await start(list, "ask")
  const target = { channel: "webhook", address: receiver.url, types: ["price.changed"] }
  await asked(gateway, "POST", "/notices/targets", target)
  list.publish(feed({ echo: { input: "1", output: "2" } }))
  await until(() => receiver.received.length > 0)
  expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({
    type: "price.changed",
    data: { state: "pending", date: TOMORROW, added: 1 },
  })
})

test("the operator gets a notice of price changes within the next day, except for hourly changes", async () => {
  using receiver = startReceiver()
  const at = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 3_600_000)
  const price = { input: "1", output: "2" }
  const hours = Array.from({ length: 12 }, (_, index) => {
    const [start, end] = [2 * index, 2 * index + 1].map((hour) => String(hour).padStart(2, "0"))
    return `${start}:00-${end}:00`
  })
  await using gateway = await startManaged({ noticePace: 20 })
  const types = ["price.scheduled"]
  const target = { channel: "webhook", address: receiver.url, types }
  await asked(gateway, "POST", "/notices/targets", target)
  const models = {
    "sim/timed": simulated({ price: { ...price, periods: [{ from: Number(at), input: "3" }] } }),
    "sim/hourly": simulated({ price: { ...price, periods: [{ hours, input: "3" }] } }),
  }
  await gateway.app.apply({ ...gateway.settings, models })
  await until(() => receiver.received.length > 0)
  expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({
    type: "price.scheduled",
    data: {
      at: at.toISOString(),
      models: ["sim/timed"],
      changes: ["sim/timed: input 1 to 3"],
    },
  })
})
