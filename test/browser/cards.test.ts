import { afterAll, beforeAll, expect, test } from "bun:test"
import OpenAI from "openai"
import { nanos, nanosText } from "../../console/src/format/credits.ts"
import { type CardCompany, startCardCompany } from "./card-company.ts"
import {
  ask,
  type ConsoleGateway,
  open,
  setUp,
  startConsole,
  type Visitor,
} from "./console-gateway.ts"

let cards: CardCompany
let tollgate: ConsoleGateway
let operator: Visitor
/** The account that the first start creates. It has no credits. */
let account: string

beforeAll(async () => {
  cards = startCardCompany()
  tollgate = await startConsole(cards.yaml)
  operator = await tollgate.visitor()
  await setUp(operator, tollgate.setupLink)
  const { body } = await ask(operator.page, "GET", "/accounts")
  const [first] = body["data"] as { id: string; balance: string }[]
  account = first?.id ?? ""
  await enter(`-${first?.balance ?? ""}`)
})

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
  await cards[Symbol.asyncDispose]()
})

interface Entry {
  readonly kind: string
  readonly amount: string
  readonly note: string
}

/** Returns the payments, newest first. */
async function payments(): Promise<Entry[]> {
  const { body } = await ask(operator.page, "GET", `/accounts/${account}/entries`)
  return (body["data"] as Entry[]).filter(({ note }) => note.includes(cards.session))
}

/** Adds or takes credits. */
async function enter(amount: string): Promise<void> {
  const entry = { kind: "adjustment", amount, note: "by hand" }
  const { status } = await ask(operator.page, "POST", `/accounts/${account}/entries`, entry)
  expect(status).toBe(200)
}

/** Opens the payment page. */
async function beginToPay(credits: string): Promise<void> {
  const { page } = operator
  await page.getByRole("button", { name: "Buy with a card" }).click()
  await page.getByLabel("Credits", { exact: true }).fill("0")
  await page.getByRole("button", { name: "Continue to payment" }).click()
  await page.getByText("Enter an amount above zero").waitFor()
  await page.getByLabel("Credits", { exact: true }).fill(credits)
  await page.getByText(/^You pay USD \d+\.\d\d\./).waitFor()
  await page.getByRole("button", { name: "Continue to payment" }).click()
  await page.getByRole("heading", { name: "Pay" }).waitFor()
}

async function follow(link: "Pay now" | "Cancel", words: string): Promise<void> {
  await operator.page.getByRole("link", { name: link }).click()
  await operator.page.getByText(words).waitFor()
}

const CANCELLED = "The payment was cancelled. Nothing was charged."
const THANKS = "Thank you. The credits are added as soon as the payment is confirmed."

/** Waits until the page shows a balance. The page is not reloaded. */
function showsBalance(credits: string): Promise<void> {
  return operator.page.getByRole("main").getByText(`${credits} credits`).first().waitFor()
}

/** Returns the error of a chat; undefined if it succeeds. */
async function rejection(): Promise<unknown> {
  const client = new OpenAI({ apiKey: tollgate.firstKey, baseURL: `${tollgate.url}/v1` })
  const messages = [{ role: "user" as const, content: "hello" }]
  return client.chat.completions.create({ model: "sandbox/echo", messages }).then(
    () => undefined,
    (error: unknown) => (error instanceof OpenAI.APIError ? error.code : error),
  )
}

test("a canceled payment adds nothing, and a later confirmation adds its credits once", async () => {
  const { page } = operator
  await open(operator, "Credits")
  await beginToPay("12.5")
  await follow("Cancel", CANCELLED)
  await beginToPay("12.5")
  await follow("Pay now", THANKS)
  expect(await cards.tell(tollgate.url, "paid", "whsec_of_somebody_else")).toBe(400)
  expect(await payments()).toEqual([])
  await page.getByRole("cell", { name: "adjustment" }).first().waitFor()
  expect(await page.getByRole("cell", { name: "payment" }).count()).toBe(0)
  for (let told = 0; told < 2; told++) expect(await cards.tell(tollgate.url, "paid")).toBe(200)
  expect(await payments()).toMatchObject([{ kind: "payment", amount: "12.5" }])
  // The page updates itself.
  await page.getByRole("cell", { name: "payment" }).first().waitFor()
  await page.getByText("Paid USD 12.50").waitFor()
  await showsBalance("12.50")
})

test("credits are available if the payment is confirmed before the payer returns to the console", async () => {
  await beginToPay("7.25")
  expect(await cards.tell(tollgate.url, "paid")).toBe(200)
  await follow("Pay now", THANKS)
  await showsBalance("19.75")
  expect(await cards.tell(tollgate.url, "paid")).toBe(200)
  expect(await payments()).toMatchObject([{ kind: "payment", amount: "7.25" }])
  await showsBalance("19.75")
})

test("a refund of spent credits becomes a debt, which new credits pay off", async () => {
  const { page } = operator
  await enter("-17.75")
  for (let told = 0; told < 2; told++) {
    expect(await cards.tell(tollgate.url, "refunded")).toBe(200)
  }
  const debt = page.getByRole("alert").filter({ hasText: "This account owes 5.25 credits" })
  await debt.waitFor()
  await page.getByRole("cell", { name: "reversal" }).first().waitFor()
  expect(await rejection()).toBe("insufficient_credits")
  await enter("6.25")
  await debt.waitFor({ state: "detached" })
  await page.getByRole("cell", { name: "debt" }).first().waitFor()
  await showsBalance("1.00")
  expect(await rejection()).toBeUndefined()
})

test("a dispute of a payment removes its credits immediately, and returns them when it is won", async () => {
  const { page } = operator
  await beginToPay("4")
  expect(await cards.tell(tollgate.url, "paid")).toBe(200)
  await follow("Pay now", THANKS)
  await enter("-3")
  const { body } = await ask(page, "GET", `/accounts/${account}`)
  const owed = nanosText(nanos("4") - nanos(String(body["balance"])))
  for (let told = 0; told < 2; told++) {
    expect(await cards.tell(tollgate.url, "disputed")).toBe(200)
  }
  const debt = page.getByRole("alert").filter({ hasText: "This account owes" })
  await debt.waitFor()
  expect((await ask(page, "GET", `/accounts/${account}`)).body).toMatchObject({ debt: owed })
  expect(await cards.tell(tollgate.url, "dispute won")).toBe(200)
  await debt.waitFor({ state: "detached" })
  expect((await ask(page, "GET", `/accounts/${account}`)).body).toMatchObject({
    balance: body["balance"],
    debt: "0",
  })
  expect(operator.complaints).toEqual([])
})
