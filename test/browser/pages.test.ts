import { afterAll, beforeAll, expect, test } from "bun:test"
import OpenAI from "openai"
import { faultsOf } from "./axe-faults.ts"
import type { Page } from "playwright-core"
import { testBrowser } from "./browser.ts"
import {
  type ConsoleGateway,
  OPERATOR,
  image,
  setUp,
  startConsole,
  type Visitor,
  type VisitorOptions,
} from "./console-gateway.ts"

/** The id of the account of the first start. */
let account: string
let receipt: string
/** A request that has none. */
let refused: string

/** Addresses below `/console/`. */
const PAGES: Readonly<Record<string, () => string>> = {
  overview: () => "",
  "overview-all": () => "?account=all",
  keys: () => "keys",
  "key-create": () => "keys?create=1",
  connect: () => "connect",
  usage: () => "usage",
  "usage-table": () => "usage?view=table&group=key&metric=p95&time=24h",
  "usage-outcome": () => "usage?group=outcome",
  requests: () => "requests",
  refused: () => "requests?account=all&status=refused",
  receipt: () => `requests/${receipt}`,
  "receipt-refused": () => `requests/${refused}`,
  session: () => "session?session=pages",
  credits: () => "credits",
  models: () => "models",
  playground: () => "playground",
  members: () => "members",
  notices: () => "notices",
  audit: () => "audit",
  providers: () => "providers",
  accounts: () => "accounts",
  account: () => `accounts/${account}`,
  "price-groups": () => "price-groups",
  users: () => "users",
  codes: () => "codes",
  settings: () => "settings",
  profile: () => "profile",
}
/** Each width in each theme. What is told apart by them both is colour alone: the rest is looked at once for each. */
const LOOKS: readonly Look[] = [
  { width: 1440, scheme: "light" },
  { width: 1440, scheme: "dark", rules: ["color-contrast", "link-in-text-block"] },
  { width: 390, scheme: "dark" },
  { width: 390, scheme: "light", rules: ["color-contrast", "link-in-text-block"] },
]

interface Look extends Required<VisitorOptions> {
  /** Of axe; absent: all. */
  readonly rules?: readonly string[]
}

/** From a small phone to a large screen, with the widths at which the layout changes. */
const WIDTHS = [360, 769, 820, 1_024, 1_200, 1_440, 2_560]
/** What a reader has to scroll sideways to see: the page itself, its tables of data, and choices of one of several. */
const CUT_OFF = `[
  document.documentElement,
  ...document.querySelectorAll("[role=group]:has(table), [role=radiogroup]"),
]
  .filter((element) => element.scrollWidth > element.clientWidth)
  .map((element) => element.getAttribute("aria-label") ?? element.tagName)`

/** Numbers that go on in the next line; addresses may. */
const BROKEN_NUMBERS = `(() => {
  const texts = document.createTreeWalker(document.querySelector("main") ?? document.body, NodeFilter.SHOW_TEXT)
  const linesOf = (shape) => new Set([...shape.getClientRects()].map(({ top }) => Math.round(top))).size
  const broken = [...document.querySelectorAll(".amount")].filter((amount) => linesOf(amount) > 1)
    .map(({ textContent }) => textContent)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (text.parentElement.closest("code, pre, .mono, .chart, [role=dialog]")) continue
    for (const { 0: number, index } of text.data.matchAll(/(?<![^\\s(+−])\\d[\\d.,]*\\d(?![^\\s)%;,])/g)) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + number.length)
      if (linesOf(range) > 1) broken.push(text.data)
    }
  }
  return broken
})()`

/** Amounts that are wider than the place they have. */
const STICKING_OUT = `[...document.querySelectorAll(".figure-large .amount, dd .amount")]
  .filter((amount) => {
    const place = amount.closest(".figure-large, dd").getBoundingClientRect()
    return amount.getBoundingClientRect().right > place.right + 1
  })
  .map(({ textContent }) => textContent)`

/** Columns of a table in which the points of amounts do not stand below each other. */
const UNALIGNED = `[...document.querySelectorAll("table")].flatMap((table) => {
  const points = new Map()
  for (const fraction of table.querySelectorAll("td .fraction")) {
    const column = fraction.closest("td").cellIndex
    points.set(column, [...(points.get(column) ?? []), fraction.getBoundingClientRect().left])
  }
  return [...points].filter(([, lefts]) => Math.max(...lefts) - Math.min(...lefts) > 1)
    .map(([column]) => table.getAttribute("aria-label") + " " + table.rows[0].cells[column].textContent)
})`

/** All of them at once, by what they are called. */
const MISPLACED = `({
  cutOff: ${CUT_OFF},
  broken: ${BROKEN_NUMBERS},
  stickingOut: ${STICKING_OUT},
  unaligned: ${UNALIGNED},
})`

let tollgate: ConsoleGateway

beforeAll(async () => {
  tollgate = await startConsole(`
price_groups:
  partners:
    name: Partners and resellers
    terms:
      - { from: 2020-01-01, multiplier: 0.9 }
      - { from: 2099-01-01, prices: { sandbox/echo: { input: 1, output: 2 } } }
`)
  const client = new OpenAI({
    apiKey: tollgate.firstKey,
    baseURL: `${tollgate.url}/v1`,
    defaultHeaders: { "x-tollgate-session": "pages" },
  })
  for (const model of ["sandbox/echo", "sandbox/claude", "sandbox/gemini"]) {
    const messages = [{ role: "user" as const, content: `a page of ${model}` }]
    const { response } = await client.chat.completions.create({ model, messages }).withResponse()
    receipt = response.headers.get("x-request-id") ?? ""
  }
  const messages = [{ role: "user" as const, content: "nobody answers" }]
  const unknown = client.chat.completions.create({ model: "sandbox/nothing", messages })
  refused = await unknown.then(
    () => "",
    ({ requestID }: { readonly requestID?: string }) => requestID ?? "",
  )
})

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
})

/** What follows a new width or theme has been drawn: colours and marks that move are where they belong. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    for (let drawn = 0; drawn < 3; drawn++) await new Promise((next) => requestAnimationFrame(next))
    await Promise.allSettled(document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity)
      .map(({ finished }) => finished))
  })()`)
}

/** Looks at the page as it stands in each width and theme. */
async function look(page: Page, name: string): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor()
  await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" })
  for (const { width, scheme, rules } of LOOKS) {
    await page.setViewportSize({ width, height: 900 })
    await testBrowser.changeScheme(page, scheme)
    await settled(page)
    if (rules === undefined) await image(page, `${name}-${width}-${scheme}`)
    expect(await faultsOf(page, rules), `${name} ${width} ${scheme}`).toEqual([])
  }
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    await settled(page)
    const nothing = { cutOff: [], broken: [], stickingOut: [], unaligned: [] }
    expect(await page.evaluate(MISPLACED), `${name} at ${width}`).toEqual(nothing)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}

/** The account of the first start. */
function accountId(page: Page): Promise<string> {
  return page.evaluate<string>(
    `fetch("/admin/v1/accounts").then((answer) => answer.json()).then(({ data }) => data[0].id)`,
  )
}

/** More than has room in most places, to the last digit. */
async function grantMuch(page: Page): Promise<void> {
  const account = await accountId(page)
  const response = await page.request.post(`/admin/v1/accounts/${account}/entries`, {
    headers: { "x-tollgate-console": "1" },
    data: { kind: "grant", amount: "249969371.123456789", note: "much" },
  })
  expect(response.status()).toBe(200)
}

test("pages before the sign-in", async () => {
  await using visitor = await tollgate.visitor()
  await visitor.page.goto("/console/sign-in")
  await look(visitor.page, "sign-in")
  await visitor.page.goto(tollgate.setupLink)
  await look(visitor.page, "setup")
  await visitor.page.goto("/console/setup?token=wrong")
  await visitor.page.getByText("This link does not work").waitFor()
  expect(await visitor.page.getByRole("textbox").count()).toBe(0)
  await look(visitor.page, "setup-wrong-link")
  await visitor.page.goto("/console/reset?token=wrong")
  await visitor.page.getByText("This link no longer works").waitFor()
  expect(await visitor.page.getByRole("button").count()).toBe(0)
  expect(visitor.complaints).toEqual([])
  await using first = await tollgate.visitor()
  await setUp(first, tollgate.setupLink)
  await grantMuch(first.page)
})

async function signIn(page: Page): Promise<void> {
  await page.goto("/console/sign-in")
  await page.getByLabel("Email").fill(OPERATOR.email)
  await page.getByLabel("Password", { exact: true }).fill(OPERATOR.password)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
}

/** Signed in, for all pages: to sign in takes longer than to look at one. */
let operator: Visitor

test("the operator signs in", async () => {
  operator = await tollgate.visitor()
  await signIn(operator.page)
  account = await accountId(operator.page)
})

test.each(Object.entries(PAGES))("the page %s", async (name, address) => {
  const { page } = operator
  await page.goto(`/console/${address()}`)
  await look(page, name)
  expect(operator.complaints).toEqual([])
})

test("what opens over the pages, and a conversation with three models", async () => {
  await using visitor = await tollgate.visitor()
  const { page } = visitor
  await signIn(page)
  await page.keyboard.press("Control+k")
  await page.getByRole("option").first().waitFor()
  await look(page, "palette")
  await page.keyboard.press("Escape")
  await page.getByRole("dialog").waitFor({ state: "detached" })
  await page.keyboard.press("?")
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.goto("/console/playground")
  await page.getByRole("button", { name: "Compare" }).click()
  await page.getByRole("button", { name: "Compare" }).click()
  await page.getByLabel("Tools").fill(`[{ "name": "look", "parameters": { "type": "object" } }]`)
  const message = page.getByRole("textbox", { name: "Your message" })
  for (const text of ["# A\n\n> b [c](https://d.example)\n\n|e|\n|-|\n|f|", "look around"]) {
    await message.fill(text)
    await message.press("Enter")
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" })
  }
  await page.getByLabel("Result of look").nth(2).waitFor()
  await look(page, "playground-three")
  await page.getByRole("button", { name: "Conversations" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Delete # A" }).waitFor()
  expect(await faultsOf(page)).toEqual([])
  expect(visitor.complaints).toEqual([])
})
