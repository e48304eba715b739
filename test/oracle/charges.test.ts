import { afterAll, beforeAll, expect, test } from "bun:test"
import { keptReceiptOf, nanocredits, nothingHeld } from "../relay/support.ts"
import { wave } from "../support/audio.ts"
import { provider, startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"
import { chargeOf } from "./charge-oracle.ts"
import { dayOfTraffic, type Sent, seeded } from "./day-of-traffic.ts"
import { PAGES } from "./price-pages.ts"
import { responseTo } from "./scripted-responses.ts"

const SEED = 20_261_231
/** A working day, the weekend after Gemini's price change, and the day of OpenAI's price change. */
const DAYS = [
  { begin: "2026-12-31T00:00:00Z", count: 400 },
  { begin: "2027-01-02T00:00:00Z", count: 120 },
  { begin: "2027-03-01T00:00:00Z", count: 120 },
] as const

let gateway: TestGateway
let caller: TestCaller
let server: ReturnType<typeof Bun.serve>
let current: Sent
const realNow = Date.now

function setClock(at: number): void {
  const distance = at - realNow()
  Date.now = () => realNow() + distance
}

beforeAll(async () => {
  setClock(Date.parse(DAYS[0].begin) - 60_000)
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      await request.arrayBuffer()
      return responseTo(new URL(request.url).pathname, current)
    },
  })
  const bare = `http://127.0.0.1:${server.port}`
  const names = new Set(Object.keys(PAGES).map((model) => model.slice(0, model.indexOf("/"))))
  const known = [...names].map((name) => {
    const url = name === "google" || name === "anthropic" ? bare : `${bare}/v1`
    return [name, { ...provider(url, name), knownModels: true }] as const
  })
  gateway = await startGateway({ providers: Object.fromEntries(known) })
  caller = await gateway.caller("100000")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await server.stop(true)
  Date.now = realNow
})

function send({ path, model, body, used }: Sent): Promise<Response> {
  if (!path.endsWith("/transcriptions")) return caller.post(path, { model, ...body })
  const form = new FormData()
  form.append("model", model)
  form.append("file", new File([wave(used.seconds ?? 60, 1_000)], "speech.wav"))
  const headers = { authorization: `Bearer ${caller.key}` }
  return fetch(gateway.url + path, { method: "POST", headers, body: form })
}

/** Returns the pages and tiers whose prices applied to no request. */
function unused(sent: readonly Sent[]): string[] {
  const used = new Set(
    sent.flatMap(({ model, tiers = [] }) => [model, ...tiers.map((tier) => `${model} ${tier}`)]),
  )
  return Object.entries(PAGES)
    .flatMap(([model, { tiers }]) => [
      model,
      ...Object.keys(tiers ?? {}).map((tier) => `${model} ${tier}`),
    ])
    .filter((name) => !used.has(name))
}

test("the gateway's charges for three days of traffic equal the prices on the providers' pages", async () => {
  const draw = seeded(SEED)
  const sent = DAYS.flatMap(({ begin, count }) => dayOfTraffic(Date.parse(begin), count, draw))
  const expected = new Map<string, { readonly sent: Sent; readonly charge: bigint }>()
  const rejected: unknown[] = []
  for (const each of sent) {
    current = each
    setClock(each.at)
    const response = await send(each)
    const text = await response.text()
    const id = response.headers.get("x-request-id") ?? ""
    if (response.status === 200) expected.set(id, { sent: each, charge: chargeOf(each) })
    else rejected.push([each.model, response.status, text])
  }
  expect(rejected).toEqual([])
  await nothingHeld(caller)

  const wrong = [...expected].flatMap(([id, { sent, charge }]) => {
    const { cost, usage } = keptReceiptOf(gateway, id) ?? {}
    if (cost !== undefined && charge === nanocredits(cost)) return []
    const { model, at, tiers, used } = sent
    return [{ model, at: new Date(at).toISOString(), tiers, used, charge, cost, usage }]
  })
  expect(wrong).toEqual([])
  expect(unused(sent)).toEqual([])
}, 60_000)
