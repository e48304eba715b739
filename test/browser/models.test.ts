import { afterAll, beforeAll, expect, test } from "bun:test"
import OpenAI from "openai"
import { startServing, type ServingProcess } from "../support/process.ts"
import {
  type ConsoleGateway,
  image,
  open,
  setUp,
  startConsole,
  type Visitor,
} from "./console-gateway.ts"

/** Models and providers: how they did. */
const TIME = 120_000
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
  const refused = client.chat.completions.create({ model: "sandbox/broken", messages })
  await refused.catch((error: unknown) => expect(error).toBeInstanceOf(OpenAI.APIError))
  const { process } = tollgate.gateway
  process.kill("SIGTERM")
  await process.exited
  restarted = await startServing(tollgate.installation, {
    TOLLGATE_PORT: new URL(tollgate.url).port,
  })
}, TIME)

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await restarted[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
}, TIME)

test(
  "how models did outlives a restart, and one whose only request failed is failing",
  async () => {
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
  },
  TIME,
)

test(
  "a provider shows its success, and how fast it answers",
  async () => {
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
  },
  TIME,
)

test("no page complained on the way", () => {
  expect(operator.complaints).toEqual([])
})
