import { afterAll, beforeAll, expect, test } from "bun:test"
import OpenAI from "openai"
import { faultsOf } from "./axe-faults.ts"
import { until } from "../support/until.ts"
import { testBrowser } from "./browser.ts"
import {
  type ConsoleGateway,
  open,
  setUp,
  startConsole,
  type Visitor,
  visit,
} from "./console-gateway.ts"

let tollgate: ConsoleGateway
let operator: Visitor

beforeAll(async () => {
  tollgate = await startConsole()
  operator = await tollgate.visitor()
  await setUp(operator, tollgate.setupLink)
  const client = new OpenAI({ apiKey: tollgate.firstKey, baseURL: `${tollgate.url}/v1` })
  const messages = [{ role: "user" as const, content: "hello" }]
  for (const user of ["ann", "ann", "bob"]) {
    await client.chat.completions.create({ model: "sandbox/echo", messages, user })
  }
})

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
})

test("usage can be grouped, and a usage row links to its requests", async () => {
  const { page } = operator
  await open(operator, "Usage")
  await page.getByRole("link", { name: "sandbox/echo" }).waitFor()
  await page.getByRole("combobox", { name: "Group by" }).click()
  await page.getByRole("option", { name: "End user" }).click()
  const table = page.getByRole("table", { name: "Usage by end user" })
  const ann = table.getByRole("row").filter({ hasText: "ann" })
  await ann.waitFor()
  expect(new URL(page.url()).searchParams.get("group")).toBe("user")
  expect(await ann.textContent()).toContain("new")
  await page.getByRole("combobox", { name: "Metric" }).click()
  await page.getByRole("option", { name: "Requests" }).click()
  await page.getByRole("heading", { name: "Requests", level: 2 }).waitFor()
  expect(await ann.textContent()).toContain("66.7%")

  await ann.getByRole("link", { name: "ann" }).click()
  await page.getByRole("heading", { name: "Requests", level: 1 }).waitFor()
  await page.getByText("End user: ann").waitFor()
  const rows = page.getByRole("table", { name: "Requests", exact: true }).getByRole("row")
  const areListed = (count: number) => until(async () => (await rows.count()) === count + 1)
  await areListed(2)
  await page.getByRole("button", { name: "Show all, not only this end user" }).click()
  await areListed(3)
})

test("the usage chart is also available as an accessible table and as a file", async () => {
  const { page } = operator
  await visit(page, "usage?time=24h&group=user&metric=requests")
  await page.getByRole("img", { name: /Requests over time by end user: 3 in total/ }).waitFor()
  await page.getByText("Table", { exact: true }).click()
  const times = page.getByRole("table", { name: "Requests over time" })
  await times.getByRole("columnheader", { name: "ann" }).waitFor()
  expect(await times.getByRole("row").nth(1).textContent()).toContain("2")
  const { text } = await testBrowser.savedFile(page, () =>
    page.getByRole("button", { name: "CSV" }).click(),
  )
  expect(text.split("\r\n")[0]).toStartWith("End user,requests,failed")
  expect(text).toContain("\r\nann,2,0,")
})

test("a click on a bar limits the usage page to the period of the bar, and Back restores the earlier range", async () => {
  const { page } = operator
  await visit(page, "usage?time=7d")
  const chart = page.getByRole("img", { name: /Spend over time by model/ })
  await chart.locator(".chart-column").last().click()
  await page.getByRole("textbox", { name: "From" }).waitFor()
  await until(async () => (await chart.locator(".chart-column").count()) === 24)
  await page.getByRole("link", { name: "sandbox/echo" }).waitFor()
  await page.goBack()
  await until(async () => (await chart.locator(".chart-column").count()) === 7)
  const [first, last] = [
    await chart.locator(".chart-column").nth(4).boundingBox(),
    await chart.locator(".chart-column").nth(6).boundingBox(),
  ]
  if (first === null || last === null) throw new Error("the chart has no bars")
  await page.mouse.move(first.x + 2, first.y + 50)
  await page.mouse.down()
  await page.mouse.move(last.x + 2, last.y + 50, { steps: 5 })
  await page.mouse.up()
  await until(async () => (await chart.locator(".chart-column").count()) === 72)
  await page.getByText("Table", { exact: true }).click()
  const times = page.getByRole("table", { name: "Spend over time" })
  await times.getByRole("row").filter({ hasText: "0.0" }).first().getByRole("button").click()
  await until(async () => (await times.getByRole("row").count()) === 2)
})

test("the usage page names the causes of a change in spending", async () => {
  const { page } = operator
  await visit(page, "usage?time=7d")
  await page.getByRole("heading", { name: "Why did spend rise?" }).waitFor()
  await page.getByRole("button", { name: "Explain" }).click()
  await page
    .getByText(/^Spend rose by .* credits .*Mainly responsible: .*key first key \(\+/)
    .waitFor()
  expect(await faultsOf(page)).toEqual([])
  const causes = page.getByRole("table", { name: "Causes of the change" })
  await causes.getByRole("row").filter({ hasText: "End user" }).getByRole("link").first().click()
  await page.getByRole("button", { name: /not only this end user/ }).waitFor()
  expect(new URL(page.url()).searchParams.get("user")).toBe("ann")
})

test("a click on a bar of the overview opens the usage page for its day", async () => {
  const { page } = operator
  await open(operator, "Overview")
  const chart = page.getByRole("img", { name: /Spend over the last 30 days/ })
  await chart.locator(".chart-column").last().click()
  await page.getByRole("heading", { name: "Usage", level: 1 }).waitFor()
  expect(new URL(page.url()).searchParams.get("time")).toBe("custom")
})

test("an outcome in the usage table links to its requests, and their receipts show the end user", async () => {
  const { page } = operator
  await visit(page, "usage?time=24h&group=outcome")
  const table = page.getByRole("table", { name: "Usage by outcome" })
  await table.getByRole("link", { name: "ok", exact: true }).click()
  await page.getByRole("heading", { name: "Requests", level: 1 }).waitFor()
  expect(new URL(page.url()).searchParams.get("status")).toBe("ok")
  const rows = page.getByRole("table", { name: "Requests", exact: true }).locator("tbody tr")
  await until(async () => (await rows.count()) === 3)
  await rows.last().getByRole("link").click()
  await page.getByRole("definition").getByText("ann", { exact: true }).waitFor()
})

test("the Credits page filters ledger entries by day", async () => {
  const { page } = operator
  await open(operator, "Credits")
  const rows = page.getByRole("table", { name: "Entries" }).locator("tbody tr")
  await until(async () => (await rows.count()) >= 4)
  await page.getByLabel("Last day (UTC)").fill("2020-01-01")
  await page.getByText("Choose another type or other days.").waitFor()
  await page.getByLabel("Last day (UTC)").fill("2099-01-01")
  await until(async () => (await rows.count()) >= 4)
})

test("latencies and the margin are shown on the usage page", async () => {
  const { page } = operator
  await visit(page, "usage?time=24h&metric=p95")
  await page.getByRole("img", { name: /Duration, p95 over time by model/ }).waitFor()
  await page.goto("/console/usage?metric=margin")
  await page.getByRole("heading", { name: "Margin", level: 2 }).waitFor()
  await page.goto("/console/usage?time=custom&from=2020-01-01T00:00&to=2020-01-02T00:00")
  await page.getByText("No usage").waitFor()
})

test("requests are sorted, filtered by cost, and saved as a file with the selected columns", async () => {
  const { page } = operator
  await open(operator, "Requests")
  const table = page.getByRole("table", { name: "Requests", exact: true })
  // Rows that are still loading have no link.
  const rows = table.locator("tbody tr").filter({ has: page.getByRole("link") })
  await rows.nth(2).waitFor()
  await table.getByRole("button", { name: "Cost" }).click()
  await table
    .getByRole("columnheader", { name: "Cost", exact: true })
    .and(page.locator("[aria-sort=descending]"))
    .waitFor()
  expect(new URL(page.url()).searchParams.get("sort")).toBe("-cost")

  await page.getByRole("button", { name: "Columns" }).click()
  await page.getByRole("checkbox", { name: "End user" }).check()
  await page.getByRole("checkbox", { name: "Key", exact: true }).uncheck()
  await page.getByRole("switch", { name: "Date and time" }).uncheck()
  await page.reload()
  await table.getByRole("columnheader", { name: "End user" }).waitFor()
  await rows.nth(2).waitFor()
  expect(await table.getByRole("columnheader", { name: "Key" }).count()).toBe(0)
  expect(await rows.first().textContent()).toMatch(/just now|ago/)

  const { text } = await testBrowser.savedFile(page, () =>
    page.getByRole("link", { name: "CSV" }).click(),
  )
  const lines = text.trimEnd().split("\r\n")
  expect(lines[0]).toStartWith("id,at,account,key")
  expect(lines).toHaveLength(5)

  await page.getByRole("button", { name: "More filters" }).click()
  await page.getByRole("textbox", { name: "Cost at least" }).fill("1,5")
  await page.getByText("Enter a number, such as 0.05").waitFor()
  await page.getByRole("textbox", { name: "Cost at least" }).fill("1000")
  await page.getByRole("button", { name: "Filter", exact: true }).click()
  await page.getByText("No matching requests").waitFor()
  await page.getByRole("button", { name: "Show all, not only this cost at least" }).click()
  await rows.nth(2).waitFor()
  expect(await faultsOf(page)).toEqual([])
})

test("a chart above the request list counts requests over time, and a time range filters the list", async () => {
  const { page } = operator
  const wrong = { headers: { authorization: `Bearer ${tollgate.firstKey}` } }
  await fetch(`${tollgate.url}/v1/chat/completions`, { method: "POST", body: "{", ...wrong })
  await page.goto("/console/requests?time=24h")
  await page.getByRole("img", { name: /requests over time/ }).waitFor()
  await page.getByText("Table", { exact: true }).click()
  const counts = page.getByRole("table", { name: "Requests over time" })
  await counts.getByRole("row").nth(1).waitFor()
  expect(await faultsOf(page)).toEqual([])
  await counts.getByRole("row").last().getByRole("button").click()
  await page.getByRole("textbox", { name: "From" }).waitFor()
  expect(new URL(page.url()).searchParams.get("time")).toBe("custom")
  await page.getByText(/by minute/).waitFor()
  await page.getByRole("table", { name: "Requests", exact: true }).getByRole("row").nth(1).waitFor()
})

test("the calls of a session are shown as a trace with its total cost, and receipts link to the trace", async () => {
  const { page } = operator
  const defaultHeaders = { "x-tollgate-session": "tidy up" }
  const client = new OpenAI({
    apiKey: tollgate.firstKey,
    baseURL: `${tollgate.url}/v1`,
    defaultHeaders,
  })
  for (const content of ["first", "second, which is longer"]) {
    const messages = [{ role: "user" as const, content }]
    await client.chat.completions.create({ model: "sandbox/echo", messages })
  }
  await page.goto("/console/requests?session=tidy+up")
  const listed = page.getByRole("table", { name: "Requests", exact: true }).locator("tbody tr")
  await until(async () => (await listed.count()) === 2)
  await listed.first().getByRole("link", { name: "sandbox/echo" }).click()
  await page.getByRole("link", { name: "tidy up" }).click()
  await page.getByRole("heading", { name: "Session", level: 1 }).waitFor()
  const calls = page.getByRole("table", { name: "Calls of the session" }).locator("tbody tr")
  await until(async () => (await calls.count()) === 2)
  const momentOf = (index: number) => calls.nth(index).locator("time").getAttribute("datetime")
  const times = [await momentOf(0), await momentOf(1)]
  expect(times).toEqual(times.toSorted())
})

test("a request with stored content is opened in the playground with its model", async () => {
  const { page } = operator
  await open(operator, "Accounts")
  await page.getByRole("link", { name: "demo" }).first().click()
  await page.getByRole("switch", { name: "Store prompts and responses" }).click({ force: true })
  await page.getByRole("button", { name: "Store prompts and responses" }).click()
  await page.getByRole("dialog").waitFor({ state: "detached" })
  const client = new OpenAI({ apiKey: tollgate.firstKey, baseURL: `${tollgate.url}/v1` })
  const messages = [{ role: "user" as const, content: "kept words" }]
  const body = { model: "sandbox/gemini", messages }
  const { response } = await client.chat.completions.create(body).withResponse()
  await visit(page, `requests/${response.headers.get("x-request-id")}`)
  await page.getByRole("link", { name: "Open in playground" }).click()
  await page.getByRole("heading", { name: "Playground", level: 1 }).waitFor()
  const model = page.getByRole("combobox", { name: "Model", exact: true })
  await until(async () => (await model.inputValue()) === "sandbox/gemini")
})

test("keys of the playground are hidden in a user's key list unless requested", async () => {
  const { page } = operator
  await open(operator, "Keys")
  const table = page.getByRole("table", { name: "Keys" })
  await table.getByText("first key").waitFor()
  const before = await table.getByRole("row").count()
  await page.evaluate(`fetch("/admin/v1/accounts").then((answer) => answer.json()).then(({ data }) =>
      fetch("/admin/v1/keys", { method: "POST",
        headers: { "content-type": "application/json", "x-tollgate-console": "1" },
        body: JSON.stringify({ account: data[0].id, name: "Playground",
          expires_at: new Date(Date.now() + 3_600_000).toISOString() }) })).then(({ status }) => {
        if (status >= 300) throw new Error("no key: " + status) })`)
  await page.reload()
  await table.getByText("first key").waitFor()
  expect(await table.getByRole("row").count()).toBe(before)
  await page.getByRole("switch", { name: "Show playground keys" }).check()
  await table.getByText("Playground", { exact: true }).waitFor()
  expect(await table.getByRole("row").count()).toBe(before + 1)
})

test("no page in the usage tests reported an error", () => {
  expect(operator.complaints).toEqual([])
})

test("a usage chart is saved under a name, opened again, and removed", async () => {
  const { page } = operator
  await visit(page, "usage?group=user&metric=requests&time=7d")
  await page.getByRole("button", { name: "Saved charts" }).click()
  const saved = page.getByRole("dialog", { name: "Saved charts" })
  await saved.getByText("Saved in this browser only.").waitFor()
  await saved.getByLabel("Save this chart as").fill("Who asks most")
  await saved.getByRole("button", { name: "Save", exact: true }).click()
  await saved.getByRole("link", { name: "Who asks most" }).waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.goto("/console/usage")
  await page.getByRole("button", { name: "Saved charts" }).click()
  await saved.getByRole("link", { name: "Who asks most" }).click()
  await page.getByRole("heading", { name: "Requests", level: 2 }).waitFor()
  const { searchParams } = new URL(page.url())
  expect(Object.fromEntries(searchParams)).toMatchObject({
    group: "user",
    metric: "requests",
    time: "7d",
  })
  await page.getByRole("button", { name: "Saved charts" }).click()
  await saved.getByRole("button", { name: "Remove Who asks most" }).click()
  await page.reload()
  await page.getByRole("button", { name: "Saved charts" }).click()
  await saved.getByLabel("Save this chart as").waitFor()
  expect(await saved.getByRole("link").count()).toBe(0)
})
