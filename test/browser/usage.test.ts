import { afterAll, beforeAll, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import OpenAI from "openai"
import { until } from "../support/until.ts"
import { type ConsoleGateway, open, setUp, startConsole, type Visitor } from "./console-gateway.ts"

/** What was used, by whom, and from there to the requests themselves. */
const TIME = 120_000
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
}, TIME)

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
}, TIME)

test(
  "usage is grouped by what is asked for, and a row leads to its requests",
  async () => {
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
    const rows = page.getByRole("table", { name: /requests/i }).getByRole("row")
    const areListed = (count: number) => until(async () => (await rows.count()) === count + 1)
    await areListed(2)
    await page.getByRole("button", { name: "Show all, not only this end user" }).click()
    await areListed(3)
  },
  TIME,
)

test(
  "the chart is a table for who cannot see it, and a file for a spreadsheet",
  async () => {
    const { page } = operator
    await page.goto("/console/usage?time=24h&group=user&metric=requests")
    await page.getByRole("img", { name: /Requests over time by end user: 3 in all/ }).waitFor()
    await page.getByText("Table", { exact: true }).click()
    const times = page.getByRole("table", { name: "Requests over time" })
    await times.getByRole("columnheader", { name: "ann" }).waitFor()
    expect(await times.getByRole("row").nth(1).textContent()).toContain("2")
    const saved = page.waitForEvent("download")
    await page.getByRole("button", { name: "CSV" }).click()
    const text = readFileSync(await (await saved).path(), "utf8")
    expect(text.split("\r\n")[0]).toStartWith("End user,requests,failed")
    expect(text).toContain("\r\nann,2,0,")
  },
  TIME,
)

test(
  "how long answers took, and what is left of the price, are shown as well",
  async () => {
    const { page } = operator
    await page.goto("/console/usage?time=24h&metric=p95")
    await page.getByRole("img", { name: /Duration, 95 % over time by model/ }).waitFor()
    await page.goto("/console/usage?metric=margin")
    await page.getByRole("heading", { name: "Margin", level: 2 }).waitFor()
    await page.goto("/console/usage?time=custom&from=2020-01-01T00:00&to=2020-01-02T00:00")
    await page.getByText("Nothing was used").waitFor()
  },
  TIME,
)

test("no page complained on the way", () => {
  expect(operator.complaints).toEqual([])
})
