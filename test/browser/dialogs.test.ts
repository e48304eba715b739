import { afterAll, beforeAll, expect, test } from "bun:test"
import type { Locator } from "playwright-core"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { totp } from "../users/totp.ts"
import { faultsOf } from "./axe-faults.ts"
import { testBrowser } from "./browser.ts"
import {
  ask,
  type ConsoleGateway,
  OPERATOR,
  setUp,
  startConsole,
  type Visitor,
  visit,
} from "./console-gateway.ts"

let simulator: Simulator
let tollgate: ConsoleGateway
let operator: Visitor
/** The account that the first start creates. */
let account: string

beforeAll(async () => {
  simulator = startSimulator()
  tollgate = await startConsole()
  operator = await tollgate.visitor()
  await setUp(operator, tollgate.setupLink)
  const { body } = await ask(operator.page, "GET", "/accounts")
  account = (body["data"] as { id: string }[])[0]?.id ?? ""
})

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
  await simulator[Symbol.asyncDispose]()
})

function dialog(name: string | RegExp): Locator {
  return operator.page.getByRole("dialog", { name })
}

/** Opens a page without dialogs of an earlier test. */
async function openPage(name: string): Promise<void> {
  await visit(operator.page, name)
  await operator.page.getByRole("heading", { level: 1 }).waitFor()
}

/** Presses a button of a dialog and waits until the dialog is closed. */
async function finish(of: Locator, button: string): Promise<void> {
  await of.getByRole("button", { name: button, exact: true }).click()
  await of.waitFor({ state: "detached" })
}

test("an operator tests, changes, prices and deletes a provider in dialogs", async () => {
  const { page } = operator
  const entry = {
    vendor: "openai-compatible",
    base_url: `${simulator.url}/v1`,
    api_key: "upstream-1",
  }
  expect(await ask(page, "POST", "/providers", { id: "mine", ...entry })).toMatchObject({
    status: 200,
  })
  expect(await ask(page, "PUT", "/models/mine/gpt-4o", { kind: "chat" })).toMatchObject({
    status: 200,
  })
  await openPage("providers")
  await page.getByRole("button", { name: "Test mine", exact: true }).click()
  await dialog("Test mine")
    .getByText(/Responded in/)
    .waitFor()
  const listed = dialog("Test mine")
  await listed.getByRole("checkbox", { name: "echo", exact: true }).check()
  await listed.getByRole("button", { name: "Add 1 model" }).click()
  await listed.getByText("1 model without a list price").waitFor()
  await listed.getByText("echo (added)").waitFor()
  const list = ["gpt-4o", "gpt-4o-mini", "gpt-4.1"]
  await page.route("**/providers/mine/test", (route) =>
    route.fulfill({ json: { ok: true, message: "It works.", duration_ms: 5, models: list } }),
  )
  await listed.getByRole("button", { name: "Test again" }).click()
  await listed.getByText("gpt-4o (added)").waitFor()
  await listed.getByLabel("Search the listed models").fill("GPT-4O")
  await listed.getByRole("checkbox", { name: "All 1 that can be added" }).check()
  await listed.getByRole("button", { name: "Add 1 model" }).click()
  await listed.getByText("gpt-4o-mini (added)").waitFor()
  const { body: added } = await ask(page, "GET", "/models/mine/gpt-4o-mini")
  expect(added["price"]).toMatchObject({ input: expect.any(String) })
  await page.unroute("**/providers/mine/test")
  expect(await faultsOf(page)).toEqual([])
  await finish(listed, "Done")

  await page.getByRole("button", { name: "More actions for mine" }).click()
  await page.getByRole("menuitem", { name: "Change" }).click()
  const change = dialog("Change mine")
  const address = change.getByLabel(/address|base url/i)
  expect(await address.inputValue()).toBe(`${simulator.url}/v1`)
  await address.fill("not an address")
  await change.getByRole("button", { name: "Save" }).click()
  await change.locator("[aria-invalid=true]").waitFor()
  await address.fill(`${simulator.url}/v1/`)
  await finish(change, "Save")
  await page.getByText("mine has been changed.").waitFor()

  await page.getByRole("button", { name: /fix the prices of mine/ }).click()
  await finish(dialog(/^Models from mine/), "Use list prices")
  const { body } = await ask(page, "GET", "/models/mine/gpt-4o")
  expect(body["price"]).toMatchObject({ input: expect.any(String) })

  await page.getByRole("button", { name: "More actions for mine" }).click()
  await page.getByRole("menuitem", { name: "Delete" }).click()
  await finish(dialog("Delete mine?"), "Delete the provider")
  await page.getByRole("button", { name: "Test mine", exact: true }).waitFor({ state: "detached" })
})

test("an operator adds a model, changes its price, and resets it in dialogs", async () => {
  const { page } = operator
  await openPage("models")
  await page.getByRole("button", { name: "Add a model" }).click()
  const adding = dialog("Add a model")
  await adding.getByRole("combobox", { name: "Provider" }).click()
  await page.getByRole("option", { name: "sandbox", exact: true }).click()
  await adding.getByRole("textbox", { name: "Name" }).fill("of my own")
  await adding.getByText("must not contain spaces").waitFor()
  expect(await adding.getByRole("button", { name: "Add the model" }).isDisabled()).toBe(true)
  await adding.getByRole("textbox", { name: "Name" }).fill("mine")
  await adding.getByLabel("Input", { exact: true }).fill("1")
  await adding.getByLabel("Output", { exact: true }).fill("2")
  await adding.getByLabel("Multiplier").fill("0")
  await adding.getByRole("button", { name: "Add the model" }).click()
  await page.getByRole("button", { name: "Yes, this is correct" }).click()
  const drawer = dialog("sandbox/mine")
  await drawer.getByRole("button", { name: "Set price and multiplier" }).click()
  await drawer.getByLabel("Multiplier").fill("1.5")
  await drawer.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByText("The price of sandbox/mine has been changed.").waitFor()
  expect((await ask(page, "GET", "/models/sandbox/mine")).body).toMatchObject({
    price: { input: "1", output: "2" },
    multiplier: "1.5",
  })
  await drawer.getByRole("button", { name: "Reset to default" }).click()
  await finish(dialog("Reset to default?"), "Reset")
  expect(await ask(page, "GET", "/models/sandbox/mine")).toMatchObject({ status: 404 })
})

test("an account is created, renamed, closed and reopened, and its content storage is turned on and off", async () => {
  const { page } = operator
  await openPage("accounts")
  await page.getByRole("button", { name: "Create an account" }).click()
  const creating = dialog("Create an account")
  await creating.getByRole("button", { name: "Create", exact: true }).click()
  await creating.getByText("Enter a name").waitFor()
  await creating.getByLabel("Name").fill("Wayne")
  await creating.getByLabel("Initial credits").fill("2000")
  await creating.getByRole("button", { name: "Create", exact: true }).click()
  await finish(dialog(/^Create Wayne with 2,000\.00 credits\?$/), "Yes, this is correct")
  await page.getByRole("heading", { level: 1, name: "Wayne" }).waitFor()

  await page.getByRole("button", { name: "Rename" }).click()
  const renaming = dialog("Rename Wayne")
  await renaming.getByLabel("Name").fill(" ")
  await renaming.getByRole("button", { name: "Rename" }).click()
  await renaming.getByText("Enter a name").waitFor()
  await renaming.getByLabel("Name").fill("Wayne Limited")
  await finish(renaming, "Rename")
  await page.getByRole("heading", { level: 1, name: "Wayne Limited" }).waitFor()

  await page.getByRole("main").getByRole("button", { name: "Close", exact: true }).click()
  await finish(dialog("Close Wayne Limited?"), "Close the account")
  await page.getByRole("button", { name: "Open again" }).click()
  await page.getByRole("main").getByRole("button", { name: "Close", exact: true }).waitFor()

  const stores = page.getByRole("switch", { name: "Store prompts and responses" })
  await stores.click()
  await finish(dialog("Store prompts and responses?"), "Store prompts and responses")
  await page.getByRole("switch", { name: "Store prompts and responses", checked: true }).waitFor()
  await stores.click()
  await finish(dialog("Stop storing prompts and responses?"), "Stop storing")
  await page.getByRole("switch", { name: "Store prompts and responses", checked: false }).waitFor()

  const main = page.getByRole("main")
  const usage = main.getByRole("link", { name: "Usage" })
  expect(await usage.getAttribute("href")).toContain("account=acc_")
  await main.getByRole("link", { name: "Adjust credits" }).click()
  await dialog("Adjust the credits of Wayne Limited").waitFor()
  await page.keyboard.press("Escape")
})

test("members and users are invited, promoted, demoted, disabled and removed", async () => {
  const { page } = operator
  await openPage(`members?account=${account}`)
  const link = async (email: string): Promise<string> => {
    await page.getByRole("button", { name: "Invite someone" }).first().click()
    const inviting = dialog(/^Invite/)
    await inviting.getByLabel("Email address").fill(email)
    await inviting.getByRole("button", { name: "Create the link" }).click()
    const text = await page.getByText(/\/console\/invitation/).textContent()
    await page.getByRole("button", { name: "I have copied it" }).click()
    return text?.trim() ?? ""
  }
  await openPage("members?account=all")
  await page.getByRole("button", { name: "Invite someone" }).first().click()
  const inviting = dialog(/^Invite/)
  await inviting.getByLabel("Email address").fill("nobody@example.com")
  await inviting.getByRole("button", { name: "Create the link" }).click()
  await inviting.getByText("Choose an account").waitFor()
  await inviting.getByRole("combobox", { name: "Account" }).click()
  await page.getByRole("option").first().click()
  await inviting.getByRole("button", { name: "Create the link" }).click()
  await finish(inviting, "I have copied it")
  await openPage(`members?account=${account}`)
  await page.getByRole("button", { name: "Withdraw the invitation for nobody@example.com" }).click()
  await page.getByText("nobody@example.com").waitFor({ state: "detached" })
  await using member = await tollgate.visitor()
  await member.page.goto(await link("mia@example.com"))
  await member.page.getByLabel("Name").fill("Mia Member")
  await member.page.getByLabel("Password", { exact: true }).fill("another long password")
  await member.page.getByRole("button", { name: "Join" }).click()
  await member.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()

  await openPage("users")
  const begin = async (action: string): Promise<void> => {
    await page.getByRole("button", { name: "Actions for Mia Member" }).click()
    await page.getByRole("menuitem", { name: action, exact: true }).click()
  }
  const session = async () => (await ask(member.page, "GET", "/session")).body["is_operator"]
  await begin("Make an operator")
  await finish(dialog("Make Mia Member an operator?"), "Make an operator")
  expect(await session()).toBe(true)
  await begin("Remove operator rights")
  await finish(dialog("Remove operator rights from Mia Member?"), "Remove")
  expect(await session()).toBe(false)
  await begin("Disable")
  await finish(dialog("Disable Mia Member?"), "Disable the user")
  expect(await ask(member.page, "GET", "/session")).toMatchObject({ status: 401 })
  await begin("Enable")
  await finish(dialog("Enable Mia Member again?"), "Enable the user")

  // Loads the list again, because the member has joined since.
  await page.goto(`/console/members?account=${account}`)
  await page.getByRole("button", { name: "Remove Mia Member" }).click()
  await finish(dialog("Remove Mia Member?"), "Remove the member")
  await page.getByText("mia@example.com").waitFor({ state: "detached" })
})

test("a key is changed, a code is revoked, a statement is saved, and the audit log shows a change", async () => {
  const { page } = operator
  await openPage("keys")
  await page
    .getByRole("button", { name: /^Actions for/ })
    .first()
    .click()
  await page.getByRole("menuitem", { name: /Change|Edit/ }).click()
  const changing = dialog(/^Change /)
  await changing.getByLabel("Daily budget").fill("1,5")
  await changing.getByRole("button", { name: "Save" }).click()
  await changing.getByText("write 1.5").waitFor()
  await changing.getByLabel("Daily budget").fill("1.5")
  await finish(changing, "Save")
  await page.getByText("The key has been changed.").waitFor()

  await openPage("codes")
  await page.getByRole("button", { name: "Create codes" }).first().click()
  const code = dialog("Create codes")
  await code.getByLabel("Credits per account").fill("5000")
  await code.getByRole("button", { name: "Create", exact: true }).click()
  await page.getByRole("button", { name: "Yes, this is correct" }).click()
  await finish(dialog("Your code"), "I have copied it")
  await page.getByRole("button", { name: /^Revoke the code ending in/ }).click()
  await finish(dialog(/^Revoke the code/), "Revoke the code")
  await page.getByText("revoked", { exact: true }).waitFor()

  await openPage(`credits?account=${account}`)
  await page.getByRole("button", { name: /Statement/ }).click()
  const statement = dialog(/^Statement of/)
  await statement.getByLabel("From").fill("2030-01-01")
  await statement.getByText("The last day must not be before the first").waitFor()
  await statement.getByRole("button", { name: "Last month" }).click()
  expect(await statement.getByLabel("To", { exact: true }).inputValue()).toMatch(/-(28|29|30|31)$/)
  await statement.getByLabel("From").fill("2020-01-01")
  const { name } = await testBrowser.savedFile(page, () =>
    statement.getByRole("link", { name: "Download" }).click(),
  )
  expect(name).toEndWith("-totals.csv")
  await statement.waitFor({ state: "detached" })
  await page.getByRole("button", { name: /Statement/ }).click()
  await statement.getByText("Print", { exact: true }).click()
  const opened = page.waitForEvent("popup")
  await statement.getByRole("link", { name: "Open the page" }).click()
  const printed = await opened
  await printed.getByRole("heading", { name: "Statement" }).waitFor()
  await printed.getByText(/^Closing balance/).waitFor()
  expect(await faultsOf(printed)).toEqual([])
  await printed.close()

  await openPage("audit?account=all")
  const changed = page.getByRole("row").filter({ hasText: "key: change" }).first()
  await changed.getByText("daily_budget").waitFor()
  const changes = page.getByRole("table").getByRole("button")
  await changes.filter({ hasText: /code/i }).first().click()
  const record = page.getByRole("dialog")
  await record.getByText("Hash").waitFor()
  await page.keyboard.press("Escape")
  await record.waitFor({ state: "detached" })
})

test("the playground shows the request as code, and its settings in a drawer on small screens", async () => {
  const { page } = operator
  await page.setViewportSize({ width: 820, height: 900 })
  await openPage(`playground?model=sandbox%2Fecho&account=${account}`)
  await page.getByRole("button", { name: /settings/i }).click()
  const settings = dialog("Request settings")
  await settings.getByLabel("System prompt").fill("Be brief.")
  await page.keyboard.press("Escape")
  await settings.waitFor({ state: "detached" })
  await page.getByRole("textbox", { name: "Your message" }).fill("hello")
  await page.keyboard.press("Enter")
  await page.getByRole("button", { name: "Copy as code" }).click()
  const code = dialog("This request as code")
  await code.getByText("Be brief.").waitFor()
  await code.getByRole("tab").nth(1).click()
  await code.getByText("Be brief.").waitFor()
  await page.keyboard.press("Escape")
  await code.waitFor({ state: "detached" })
  await page.setViewportSize({ width: 1_440, height: 900 })
})

test("a second factor is enabled, required, replaced by a backup code, and disabled", async () => {
  const { page } = operator
  const password = async (of: Locator): Promise<void> => {
    await of.getByLabel("Your password").fill("a wrong password")
    await of.locator("button[type=submit]").click()
    await of.getByText(/wrong|incorrect|not right|does not match/i).waitFor()
    await of.getByLabel("Your password").fill(OPERATOR.password)
    await of.locator("button[type=submit]").click()
  }
  await openPage("profile")
  await page.getByRole("button", { name: "Turn on", exact: true }).click()
  const enabling = dialog("Turn on two-factor authentication")
  await password(enabling)
  await enabling.getByRole("img", { name: "The secret for the authenticator app" }).waitFor()
  const secret = (await enabling.locator(".secret").textContent())?.trim() ?? ""
  await enabling.getByLabel("The six digits that the app shows").fill("12345")
  await enabling.getByRole("button", { name: "Turn on" }).click()
  await enabling.getByText("Six digits", { exact: true }).waitFor()
  await enabling.getByLabel("The six digits that the app shows").fill(totp(secret))
  await enabling.getByRole("button", { name: "Turn on" }).click()
  await finish(dialog("Your backup codes"), "I have saved them")

  await page.getByRole("button", { name: "New backup codes" }).click()
  await password(dialog("New backup codes"))
  const codes = await dialog("Your backup codes").locator("code, pre").first().textContent()
  // Pressing a key must not close a dialog whose content is shown only once.
  await page.keyboard.press("Escape")
  await finish(dialog("Your backup codes"), "I have saved them")

  await using again = await tollgate.visitor()
  await again.page.goto("/console/sign-in")
  await again.page.getByLabel("Email").fill(OPERATOR.email)
  await again.page.getByLabel("Password", { exact: true }).fill(OPERATOR.password)
  await again.page.getByRole("button", { name: "Sign in", exact: true }).click()
  await again.page.getByLabel("Code").fill("000000")
  await again.page.getByRole("button", { name: "Continue" }).click()
  await again.page.locator("[aria-invalid=true]").waitFor()
  await again.page.getByRole("button", { name: "Use a backup code" }).click()
  const [first = ""] = (codes ?? "").trim().split(/\s+/)
  await again.page.getByLabel("Backup code").fill(first)
  await again.page.getByRole("button", { name: "Continue" }).click()
  await again.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()

  await page.reload()
  await page.getByRole("button", { name: /^End the session on/ }).click()
  await page.getByText("The session has ended.").waitFor()
  expect(await ask(again.page, "GET", "/session")).toMatchObject({ status: 401 })
  await page.getByRole("button", { name: "Turn off", exact: true }).click()
  await password(dialog("Turn off two-factor authentication"))
  await page.getByText("Two-factor authentication is off.").waitFor()
})

test("no page in the dialog tests reported an error", () => {
  expect(operator.complaints).toEqual([])
})

test("the focus returns to the control that opened a dialog, even through a second dialog", async () => {
  const { page } = operator
  await openPage(`keys?account=${account}`)
  const create = page.getByRole("button", { name: "Create a key", exact: true }).first()
  await create.focus()
  await page.keyboard.press("Enter")
  const form = page.getByRole("dialog")
  await form.getByLabel("Name").fill("focus")
  await form.getByRole("button", { name: "Create", exact: false }).last().click()
  await finish(dialog(/Your key focus/), "I have copied it")
  await page.waitForFunction("document.activeElement?.textContent === 'Create a key'")

  const actions = page.getByRole("button", { name: "Actions for focus" })
  await actions.focus()
  await page.keyboard.press("Enter")
  await page.getByRole("menuitem", { name: "Rotate" }).click()
  await dialog("Rotate focus").getByRole("button", { name: "Rotate" }).click()
  await finish(dialog(/Your key focus/), "I have copied it")
  await page.waitForFunction("document.activeElement?.ariaLabel === 'Actions for focus'")
})

test("the list of keys shows who created each key, and can be limited to the user's own keys", async () => {
  const { page } = operator
  expect(await ask(page, "POST", "/keys", { account, name: "own key" })).toMatchObject({
    status: 200,
  })
  await openPage(`keys?account=${account}`)
  const rows = page.getByRole("table", { name: "Keys" }).getByRole("row")
  await rows.filter({ hasText: "first key" }).getByText("operator", { exact: true }).waitFor()
  await rows.filter({ hasText: "own key" }).getByText("you", { exact: true }).waitFor()
  await page.getByRole("switch", { name: "Only mine" }).click()
  await rows.filter({ hasText: "first key" }).waitFor({ state: "detached" })
  await rows.filter({ hasText: "own key" }).waitFor()
  await page.waitForURL(/mine=true/)
  await page
    .getByText(/^Your keys spent ([\d.]+) credits this month, and \1 credits in total/)
    .waitFor()
})

test("the palette finds users by email, and settings and actions by synonyms", async () => {
  const { page } = operator
  await openPage(`keys?account=${account}`)
  const search = async (text: string, option: string) => {
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: "Search" }).fill(text)
    const found = page.getByRole("option").first()
    await found.filter({ hasText: option }).waitFor()
    await found.click()
  }
  await search(OPERATOR.email.slice(0, 5), OPERATOR.email)
  await page.waitForURL(/\/users\?.*search=/)
  await search("multiplier", "Multiplier")
  await page.waitForURL(/\/settings.*#.*multiplier/)
  await search("refund", "Adjust credits")
  await dialog(/^Adjust the credits of/).waitFor()
  await page.keyboard.press("Escape")
  await openPage("keys?account=all")
  await search("refund", "Adjust credits")
  await page.getByRole("heading", { level: 1, name: "Accounts" }).waitFor()
  await search("night", "Dark appearance")
  await page.waitForFunction("document.documentElement.dataset.mantineColorScheme === 'dark'")
})

test("a dialog asks for confirmation before it is closed with unsaved changes", async () => {
  const { page } = operator
  await openPage("")
  await page.getByRole("navigation").getByRole("link", { name: "Keys", exact: true }).click()
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor()
  const create = page.getByRole("button", { name: "Create a key" }).first()
  await create.click()
  const drawer = dialog("Create a key")
  const name = drawer.getByLabel("Name")
  await name.waitFor()
  const question = dialog("Discard unsaved changes?")
  await page.keyboard.press("Escape")
  await drawer.waitFor({ state: "detached" })
  expect(await question.count()).toBe(0)

  await create.click()
  await name.fill("unfinished")
  await page.keyboard.press("Escape")
  await question.waitFor()
  await page.keyboard.press("Escape")
  await question.waitFor({ state: "detached" })
  expect(await name.inputValue()).toBe("unfinished")
  await page.goBack()
  await question.waitFor()
  expect(await faultsOf(page)).toEqual([])
  await finish(question, "Cancel")
  expect(await name.inputValue()).toBe("unfinished")
  await page.keyboard.press("Escape")
  await finish(question, "Discard")
  await drawer.waitFor({ state: "detached" })
})

test("the settings page asks for confirmation before another page is opened with unsaved changes", async () => {
  const { page } = operator
  await openPage("settings")
  const multiplier = page.getByLabel(/^Multiplier/)
  await multiplier.fill("1.5")
  await page.getByText("1 unsaved change").waitFor()
  const keys = page.getByRole("navigation").getByRole("link", { name: "Keys", exact: true })
  await keys.click()
  const question = dialog("Discard unsaved changes?")
  await finish(question, "Cancel")
  expect(await multiplier.inputValue()).toBe("1.5")
  await keys.click()
  await finish(question, "Discard")
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor()
  await openPage("settings")
  await multiplier.waitFor()
  await page.getByRole("navigation").getByRole("link", { name: "Keys", exact: true }).click()
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor()
})
