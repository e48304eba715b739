import { afterAll, beforeAll, expect, test } from "bun:test"
import OpenAI from "openai"
import {
  ask,
  type ConsoleGateway,
  image,
  setUp,
  startConsole,
  type Visitor,
  visit,
} from "./console-gateway.ts"
import { faultsOf } from "./axe-faults.ts"
import { testBrowser } from "./browser.ts"

const YAML = `models:
  sandbox/broken:
    price: { input: 1, output: 1 }
    deployments: [{ provider: sandbox, model: fault-500 }]
`
/** An image of a single pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
let tollgate: ConsoleGateway
let operator: Visitor
let client: OpenAI
let account: string

beforeAll(async () => {
  tollgate = await startConsole(YAML)
  operator = await tollgate.visitor()
  await setUp(operator, tollgate.setupLink)
  client = new OpenAI({
    apiKey: tollgate.firstKey,
    baseURL: `${tollgate.url}/v1`,
    maxRetries: 0,
  })
  const { body } = await ask(operator.page, "GET", "/accounts")
  const [first] = body["data"] as readonly { readonly id: string }[]
  account = first?.id ?? ""
})

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
})

async function fail(model: string): Promise<void> {
  const messages = [{ role: "user" as const, content: "hello" }]
  const called = client.chat.completions.create({ model, messages })
  await called.catch((error: unknown) => expect(error).toBeInstanceOf(OpenAI.APIError))
}

test("the request page lists rejected requests separately from failed ones, with matching counts", async () => {
  const { page } = operator
  for (const model of ["sandbox/nothing", "sandbox/none", "sandbox/broken"]) await fail(model)
  await page.goto("/console/requests?account=all&status=rejected")
  await page.getByRole("heading", { name: /^2 requests by/ }).waitFor()
  const rejected = page.getByRole("table", { name: "Rejected requests" })
  await rejected.getByText("sandbox/nothing").first().waitFor()
  expect(await rejected.getByRole("row").count()).toBe(3)
  expect(await rejected.getByText("sandbox/broken").count()).toBe(0)

  await page.getByText("Failed", { exact: true }).click()
  await page.getByRole("heading", { name: /^1 request by/ }).waitFor()
  const failed = page.getByRole("table", { name: "Requests", exact: true })
  await failed.getByRole("link", { name: "sandbox/broken" }).waitFor()
  expect(await failed.getByRole("row").count()).toBe(2)
})

test("the overview counts the failed and rejected requests of the day, and links to them", async () => {
  const { page } = operator
  await page.goto("/console/?account=all")
  const main = page.getByRole("main")
  await main.getByRole("link", { name: "1 failed (100%)" }).waitFor()
  await main.getByRole("link", { name: "2 rejected" }).click()
  await page.getByRole("table", { name: "Rejected requests" }).waitFor()
})

test("the list of all requests shows rejected requests by their status, and the search finds their errors", async () => {
  const { page } = operator
  await page.goto("/console/requests?account=all")
  const rows = page.getByRole("table", { name: "Requests", exact: true })
  await rows.getByRole("row").filter({ hasText: "sandbox/none" }).getByText("rejected").waitFor()
  await rows.getByRole("row").filter({ hasText: "sandbox/broken" }).getByText("failed").waitFor()
  const heading = page.getByRole("heading", { name: /requests? by day$/ })
  const listed = (await rows.getByRole("row").count()) - 1
  expect(await heading.textContent()).toStartWith(`${listed} requests`)
  expect(await faultsOf(page)).toEqual([])

  await page.getByLabel("Search errors, models, keys, users").fill("NOTHING")
  await page.getByRole("heading", { name: "1 request by day" }).waitFor()
  await rows.getByText("sandbox/broken").waitFor({ state: "detached" })
  expect(await rows.getByRole("row").count()).toBe(2)
  await rows.getByRole("link", { name: "sandbox/nothing" }).click()
  await page
    .getByText(/sandbox\/nothing/)
    .first()
    .waitFor()
  expect(operator.complaints).toEqual([])
})

test("the browser's back button restores the scroll position of a long list", async () => {
  const { page } = operator
  const list = /\/admin\/v1\/requests\?/
  const listed = await ask(page, "GET", "/requests?limit=1&status=failed")
  const [request] = listed.body["data"] as readonly { readonly admitted: object }[]
  const data = Array.from({ length: 300 }, (_, index) => {
    const id = `req_${index}`
    return { ...request, id, admitted: { ...request?.admitted, id, model: `sandbox/row-${index}` } }
  })
  await page.route(list, (route) =>
    route.fulfill({ json: { object: "list", data, next_cursor: null, searched_from: null } }),
  )
  await page.goto("/console/requests?account=all")
  const row = page.getByRole("link", { name: "sandbox/row-280", exact: true })
  await row.scrollIntoViewIfNeeded()
  const before = await page.evaluate("scrollY")
  expect(before).toBeGreaterThan(5_000)
  await row.click()
  await page.waitForURL(/req_280/)
  await page.goBack()
  await row.waitFor()
  await page.waitForFunction(`Math.abs(scrollY - ${String(before)}) < 5`)
  await page.unroute(list)
})

test.skipIf(!testBrowser.canShowPrint)(
  "a printed receipt has its link and no navigation",
  async () => {
    const { page } = operator
    await fail("sandbox/broken")
    await page.goto("/console/requests?account=all")
    await page.getByRole("link", { name: "sandbox/broken" }).first().click()
    await page.getByRole("heading", { name: "Receipt", level: 1 }).waitFor()
    await page.getByRole("button", { name: "Copy link to this receipt" }).waitFor()
    const { href } = new URL(new URL(page.url()).pathname, page.url())
    const link = page.getByText(href, { exact: true })
    const navigation = page.getByRole("navigation")
    expect(await link.isVisible()).toBe(false)
    await page.emulateMedia({ media: "print" })
    expect(await link.isVisible()).toBe(true)
    expect(await navigation.isVisible()).toBe(false)
    expect(await page.getByRole("button", { name: "Print" }).count()).toBe(0)
    await page.emulateMedia({ media: "screen" })
    await page.evaluate("window.print = () => { window.isPrinted = true }")
    await page.getByRole("button", { name: "Print" }).click()
    expect(await page.evaluate<boolean>("window.isPrinted")).toBe(true)
  },
)

test("rows are at most 32 pixels high unless the user turns compact rows off", async () => {
  const { page } = operator
  await fail("sandbox/broken")
  await page.goto("/console/requests?account=all")
  const row = page
    .getByRole("table", { name: "Requests", exact: true })
    .getByRole("link", { name: "sandbox/broken" })
    .first()
  await row.waitFor()
  const heights = () =>
    page.evaluate<number[]>(
      "[...document.querySelectorAll('table[aria-label=Requests] tbody tr')].map((row) => row.offsetHeight)",
    )
  const compact = await heights()
  expect(compact.length).toBeGreaterThan(0)
  expect(Math.min(...compact)).toBeGreaterThanOrEqual(28)
  expect(Math.max(...compact)).toBeLessThanOrEqual(32)
  expect(await faultsOf(page, ["target-size"])).toEqual([])

  await page.getByRole("button", { name: "Columns" }).click()
  await page.getByRole("switch", { name: "Compact rows" }).click()
  await page.reload()
  await row.waitFor()
  await page.getByText("/v1/chat/completions").first().waitFor()
  expect(Math.min(...(await heights()))).toBeGreaterThan(32)
  await page.evaluate("localStorage.removeItem('tollgate-dense-rows')")
})

test("fifteen requests and all navigation links fit in a laptop window", async () => {
  const { page } = operator
  await page.goto("/console/requests?account=all")
  const table = page.getByRole("table", { name: "Requests", exact: true })
  const first = table.getByRole("row").nth(1)
  await first.waitFor()
  await page.getByRole("heading", { name: /requests? by day$/ }).waitFor()
  const { y = 0, height = 0 } = (await first.boundingBox()) ?? {}
  expect(y + 15 * height).toBeLessThanOrEqual(900)

  const last = page.getByRole("navigation").getByRole("link", { name: "Settings" })
  for (const windowHeight of [900, 768]) {
    await page.setViewportSize({ width: 1440, height: windowHeight })
    const { y: top = 0, height: lastHeight = 0 } = (await last.boundingBox()) ?? {}
    const user = page.getByRole("button", { name: /Profile, appearance, sign out/ })
    const { y: bottom = 0 } = (await user.boundingBox()) ?? {}
    expect(top + lastHeight).toBeLessThanOrEqual(bottom)
    expect(lastHeight).toBeGreaterThanOrEqual(24)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
})

test("an account beyond the first two hundred is shown by name, including next to its keys", async () => {
  const { page } = operator
  const first = /\/admin\/v1\/accounts\?limit=200$/
  await page.route(first, (route) =>
    route.fulfill({ json: { object: "list", data: [], next_cursor: "more", total: 300 } }),
  )
  await page.goto("/console/requests?account=all")
  const rows = page.getByRole("table", { name: "Requests", exact: true })
  await rows.getByRole("cell", { name: "demo", exact: true }).first().waitFor()
  await page.goto("/console/requests?account=all&status=rejected")
  await page.getByRole("cell", { name: "demo", exact: true }).first().waitFor()
  await page.goto("/console/?account=all")
  const keys = page.locator("section").filter({ hasText: "Top keys" })
  await keys.getByText("demo", { exact: true }).waitFor()
  await page.unroute(first)
})

test("the stored content of a chat is shown as a conversation and as raw JSON", async () => {
  const { page } = operator
  await ask(page, "PATCH", `/accounts/${account}`, { stores_content: true })
  const { response } = await client.chat.completions
    .create({
      model: "sandbox/echo",
      messages: [
        { role: "system", content: "You sell umbrellas." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is on the <b>image</b>?" },
            { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "c1", type: "function", function: { name: "look", arguments: '{"at":"it"}' } },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "A point" },
        { role: "user", content: "Thanks, and **now**?" },
      ],
    })
    .withResponse()
  await page.goto(`/console/requests/${response.headers.get("x-request-id") ?? ""}`)
  const said = page.getByRole("list", { name: "Conversation" }).locator(":scope > li")
  await said.nth(5).waitFor()
  expect(await said.count()).toBe(6)
  const texts = await said.allTextContents()
  expect(texts[0]).toBe("SystemYou sell umbrellas.")
  expect(texts[1]).toBe("UserWhat is on the <b>image</b>?")
  expect(texts[2]).toContain("Calls look")
  expect(texts[3]).toContain("Tool resultA point")
  expect(texts[5]).toStartWith("Model · response")
  await said.nth(1).getByRole("img", { name: "image" }).waitFor()
  await image(page, "receipt-conversation")
  expect(await faultsOf(page)).toEqual([])
  await page.getByText("JSON", { exact: true }).click()
  await page.getByText('"tool_call_id": "c1"').waitFor()
  expect(await said.count()).toBe(0)
  expect(operator.complaints).toEqual([])
})

test("overlong input is rejected with a reason, and never truncated", async () => {
  const { page } = operator
  const long = "x".repeat(10_000)
  await visit(page, `keys?create=1&account=${account}`)
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Name").fill(long)
  await dialog.getByRole("button", { name: "Create", exact: false }).last().click()
  await dialog.getByText(/at most 100 characters/).waitFor()
  expect(await dialog.getByLabel("Name").inputValue()).toHaveLength(10_000)
  await visit(page, `credits?add=entry&account=${account}`)
  await dialog.getByLabel("Amount").fill("1")
  await dialog.getByLabel("Reason").fill(long)
  await dialog.getByRole("button", { name: "Record the entry" }).click()
  await dialog.getByText(/at most 100 characters/).waitFor()
  expect(await dialog.getByLabel("Reason").inputValue()).toHaveLength(10_000)
})

test("the overview chart stores its selection in the URL, and has a legend", async () => {
  const { page } = operator
  await page.goto(`/console/?account=${account}`)
  await page.getByText("Tokens", { exact: true }).click()
  await page.getByText("24 hours", { exact: true }).click()
  await page.waitForURL(/metric=tokens&time=24h|time=24h&metric=tokens/)
  await page.reload()
  const legend = page.getByRole("list", { name: "Legend" })
  await legend.getByText("Output").waitFor()
  await page.getByRole("img", { name: /^Tokens over the last 24 hours/ }).waitFor()
  await page.getByText("Spend", { exact: true }).first().click()
  await legend.waitFor({ state: "detached" })
  expect(new URL(page.url()).searchParams.has("metric")).toBe(false)
})
