import { describe, expect, test } from "bun:test"
import type { ReliabilityRow } from "tollgate-contract/usage.ts"
import {
  filterModels,
  healthOf,
  modelPath,
  providersOf,
} from "../../console/src/pages/models/filter-models.ts"
import { firstModel } from "../../console/src/pages/playground/first-model.ts"
import { readPrices, typedPrices } from "../../console/src/pages/models/read-prices.ts"
import {
  allPrices,
  classLabel,
  effectivePrice,
  exactProduct,
  firstPrice,
  isOne,
  readablePrice,
  decimalFault,
  readPrice,
  secondsFault,
  sortedPrices,
} from "../../console/src/pages/models/prices.ts"
import { hasCapability } from "../../console/src/pages/models/capabilities.ts"
import { priceDate, priceSourceText } from "../../console/src/pages/models/price-source.ts"
import { sortModels } from "../../console/src/pages/models/sort-models.ts"
import { changedEntry, knownPriceEntry } from "../../console/src/pages/models/changed-entry.ts"
import { modelToTry } from "../../console/src/format/model-to-try.ts"
import { pathOf } from "tollgate-contract/client.ts"
import type { Model } from "tollgate-contract/catalog.ts"

const healthy = {
  state: "healthy",
  until: null,
  successes: 1,
  failures: 0,
  last_error: null,
} as const

function model(id: string, facts: Partial<Model> = {}): Model {
  const [provider = "", name = ""] = id.split("/")
  return {
    id,
    provider,
    name,
    kind: "chat",
    group: null,
    owned_by: "somebody",
    created: 1_700_000_000,
    context: null,
    max_output: null,
    capabilities: null,
    price_source: null,
    price: { input: "0.15", output: "0.6" },
    multiplier: "1",
    endpoints: [],
    deployments: [
      { provider, model: name, weight: 1, is_paused: false, rules: [], health: healthy },
    ],
    origin: "known",
    is_locked: false,
    known_price: null,
    price_tiers: [],
    price_images: null,
    price_modes: {},
    price_periods: [],
    price_in_force: null,
    known_entry: null,
    entry: null,
    ...facts,
  }
}

describe("filters of the model list", () => {
  const models = [
    model("openai/gpt-5", { owned_by: "OpenAI" }),
    model("openai/embed", { kind: "embedding", price: null }),
    model("mine/gpt-5", {
      deployments: [
        { provider: "azure", model: "x", weight: 1, is_paused: false, rules: [], health: healthy },
      ],
    }),
  ]
  const ids = (filters: Parameters<typeof filterModels>[1]): string[] =>
    filterModels(models, filters).map(({ id }) => id)

  test("match all words of the search at any position", () => {
    expect(ids({ search: "GPT open" })).toEqual(["openai/gpt-5"])
    expect(ids({ search: "  " })).toHaveLength(3)
  })

  test("can be combined", () => {
    expect(ids({ provider: "openai", priced: "false" })).toEqual(["openai/embed"])
    expect(ids({ provider: "azure" })).toEqual(["mine/gpt-5"])
    expect(ids({ kind: "embedding", priced: "true" })).toEqual([])
  })

  test("contain the list of providers", () => {
    expect(providersOf(models)).toEqual(["azure", "mine", "openai"])
  })
})

test("the path of a model's page escapes all characters of the name except slashes", () => {
  const path = modelPath("a/b/c?d#e")
  expect(pathOf("GET /models/{provider}/{name...}", { path })).toBe("/models/a/b/c%3Fd%23e")
})

test("a model is cooling down if all its deployments are cooling down", () => {
  const coolingDown = { ...healthy, state: "cooling_down" } as const
  const way = { provider: "a", model: "b", weight: 1, is_paused: false, rules: [] }
  const both = [
    { ...way, health: coolingDown },
    { ...way, health: healthy },
  ]
  expect(healthOf(model("a/b", { deployments: both }), undefined)).toBe("healthy")
  expect(healthOf(model("a/b", { deployments: both.slice(0, 1) }), undefined)).toBe("cooling_down")
  expect(healthOf(model("a/b", { deployments: [] }), undefined)).toBe("unknown")
})

test("a model whose only request failed is not healthy", () => {
  const failing = { ...healthy, state: "failing" } as const
  const unknown = { ...healthy, state: "unknown" } as const
  const way = { provider: "a", model: "b", weight: 1, is_paused: false, rules: [] }
  const ways = [failing, unknown].map((health) => ({ ...way, health }))
  expect(healthOf(model("a/b", { deployments: ways }), undefined)).toBe("failing")
})

test("the suggested model is the cheapest paid model that is available and capable", () => {
  const free = model("a/free", { price: { input: "0", output: "0" } })
  const dear = model("a/dear", { price: { input: "10", output: "50" } })
  const cheap = model("b/cheap", { price: { input: "0.1", output: "0.4" } })
  const marked = model("b/marked", { price: { input: "0.1", output: "0.4" }, multiplier: "100" })
  expect(modelToTry([free, dear, marked, cheap])?.id).toBe("b/cheap")
  expect(modelToTry([free])?.id).toBe("a/free")
  expect(modelToTry([])).toBeUndefined()
  const small = model("c/small", { context: 8_000, price: { input: "0.01", output: "0.02" } })
  expect(modelToTry([small, dear])?.id).toBe("a/dear")
  expect(modelToTry([small, free])?.id).toBe("a/free")
  const way = { provider: "d", model: "d", weight: 1, is_paused: false, rules: [], health: healthy }
  const coolingDown = { ...way, health: { ...healthy, state: "cooling_down" as const } }
  const off = model("d/off", { deployments: [coolingDown, { ...way, is_paused: true }] })
  expect(modelToTry([off, dear])?.id).toBe("a/dear")
})

describe("prices of a model in the console", () => {
  test("can be multiplied exactly by the multiplier", () => {
    expect(exactProduct("0.15", "1.2")).toBe("0.18")
    expect(exactProduct("0.1", "0.2")).toBe("0.02")
    expect(exactProduct("12345678.123456789", "1.000001")).toBe("12345690.469134912456789")
    expect(exactProduct("5", "2")).toBe("10")
    expect(exactProduct("x", "2")).toBeUndefined()
    expect(effectivePrice(model("a/b", { multiplier: "1.2" }), "input")).toBe("0.18")
    expect(effectivePrice(model("a/b"), "image")).toBeUndefined()
  })

  test("apply to one image or one second, and otherwise to a million units", () => {
    expect(readablePrice("image", "40000")).toEqual({ credits: "0.04", per: "per image" })
    expect(readablePrice("second", "100")).toEqual({ credits: "0.0001", per: "per second" })
    expect(readablePrice("input", "0.15")).toEqual({ credits: "0.15", per: "per million" })
  })

  test("appear in a fixed order of classes", () => {
    expect(sortedPrices({ zebra: "1", output: "2", input: "3" }).map(([name]) => name)).toEqual([
      "input",
      "output",
      "zebra",
    ])
    expect(classLabel("cache_write_1h")).toBe("Cache write, 1 hour")
    expect(firstPrice(model("a/b", { price: { image: "1" } }), ["input", "image"])).toEqual([
      "image",
      "1",
    ])
  })

  test("reject invalid text, and accept numbers in the form in which people type them", () => {
    expect(readPrice(" 0.15 ")).toBe("0.15")
    expect(readPrice("1,500")).toBe("1500")
    expect(readPrice("-1")).toBeUndefined()
    expect(decimalFault("0,15")).toContain("write 0.15")
    expect(decimalFault("-1")).toContain("zero or a positive")
    expect(readPrice("1e3")).toBeUndefined()
    expect(readPrices({ input: "0.1", output: "" })).toEqual({ input: "0.1" })
    expect(readPrices({ input: "much" })).toBeUndefined()
    expect(readPrices({})).toBeUndefined()
    expect([isOne("1"), isOne("1.000"), isOne("1.2"), isOne("10")]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

describe("a changed model", () => {
  test("contains only the changes", () => {
    const known = model("a/b")
    const typed = { input: "0.15", output: "0.6" }
    expect(changedEntry(known, { typed, multiplier: "1.5" })).toEqual({ multiplier: "1.5" })
    expect(changedEntry(known, { typed: { ...typed, output: "0.7" }, multiplier: "1" })).toEqual({
      price: { input: "0.15", output: "0.7" },
    })
    expect(changedEntry(known, { typed: { input: "?" }, multiplier: "1" })).toBeUndefined()
  })

  test("keeps the console's other settings", () => {
    const entry = { kind: "chat", context: 5, multiplier: "2", price: { input: "9" } } as const
    const own = model("a/b", { origin: "console", entry, multiplier: "2", price: { input: "9" } })
    expect(changedEntry(own, { typed: { input: "8" }, multiplier: "2" })).toEqual({
      ...entry,
      price: { input: "8" },
    })
  })

  test("keeps its own periods and modes, and known periods", () => {
    const typed = { input: "3", output: "2" }
    const priceOf = (own: Model) => changedEntry(own, { typed, multiplier: "1" })?.price
    const price = { input: "1", output: "2" }
    const set = { modes: { fast: "2" }, periods: [{ hours: ["00:00-06:00"], input: "0.5" }] }
    const period = {
      name: "peak",
      from: "2026-12-01T00:00:00.000Z",
      until: null,
      zone: "Asia/Shanghai",
      days: ["mon" as const],
      hours: null,
      price: { input: "9", output: "2" },
      price_tiers: [],
      price_images: null,
      modes: {
        ultrafast: "6",
        flex: { price: { input: "4" }, price_tiers: [{ above: 1_000, price: { input: "5" } }] },
      },
    }
    const known = model("a/b", { price, price_periods: [period] })
    const own = { ...known, entry: { price: { ...price, ...set } } }
    expect(priceOf(own)).toEqual({ ...typed, ...set })
    const { name, from, zone, days } = period
    const flex = { input: "4", tiers: [{ above: 1_000, input: "5" }] }
    const modes = { ultrafast: "6", flex }
    expect(priceOf(known)).toEqual({
      ...typed,
      periods: [{ name, from, zone, days, input: "9", modes }],
    })
  })

  test("shows the price of the current period, and its form edits the standard price", () => {
    const price_in_force = { price: { input: "2", output: "2" }, price_tiers: [] }
    const until = "2026-12-01T00:00:00.000Z"
    const more = { period: "peak", from: null, until, price_images: null }
    const own = model("a/b", {
      price: { input: "1", output: "2" },
      price_in_force: { ...price_in_force, ...more },
      multiplier: "1.5",
    })
    expect(effectivePrice(own, "input")).toBe("3")
    expect(changedEntry(own, { typed: own.price ?? {}, multiplier: "1.5" })).toEqual({})
  })

  test("keeps prices of long requests and of image kinds", () => {
    const own = model("a/b", {
      price: { input: "1", image: "40" },
      price_tiers: [{ above: 1_000, price: { input: "2" } }],
      price_images: { hd: "80" },
    })
    expect(
      changedEntry(own, { typed: { input: "3", image: "40" }, multiplier: "1" })?.price,
    ).toEqual({
      input: "3",
      image: { default: "40", hd: "80" },
      tiers: [{ above: 1_000, input: "2" }],
    })
    expect(allPrices(own).map(({ label }) => label)).toEqual([
      "Input",
      "Images",
      "Images, hd",
      "Input, above 1,000 tokens",
    ])
  })

  test("shows the minimum of seconds, and keeps it until it is changed", () => {
    const own = model("groq/whisper", {
      kind: "transcription",
      price: { second: "100" },
      minimum_seconds: 10,
    })
    expect(allPrices(own).map(({ label }) => label)).toEqual(["Seconds, at least 10 per request"])
    const typed = typedPrices(own)
    expect(typed).toEqual({ second: "100", minimum_seconds: "10" })
    const priceOf = (changed: object) =>
      changedEntry(own, { typed: { ...typed, ...changed }, multiplier: "1" })?.price
    expect(priceOf({})).toBeUndefined()
    expect(priceOf({ second: "90" })).toEqual({ second: "90", minimum_seconds: "10" })
    expect(priceOf({ minimum_seconds: "15" })).toEqual({ second: "100", minimum_seconds: "15" })
    expect(priceOf({ minimum_seconds: "" })).toEqual({ second: "100" })
    for (const minimum_seconds of ["0", "1.5", "3601", "ten"]) {
      expect(readPrices({ ...typed, minimum_seconds })).toBeUndefined()
      expect(secondsFault(minimum_seconds)).toContain("from 1 to 3600")
    }
  })

  test("copies a known price completely, without its source", () => {
    const price = { input: "1", tiers: [{ above: 5, input: "2" }] }
    const known = { kind: "chat", price, source: "OpenAI: x" } as const
    expect(knownPriceEntry(model("a/b", { price: null, known_entry: known }))).toEqual({
      kind: "chat",
      price,
    })
    expect(knownPriceEntry(model("a/b", { price: null, known_price: { input: "1" } }))).toEqual({
      price: { input: "1" },
    })
    expect(knownPriceEntry(model("a/b"))).toBeUndefined()
  })
})

test("the playground starts with the requested model, or with the best match", () => {
  const models = [
    model("a/embed", { kind: "embedding" }),
    model("a/rank", { kind: "rerank" }),
    model("b/rank", { kind: "rerank", price: null }),
  ]
  expect(firstModel(models, ["rerank", "embedding"], undefined)).toBe("a/rank")
  expect(firstModel(models, ["rerank", "embedding"], "a/embed")).toBe("a/embed")
  expect(firstModel(models, ["rerank"], "b/rank")).toBe("a/rank")
  expect(firstModel(models, ["chat"], undefined)).toBeNull()
})

test("the health of a model follows stored requests unless the model is cooling down", () => {
  const history = { state: "failing" } as ReliabilityRow
  const way = { provider: "a", model: "b", weight: 1, is_paused: false, rules: [] }
  const of = (state: "healthy" | "unknown" | "cooling_down") =>
    healthOf(model("a/b", { deployments: [{ ...way, health: { ...healthy, state } }] }), history)
  expect(of("unknown")).toBe("failing")
  expect(of("healthy")).toBe("failing")
  expect(of("cooling_down")).toBe("cooling_down")
})

describe("the model list", () => {
  const able = { input: ["text", "image"], tools: true, reasoning: false }
  const seeing = model("a/seeing", { capabilities: able, context: 10 })
  const cached = model("b/cached", {
    price: { input: "0.1", cached_input: "0.01" },
    multiplier: "2",
  })
  const unpriced = model("c/unpriced", { price: null, context: 1_000_000 })
  const image = model("d/image", { kind: "image", price: { image: "40" } })
  const all = [image, unpriced, cached, seeing]

  test("shows known capabilities", () => {
    expect(hasCapability(seeing, "vision")).toBe(true)
    expect(hasCapability(seeing, "reasoning")).toBe(false)
    expect(hasCapability(seeing, "caching")).toBe(false)
    expect(hasCapability(cached, "caching")).toBe(true)
    expect(hasCapability(cached, "tools")).toBeNull()
    expect(hasCapability(unpriced, "caching")).toBeNull()
    expect(
      hasCapability(model("e/x", { capabilities: { ...able, input: [] } }), "vision"),
    ).toBeNull()
    expect(filterModels(all, { can: "vision" })).toEqual([seeing])
    expect(filterModels(all, { can: "flying" })).toEqual(all)
  })

  test("sorts incomparable values last in both directions", () => {
    const order = (by: string, order: "asc" | "desc") =>
      sortModels(all, { by, order }).map(({ id }) => id)
    expect(order("name", "asc")).toEqual(["a/seeing", "b/cached", "c/unpriced", "d/image"])
    expect(order("input", "asc")).toEqual(["a/seeing", "b/cached", "d/image", "c/unpriced"])
    expect(order("input", "desc")).toEqual(["d/image", "b/cached", "a/seeing", "c/unpriced"])
    expect(order("context", "desc").slice(0, 2)).toEqual(["c/unpriced", "a/seeing"])
    expect(order("context", "asc").slice(0, 2)).toEqual(["a/seeing", "c/unpriced"])
  })

  test("shows the source of prices and its date", () => {
    const known = { kind: "known", name: "OpenAI: gpt-x", date: "2026-10-01" } as const
    expect(priceSourceText(known)).toBe("OpenAI: gpt-x, 1 Oct 2026")
    expect(priceDate(known)).toBe("1 Oct 2026")
    const written = { kind: "file", name: null, date: null } as const
    expect(priceSourceText(written)).toBe("tollgate.yaml")
    expect(priceDate(written)).toBe("tollgate.yaml")
    expect(priceDate(null)).toBe("–")
  })
})
