import { afterAll, beforeAll, expect, test } from "bun:test"
import { testBrowser } from "./browser.ts"
import {
  ask,
  type ConsoleGateway,
  image,
  setUp,
  startConsole,
  type Visitor,
  visit,
} from "./console-gateway.ts"
import { databaseOf } from "../../src/store/installation-database.ts"
import { billed, reconcile } from "../management/reconciliation/support.ts"
import { faultsOf } from "./axe-faults.ts"

const YAML = `models:
  auto/cheap: { strategy: order, members: [sandbox/echo, { model: sandbox/claude, weight: 2 }] }
`
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

test("a model group shows its members, and can be selected like a model", async () => {
  const { page } = operator
  await visit(page, "models")
  await page.getByRole("combobox", { name: "Type" }).click()
  await page.getByRole("option", { name: "group" }).click()
  await page.getByRole("status").getByText("1 model").waitFor()
  await page.getByText("chat, group of 2").waitFor()
  await page.getByRole("button", { name: "auto/cheap", exact: true }).click()
  const drawer = page.getByRole("dialog")
  const members = drawer.getByRole("table", { name: "Members" }).getByRole("row")
  await drawer.getByText("Tried in this order").waitFor()
  expect(await members.nth(1).textContent()).toStartWith("1. sandbox/echo")
  expect(await members.nth(2).textContent()).toStartWith("2. sandbox/claude")
  await drawer.getByText("Each member is charged at its own price.").waitFor()
  expect(await faultsOf(page)).toEqual([])
  await image(page, "model-group")
  await members.nth(2).getByRole("link", { name: "sandbox/claude" }).click()
  await drawer.getByRole("table", { name: "Prices" }).waitFor()

  await visit(page, "playground?model=auto%2Fcheap")
  await page.getByRole("combobox", { name: /model/i }).first().click()
  await page
    .getByRole("option", { name: /auto\/cheap/ })
    .getByText("group of 2")
    .waitFor()
})

test("credit codes are created together and saved once, and their list is exported without the codes", async () => {
  const { page } = operator
  await visit(page, "codes")
  await page.getByRole("button", { name: "Create codes" }).first().click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Credits per account").fill("2.5")
  await dialog.getByLabel("Number of codes").fill("3")
  await dialog.getByLabel("Note").fill("=SUM(A1)")
  await dialog.getByRole("button", { name: "Create", exact: true }).click()
  await page.getByRole("dialog", { name: "Your 3 codes" }).waitFor()
  const created = await testBrowser.savedFile(page, () =>
    dialog.getByRole("button", { name: "Download CSV" }).click(),
  )
  const saved = created.text.trimEnd().split("\r\n")
  expect(saved).toHaveLength(4)
  const codes = saved.slice(1).map((line) => line.split(",")[0] ?? "")
  expect(new Set(codes).size).toBe(3)
  for (const line of saved.slice(1)) expect(line).toMatch(/^TG-[^,]+,2\.5,1,0,active,,'=SUM\(A1\)$/)
  await dialog.getByRole("button", { name: "I have copied them" }).click()
  const { body } = await ask(page, "GET", "/accounts")
  const [account] = body["data"] as readonly { readonly id: string }[]
  for (const code of codes.slice(0, 2)) {
    const redeemed = await ask(page, "POST", `/accounts/${account?.id ?? ""}/redeem`, { code })
    expect(redeemed.status).toBe(200)
  }
  await page.reload()
  await page.getByText("used up").nth(1).waitFor()
  const { text: listed } = await testBrowser.savedFile(page, () =>
    page.getByRole("button", { name: "CSV" }).click(),
  )
  expect(listed.trimEnd().split("\r\n")).toHaveLength(4)
  for (const code of codes) expect(listed).not.toContain(code)
  expect(listed.match(/used_up/g)).toHaveLength(2)
})

test("a provider shows the logo of its vendor, or the first letter of its id if there is no logo", async () => {
  const { page, complaints } = operator
  await ask(page, "POST", "/providers", { id: "speech", vendor: "deepgram", api_key: "none" })
  await ask(page, "POST", "/providers", { id: "other", vendor: "anthropic", api_key: "none" })
  const loading = page.waitForResponse((response) =>
    response.url().endsWith("/console/marks/anthropic.svg"),
  )
  await page.goto("/console/providers")
  const logo = await loading
  expect(logo.headers()["content-type"]).toBe("image/svg+xml")
  const row = (id: string) =>
    page.getByRole("row").filter({ has: page.getByText(id, { exact: true }) })
  await row("other").locator("[data-vendor=anthropic]").waitFor()
  const monogram = row("speech").locator(".provider-monogram")
  expect(await monogram.getAttribute("data-letter")).toBe("S")
  expect(complaints).toEqual([])
  await image(page, "provider-marks")
})

test("a second key is added to a provider and removed, and the first key stays hidden", async () => {
  const { page } = operator
  await ask(page, "POST", "/providers", { id: "mine", vendor: "openai", api_key: "canary-first" })
  await page.goto("/console/providers")
  const change = async () => {
    await page.getByRole("button", { name: "More actions for mine" }).click()
    await page.getByRole("menuitem", { name: "Change" }).click()
  }
  await change()
  const dialog = page.getByRole("dialog", { name: "Change mine" })
  await dialog.getByRole("button", { name: "Use several keys" }).click()
  const first = dialog.getByRole("group", { name: "Key 1" })
  await first.getByLabel("Name").fill("europe")
  const second = dialog.getByRole("group", { name: "Key 2" })
  expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true)
  await second.getByLabel("Key", { exact: true }).fill("canary-second")
  await second.getByLabel("Weight").fill("0")
  expect(await faultsOf(page)).toEqual([])
  await image(page, "provider-keys")
  await dialog.getByRole("button", { name: "Save" }).click()
  await dialog.waitFor({ state: "detached" })
  const credentials = async () => {
    const { body } = await ask(page, "GET", "/providers?limit=200")
    expect(JSON.stringify(body)).not.toContain("canary")
    const all = body["data"] as readonly { readonly id: string; readonly credentials: unknown }[]
    return all.find(({ id }) => id === "mine")?.credentials
  }
  expect(await credentials()).toEqual([
    { name: "europe", weight: 1 },
    { name: "2", weight: 0 },
  ])

  await change()
  await dialog.getByRole("button", { name: "Remove the key 2" }).click()
  await dialog.getByRole("button", { name: "Add a key" }).click()
  await dialog
    .getByRole("group", { name: "Key 2" })
    .getByLabel("Key", { exact: true })
    .fill("canary-first")
  await dialog.getByRole("button", { name: "Save" }).click()
  await dialog.getByText(/same credential as another/).waitFor()
  await dialog.getByRole("button", { name: "Remove the key 2" }).click()
  await dialog.getByRole("button", { name: "Save" }).click()
  await dialog.waitFor({ state: "detached" })
  expect(await credentials()).toEqual([{ name: "europe", weight: 1 }])
  expect(operator.complaints).toEqual([])
})

test("the providers page shows the last reconciliation of each provider", async () => {
  const { page } = operator
  {
    await using store = await databaseOf(tollgate.installation).openStore()
    const rows = [billed({ day: "2026-11-01", model: "echo", cost: "3.25" })]
    await reconcile(store, rows, { provider: "sandbox", reason: "bill of November" })
  }
  await page.goto("/console/providers")
  const row = page.getByRole("table", { name: "Reconciliation" }).getByRole("row").nth(1)
  await row.getByText("other clients of the key").waitFor()
  const text = await row.textContent()
  expect(text).toStartWith("sandbox")
  expect(text).toContain("2026-11-01 until 2026-11-03")
  expect(text).toContain("+3.25")
  expect(await faultsOf(page)).toEqual([])
  await image(page, "reconciliation")
  expect(operator.complaints).toEqual([])
})
