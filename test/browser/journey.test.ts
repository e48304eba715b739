import { afterAll, beforeAll, expect, test } from "bun:test"
import OpenAI from "openai"
import {
  type ConsoleGateway,
  open,
  image,
  setUp,
  startConsole,
  type Visitor,
} from "./console-gateway.ts"

/** The way of a newcomer, each step on the one before, as they walk it by hand. */
const TIME = 120_000
let tollgate: ConsoleGateway
let operator: Visitor
/** The key that the newcomer makes. */
let secret: string

beforeAll(async () => {
  tollgate = await startConsole()
  operator = await tollgate.visitor()
}, TIME)

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
}, TIME)

function clientWith(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${tollgate.url}/v1`, maxRetries: 0 })
}

function say(apiKey: string, content: string, model = "sandbox/echo") {
  const messages = [{ role: "user" as const, content }]
  return clientWith(apiKey).chat.completions.create({ model, messages }).withResponse()
}

/** The secret that a dialog shows this once. */
async function takeSecret(): Promise<string> {
  const text = await operator.page.getByTestId("secret").textContent()
  await operator.page.getByRole("button", { name: "I have copied it" }).click()
  return text ?? ""
}

test(
  "the first user signs up by the one-time link",
  async () => {
    const { page } = operator
    await setUp(operator, tollgate.setupLink)
    expect(
      await page.getByRole("navigation").getByRole("link", { name: "Providers" }).count(),
    ).toBe(1)
    await using second = await tollgate.visitor()
    await second.page.goto(tollgate.setupLink)
    await second.page.getByText("This gateway has been set up already").waitFor()
  },
  TIME,
)

test(
  "a key is made, shown once, and calls the gateway",
  async () => {
    const { page } = operator
    await open(operator, "Keys")
    await page.getByRole("button", { name: "Create a key" }).first().click()
    await page.getByLabel("Name").fill("my laptop")
    await page.getByRole("button", { name: "Create the key" }).click()
    secret = await takeSecret()
    expect(secret).toMatch(/^sk-tg-[0-9A-Za-z]{43}$/)
    expect(await page.content()).not.toContain(secret)
    const { data } = await say(secret, "hello from the laptop")
    expect(data.choices[0]?.message.content).toContain("hello from the laptop")
  },
  TIME,
)

test(
  "the request appears, and its receipt explains the charge",
  async () => {
    const { page } = operator
    await open(operator, "Requests")
    const { response } = await say(secret, "where is my receipt?")
    const id = response.headers.get("x-request-id") ?? ""
    // The list is live: no one reloads it.
    await page.locator(`a[href*="${id}"]`).first().click()
    await page.getByText(id).first().waitFor()
    const cost = response.headers.get("x-tollgate-cost") ?? ""
    await page.getByText(cost).first().waitFor()
    await page.getByText("my laptop").first().waitFor()
    await image(page, "journey-receipt")
  },
  TIME,
)

test(
  "a refused request is listed with the reason, and its id leads there",
  async () => {
    const { page } = operator
    const refused = await say(secret, "hello", "sandbox/nothing").catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(OpenAI.NotFoundError)
    await open(operator, "Requests")
    await page.getByText("Refused", { exact: true }).click()
    await page
      .getByRole("link", { name: /sandbox\/nothing/ })
      .first()
      .click()
    await page.getByText("Nothing was held or charged, so there is no receipt.").waitFor()
    await page.getByText("model not found").waitFor()
  },
  TIME,
)

test(
  "a failed attempt says why, in the vendor's words",
  async () => {
    const { page } = operator
    const failed = await say(secret, "hello", "sandbox/fault-500").catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(OpenAI.InternalServerError)
    const id = failed instanceof OpenAI.APIError ? (failed.requestID ?? "") : ""
    await page.goto(`/console/requests/${id}`)
    await page.getByText("HTTP 500").first().waitFor()
    await page
      .locator("ol.attempts")
      .getByText(/simulat|fault|error/i)
      .last()
      .waitFor()
  },
  TIME,
)

test(
  "credits run out, and a code brings more",
  async () => {
    const { page } = operator
    await open(operator, "Codes")
    await page.getByRole("button", { name: "Create a code" }).first().click()
    await page.getByLabel("Credits per account").fill("2.5")
    await page.getByRole("button", { name: "Create", exact: true }).click()
    const code = await page.getByText(/^TG-/).textContent()
    await page.getByRole("button", { name: "I have copied it" }).click()

    await open(operator, "Credits")
    const held = await page.request.get("/admin/v1/accounts")
    const [account] = ((await held.json()) as { data: { balance: string }[] }).data
    await page.getByRole("button", { name: "Adjust credits" }).click()
    await page.getByRole("dialog").getByRole("combobox", { name: "Kind" }).click()
    await page.getByRole("option", { name: /^Adjustment/ }).click()
    await page.getByLabel("Amount").fill(`-${account?.balance ?? ""}`)
    await page.getByLabel("Reason").fill("spent elsewhere")
    await page.getByRole("button", { name: "Record the entry" }).click()
    await page.getByText("The entry has been recorded.").waitFor()

    const refused = await say(secret, "hello").catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 402, code: "insufficient_credits" })

    await page.getByRole("button", { name: "Redeem a code" }).click()
    await page.getByRole("textbox", { name: "Code" }).fill((code ?? "").toLowerCase())
    await page.getByRole("button", { name: "Redeem", exact: true }).click()
    await page.getByText(/2\.50? credits were added/).waitFor()
    expect((await say(secret, "hello again")).response.status).toBe(200)

    await page.getByRole("button", { name: "Redeem a code" }).click()
    await page.getByRole("textbox", { name: "Code" }).fill(code ?? "")
    await page.getByRole("button", { name: "Redeem", exact: true }).click()
    await page
      .getByText(/already/)
      .first()
      .waitFor()
    await page.getByRole("button", { name: "Cancel" }).click()
  },
  TIME,
)

test(
  "a rotated key works on with the new one; a revoked one stops",
  async () => {
    const { page } = operator
    await open(operator, "Keys")
    await page.getByRole("button", { name: "Actions for my laptop" }).click()
    await page.getByRole("menuitem", { name: "Rotate" }).click()
    await page.getByRole("button", { name: "Rotate", exact: true }).click()
    const rotated = await takeSecret()
    expect(rotated).not.toBe(secret)
    expect((await say(secret, "old")).response.status).toBe(200)
    expect((await say(rotated, "new")).response.status).toBe(200)

    await page.getByRole("button", { name: "Actions for my laptop" }).click()
    await page.getByRole("menuitem", { name: "Revoke" }).click()
    await page.getByRole("button", { name: "Revoke the key" }).click()
    await page.getByText("The key has been revoked.").waitFor()
    await untilRefused(rotated)
    const refused = await say(secret, "old").catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 401, code: "invalid_api_key" })
  },
  TIME,
)

/** A change reaches every process within a second. */
async function untilRefused(key: string): Promise<void> {
  const deadline = Date.now() + 5_000
  while (Date.now() < deadline) {
    const answer = await say(key, "new").catch((error: unknown) => error)
    if (answer instanceof OpenAI.AuthenticationError) return
  }
  throw new Error("the revoked key still works")
}

test(
  "the playground streams an answer and says what it cost",
  async () => {
    const { page } = operator
    await open(operator, "Playground")
    await page.getByRole("combobox", { name: /Model/ }).first().click()
    await page
      .getByRole("option", { name: /sandbox\/echo/ })
      .first()
      .click()
    await page.getByRole("textbox", { name: /message/i }).fill("stream this back to me")
    await page.keyboard.press("Enter")
    await page.getByText("stream this back to me").nth(1).waitFor()
    await page
      .getByText(/0\.0+\d+ credits/)
      .first()
      .waitFor()
    await image(page, "journey-playground")
  },
  TIME,
)

test("no page complained on the way", () => {
  expect(operator.complaints).toEqual([])
})
