import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { parseCredits } from "../../../src/ledger/money.ts"
import { CHAT, HELLO } from "../../relay/support.ts"
import { sampleOf } from "../../support/exhaustive.ts"
import { provider } from "../../support/gateway.ts"
import { until } from "../../support/until.ts"
import { CASES } from "./matrix-cases.ts"
import { type Case, type Role, startWorld, type World } from "./matrix-world.ts"
import { REPORTS } from "./report-paths.ts"
import { ask, asked } from "./support.ts"

// The setting `console.show_costs_to: operators` hides these values from everyone but operators. Responses to operators
// contain all of them, so that the test cannot pass because they are missing everywhere.

const MULTIPLIER = "1.37"
const GROUP_MULTIPLIER = "0.83"
const INPUT_PRICE = "7.31"
const OUTPUT_PRICE = "9.17"
const PROVIDERS = ["backroom-one", "backroom-two"]
/** The providers' own names for the models. */
const UPSTREAM_NAMES = ["fault-comments", "fault-html", "fault-500"]

const CUSTOMERS = ["viewer", "member", "owner", "stranger"] as const

let world: World
/** The provider cost of all requests, as operators see it. */
let providerCost: string

beforeAll(async () => {
  const price = { input: INPUT_PRICE, output: OUTPUT_PRICE }
  const model = { kind: "chat", price, context: 100_000, maxOutput: 1_000 } as const
  const [one = "", two = ""] = PROVIDERS
  const [good = "", garbled = "", failing = ""] = UPSTREAM_NAMES
  world = await startWorld(
    {
      multiplier: MULTIPLIER,
      priceGroups: { partners: { terms: [{ from: 0, multiplier: GROUP_MULTIPLIER }] } },
      console: { oidc: [], trustedOrigins: [], showCostsTo: "operators" },
    },
    {
      providersAt: (url) => ({ [one]: provider(`${url}/v1`), [two]: provider(`${url}/v1`) }),
      models: {
        "sim/echo": model,
        "other/echo": model,
        "shop/chat": {
          ...model,
          deployments: [
            { provider: two, model: failing, weight: 1_000 },
            { provider: one, model: good, weight: 0 },
          ],
        },
        "shop/broken": { ...model, deployments: [{ provider: two, model: garbled, weight: 1 }] },
      },
    },
  )
  const group = { price_group: "partners" }
  await asked(world.gateway, "PATCH", `/accounts/${world.theirs.account}`, group)
  for (const { secret } of [world.ours, world.theirs]) {
    await callAs(secret, "shop/chat")
    await callAs(secret, "shop/broken")
  }
  const usage = async () => (await asked(world.gateway, "GET", GROUPED)).total as Sums
  await until(async () => (await usage()).requests >= 4)
  providerCost = (await usage()).provider_cost
  expect(parseCredits(providerCost)).toBeGreaterThan(0n)
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

const GROUPED = REPORTS.find((path) => path.startsWith("/usage?group=model")) ?? ""

interface Sums {
  readonly requests: number
  readonly provider_cost: string
}

async function callAs(secret: string, model: string, more: object = {}): Promise<Response> {
  return fetch(world.gateway.url + CHAT, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: HELLO, ...more }),
  })
}

/** Returns the hidden values in a text or in headers. */
function hiddenIn(text: string): readonly string[] {
  const numbers = [MULTIPLIER, GROUP_MULTIPLIER, INPUT_PRICE, OUTPUT_PRICE, providerCost]
  const combined = "1.1371"
  return [
    ...[...numbers, combined].filter((number) =>
      new RegExp(`(?<![\\d.])${number.replace(".", "\\.")}(?!\\d)`).test(text),
    ),
    ...[...PROVIDERS, ...UPSTREAM_NAMES].filter((name) => text.includes(name)),
  ]
}

/** Returns the values of the other account in a text. */
function foreignIn(text: string, role: Role): readonly string[] {
  if (role === "operator") return []
  const { secrets } = role === "stranger" ? world.ours : world.theirs
  return secrets.filter((secret) => text.includes(secret))
}

async function contentOf(response: Response): Promise<string> {
  return JSON.stringify([...response.headers]) + (await response.text())
}

/** Requests of every report in every form, in addition to one request of each route. */
const VARIANTS: readonly Case[] = [
  ...REPORTS.map((path): Case => {
    const [route = "", query] = path.split("?")
    return { route: `GET ${route}`, ask: () => ({ ...(query !== undefined && { query }) }) }
  }),
  ...["search=backroom", "status=rejected", "search=provider", "provider=backroom-one"].map(
    (query): Case => ({ route: "GET /requests", ask: () => ({ query }) }),
  ),
  { route: "GET /failures", ask: () => ({ query: "code=upstream_error" }) },
  { route: "GET /receipts.csv", ask: () => ({ query: "provider=backroom-one" }) },
  {
    route: "GET /models",
    ask: ({ ours }) => ({ query: `account=${ours.account}` }),
  },
  {
    route: "GET /models",
    ask: ({ theirs }) => ({ query: `account=${theirs.account}` }),
  },
  ...["chat", "broken"].map((name): Case => ({
    route: "GET /models/{provider}/{name}",
    ask: () => ({ path: { provider: "shop", name } }),
  })),
]

const ALL = [...CASES, ...VARIANTS].filter(({ endsSession }) => endsSession !== true)

async function responsesTo(role: Role): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>()
  const cases = [...ALL, ...(await requestCases())]
  const offset = CUSTOMERS.findIndex((customer) => customer === role)
  // `npm test` sends each request as operator and as two of the four customers.
  for (const one of offset < 0 ? cases : sampleOf(cases, 2, offset)) {
    const asking = (await one.ask?.(world, role)) ?? {}
    const [method = "", pattern = ""] = one.route.split(" ")
    const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => asking.path?.[name] ?? "")
    const query = asking.query === undefined ? "" : `?${asking.query}`
    const target = { url: world.gateway.url, headers: world.headersOf(role) }
    const content = await contentOf(await ask(target, method, path + query, asking.body))
    // A response may repeat values of the request.
    const hidden = [...hiddenIn(content), ...foreignIn(content, role)].filter(
      (value) => !JSON.stringify([asking, one.tells]).includes(value),
    )
    found.set(`${one.route} ${query}`, hidden)
  }
  return found
}

/** Returns requests of the receipts and records of all requests. */
async function requestCases(): Promise<Case[]> {
  const { data } = await asked(world.gateway, "GET", "/requests?limit=100")
  const ids = (data as { readonly id: string }[]).map(({ id }) => id)
  return ids.flatMap((request) =>
    ["GET /receipts/{request}", "GET /requests/{request}"].map((route): Case => ({
      route,
      ask: () => ({ path: { request } }),
    })),
  )
}

describe("the setting console.show_costs_to: operators", () => {
  test.each([...CUSTOMERS])("hides costs from the role %s in every response", async (role) => {
    const shown = [...(await responsesTo(role))].filter(([, hidden]) => hidden.length > 0)
    expect(shown).toEqual([])
  })

  test("shows all costs to operators", async () => {
    const shown = new Set([...(await responsesTo("operator")).values()].flat())
    const all = [MULTIPLIER, GROUP_MULTIPLIER, INPUT_PRICE, OUTPUT_PRICE, providerCost]
    expect([...all, ...PROVIDERS, ...UPSTREAM_NAMES].filter((value) => !shown.has(value))).toEqual(
      [],
    )
  })

  test("hides costs from callers with keys", async () => {
    const { gateway, theirs } = world
    const get = async (path: string) =>
      contentOf(
        await fetch(gateway.url + path, { headers: { authorization: `Bearer ${theirs.secret}` } }),
      )
    const answered = await callAs(theirs.secret, "shop/chat")
    const id = answered.headers.get("x-request-id") ?? ""
    const estimate = fetch(`${gateway.url}/v1/estimate`, {
      method: "POST",
      headers: { authorization: `Bearer ${theirs.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ path: CHAT, body: { model: "shop/chat", messages: HELLO } }),
    })
    const contents = {
      headers: JSON.stringify([...answered.headers]),
      broken: await contentOf(await callAs(theirs.secret, "shop/broken")),
      stream: await contentOf(await callAs(theirs.secret, "shop/broken", { stream: true })),
      estimate: await contentOf(await estimate),
      receipt: await get(`/v1/receipts/${id}`),
      models: await get("/v1/models"),
      credits: await get("/v1/credits"),
    }
    await answered.text()
    const shown = Object.entries(contents).map(([name, text]) => [name, hiddenIn(text)])
    expect(shown).toEqual(Object.keys(contents).map((name) => [name, []]))
    expect(contents.broken).toContain("The provider sent")
  })

  test("keeps the sums on receipts consistent", async () => {
    const { data } = await asked(world.gateway, "GET", "/receipts?model=shop/chat")
    for (const { id, account } of data as { readonly id: string; readonly account: string }[]) {
      const role = account === world.ours.account ? "viewer" : "stranger"
      const target = { url: world.gateway.url, headers: world.headersOf(role) }
      const receipt = (await asked(target, "GET", `/receipts/${id}`)) as unknown as CustomerReceipt
      expect(receipt).toMatchObject({ deployment: null, attempts: [], price: { multiplier: "1" } })
      expect(costOf(receipt)).toBe(parseCredits(receipt.cost))
      expect(receipt.charged).toBe(receipt.cost)
    }
  })

  test("rejects groups and filters by provider", async () => {
    const target = { url: world.gateway.url, headers: world.headersOf("owner") }
    const day = "from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z"
    for (const path of [
      `/usage?group=provider&${day}`,
      `/usage?provider=backroom-one&${day}`,
      "/usage/reliability?group=provider",
      "/receipts?provider=backroom-one",
      "/requests?provider=backroom-one",
    ]) {
      expect(`${path} ${(await ask(target, "GET", path)).status}`).toBe(`${path} 403`)
    }
    expect(await asked(target, "GET", "/providers")).toMatchObject({ data: [] })
    expect(await asked(target, "GET", "/session")).toMatchObject({ shows_costs: false })
  })
})

interface CustomerReceipt {
  readonly arithmetic: readonly { readonly quantity: number; readonly per_million: string }[]
  readonly cost: string
  readonly charged: string
}

const PLACES = 15n

/** Returns the cost of a receipt in nanocredits, computed from its lines. */
function costOf({ arithmetic }: CustomerReceipt): bigint {
  const sum = arithmetic.reduce((total, { quantity, per_million: rate }) => {
    const [whole = "", fraction = ""] = rate.split(".")
    return total + BigInt(quantity) * BigInt(whole + fraction.padEnd(Number(PLACES), "0"))
  }, 0n)
  const unit = 10n ** (PLACES - 9n) * 1_000_000n
  return (sum + unit - 1n) / unit
}

test.each(CUSTOMERS)("a search by a %s reveals no provider name", async (role) => {
  const target = { url: world.gateway.url, headers: world.headersOf(role) }
  const now = Date.now()
  const range = `from=${new Date(now - 3_600_000).toISOString()}&to=${new Date(now).toISOString()}`
  for (const path of [
    "/requests?",
    "/failures?",
    "/receipts?",
    `/usage/requests?step=hour&${range}&`,
  ]) {
    const [known, unknown] = await Promise.all(
      ["backroom-tw", "backroom-xy"].map(async (text) => {
        const response = await ask(target, "GET", `${path}search=${text}`)
        return [response.status, await response.text()]
      }),
    )
    expect([path, known]).toEqual([path, unknown])
  }
})

test("preferences reveal no provider name", async () => {
  for (const name of ["order", "only", "ignore"]) {
    const errors = await Promise.all(
      [...PROVIDERS, "backroom-three"].map(async (own) => {
        const more = { provider: { [name]: [own] } }
        const response = await callAs(world.ours.secret, "shop/chat", more)
        const { error } = (await response.json()) as { error: { message: string } }
        return [response.status, error.message]
      }),
    )
    expect(errors[0]?.[0]).toBe(400)
    expect(new Set(errors.map((error) => JSON.stringify(error))).size).toBe(1)
  }
})
