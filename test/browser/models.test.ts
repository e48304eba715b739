import { afterAll, beforeAll, expect, test } from "bun:test"
import OpenAI from "openai"
import type { Page } from "playwright-core"
import { startServing, type ServingProcess } from "../support/process.ts"
import {
  type ConsoleGateway,
  image,
  open,
  setUp,
  startConsole,
  type Visitor,
  visit,
} from "./console-gateway.ts"

const YAML = `models:
  sandbox/broken:
    price: { input: 1, output: 1 }
    deployments: [{ provider: sandbox, model: fault-500 }]
`
let tollgate: ConsoleGateway
let restarted: ServingProcess
let operator: Visitor

beforeAll(async () => {
  tollgate = await startConsole(YAML)
  operator = await tollgate.visitor()
  await setUp(operator, tollgate.setupLink)
  const client = new OpenAI({
    apiKey: tollgate.firstKey,
    baseURL: `${tollgate.url}/v1`,
    maxRetries: 0,
  })
  const messages = [{ role: "user" as const, content: "hello" }]
  await client.chat.completions.create({ model: "sandbox/echo", messages })
  const rejected = client.chat.completions.create({ model: "sandbox/broken", messages })
  await rejected.catch((error: unknown) => expect(error).toBeInstanceOf(OpenAI.APIError))
  const { process } = tollgate.gateway
  process.kill("SIGTERM")
  await process.exited
  restarted = await startServing(tollgate.installation, {
    TOLLGATE_PORT: new URL(tollgate.url).port,
  })
})

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await restarted[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
})

test("the health of models survives a restart, and a model whose only request failed is shown as failing", async () => {
  const { page } = operator
  await open(operator, "Models")
  const rowOf = (model: string) =>
    page.getByRole("table", { name: "Models" }).getByRole("row").filter({ hasText: model })
  await rowOf("sandbox/echo").getByText("healthy").waitFor()
  const strip = rowOf("sandbox/echo").getByRole("img", { name: /^Last 24 hours/ })
  expect(await strip.getAttribute("aria-label")).toBe(
    "Last 24 hours: 100% of 1 request succeeded, 0 failed",
  )
  await rowOf("sandbox/broken").getByText("failing").waitFor()
  expect(
    await rowOf("sandbox/broken")
      .getByRole("img", { name: /^Last 24 hours/ })
      .getAttribute("aria-label"),
  ).toBe("Last 24 hours: 0% of 1 request succeeded, 1 failed")
  await rowOf("sandbox/claude").getByText("no recent calls").waitFor()

  await rowOf("sandbox/echo").getByRole("button", { name: "sandbox/echo", exact: true }).click()
  const drawer = page.getByRole("dialog")
  await drawer.getByRole("heading", { name: "Last 24 hours" }).waitFor()
  await drawer.getByText("100% (0 failed)").waitFor()
  await image(page, "model-drawer")
  await page.keyboard.press("Escape")
})

test("a provider page shows the success rate and the latency", async () => {
  const { page } = operator
  await open(operator, "Providers")
  const row = page
    .getByRole("table", { name: "Providers" })
    .getByRole("row")
    .filter({ hasText: "sandbox" })
  await row.getByText("50% of 2").waitFor()
  await row.getByText(/^95% in/).waitFor()
  expect(
    await row.getByRole("img", { name: /^Last 24 hours/ }).getAttribute("aria-label"),
  ).toContain("of 2 requests")
  await image(page, "providers-history")
})

test("deployments are edited, paused and tested, and requests use the changed deployments", async () => {
  const { page } = operator
  await visit(page, "models?model=sandbox/claude")
  const drawer = page.getByRole("dialog")
  await drawer.getByRole("button", { name: "Test", exact: true }).click()
  const results = drawer.getByRole("list", { name: "Test results" })
  await results.getByText("sandbox-claude").waitFor()

  await drawer.getByRole("button", { name: "Edit deployments" }).click()
  await drawer.getByRole("button", { name: "Add a deployment" }).click()
  await drawer.getByText("Each deployment needs a provider").waitFor()
  const added = drawer.getByRole("group", { name: "Deployment 2" })
  await added.getByRole("combobox", { name: "Provider" }).click()
  await page.getByRole("option", { name: "sandbox", exact: true }).click()
  await added.getByRole("textbox", { name: "Name there" }).fill("echo")
  await added.getByRole("textbox", { name: "Weight" }).fill("1")
  const first = drawer.getByRole("group", { name: "Deployment 1" })
  await first.getByRole("switch", { name: "Paused" }).check({ force: true })
  await drawer.getByRole("button", { name: "Move deployment 2 up" }).click()
  await image(page, "deployment-form")
  await drawer.getByRole("button", { name: "Save", exact: true }).click()
  await drawer.getByText("paused", { exact: true }).waitFor()
  await image(page, "deployments-paused")

  const client = new OpenAI({ apiKey: tollgate.firstKey, baseURL: `${tollgate.url}/v1` })
  const messages = [{ role: "user" as const, content: "hello" }]
  const { response } = await client.chat.completions
    .create({ model: "sandbox/claude", messages })
    .withResponse()
  expect(response.headers.get("x-tollgate-provider")).toBe("sandbox")
})

test("model rules are shown with their source, and each rule can be overridden", async () => {
  const { page } = operator
  await page.goto("/console/models?model=sandbox/gpt")
  const drawer = page.getByRole("dialog")
  await drawer.getByRole("heading", { name: "Model rules" }).waitFor()
  await drawer.getByRole("button", { name: "Edit rules" }).click()
  await drawer.getByRole("combobox", { name: "Function tools", exact: true }).click()
  await page.getByRole("option", { name: "no", exact: true }).click()
  await drawer.getByRole("textbox", { name: "Maximum length of user" }).fill("8")
  await image(page, "rule-form")
  await drawer.getByRole("button", { name: "Save", exact: true }).click()
  await drawer.getByText(/'rules.max_user_length' must be a whole number/).waitFor()
  await drawer.getByRole("textbox", { name: "Maximum length of user" }).fill("")
  await drawer.getByRole("button", { name: "Save", exact: true }).click()
  const rules = drawer.getByRole("table", { name: /^Rules at sandbox/ })
  await rules.getByRole("row", { name: "Function tools no settings" }).waitFor()
  await image(page, "rules")
})

test("a model shows all price periods and the current one, and keeps them when the price changes", async () => {
  const { page } = operator
  const periods = [
    { name: "opening offer", until: "2999-01-01T00:00:00Z", input: "0.5" },
    { name: "later", from: "2999-01-01", days: ["sat", "sun"], zone: "Asia/Tokyo", input: "3" },
  ]
  const deployments = [{ provider: "sandbox", model: "echo" }]
  const request = async (method: string, body?: object) =>
    page.evaluate(
      async ([verb, text]) => {
        const headers = { "content-type": "application/json", "x-tollgate-console": "1" }
        const init = { method: verb, headers, ...(text !== undefined && { body: text }) }
        return (await fetch("/admin/v1/models/sandbox/timed", init)).json()
      },
      [method, body && JSON.stringify(body)] as const,
    )
  await request("PUT", { deployments, price: { input: "1", output: "2", periods } })
  await page.goto("/console/models?model=sandbox/timed")
  const drawer = page.getByRole("dialog")
  await drawer.getByText("In force now: opening offer, until").waitFor()
  await drawer.getByText("Usual price: Input 1 · Output 2").waitFor()
  await drawer.getByText("later: Sat, Sun Asia/Tokyo, from 2999-01-01. Input 3").waitFor()
  await image(page, "model-periods")

  await drawer.getByRole("button", { name: "Set price and multiplier" }).click()
  await drawer.getByText("These prices apply outside of its periods.").waitFor()
  await drawer.getByRole("textbox", { name: "Output" }).fill("2.5")
  await drawer.getByRole("button", { name: "Save" }).click()
  await drawer.getByText("Usual price: Input 1 · Output 2.5").waitFor()
  expect(((await request("GET")) as { entry: object }).entry).toMatchObject({
    price: { input: "1", output: "2.5", periods },
  })
})

test("the deployments of a model in the settings file are shown but cannot be edited", async () => {
  const { page } = operator
  await page.goto("/console/models?model=sandbox/broken")
  const drawer = page.getByRole("dialog")
  await drawer.getByRole("button", { name: "Test", exact: true }).waitFor()
  expect(await drawer.getByRole("button", { name: "Edit deployments" }).count()).toBe(0)
})

test("all providers are tested together, and the results show response times and failure reasons", async () => {
  const { page } = operator
  await visit(page, "providers")
  await page.getByRole("button", { name: "Test all" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByText(/providers tested, /).waitFor()
  const results = dialog.getByRole("table", { name: "Test results" })
  expect(await results.getByText(/^\d+ ms$|^[\d.]+ s$/).count()).toBeGreaterThan(1)
  await image(page, "providers-test-all")
})

/** Adds a provider with known models that no test calls. */
async function addOpenAI(page: Page): Promise<void> {
  const entry = { id: "openai", vendor: "openai", api_key: "unused", known_models: true }
  const { status } = await page.evaluate(async (body) => {
    const headers = { "content-type": "application/json", "x-tollgate-console": "1" }
    return {
      status: (await fetch("/admin/v1/providers", { method: "POST", headers, body })).status,
    }
  }, JSON.stringify(entry))
  expect(status).toBe(200)
}

test("models show their features in the selected order and columns", async () => {
  const { page } = operator
  await addOpenAI(page)
  await page.goto("/console/models")
  const table = page.getByRole("table", { name: "Models" })
  const count = page.getByRole("main").getByRole("status")
  const all = async () => Number((await count.textContent())?.replace(/\D/g, ""))
  await count.getByText(/^[\d,]+ models$/).waitFor()
  const before = await all()
  for (const name of ["Provider", "Context", "Vision", "Tools", "Reasoning", "Caching"]) {
    await table.getByRole("columnheader", { name }).waitFor()
  }
  await page.getByRole("combobox", { name: "Provider" }).click()
  await page.getByRole("option", { name: "openai", exact: true }).click()
  await page.getByRole("combobox", { name: "Capability" }).click()
  await page.getByRole("option", { name: "Reasoning" }).click()
  await table.getByRole("img", { name: "yes" }).first().waitFor()
  expect(await all()).toBeLessThan(before)
  await table.getByRole("button", { name: "Context" }).click()
  await table.locator("th[aria-sort=descending]").getByText("Context").waitFor()
  expect(await table.getByRole("row").nth(1).textContent()).toContain("openai/")

  expect(await table.getByRole("columnheader", { name: "Price date" }).count()).toBe(0)
  await page.getByRole("button", { name: "Columns" }).click()
  const choice = page.getByRole("dialog", { name: "Columns" })
  await choice.getByRole("checkbox", { name: "Price date" }).check()
  await choice.getByRole("checkbox", { name: "Caching" }).uncheck()
  await page.keyboard.press("Escape")
  await page.reload()
  await table
    .getByRole("cell", { name: / 20\d\d$/ })
    .first()
    .waitFor()
  expect(await table.getByRole("columnheader", { name: "Caching" }).count()).toBe(0)
  await image(page, "models-columns")
  await table.getByRole("row").nth(1).click()
  await page
    .getByRole("dialog")
    .getByText(/^OpenAI: .*20\d\d$/)
    .waitFor()
  await image(page, "model-drawer-source")
  await page.keyboard.press("Escape")
  for (const width of [360, 820, 1_024, 2_560]) {
    await page.setViewportSize({ width, height: 900 })
    await image(page, `models-${width}`)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
})

test("the list of models on a small laptop hides columns before it wraps names over many lines", async () => {
  const { page } = operator
  await page.evaluate("localStorage.removeItem('tollgate-columns-models')")
  await page.route(/\/admin\/v1\/models\?/, async (route) => {
    const response = await route.fetch()
    const { data, ...rest } = (await response.json()) as { readonly data: readonly object[] }
    const named = data.map((model, index) => ({
      ...model,
      id: `local/long-name-4-5-2026100${index}`,
    }))
    await route.fulfill({ json: { ...rest, data: named } })
  })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto("/console/models")
  await page.getByText("2026100").first().waitFor()
  const heights = await page.evaluate<number[]>(
    "[...document.querySelectorAll('tbody .model-name')].map((name) => name.offsetHeight)",
  )
  expect(Math.max(...heights)).toBeLessThanOrEqual(40)
  await page.unroute(/\/admin\/v1\/models\?/)
  await page.setViewportSize({ width: 1440, height: 900 })
})

test("no page in the model tests reported an error", () => {
  expect(operator.complaints).toEqual([])
})

test("pages of unknown models and accounts report that the model or account does not exist", async () => {
  const { page } = operator
  await visit(page, "models?model=sandbox%2Fno-such-model")
  const notice = page.getByRole("alert").filter({ hasText: "Model not found" })
  await notice.getByText("sandbox/no-such-model").waitFor()
  await notice.getByRole("button", { name: "Close" }).click()
  await notice.waitFor({ state: "detached" })
  await visit(page, "accounts/acc_nobody")
  await page.getByText("Account not found").waitFor()
  await page.getByRole("link", { name: "Show all accounts" }).waitFor()
})
