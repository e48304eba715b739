import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Model } from "tollgate-contract/catalog.ts"
import { simulated, type TestGateway } from "../../support/gateway.ts"
import { ask, asked, errorOf, startManaged } from "./support.ts"
import { until } from "../../support/until.ts"

const PRICE = { input: "1", output: "2" }

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startManaged({
    models: {
      "sim/unpriced": { kind: "chat" },
      "sim/two": simulated({
        deployments: [
          { provider: "sim", model: "echo", weight: 2 },
          { provider: "sim", model: "spare", weight: 0, price: { input: "5", output: "1" } },
        ],
      }),
      "sim/painter": {
        kind: "image",
        price: { image: "40", images: { high: "160", "1024x1024": "40" } },
      },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

async function models(query = ""): Promise<readonly Model[]> {
  const page = (await asked(gateway, "GET", `/models${query}`)) as unknown as { data: Model[] }
  return page.data
}

async function model(id: string): Promise<Model> {
  return (await asked(gateway, "GET", `/models/${id}`)) as unknown as Model
}

async function rejection(method: string, path: string, body?: unknown): Promise<string> {
  const response = await ask(gateway, method, path, body)
  const { param, message, error_type } = await errorOf(response)
  return `${response.status} ${error_type} ${param}: ${message}`
}

describe("the model list in the management API", () => {
  test("shows each model with its prices, endpoints, deployments and origin", async () => {
    expect(await model("sim/two")).toEqual({
      id: "sim/two",
      provider: "sim",
      name: "two",
      kind: "chat",
      owned_by: "sim",
      created: expect.any(Number),
      context: 100_000,
      max_output: 1_000,
      capabilities: null,
      price_source: { kind: "file", name: null, date: null },
      price: { input: "5", cached_input: "5", output: "2" },
      price_tiers: [],
      price_images: null,
      price_modes: {},
      price_periods: [],
      price_in_force: null,
      multiplier: "1",
      endpoints: ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/responses/compact"],
      deployments: [
        {
          provider: "sim",
          model: "echo",
          weight: 2,
          is_paused: false,
          rules: [],
          health: expect.anything(),
        },
        {
          provider: "sim",
          model: "spare",
          weight: 0,
          is_paused: false,
          rules: [],
          health: expect.anything(),
        },
      ],
      group: null,
      origin: "file",
      is_locked: true,
      known_price: null,
      known_entry: null,
      entry: null,
    })
    expect(await model("sim/painter")).toMatchObject({
      kind: "image",
      price: { image: "40" },
      price_images: { high: "160", "1024x1024": "40" },
      endpoints: ["/v1/images/generations", "/v1/images/edits", "/v1/images/variations"],
    })
  })

  test("filters models and returns them in pages", async () => {
    const ids = async (query: string): Promise<string[]> =>
      (await models(query)).map(({ id }) => id)
    expect(await ids("")).toEqual(["sim/echo", "sim/painter", "sim/two", "sim/unpriced"])
    expect(await ids("?priced=false")).toEqual(["sim/unpriced"])
    expect(await ids("?kind=image")).toEqual(["sim/painter"])
    expect(await ids("?search=TWO")).toEqual(["sim/two"])
    expect(await ids("?provider=other")).toEqual([])
    const first = await asked(gateway, "GET", "/models?limit=3")
    const next = await asked(gateway, "GET", `/models?cursor=${String(first["next_cursor"])}`)
    expect(next).toMatchObject({ data: [{ id: "sim/unpriced" }], next_cursor: null })
  })
})

describe("a model entry in the management API", () => {
  test("returns price periods in the form in which they were entered", async () => {
    const later = { name: "later", from: "2999-01-01", input: "3" }
    const earlier = { until: "2999-01-01T00:00:00Z", output: "4" }
    const price = { ...PRICE, periods: [later, earlier] }
    const { entry, ...shown } = await asked(gateway, "PUT", "/models/sim/timed", {
      price,
      deployments: [{ model: "echo" }],
    })
    expect(entry).toMatchObject({ price })
    const whole = { zone: null, days: null, hours: null, price_tiers: [], price_images: null }
    const change = "2999-01-01T00:00:00.000Z"
    expect(shown).toMatchObject({
      price: PRICE,
      price_periods: [
        {
          ...whole,
          name: "later",
          from: change,
          until: null,
          price: { ...PRICE, input: "3" },
          modes: {},
        },
        { ...whole, name: null, from: null, until: change, price: { ...PRICE, output: "4" } },
      ],
      price_in_force: { period: "", from: null, until: change, price: { ...PRICE, output: "4" } },
    })
    const overlapping = { price: { ...PRICE, periods: [later, { ...later, output: "1" }] } }
    expect(await rejection("PUT", "/models/sim/timed", overlapping)).toContain(
      "'price.periods[1]' applies at the same time as periods[0]",
    )
    expect((await model("sim/timed")).price_periods).toHaveLength(2)
    await ask(gateway, "DELETE", "/models/sim/timed")
  })

  test("returns service modes as factors or prices", async () => {
    const flex = { input: "0.05", output: "0.2", tiers: [{ above: 1000, input: "0.1" }] }
    const own = { input: "0.1", output: "0.4", tiers: [{ above: 1000, input: "0.2" }] }
    const later = { from: "2999-01-01", input: "3", tiers: own.tiers, modes: { flex: "0.5" } }
    const price = { ...own, modes: { fast: "2", flex }, periods: [later] }
    const shown = await asked(gateway, "PUT", "/models/sim/moded", {
      price,
      deployments: [{ model: "echo" }],
    })
    const { tiers: _, ...rates } = flex
    expect(shown).toMatchObject({
      price_modes: {
        fast: "2",
        flex: { price: rates, price_tiers: [{ above: 1000, price: { ...rates, input: "0.1" } }] },
      },
      price_periods: [{ modes: { flex: "0.5" } }],
    })
    await ask(gateway, "DELETE", "/models/sim/moded")
  })

  test("sets the price of an unpriced model immediately", async () => {
    await using open = await startManaged({
      settings: { models: {} },
      providersAt: (url) => ({
        groq: {
          vendor: "groq",
          apiKey: "upstream",
          baseUrl: `${url}/v1`,
          headers: {},
          knownModels: false,
          origin: "file",
        },
      }),
    })
    const caller = await open.caller()
    const body = { model: "groq/gpt-4o-mini", messages: [{ role: "user", content: "Hello" }] }
    expect((await caller.post("/v1/chat/completions", body)).status).toBe(404)

    const deployments = [{ model: "echo" }]
    const unpriced = await asked(open, "PUT", "/models/groq/gpt-4o-mini", { deployments })
    expect(unpriced).toMatchObject({ price: null, origin: "console", is_locked: false })
    expect((await caller.post("/v1/chat/completions", body)).status).toBe(402)
    // The catalog contains OpenAI's price, and one request sets it.
    expect(unpriced["known_entry"]).toMatchObject({
      kind: "chat",
      price: { input: "0.15", output: "0.6" },
      source: "OpenAI: gpt-4o-mini",
    })
    expect(unpriced["known_price"]).toMatchObject({ input: "0.15", output: "0.6" })

    const entry = { price: unpriced["known_price"], multiplier: "2", deployments }
    const priced = await asked(open, "PUT", "/models/groq/gpt-4o-mini", entry)
    expect(priced).toMatchObject({ price: { input: "0.15" }, multiplier: "2", entry })
    const response = await caller.post("/v1/chat/completions", body)
    expect(response.status).toBe(200)
    const { usage } = (await response.json()) as {
      usage: { prompt_tokens: number; completion_tokens: number }
    }
    const { prompt_tokens, completion_tokens } = usage
    // Cost in nanocredits at 0.15 and 0.6 credits per million, times two.
    const cost = (BigInt(prompt_tokens) * 150n + BigInt(completion_tokens) * 600n) * 2n
    await until(async () => (await caller.balance()) === 10_000_000_000n - cost)

    expect((await ask(open, "DELETE", "/models/groq/gpt-4o-mini")).status).toBe(204)
    expect((await caller.post("/v1/chat/completions", body)).status).toBe(404)
  })

  test("accepts tiers, image prices and deployments, and keeps all digits of numbers", async () => {
    const entry = {
      kind: "chat",
      price: { input: 0.1, output: "0.000000001", tiers: [{ above: 1000, input: "3" }] },
      context: 5000,
      max_output: 100,
      deployments: [{ provider: "sim", model: "echo", weight: 1 }],
    }
    const set = await asked(gateway, "PUT", "/models/alias/with/slashes", entry)
    expect(set).toMatchObject({
      id: "alias/with/slashes",
      provider: "alias",
      name: "with/slashes",
      price: { input: "0.1", output: "0.000000001" },
      price_tiers: [{ above: 1000, price: { input: "3", output: "0.000000001" } }],
      context: 5000,
      entry,
    })
    await asked(gateway, "PUT", "/models/alias/painter", {
      kind: "image",
      price: { image: { default: "10", high: "20" } },
      deployments: [{ provider: "sim", model: "painter" }],
    })
    expect(await model("alias/painter")).toMatchObject({
      price: { image: "10" },
      price_images: { high: "20" },
    })
    await ask(gateway, "DELETE", "/models/alias/with/slashes")
    await ask(gateway, "DELETE", "/models/alias/painter")
  })

  test("cannot be changed if the settings file contains the model", async () => {
    expect(await rejection("PUT", "/models/sim/echo", { price: PRICE })).toBe(
      "409 conflict null: The entry of the model 'sim/echo' comes from the settings file (tollgate.yaml): change it there.",
    )
    expect(await rejection("DELETE", "/models/sim/echo")).toStartWith("409 conflict")
    expect(await rejection("DELETE", "/models/sim/nothing")).toStartWith("404 not_found")
  })

  const cases: [string, object, string][] = [
    [
      "a price without numbers",
      { price: { input: "x", output: "1" } },
      "price.input: 'price.input' must be a decimal number",
    ],
    [
      "a negative price",
      { price: { input: "-1", output: "1" } },
      "price.input: 'price.input' must not be negative",
    ],
    [
      "a missing class",
      { price: { input: "1" } },
      "price: Model sim/new is rejected: its price has no 'output'",
    ],
    [
      "an unknown class",
      { price: { input: "1", ouput: "1" } },
      "price.ouput: 'price.ouput' is not known here. Did you mean 'output'?",
    ],
    ["an empty price", { price: {} }, "price: 'price' is empty"],
    [
      "an invalid multiplier",
      { multiplier: "1.0000001" },
      "multiplier: 'multiplier' has more than 6 digits",
    ],
    ["an unknown kind", { kind: "video" }, "kind: "],
    [
      "an unknown provider",
      { deployments: [{ provider: "none" }] },
      "deployments[0].provider: 'deployments[0].provider' is not a configured provider",
    ],
    [
      "weights of zero",
      { deployments: [{ weight: 0 }] },
      "deployments: 'deployments' need at least one",
    ],
    [
      "an unknown rule",
      { rules: { toools: true } },
      "rules.toools: 'rules.toools' is not known here. Did you mean 'tools'?",
    ],
    [
      "an invalid rule value",
      { rules: { reasoning_efforts: ["high", "hgih"] } },
      "rules.reasoning_efforts[1]: 'rules.reasoning_efforts[1]' is not a known effort. Did you mean 'high'?",
    ],
    [
      "an invalid rule value of a deployment",
      { deployments: [{ provider: "sim", rules: { max_user_length: 8 } }] },
      "deployments[0].rules.max_user_length: 'deployments[0].rules.max_user_length' must be a whole",
    ],
    ["an invalid context", { context: 0 }, "context: 'context' must be a whole number"],
  ]
  test.each(cases)("cannot have %s", async (_, entry, words) => {
    const said = await rejection("PUT", "/models/sim/new", entry)
    expect(said.replace(/^400 \w+ /, "")).toStartWith(words)
    expect(await rejection("GET", "/models/sim/new")).toStartWith("404")
  })

  test("requires a known provider", async () => {
    expect(await rejection("PUT", "/models/nowhere/x", { price: PRICE })).toBe(
      "400 invalid_value provider: There is no provider 'nowhere'. Add it first, or give the model deployments at others.",
    )
    expect(await rejection("PUT", "/models/Bad%20Name/x", { price: PRICE })).toStartWith(
      "400 invalid_value name: The name of a model must be",
    )
  })

  test("can have any name if its id has at most 200 characters", async () => {
    expect(await rejection("PUT", `/models/sim/${"x".repeat(200)}`, { price: PRICE })).toStartWith(
      "400 invalid_value name: The id of a model must have at most 200",
    )
    const page = "<script>alert(1)</script>"
    const set = await asked(gateway, "PUT", `/models/sim/${encodeURIComponent(page)}`, {
      price: PRICE,
    })
    expect(set["name"]).toBe(page)
    expect((await ask(gateway, "DELETE", `/models/sim/${encodeURIComponent(page)}`)).status).toBe(
      204,
    )
  })

  test("overrides single rules of a model, and operators see these rules", async () => {
    const deployments = [
      { provider: "sim", model: "echo" },
      { provider: "sim", model: "spare", weight: 0, rules: { tools: true } },
    ]
    const rules = { tools: false, rejected_parameters: ["temperature", "stop"] }
    const entry = { price: PRICE, rules, deployments }
    const set = await asked(gateway, "PUT", "/models/sim/ruled", entry)
    const settings = { source: "settings", note: null }
    const rejected = { name: "rejected_parameters", value: rules.rejected_parameters, ...settings }
    expect(set).toMatchObject({
      entry,
      deployments: [
        { rules: [{ name: "tools", value: false, ...settings }, rejected] },
        { rules: [{ name: "tools", value: true, ...settings }, rejected] },
      ],
    })
    await ask(gateway, "DELETE", "/models/sim/ruled")
  })

  test("appears in the audit log with its previous value", async () => {
    await asked(gateway, "PUT", "/models/sim/logged", { price: PRICE })
    await asked(gateway, "PUT", "/models/sim/logged", { price: { input: "3", output: "4" } })
    await ask(gateway, "DELETE", "/models/sim/logged")
    const audit = await asked(gateway, "GET", "/audit?target=sim/logged")
    expect(audit["data"]).toMatchObject([
      { action: "model.reset", before: { price: { input: "3", output: "4" } }, after: null },
      { action: "model.set", before: { price: PRICE } },
      { action: "model.set", before: null, after: { price: PRICE } },
    ])
  })
})
