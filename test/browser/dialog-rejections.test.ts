import { afterAll, beforeAll, expect, test } from "bun:test"
import type { Locator } from "playwright-core"
import {
  ask,
  type ConsoleGateway,
  OPERATOR,
  setUp,
  startConsole,
  type Visitor,
  visit,
} from "./console-gateway.ts"

let tollgate: ConsoleGateway
let operator: Visitor
/** The account that the first start creates. */
let account: string

beforeAll(async () => {
  tollgate = await startConsole()
  operator = await tollgate.visitor()
  await setUp(operator, tollgate.setupLink)
  const { body } = await ask(operator.page, "GET", "/accounts")
  account = (body["data"] as { id: string }[])[0]?.id ?? ""
})

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
})

async function openPage(name: string): Promise<void> {
  await visit(operator.page, `${name}?account=${account}`)
  await operator.page.getByRole("heading", { level: 1 }).waitFor()
}

/** Waits until a dialog that has just been opened has the focus. Only then does it react to keys. */
async function waitForFocus(dialog: Locator): Promise<void> {
  await dialog.and(operator.page.locator(":focus-within")).waitFor()
}

/** Opens the dialog that belongs to a button. */
async function begin(button: string, title: string | RegExp): Promise<Locator> {
  await operator.page.getByRole("button", { name: button, exact: true }).first().click()
  const dialog = operator.page.getByRole("dialog", { name: title })
  await waitForFocus(dialog)
  return dialog
}

/** Asserts that the field is marked as invalid, and that its message is announced with it. */
async function rejects(field: Locator, words: string): Promise<void> {
  const { page } = operator
  const marked = field.and(page.locator("[aria-invalid=true]"))
  await marked.waitFor()
  const ids = (await marked.getAttribute("aria-describedby"))?.match(/\S+/g) ?? []
  const texts = ids.map((id) => page.locator(`[id="${id}"]`).textContent())
  expect((await Promise.all(texts)).join(" ")).toContain(words)
}

async function closeByEscape(dialog: Locator): Promise<void> {
  await operator.page.keyboard.press("Escape")
  await dialog.waitFor({ state: "detached" })
}

/** Closes a dialog with unsaved changes, and confirms that they are discarded. */
async function discardByEscape(dialog: Locator): Promise<void> {
  const { page } = operator
  await page.keyboard.press("Escape")
  const question = page.getByRole("dialog", { name: "Discard unsaved changes?" })
  await question.getByRole("button", { name: "Discard", exact: true }).click()
  await dialog.waitFor({ state: "detached" })
  await question.waitFor({ state: "detached" })
}

test("dialogs show errors at their fields, and Escape changes nothing", async () => {
  const { page } = operator
  const count = async (path: string) =>
    ((await ask(page, "GET", path)).body["data"] as unknown[]).length
  const lists = ["/keys", "/codes", "/providers", `/members/invitations?account=${account}`]
  const before = await Promise.all(lists.map(count))

  await openPage("keys")
  const key = await begin("Create a key", "Create a key")
  await key.getByRole("button", { name: "Create the key" }).click()
  await rejects(key.getByLabel("Name"), "Enter a name")
  await key.getByLabel("Total budget").fill("0")
  await key.getByRole("button", { name: "Create the key" }).click()
  await rejects(key.getByLabel("Total budget"), "Enter an amount above zero")
  await discardByEscape(key)

  await openPage("codes")
  const code = await begin("Create codes", "Create codes")
  await code.getByLabel("Credits per account").fill("-1")
  await code.getByLabel("Number of accounts that may redeem each").fill("")
  await code.getByRole("button", { name: "Create", exact: true }).click()
  await rejects(code.getByLabel("Credits per account"), "Enter an amount above zero")
  await rejects(code.getByLabel("Number of accounts that may redeem each"), "At least one")
  await discardByEscape(code)

  await openPage("credits")
  const redeem = await begin("Redeem a code", /^Redeem a code for/)
  await redeem.getByRole("button", { name: "Redeem", exact: true }).click()
  await rejects(redeem.getByLabel("Code"), "Enter the code")
  await redeem.getByLabel("Code").fill("TG-2222-3333-4444-5555")
  const rejection = page.waitForResponse((response) => response.url().endsWith("/redeem"))
  await redeem.getByRole("button", { name: "Redeem", exact: true }).click()
  await rejection
  await redeem.locator("[role=alert], [aria-invalid=true]").first().waitFor()
  await closeByEscape(redeem)

  await openPage("members")
  const invite = await begin("Invite someone", "Invite someone")
  await invite.getByLabel("Email address").fill("nobody")
  await invite.getByRole("button", { name: "Create the link" }).click()
  await rejects(invite.getByLabel("Email address"), "Enter an email address")
  await closeByEscape(invite)

  await openPage("providers")
  const provider = await begin("Add a provider", "Add a provider")
  await provider.getByLabel("Search vendors").fill("compatible")
  // Enter selects nothing until the vendors are loaded.
  await provider
    .getByRole("button", { name: /compatible/i })
    .first()
    .waitFor()
  await page.keyboard.press("Enter")
  await provider.getByLabel("Provider name").fill("two words")
  await provider.getByLabel("Provider name").and(page.locator("[aria-invalid=true]")).waitFor()
  expect(await provider.getByRole("button", { name: "Add and test" }).isDisabled()).toBe(true)
  await discardByEscape(provider)
  expect(await Promise.all(lists.map(count))).toEqual(before)
})

test("Escape does not close a dialog with a secret that is shown once", async () => {
  const { page } = operator
  await openPage("codes")
  const code = await begin("Create codes", "Create codes")
  await code.getByLabel("Credits per account").fill("1")
  await code.getByRole("button", { name: "Create", exact: true }).click()
  await staysOpen(page.getByText(/^TG-/))

  await openPage("members")
  const invite = await begin("Invite someone", "Invite someone")
  await invite.getByLabel("Email address").fill("nobody@example.com")
  await invite.getByRole("button", { name: "Create the link" }).click()
  await staysOpen(page.getByText(/\/console\/invitation/))

  await openPage("keys")
  await page
    .getByRole("button", { name: /^Actions for/ })
    .first()
    .click()
  await page.getByRole("menuitem", { name: "Rotate" }).click()
  const rotate = page.getByRole("dialog", { name: /^Rotate/ })
  await waitForFocus(rotate)
  await closeByEscape(rotate)
  await page
    .getByRole("button", { name: /^Actions for/ })
    .first()
    .click()
  await page.getByRole("menuitem", { name: "Rotate" }).click()
  await rotate.getByRole("button", { name: "Rotate", exact: true }).click()
  await staysOpen(page.getByTestId("secret"))
})

/** Asserts that a secret stays visible after Escape, and disappears after the confirmation that it is saved. */
async function staysOpen(secret: Locator): Promise<void> {
  const { page } = operator
  await secret.waitFor()
  const text = (await secret.textContent())?.trim() ?? ""
  await page.keyboard.press("Escape")
  expect((await secret.textContent())?.trim()).toBe(text)
  await page.getByRole("button", { name: "I have copied it" }).click()
  await secret.waitFor({ state: "detached" })
  expect(await page.content()).not.toContain(text)
}

test("users change their password with the current password", async () => {
  const { page } = operator
  await openPage("profile")
  const change = page.getByRole("button", { name: "Change password" })
  await change.click()
  await rejects(page.getByLabel("Current password"), "Enter your current password")
  await page.getByLabel("Current password").fill("not my password")
  await page.getByLabel("New password").fill("short")
  await change.click()
  await rejects(page.getByLabel("New password"), "At least 10 characters")
  await page.getByLabel("New password").fill("a quite new password")
  await change.click()
  await page.getByText(/password is wrong/).waitFor()
  await page.getByLabel("Current password").fill(OPERATOR.password)
  await change.click()
  await page.getByText("Your password has been changed.").waitFor()
  expect(await ask(page, "GET", "/session")).toMatchObject({ status: 200 })
})

test("all conversations of the playground are deleted together after a confirmation", async () => {
  const { page } = operator
  await openPage("playground")
  for (const text of ["one", "two"]) {
    await page.getByRole("textbox", { name: "Your message" }).fill(text)
    // Pressing Enter sends only once this button is enabled, which means that the models are loaded and the last
    // response is complete.
    await page.getByRole("button", { name: "Send", disabled: false }).waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("article").getByRole("link", { name: "Receipt" }).waitFor()
    await page.getByRole("button", { name: "New conversation" }).click()
  }
  const list = await begin("Conversations", "Conversations")
  // Conversations are stored after their responses are shown.
  await list
    .getByRole("button", { name: /^Rename/ })
    .nth(1)
    .waitFor()
  await list.getByRole("button", { name: "Delete all" }).click()
  const question = page.getByRole("dialog", { name: "Delete all conversations?" })
  await question.getByRole("button", { name: "Cancel" }).click()
  await question.waitFor({ state: "detached" })
  expect(await list.getByRole("button", { name: /^Rename/ }).count()).toBe(2)
  await list.getByRole("button", { name: "Delete all" }).click()
  await question.getByRole("button", { name: "Delete", exact: true }).click()
  await list.getByText("No conversations yet.").waitFor()
  await closeByEscape(list)
  expect(operator.complaints).toEqual([])
})
