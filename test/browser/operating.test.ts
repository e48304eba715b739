import { afterAll, beforeAll, expect, test } from "bun:test"
import { generateKeyPairSync } from "node:crypto"
import OpenAI from "openai"
import { publicText, writeFeed } from "../../src/catalog/prices/feed.ts"
import builtIn from "../../src/catalog/facts.json"
import { Accounts } from "../../src/management/accounts.ts"
import { COMMAND_LINE } from "../../src/management/actor.ts"
import { Audit } from "../../src/management/audit.ts"
import { PriceUpdates } from "../../src/management/prices/price-updates.ts"
import { databaseOf } from "../../src/store/installation-database.ts"
import { startReceiver, type Receiver } from "../notices/receiver.ts"
import { until } from "../support/until.ts"
import {
  ask,
  type ConsoleGateway,
  image,
  open,
  setUp,
  startConsole,
  type Visitor,
  visit,
} from "./console-gateway.ts"

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
})

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
  receiver[Symbol.dispose]()
})

/** Offers the built-in price list with one additional model for approval, as the daily check for new prices does. */
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

/** Returns the price that the account of the first key pays for a million input tokens. */
async function inputPriceOf(model: string): Promise<string | undefined> {
  const response = await fetch(`${tollgate.url}/v1/models/${model}`, {
    headers: { authorization: `Bearer ${tollgate.firstKey}` },
  })
  return ((await response.json()) as { pricing?: { input?: string } }).pricing?.input
}

/** Returns the error of a chat; undefined if it succeeds. */
async function rejection(user?: string): Promise<string | undefined> {
  const thrown = await chat(user).then(
    () => undefined,
    (error: unknown) => error,
  )
  return thrown instanceof OpenAI.APIError ? String(thrown.code) : undefined
}

test("a webhook is added with a secret that is shown once, tested and removed", async () => {
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
})

test("an account is paused and resumed, and gets limits", async () => {
  const { page } = operator
  await open(operator, "Accounts")
  await page.getByRole("table").getByRole("link").first().click()
  await page.getByRole("button", { name: "Pause", exact: true }).click()
  await page.getByRole("button", { name: "Pause the account" }).click()
  await page.getByRole("button", { name: "Resume" }).waitFor()
  await until(async () => (await rejection()) === "account_paused")
  await page.getByRole("button", { name: "Resume" }).click()
  await page.getByRole("button", { name: "Pause", exact: true }).waitFor()
  await until(async () => (await rejection()) === undefined)

  await page.getByRole("button", { name: "Change the limits" }).click()
  await page.getByLabel("Requests per minute").fill("none")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("Enter a whole number above zero").waitFor()
  await page.getByLabel("Requests per minute").fill("1,200")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByRole("definition").filter({ hasText: "1,200" }).waitFor()
})

test("a price group is created, and an account in the group is charged the group's prices", async () => {
  const { page } = operator
  await open(operator, "Price groups")
  await page.getByRole("button", { name: "Create a price group" }).first().click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Id").fill("Our Partners")
  await dialog.getByRole("button", { name: "Create", exact: true }).click()
  await dialog.getByText("Use lowercase letters, digits and hyphens").waitFor()
  await dialog.getByLabel("Id").fill("partners")
  await dialog.getByLabel("Name", { exact: true }).fill("Partners")
  await dialog.getByLabel("Multiplier").fill("half")
  await dialog.getByRole("button", { name: "Create", exact: true }).click()
  await dialog.getByRole("alert").filter({ hasText: "Multiplier" }).waitFor()
  await dialog.getByLabel("Multiplier").fill("0.5")
  await dialog.getByRole("button", { name: "Add a price to the rate card" }).click()
  await dialog.getByLabel("Model").fill("sandbox/ehco")
  await dialog.getByLabel("Input", { exact: true }).fill("7")
  await dialog.getByLabel("Output", { exact: true }).fill("9")
  await dialog.getByRole("button", { name: "Create", exact: true }).click()
  await dialog.getByRole("alert").filter({ hasText: "no model 'sandbox/ehco'" }).waitFor()
  await dialog.getByLabel("Model").fill("sandbox/echo")
  await dialog.getByRole("button", { name: "Create", exact: true }).click()
  await page.getByText("Rate card of 1 price, otherwise × 0.5").waitFor()

  await open(operator, "Accounts")
  await page.getByRole("table").getByRole("link").first().click()
  await page.getByRole("combobox", { name: "Price group" }).click()
  await page.getByRole("option", { name: "Partners" }).click()
  await page.getByRole("button", { name: "Change the prices" }).click()
  await page.getByText("The account has been moved.").waitFor()
  // The term begins once every process has loaded it.
  await until(async () => (await inputPriceOf("sandbox/echo")) === "7")

  await open(operator, "Price groups")
  await page.getByRole("table").getByRole("link", { name: "1" }).click()
  await page.getByText("1 account", { exact: true }).waitFor()
  expect(await page.getByRole("combobox", { name: "Price group" }).inputValue()).toBe("Partners")
  await open(operator, "Price groups")
  await page.getByRole("button", { name: "Delete Partners" }).click()
  await page.getByRole("button", { name: "Delete the price group" }).click()
  await page.getByText("One account belongs to the price group 'partners'").waitFor()
  await page.getByRole("button", { name: "Cancel" }).click()
  await page.getByRole("button", { name: "Change Partners" }).click()
  await page.getByText("It holds until the next term begins.").waitFor()
  await page.getByRole("button", { name: "Add a term" }).click()
  await page.getByLabel("Start").fill("2020-01-01T00:00")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByRole("alert").filter({ hasText: "past charges never change" }).waitFor()
  await page.getByLabel("Start").fill("2099-01-01T00:00")
  await page.getByLabel("Multiplier").fill("0")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("With a multiplier of 0 every call costs nothing.").waitFor()
  await page.getByRole("button", { name: "Yes, this is correct" }).click()
  await page.getByText("× 0").last().waitFor()

  await open(operator, "Accounts")
  await page.getByRole("table").getByRole("link").first().click()
  await page.getByRole("combobox", { name: "Price group" }).click()
  await page.getByRole("option", { name: "None (standard prices)" }).click()
  await page.getByRole("button", { name: "Change the prices" }).click()
  await until(async () => (await inputPriceOf("sandbox/echo")) !== "7")
  await open(operator, "Price groups")
  await page.getByRole("button", { name: "Delete Partners" }).click()
  await page.getByRole("button", { name: "Delete the price group" }).click()
  await page.getByText("No price groups yet").waitFor()
})

test("a key is paused and resumed", async () => {
  const { page } = operator
  await open(operator, "Keys")
  await page.getByRole("button", { name: "Columns" }).click()
  await page.getByRole("checkbox", { name: "Expires" }).check()
  await page.keyboard.press("Escape")
  await page.getByRole("table", { name: "Keys" }).getByRole("button", { name: "Expires" }).click()
  await page.locator("th[aria-sort=ascending]").getByText("Expires").waitFor()
  expect(new URL(page.url()).searchParams.get("sort")).toBe("expires")
  await page
    .getByRole("button", { name: /^Actions for/ })
    .first()
    .click()
  await page.getByRole("menuitem", { name: "Pause" }).click()
  await page.getByRole("button", { name: "Pause the key" }).click()
  await page.getByText("paused", { exact: true }).waitFor()
  await until(async () => (await rejection()) === "key_paused")
  await page
    .getByRole("button", { name: /^Actions for/ })
    .first()
    .click()
  await page.getByRole("menuitem", { name: "Resume" }).click()
  await page.getByText("The key works again.").waitFor()
  await until(async () => (await rejection()) === undefined)
})

test("a budget for each end user is set, shown as used up, and removed", async () => {
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
  await until(async () => (await rejection("alice")) === "label_budget_exceeded")
  expect(await rejection()).toBeUndefined()
  await page.reload()
  await page
    .getByRole("table", { name: "Spend of end users and tags" })
    .getByText("end user alice")
    .waitFor()
  await page.getByRole("button", { name: "Remove the budget of each end user" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click()
  await budgets.waitFor({ state: "detached" })
  await until(async () => (await rejection("alice")) === undefined)
})

test("newer prices require a review before they are activated", async () => {
  const { page } = operator
  await offerPrices()
  await open(operator, "Models")
  await page.getByText(`New list prices of ${NEWER} are available`).waitFor()
  await page.getByRole("button", { name: "Look at them" }).click()
  await page.getByRole("dialog").getByText("openai/echo").waitFor()
  await page.getByRole("button", { name: "Apply" }).click()
  await page.getByText(`The prices of ${NEWER} now apply.`).waitFor()
  await open(operator, "Settings")
  await page.getByRole("definition").filter({ hasText: NEWER }).first().waitFor()
})

/** Adds more accounts than one page of the list contains. */
async function addAccounts(): Promise<void> {
  await using store = await databaseOf({ data: tollgate.installation.data }).openStore()
  const accounts = new Accounts(store, new Audit(store))
  for (let number = 0; number < 205; number++) {
    const name = `Team ${String(number).padStart(3, "0")}`
    const credits = number < 3 ? { credits: `${number + 1}00000000` } : {}
    await accounts.create(COMMAND_LINE, { name, ...credits })
  }
}

test("accounts are searched, filtered and sorted on the server, and all matching accounts can be selected", async () => {
  const { page } = operator
  await addAccounts()
  await open(operator, "Accounts")
  const table = page.getByRole("table", { name: "Accounts" })
  const count = page.getByRole("main").getByRole("status")
  await count.getByText("206 accounts").waitFor()
  const used = table.getByRole("row").filter({ hasNotText: "Team" }).nth(1)
  await used.getByText("over a year").waitFor()

  await page.getByRole("searchbox", { name: "Search accounts" }).fill("team 20")
  await count.getByText("5 accounts").waitFor()
  expect(await table.getByRole("row").count()).toBe(6)
  await page.getByRole("button", { name: "Clear search" }).click()
  await count.getByText("206 accounts").waitFor()

  await table.getByRole("button", { name: "Balance" }).click()
  await table.locator("th[aria-sort=ascending]").getByText("Balance").waitFor()
  await table.getByRole("button", { name: "Balance" }).click()
  await table.locator("th[aria-sort=descending]").getByText("Balance").waitFor()
  await table.getByRole("row").nth(1).getByText("Team 002").waitFor()
  expect(page.url()).toContain("sort=-balance")
  await page.reload()
  await table.getByRole("row").nth(1).getByText("Team 002").waitFor()
  await image(page, "accounts-sorted")

  await page.getByRole("combobox", { name: "Credits" }).click()
  await page.getByRole("option", { name: "Without credits" }).click()
  await count.getByText("202 accounts").waitFor()

  await page.setViewportSize({ width: 390, height: 900 })
  await page.getByRole("combobox", { name: "Sort by" }).click()
  await page.getByRole("option", { name: "Account" }).click()
  await page.getByRole("listitem").first().getByText("Team 003").waitFor()
  await page.getByRole("button", { name: "Sort descending" }).click()
  await page.getByRole("listitem").first().getByText("Team 204").waitFor()
  await image(page, "accounts-390")
  await page.setViewportSize({ width: 1440, height: 900 })

  const switcher = page.getByRole("combobox", { name: "Account", exact: true })
  await switcher.click()
  await switcher.pressSequentially("Team 204")
  await page.getByRole("option", { name: "Team 204" }).click()
  await page.reload()
  await until(async () => (await switcher.inputValue()) === "Team 204")
  await switcher.click()
  await switcher.pressSequentially("All acc")
  await page.getByRole("option", { name: "All accounts" }).click()
})

test("the overview of all accounts shows spending, low balances, earnings and the state of the gateway", async () => {
  const { page } = operator
  const part = (title: string) =>
    page
      .getByRole("main")
      .locator("section")
      .filter({
        has: page.getByRole("heading", { level: 2, name: title, exact: true }),
      })
  const failing = "**/admin/v1/system"
  await page.route(failing, (route) => route.fulfill({ status: 503, json: {} }))
  await open(operator, "Overview")
  await part("Top accounts").getByRole("row").nth(1).getByText("over a year").waitFor()
  await part("Running out of credits")
    .getByRole("link", { name: "202 accounts without credits" })
    .waitFor()
  const margin = part("Margin").getByRole("row").filter({ hasText: "sandbox" })
  await margin.getByText("0%").waitFor()
  await part("Margin").getByRole("combobox", { name: "Group by" }).click()
  await page.getByRole("option", { name: "Price group" }).click()
  await part("Margin").getByRole("columnheader", { name: "Price group" }).waitFor()
  await part("Margin").getByRole("row").filter({ hasText: "none" }).getByText("0%").waitFor()
  await part("Providers").getByRole("listitem").getByText("healthy").waitFor()

  // Only one panel fails, and it recovers without a reload of the page.
  await part("Nodes and database").getByRole("alert").waitFor()
  await page.unroute(failing)
  await part("Nodes and database")
    .getByText(/\(this node\)/)
    .waitFor()
  await part("Nodes and database")
    .getByText(/^SQLite 3/)
    .waitFor()
  expect(await page.getByRole("main").getByRole("alert").count()).toBe(0)
  await image(page, "overview-operator")

  await part("Running out of credits")
    .getByRole("link", { name: "202 accounts without credits" })
    .click()
  await page.getByRole("main").getByRole("status").getByText("202 accounts").waitFor()
})

test("the overview lists at most six problems of the gateway, failed checks first", async () => {
  const { page } = operator
  // Before the first request, the overview shows the first steps instead.
  await chat()
  const { body } = await ask(page, "GET", "/system")
  const problems = Array.from({ length: 9 }, (_, index) => ({
    result: index === 8 ? "failed" : "warning",
    name: `check ${index}`,
    found: "it has no price",
    fix: "Set one",
  }))
  const system = "**/admin/v1/system"
  await page.route(system, (route) => route.fulfill({ json: { ...body, problems } }))
  await visit(page, "?account=all")
  const items = page.getByRole("list", { name: "Problems" }).getByRole("listitem")
  await items.filter({ hasText: "and 3 more" }).waitFor()
  expect(await items.count()).toBe(7)
  expect(await items.first().textContent()).toContain("check 8")
  await page.unroute(system)
})

test("an overview without all requests shows a warning instead of the first steps", async () => {
  const { page } = operator
  const { body } = await ask(page, "GET", "/usage/overview")
  const overview = "**/admin/v1/usage/overview*"
  const incomplete = { ...body, days: [], is_incomplete: true }
  await page.route(overview, (route) => route.fulfill({ json: incomplete }))
  await visit(page, "?account=all")
  await page.getByText("Recent requests are missing").waitFor()
  expect(await page.getByText("Your first request").count()).toBe(0)
  await page.unroute(overview)
})

test("no page in the operating tests reported an error", () => {
  expect(operator.complaints).toEqual([])
})
