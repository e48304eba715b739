import { afterAll, beforeAll, expect, test } from "bun:test"
import { until } from "../support/until.ts"
import { type ConsoleGateway, open, setUp, startConsole, type Visitor } from "./console-gateway.ts"

const YAML = `providers:
  mistral: { vendor: mistral, api_key: k, base_url: "http://127.0.0.1:1/v1" }
`
const NEWER = "mistral/mistral-large-9"
let tollgate: ConsoleGateway
let operator: Visitor

beforeAll(async () => {
  tollgate = await startConsole(YAML)
  operator = await tollgate.visitor()
  await setUp(operator, tollgate.setupLink)
})

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
})

/** Returns the code of the gateway's error for a chat with the newer model. */
async function errorCode(): Promise<string> {
  const response = await fetch(`${tollgate.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${tollgate.firstKey}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ model: NEWER, messages: [{ role: "user", content: "hello" }] }),
  })
  return ((await response.json()) as { error: { code: string } }).error.code
}

test("an operator needs only one click to add a requested model that is newer than the price list", async () => {
  expect(await errorCode()).toBe("model_not_found")
  const { page } = operator
  await open(operator, "Models")
  const button = page.getByRole("button", { name: "Offer newer models" })
  await until(async () => {
    if (await button.isVisible()) return true
    await page.reload()
    await page.getByRole("table", { name: "Models" }).waitFor()
    return button.isVisible()
  })
  await page.getByText(NEWER).first().waitFor()
  await button.click()
  await page.getByText("Newer models are offered at the price of their family.").waitFor()
  await button.waitFor({ state: "detached" })
  // The model exists now. The request fails because its provider cannot be reached.
  await until(async () => (await errorCode()) !== "model_not_found")
})
