import { afterAll, beforeAll, expect, test } from "bun:test"
import { generateKeyPairSync } from "node:crypto"
import OpenAI from "openai"
import { publicText, writeFeed } from "../../src/catalog/prices/feed.ts"
import builtIn from "../../src/catalog/facts.json"
import { Audit } from "../../src/management/audit.ts"
import { PriceUpdates } from "../../src/management/prices/price-updates.ts"
import { databaseOf } from "../../src/store/installation-database.ts"
import { startReceiver, type Receiver } from "../notices/receiver.ts"
import { until } from "../support/until.ts"
import { type ConsoleGateway, open, setUp, startConsole, type Visitor } from "./console-gateway.ts"

/** What an operator does beside selling: notices, accounts that are held, newer prices. */
const TIME = 120_000
const { privateKey } = generateKeyPairSync("ed25519")
const DAY = 86_400_000
const NEWER = new Date(Date.parse(builtIn.date) + DAY).toISOString().slice(0, 10)
let receiver: Receiver
let tollgate: ConsoleGateway
let operator: Visitor

beforeAll(async () => {
  receiver = startReceiver()
  tollgate = await startConsole(`
notices: { private: true }
prices: { keys: ["${publicText(privateKey)}"] }
`)
  operator = await tollgate.visitor()
  await setUp(operator, tollgate.setupLink)
}, TIME)

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
  receiver[Symbol.dispose]()
}, TIME)

/** Has the built-in list with one more model wait, as the daily look does. */
async function offerPrices(): Promise<void> {
  const price = { input: "1", output: "2" }
  const echo = { kind: "chat", context: 1_000, max_output: 100, price }
  const vendors = { ...builtIn.vendors, openai: { ...builtIn.vendors.openai, echo } }
  const feed = writeFeed(JSON.stringify({ ...builtIn, date: NEWER, vendors }), privateKey)
  await using store = await databaseOf({ data: tollgate.installation.data }).openStore()
  const ownKeys = () => [publicText(privateKey)]
  const updates = new PriceUpdates({ store, audit: new Audit(store), ownKeys })
  await updates.offer(feed, "https://example.com/prices.json", "ask")
}

function chat(user?: string) {
  const client = new OpenAI({
    apiKey: tollgate.firstKey,
    baseURL: `${tollgate.url}/v1`,
    maxRetries: 0,
  })
  const messages = [{ role: "user" as const, content: "hello" }]
  return client.chat.completions.create({ model: "sandbox/echo", messages, ...(user && { user }) })
}

/** What the gateway refuses a chat with; undefined: it answers. */
async function refusal(user?: string): Promise<string | undefined> {
  const thrown = await chat(user).then(
    () => undefined,
    (error: unknown) => error,
  )
  return thrown instanceof OpenAI.APIError ? String(thrown.code) : undefined
}

test(
  "a webhook is added, its secret shown once, tested, and removed",
  async () => {
    const { page } = operator
    await open(operator, "Notices")
    await page.getByRole("button", { name: "Add a target" }).first().click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Address").fill("ftp://127.0.0.1/nobody")
    await dialog.getByRole("button", { name: "Add", exact: true }).click()
    await dialog
      .getByText(/address/i)
      .nth(1)
      .waitFor()
    await dialog.getByLabel("Address").fill(`${receiver.url}/tollgate`)
    await dialog.getByLabel("Balance below").fill("5")
    await dialog.getByRole("button", { name: "Add", exact: true }).click()
    const secret = (await page.getByText(/^whsec_/).textContent()) ?? ""
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "I have copied it" }).click()
    expect(secret.length).toBeGreaterThan(30)
    expect(await page.content()).not.toContain(secret)

    await page.getByRole("button", { name: /^Send a test/ }).click()
    await page.getByText("delivered").first().waitFor()
    expect(receiver.received.at(-1)?.body).toContain(`"type":"test"`)

    await page.getByRole("button", { name: /^Remove / }).click()
    await page.getByRole("button", { name: "Remove the target" }).click()
    await page.getByText("No targets yet").waitFor()
    await page.getByText("a target that was removed").first().waitFor()
  },
  TIME,
)

test(
  "an account is paused and resumed, and limited",
  async () => {
    const { page } = operator
    await open(operator, "Accounts")
    await page.getByRole("table").getByRole("link").first().click()
    await page.getByRole("button", { name: "Pause", exact: true }).click()
    await page.getByRole("button", { name: "Pause the account" }).click()
    await page.getByRole("button", { name: "Resume" }).waitFor()
    await until(async () => (await refusal()) === "account_paused")
    await page.getByRole("button", { name: "Resume" }).click()
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor()
    await until(async () => (await refusal()) === undefined)

    await page.getByRole("button", { name: "Change the limits" }).click()
    await page.getByLabel("Requests per minute").fill("none")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Enter a whole number above zero").waitFor()
    await page.getByLabel("Requests per minute").fill("1,200")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("definition").filter({ hasText: "1,200" }).waitFor()
  },
  TIME,
)

test(
  "a key is paused and resumed",
  async () => {
    const { page } = operator
    await open(operator, "Keys")
    await page
      .getByRole("button", { name: /^Actions for/ })
      .first()
      .click()
    await page.getByRole("menuitem", { name: "Pause" }).click()
    await page.getByRole("button", { name: "Pause the key" }).click()
    await page.getByText("paused", { exact: true }).waitFor()
    await until(async () => (await refusal()) === "key_paused")
    await page
      .getByRole("button", { name: /^Actions for/ })
      .first()
      .click()
    await page.getByRole("menuitem", { name: "Resume" }).click()
    await page.getByText("The key works again.").waitFor()
    await until(async () => (await refusal()) === undefined)
  },
  TIME,
)

test(
  "each end user gets a budget, which is seen to be used up, and taken away",
  async () => {
    const { page } = operator
    await open(operator, "Credits")
    await page.getByRole("button", { name: "Set a budget" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("button", { name: "Set", exact: true }).click()
    await dialog.getByText("Enter an amount for a day or a month").waitFor()
    await dialog.getByLabel("Credits a day").fill("0.000001")
    await dialog.getByRole("button", { name: "Set", exact: true }).click()
    const budgets = page.getByRole("table", { name: "Budgets of end users and tags" })
    await budgets.getByText("each end user").waitFor()
    await until(async () => (await refusal("alice")) === "label_budget_exceeded")
    expect(await refusal()).toBeUndefined()
    await page.reload()
    await page.getByRole("table", { name: "What end users" }).getByText("end user alice").waitFor()
    await page.getByRole("button", { name: "Remove the budget of each end user" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click()
    await budgets.waitFor({ state: "detached" })
    await until(async () => (await refusal("alice")) === undefined)
  },
  TIME,
)

test(
  "newer prices wait until they are looked at, and are put in force",
  async () => {
    const { page } = operator
    await offerPrices()
    await open(operator, "Models")
    await page.getByText(`Prices of ${NEWER} are waiting`).waitFor()
    await page.getByRole("button", { name: "Look at them" }).click()
    await page.getByRole("dialog").getByText("openai/echo").waitFor()
    await page.getByRole("button", { name: "Put in force" }).click()
    await page.getByText(`The prices of ${NEWER} are in force.`).waitFor()
    await open(operator, "Settings")
    await page.getByRole("definition").filter({ hasText: NEWER }).first().waitFor()
  },
  TIME,
)

test("no page complained on the way", () => {
  expect(operator.complaints).toEqual([])
})
