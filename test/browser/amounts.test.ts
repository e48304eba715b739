import { afterAll, beforeAll, expect, test } from "bun:test"
import type { Page, Route } from "playwright-core"
import { startMailServer } from "../notices/mail-server.ts"
import { startIssuer } from "../users/fake-issuer.ts"
import { type ConsoleGateway, open, setUp, startConsole, type Visitor } from "./console-gateway.ts"

let tollgate: ConsoleGateway
let operator: Visitor

beforeAll(async () => {
  tollgate = await startConsole()
  operator = await tollgate.visitor()
  await setUp(operator, tollgate.setupLink)
})

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
})

async function entries(page: Page): Promise<{ amount: string; note: string }[]> {
  const headers = { "x-tollgate-console": "1" }
  const accounts = await page.request.get("/admin/v1/accounts", { headers })
  const { data } = (await accounts.json()) as { data: { id: string }[] }
  const database = await page.request.get(`/admin/v1/accounts/${data[0]?.id}/entries`, { headers })
  return ((await database.json()) as { data: { amount: string; note: string }[] }).data
}

test("the console rejects an amount with a comma and suggests the correct spelling", async () => {
  const { page } = operator
  await open(operator, "Credits")
  await page.getByRole("button", { name: "Adjust credits" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Reason").fill("a comma")
  await dialog.getByLabel("Amount").fill("1,50")
  await dialog.getByRole("button", { name: "Record the entry" }).click()
  await dialog.getByText("write 1.50").waitFor()
  await dialog.getByLabel("Amount").fill("1,500")
  await dialog.getByText("= 1,500.00 credits").waitFor()
  await dialog.getByRole("button", { name: "Record the entry" }).click()
  const question = page.getByRole("dialog", { name: /^Add 1,500\.00 credits to .+\?$/ })
  await question.waitFor()
  // Pressing Enter again must not confirm the question.
  await page.keyboard.press("Enter")
  await question.waitFor({ state: "hidden" })
  expect((await entries(page)).filter(({ note }) => note === "a comma")).toEqual([])
  await dialog.getByRole("button", { name: "Record the entry" }).click()
  await question.getByRole("button", { name: "Yes, this is correct" }).click()
  await page.getByText("The entry has been recorded.").first().waitFor()
  const entered = (await entries(page)).filter(({ note }) => note === "a comma")
  expect(entered).toMatchObject([{ amount: "1500" }])
})

test("a manual entry whose response is lost is not reported as failed, and is sent again with the same idempotency key", async () => {
  const { page } = operator
  const keys: (string | undefined)[] = []
  const loseFirst = async (route: Route) => {
    keys.push(route.request().headers()["idempotency-key"])
    if (keys.length > 1) return route.continue()
    // This is the body that the page sends. It is written here because Firefox's driver does not report request bodies.
    const postData = JSON.stringify({ kind: "grant", amount: "2.5", note: "a lost answer" })
    await route.fetch({ postData })
    return route.abort("connectionreset")
  }
  const path = /\/admin\/v1\/accounts\/[^/]+\/entries$/
  await page.route(path, (route) =>
    route.request().method() === "POST" ? loseFirst(route) : route.continue(),
  )
  await open(operator, "Credits")
  await page.getByRole("button", { name: "Adjust credits" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Amount").fill("2.5")
  await dialog.getByLabel("Reason").fill("a lost answer")
  await dialog.getByRole("button", { name: "Record the entry" }).click()
  await dialog.getByText("The entry may or may not have been recorded").waitFor()
  expect(await dialog.getByText("Could not record the entry").count()).toBe(0)
  // The page must not send a second amount, and must not claim that the first entry failed.
  await dialog.getByLabel("Amount").fill("3.5")
  await dialog.getByRole("button", { name: "Try again" }).click()
  await dialog.getByText("This differs from your previous attempt").waitFor()
  expect(await dialog.getByText("Could not record the entry").count()).toBe(0)
  await dialog.getByLabel("Amount").fill("2.5")
  await dialog.getByRole("button", { name: "Try again" }).click()
  await dialog.waitFor({ state: "hidden" })
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
  expect(keys[1]).toBe(keys[0] ?? "")
  const entered = (await entries(page)).filter(({ note }) => note === "a lost answer")
  expect(entered).toMatchObject([{ amount: "2.5" }])
  await page.unroute(path)
  expect(operator.complaints).toEqual([])
})

test("a multiplier of zero requires confirmation, and a multiplier with a comma is rejected", async () => {
  const { page } = operator
  await open(operator, "Settings")
  const field = page.getByLabel(/^Multiplier/)
  await field.fill("1,2")
  await field.press("Enter")
  await page.getByText("write 1.2").waitFor()
  await field.fill("0")
  await field.press("Enter")
  const question = page.getByRole("dialog", { name: "Save this multiplier?" })
  await question.getByText("every call costs nothing").waitFor()
  await question.getByRole("button", { name: "Cancel" }).click()
  await question.waitFor({ state: "hidden" })
  await field.fill("1.2")
  await field.press("Enter")
  await page.getByText("The settings have been saved.").waitFor()
  await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" })
})

test("settings are saved together, models are selected from a list, and each error is shown at its field", async () => {
  const { page } = operator
  await page.getByRole("combobox", { name: /^Image model/ }).click()
  const options = page.getByRole("option")
  const chosen = (await options.first().textContent()) ?? ""
  await options.first().click()
  const connect = page.getByRole("textbox", { name: /^Time to connect/ })
  await connect.fill("soon")
  await page.getByText("2 unsaved changes").waitFor()
  await page.getByRole("button", { name: "Save" }).click()
  await page.locator("input[aria-invalid=true]").waitFor()
  expect(await connect.getAttribute("aria-invalid")).toBe("true")
  await connect.fill("7s")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" })
  await page.reload()
  expect(await connect.inputValue()).toBe("7s")
  const model = page.getByRole("combobox", { name: /^Image model/ })
  expect(await model.inputValue()).toBe(chosen)
  await connect.fill("9s")
  await page.getByRole("button", { name: "Discard" }).click()
  expect(await connect.inputValue()).toBe("7s")
})

test("a mail server is saved and tested, and its URL is not shown again", async () => {
  const { page } = operator
  await using server = await startMailServer(() => undefined)
  const address = page.getByLabel(/^Mail server/)
  await address.fill(`smtp://ada:wrong@${server.address}`)
  await page.getByRole("textbox", { name: /^Sender of email/ }).fill("t@example.com")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" })
  expect(await address.inputValue()).toBe("")
  expect(await address.getAttribute("placeholder")).toBe("set; type to replace it")
  const send = page.getByRole("button", { name: "Send a test email" })
  await send.click()
  await page.getByText("The mail server rejected the user or the password").waitFor()
  await address.fill(`smtp://ada:secret@${server.address}`)
  expect(await send.isDisabled()).toBe(true)
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" })
  await send.click()
  await page.getByText("The mail server accepted the email to").waitFor()
  await page.getByRole("button", { name: "Remove Mail server" }).click()
  await page.getByRole("textbox", { name: /^Sender of email/ }).fill("")
  await page.getByText("2 unsaved changes").waitFor()
  await page.getByRole("button", { name: "Save" }).click()
  await send.waitFor({ state: "detached" })
  expect(operator.complaints).toEqual([])
})

test("an operator adds, tests, changes and removes an issuer", async () => {
  const { page } = operator
  await using issuer = await startIssuer()
  await page.getByRole("button", { name: "Add an issuer" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByRole("textbox", { name: "ID", exact: true }).fill("Company")
  await dialog.getByRole("textbox", { name: "Issuer" }).fill(issuer.url)
  await dialog.getByLabel("Client ID").fill("tollgate")
  await dialog.getByLabel(/^Client secret/).fill("a-client-secret")
  await dialog.getByRole("button", { name: "Save" }).click()
  await dialog.getByText("Must be lowercase letters, digits and hyphens").waitFor()
  await dialog.getByRole("textbox", { name: "ID", exact: true }).fill("company")
  await dialog.getByText("/admin/v1/auth/callback/company").waitFor()
  await dialog.getByRole("button", { name: "Save" }).click()
  await dialog.waitFor({ state: "detached" })
  await page.getByRole("button", { name: "Test company" }).click()
  await dialog.getByText("The discovery document is valid").waitFor()
  await dialog.getByRole("button", { name: "Done" }).click()
  await dialog.waitFor({ state: "detached" })
  await page.getByRole("button", { name: "Change company" }).click()
  expect(await dialog.getByLabel(/^Client secret/).inputValue()).toBe("")
  await dialog.getByRole("textbox", { name: "Name" }).fill("Our company")
  await dialog.getByRole("button", { name: "Save" }).click()
  await dialog.waitFor({ state: "detached" })
  await page.getByRole("button", { name: "Remove Our company" }).click()
  await page.getByRole("button", { name: "Remove the issuer" }).click()
  await page.getByText("No issuer. People sign in with a password or a passkey.").waitFor()
  expect(operator.complaints).toEqual([])
})
