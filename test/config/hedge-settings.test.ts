import { expect, test } from "bun:test"
import { buildCatalog } from "../../src/catalog/build-catalog.ts"
import { BUILT_IN } from "../../src/management/prices/stored-lists.ts"
import { vendors } from "../../src/vendors/index.ts"
import { load, problems } from "./harness.ts"

const PROVIDERS =
  "providers: { a: { vendor: openai, api_key: k }, b: { vendor: openai, api_keys: [k, l] } }"

test("hedging is off by default, and can be enabled for all models or for single models", () => {
  expect(load("data: x").settings.routing.hedge).toBe(false)
  const { settings } = load(
    `${PROVIDERS}\nrouting: { hedge: true }\nmodels: { a/x: { hedge: false }, b/x: { hedge: true } }`,
  )
  expect(settings.routing.hedge).toBe(true)
  expect(settings.models["a/x"]?.hedge).toBe(false)
  expect(settings.models["b/x"]?.hedge).toBe(true)
})

const NO_EFFECT = "has no effect, since the model has one deployment. Add another, or remove it"

test.each([
  "a/x: { hedge: true }",
  "a/x: { hedge: true, deployments: [{ provider: a }] }",
  "a/x: { hedge: true, deployments: [{ provider: a }, { provider: b, paused: true }] }",
])("hedging of a model with one deployment is rejected: %s", (model) => {
  expect(problems(`${PROVIDERS}\nmodels: { ${model} }`)).toEqual([
    expect.stringContaining(`models.a/x.hedge: ${NO_EFFECT}`),
  ])
})

test("several credentials of a provider count as several deployments", () => {
  const { settings } = load(`${PROVIDERS}\nmodels: { b/x: { hedge: true, price: { input: 1 } } }`)
  const { catalog, warnings } = buildCatalog({ settings, facts: BUILT_IN.facts, vendors })
  expect(catalog.find("b/x")?.deployments.map(({ id }) => id)).toEqual(["b/x#1", "b/x#2"])
  expect(warnings.join()).not.toContain("hedge")
})

test("hedging of a model with one deployment in the catalog causes a warning", () => {
  const { settings } = load("models: { openai/x: { hedge: true, price: { input: 1 } } }", {
    OPENAI_API_KEY: "k",
  })
  const { warnings } = buildCatalog({ settings, facts: BUILT_IN.facts, vendors })
  expect(warnings).toContain("model openai/x: hedge has no effect, since it has one deployment")
})

test.each([
  ["routing: { hedge: 95 }", "routing.hedge: must be true or false"],
  ["routing: { hedge: -1 }", "routing.hedge: must be true or false"],
  ["routing: { retries: -1 }", "routing.retries: must be a whole number from 0 to 3"],
])("invalid routing settings are rejected: %s", (text, fault) => {
  expect(problems(text)[0]).toEndWith(fault)
})
