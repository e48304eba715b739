import { afterAll, beforeAll, expect, test } from "bun:test"
import type { Page } from "playwright-core"
import { sampleOf } from "../support/exhaustive.ts"
import { faultsOf } from "./axe-faults.ts"
import { setUp, type Visitor, visit } from "./console-gateway.ts"
import {
  clearLayoutShifts,
  layoutShift,
  MAX_LAYOUT_SHIFT,
  recordLayoutShifts,
  smallTargets,
} from "./page-faults.ts"
import { checkAppearance, loaded } from "./page-appearance.ts"
import {
  accountId,
  grantMuch,
  type PagesGateway,
  signIn,
  startPagesGateway,
} from "./pages-gateway.ts"

let gateway: PagesGateway
/** An operator who stays signed in for all pages. */
let operator: Visitor
let account: string

/** Addresses of pages under `/console/`. */
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
  rejected: () => "requests?account=all&status=rejected",
  receipt: () => `requests/${gateway.receipt}`,
  "receipt-rejected": () => `requests/${gateway.rejected}`,
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

beforeAll(async () => {
  gateway = await startPagesGateway()
})

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await gateway.tollgate[Symbol.asyncDispose]()
})

test("the pages before sign-in pass the page checks", async () => {
  await using visitor = await gateway.tollgate.visitor()
  await visitor.page.goto("/console/sign-in")
  await checkAppearance(visitor.page, "sign-in")
  await visitor.page.goto(gateway.tollgate.setupLink)
  await checkAppearance(visitor.page, "setup")
  await visitor.page.goto("/console/setup?token=wrong")
  await visitor.page.getByText("This link does not work").waitFor()
  expect(await visitor.page.getByRole("textbox").count()).toBe(0)
  await checkAppearance(visitor.page, "setup-wrong-link")
  await visitor.page.goto("/console/reset?token=wrong")
  await visitor.page.getByText("This link no longer works").waitFor()
  expect(await visitor.page.getByRole("button").count()).toBe(0)
  expect(visitor.complaints).toEqual([])
  operator = await gateway.tollgate.visitor()
  await setUp(operator, gateway.tollgate.setupLink)
  await grantMuch(operator.page)
  account = await accountId(operator.page)
  await recordLayoutShifts(operator.page)
  await operator.page.reload()
})

test.each(Object.entries(PAGES))("the page %s passes the page checks", async (name, address) => {
  const { page } = operator
  await clearLayoutShifts(page)
  await visit(page, address())
  await expectSteadyPage(page, name)
  await checkAppearance(page, name)
  expect(operator.complaints).toEqual([])
})

test.each(sampleOf(Object.entries(PAGES), 7))(
  "the page %s on a phone does not shift while it loads, and has large touch targets",
  async (name, address) => {
    const { page } = operator
    await page.setViewportSize({ width: 390, height: 844 })
    await clearLayoutShifts(page)
    await visit(page, address())
    await expectSteadyPage(page, name)
    await page.setViewportSize({ width: 1440, height: 900 })
  },
)

test.each(
  [1440, 390].flatMap((width, index) =>
    sampleOf(Object.entries(PAGES), 14, 7 * index).map(
      ([name, address]) => [name, width, address] as const,
    ),
  ),
)(
  "the page %s does not move while its document loads at a width of %i",
  async (name, width, address) => {
    const { page } = operator
    await page.setViewportSize({ width, height: 900 })
    await page.goto(`/console/${address()}`)
    await expectSteadyPage(page, name)
  },
)

/** Checks that the page did not move while it loaded, and that its links and buttons are large enough to click. */
async function expectSteadyPage(page: Page, name: string): Promise<void> {
  await loaded(page)
  const { sum, elements } = await layoutShift(page)
  expect(sum, `${name} ${elements.join("; ")}`).toBeLessThan(MAX_LAYOUT_SHIFT)
  expect(await smallTargets(page), name).toEqual([])
}

test("models are selected for a comparison that was opened before the model list arrived", async () => {
  await using visitor = await gateway.tollgate.visitor()
  const { page } = visitor
  await signIn(page)
  const released = Promise.withResolvers<void>()
  await page.route(/\/admin\/v1\/models\?/, async (route) => {
    await released.promise
    await route.continue()
  })
  await page.goto("/console/playground")
  await page.getByRole("button", { name: "Compare" }).click()
  await page.getByRole("textbox", { name: "Your message" }).fill("Hello")
  await page.getByText("Choose a model first.").first().waitFor()
  released.resolve()
  await page.getByRole("button", { name: "Send", disabled: false }).waitFor()
})

test("the palette, the dialogs and a conversation with three models pass the page checks", async () => {
  await using visitor = await gateway.tollgate.visitor()
  const { page } = visitor
  await signIn(page)
  await page.keyboard.press("Control+k")
  await page.getByRole("option").first().waitFor()
  await checkAppearance(page, "palette")
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
    await page.getByRole("button", { name: "Send", disabled: false }).waitFor()
    await message.press("Enter")
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" })
  }
  await page.getByLabel("Result of look").nth(2).waitFor()
  await checkAppearance(page, "playground-three")
  await page.getByRole("button", { name: "Conversations" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Delete # A" }).waitFor()
  expect(await faultsOf(page)).toEqual([])
  expect(visitor.complaints).toEqual([])
})
