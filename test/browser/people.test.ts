import { afterAll, beforeAll, expect, test } from "bun:test"
import OpenAI from "openai"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { until } from "../support/until.ts"
import {
  ask,
  type ConsoleGateway,
  image,
  open,
  OPERATOR,
  setUp,
  startConsole,
  type Visitor,
  visit,
} from "./console-gateway.ts"

const HOSTILE = `"><img src=x onerror="window.broken=1"><script>alert(1)</script>`
let tollgate: ConsoleGateway
let simulator: Simulator
let operator: Visitor
let member: Visitor

beforeAll(async () => {
  simulator = startSimulator()
  tollgate = await startConsole("multiplier: 1.37\nconsole: { show_costs_to: operators }\n")
  operator = await tollgate.visitor()
  member = await tollgate.visitor({ width: 390, scheme: "dark" })
  await setUp(operator, tollgate.setupLink)
})

afterAll(async () => {
  await member[Symbol.asyncDispose]()
  await operator[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
  await simulator[Symbol.asyncDispose]()
})

test("a provider is added, tested and priced, and can be called immediately", async () => {
  const { page } = operator
  await open(operator, "Providers")
  await page.getByRole("button", { name: "Add a provider" }).first().click()
  await page.getByLabel("Search vendors").fill("compatible")
  await page.getByRole("dialog").getByText("OpenAI-compatible server").waitFor()
  await page.keyboard.press("Enter")
  await page.getByLabel("Provider name").fill("mine")
  await page.getByLabel(/address|base url/i).fill(`${simulator.url}/v1`)
  await page.getByLabel(/key/i).first().fill("upstream-secret-1234")
  await page.getByRole("button", { name: "Add and test" }).click()
  await page
    .getByText(/responded in/i)
    .first()
    .waitFor()
  expect(await page.content()).not.toContain("upstream-secret-1234")
  await page.keyboard.press("Escape")

  const priced = await ask(page, "PUT", "/models/mine/echo", {
    kind: "chat",
    price: { input: "1", output: "2" },
    context: 100_000,
    max_output: 1_000,
  })
  expect(priced.status).toBe(200)
  await untilCallable("mine/echo")
  const response = await clientOf(tollgate.firstKey).chat.completions.create({
    model: "mine/echo",
    messages: [{ role: "user", content: "over the console's provider" }],
  })
  expect(response.choices[0]?.message.content).toContain("over the console's provider")
})

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${tollgate.url}/v1`, maxRetries: 0 })
}

/** Waits until a model can be called, because a change reaches other processes later. */
async function untilCallable(model: string): Promise<void> {
  await until(async () => {
    const models = await clientOf(tollgate.firstKey).models.list()
    return models.data.some(({ id }) => id === model)
  })
}

test("an invited member sees their account, and no operator data", async () => {
  await open(operator, "Members")
  await operator.page.getByRole("button", { name: "Invite someone" }).first().click()
  await operator.page.getByLabel("Email address").fill("mia@example.com")
  await operator.page.getByRole("button", { name: "Create the link" }).click()
  const link = await operator.page.getByText(/\/console\/invitation/).textContent()
  await operator.page.getByRole("button", { name: "I have copied it" }).click()

  const { page } = member
  await page.goto(link?.trim() ?? "")
  await page.getByLabel("Name").fill("Mia Member")
  await page.getByLabel("Password", { exact: true }).fill("another long password")
  await page.getByRole("button", { name: "Join" }).click()
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
  expect(await page.getByRole("link", { name: "Providers" }).count()).toBe(0)

  for (const path of ["/users", "/codes", "/settings", "/audit"]) {
    expect(await ask(page, "GET", path), path).toMatchObject({ status: 403 })
  }
  for (const address of ["providers", "users", "codes", "settings", "accounts"]) {
    await visit(page, address)
    await page.getByText("You do not have access to this page").waitFor()
    expect(await page.getByText("olive@example.com").count()).toBe(0)
  }
})

test("a member sees the prices of the account, but no multiplier, provider or deployment", async () => {
  const { response } = await clientOf(tollgate.firstKey)
    .chat.completions.create({
      model: "mine/echo",
      messages: [{ role: "user", content: "what does it cost" }],
    })
    .withResponse()
  const request = response.headers.get("x-request-id") ?? ""
  expect(response.headers.get("x-tollgate-provider")).toBeNull()
  const { page } = member
  await visit(page, `requests/${request}`)
  await page.getByRole("heading", { name: "Cost" }).waitFor()
  await page.getByText("× 1.37").first().waitFor()
  expect(await page.getByText(/multiplier/i).count()).toBe(0)
  expect(await page.getByRole("heading", { name: "Attempts" }).count()).toBe(0)

  await visit(page, "models?model=mine/echo")
  const drawer = page.getByRole("dialog")
  await drawer.getByRole("heading", { name: "Price" }).waitFor()
  await drawer.getByText("2.74").first().waitFor()
  expect(await drawer.getByText(/multiplier|deployments/i).count()).toBe(0)
  await page.keyboard.press("Escape")

  await visit(page, "usage")
  await page.getByRole("combobox", { name: "Group by" }).click()
  await page.getByRole("option", { name: "Endpoint" }).waitFor()
  expect(await page.getByRole("option", { name: "Provider" }).count()).toBe(0)
  await page.keyboard.press("Escape")

  await visit(operator.page, `requests/${request}`)
  await operator.page.getByText("× multiplier 1.37").waitFor()
  await operator.page.getByRole("heading", { name: "Attempts" }).waitFor()
})

test("an owner's rules limit the keys of members", async () => {
  const { page } = operator
  const [{ id: account }] = (await ask(page, "GET", "/accounts?search=demo")).body["data"] as [
    { id: string },
  ]
  await page.goto(`/console/members?account=${account}`)
  await page.getByText("Members may create keys for all models and with any budget.").waitFor()
  await page.getByRole("button", { name: "Change the rules" }).click()
  await page.getByRole("dialog").getByLabel("Maximum daily budget").fill("2")
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
  await page.getByRole("dialog").waitFor({ state: "detached" })
  await page.getByText("Maximum daily budget").waitFor()
  await image(page, "member-keys")

  await member.page.goto(`/console/keys?account=${account}`)
  await member.page.getByRole("button", { name: "Create a key" }).first().click()
  const drawer = member.page.getByRole("dialog")
  await drawer.getByLabel("Name").fill("laptop")
  await drawer.getByRole("button", { name: "Create the key" }).click()
  await drawer.getByText("at most 2 credits").first().waitFor()
  await drawer.getByLabel("Daily budget").fill("1.5")
  await drawer.getByRole("button", { name: "Create the key" }).click()
  await member.page.getByRole("button", { name: "I have copied it" }).click()
  const { body } = await ask(member.page, "GET", "/keys?mine=true")
  expect(body["data"]).toMatchObject([{ name: "laptop", daily_budget: { limit: "1.5" } }])

  const forbidden = { may_create: false }
  await ask(page, "PUT", `/accounts/${account}/member-keys`, forbidden)
  await member.page.goto(`/console/keys?account=${account}`)
  await member.page.getByText("Members of this account may not create keys").waitFor()
  expect(await member.page.getByRole("button", { name: "Create a key" }).count()).toBe(0)
  await ask(page, "PUT", `/accounts/${account}/member-keys`, {})
  await page.goto("/console/?account=all")
})

test("a member cannot see content of another account", async () => {
  const made = await ask(operator.page, "POST", "/accounts", { name: "other", credits: "5" })
  const other = String(made.body["id"])
  const key = await ask(operator.page, "POST", "/keys", { account: other, name: "theirs" })
  const { data, response } = await clientOf(String(key.body["secret"]))
    .chat.completions.create({
      model: "sandbox/echo",
      messages: [{ role: "user", content: "private" }],
    })
    .withResponse()
  expect(data.object).toBe("chat.completion")
  const request = response.headers.get("x-request-id") ?? ""
  const { page } = member
  for (const path of [
    `/accounts/${other}`,
    `/accounts/${other}/credits`,
    `/accounts/${other}/entries`,
    `/accounts/${other}/statement?from=2026-01-01&to=2027-01-01`,
    `/keys/${String(key.body["id"])}`,
    `/receipts/${request}`,
    `/receipts?account=${other}`,
    `/usage/overview?account=${other}`,
    `/members?account=${other}`,
  ]) {
    expect(await ask(page, "GET", path), path).toMatchObject({ status: 404 })
  }
  await page.goto(`/console/requests/${request}`)
  await page
    .getByText(/nothing is known|no account/i)
    .first()
    .waitFor()
})

test("a member without credits sees how to get credits, depending on the role", async () => {
  const { page } = operator
  const ofMia = await ask(page, "POST", "/accounts", { name: "Mia's own" })
  const account = String(ofMia.body["id"])
  const invited = await ask(page, "POST", "/members/invitations", {
    account,
    email: "mia@example.com",
    role: "member",
  })
  const token = String(invited.body["link"]).split("token=").at(-1) ?? ""
  expect(await ask(member.page, "POST", `/invitations/${token}/accept`, {})).toMatchObject({
    status: 200,
  })
  await member.page.goto(`/console/?account=${account}`)
  await member.page.getByText("Requests are rejected until the account has credits").waitFor()
  expect(await member.page.getByRole("link", { name: "Grant credits" }).count()).toBe(0)
  await member.page.getByRole("link", { name: "Redeem a code" }).click()
  await member.page.getByRole("dialog").getByRole("textbox", { name: "Code" }).waitFor()
  await member.page.goto(`/console/credits?account=${account}&add=entry`)
  await member.page.getByRole("button", { name: "Redeem a code" }).waitFor()
  expect(await member.page.getByRole("dialog").count()).toBe(0)

  await page.goto(`/console/?account=${account}`)
  await page.getByRole("link", { name: "Grant credits" }).click()
  await page.getByLabel("Amount").fill("1")
  await page.getByLabel("Reason").fill("to begin with")
  await page.getByRole("button", { name: "Record the entry" }).click()
  await page.getByText("The entry has been recorded.").waitFor()
  await page.goto(`/console/?account=${account}`)
  await page.getByText("Call a model with it").waitFor()
  expect(await page.getByText("Requests are rejected until").count()).toBe(0)
  await page.goto("/console/?account=all")
})

test("a blocked account shows the reason and the next step on its pages", async () => {
  const { page } = operator
  const { body } = await ask(page, "GET", "/accounts?search=Mia")
  const [{ id: account }] = body["data"] as [{ id: string }]
  await ask(page, "POST", "/keys", { account, name: "of Mia" })
  const soon = { expires_at: new Date(Date.now() + 2_000).toISOString() }
  await ask(page, "POST", "/keys", { account, name: "short-lived", ...soon })
  const shown = ({ page }: Visitor, title: string) =>
    page.getByRole("alert").filter({ hasText: title })
  await ask(page, "PATCH", `/accounts/${account}`, { state: "paused" })
  for (const address of ["", "keys", "credits", "requests", "playground"]) {
    await member.page.goto(`/console/${address}?account=${account}`)
    await shown(member, "This account is suspended").getByText("Ask the operator").waitFor()
  }
  await member.page.goto(`/console/keys?account=${account}`)
  await member.page.getByText("account suspended").first().waitFor()
  await page.goto(`/console/keys?account=${account}`)
  await shown(operator, "suspended").getByRole("link", { name: "Open the account" }).click()
  await page.getByRole("button", { name: "Resume" }).click()
  await shown(operator, "suspended").waitFor({ state: "detached" })

  const order = { kind: "adjustment", amount: "-1", note: "for a test" }
  expect((await ask(page, "POST", `/accounts/${account}/entries`, order)).status).toBe(200)
  await member.page.goto(`/console/keys?account=${account}`)
  await member.page.getByText("no credits", { exact: true }).waitFor()
  await image(member.page, "keys-without-credits")
  await shown(member, "no credits").getByRole("link", { name: "Add credits" }).click()
  await member.page.getByRole("dialog").getByRole("textbox", { name: "Code" }).waitFor()

  const expired = `/keys?account=${account}&status=expired`
  await until(async () => {
    const { body } = await ask(page, "GET", expired)
    return (body["data"] as object[]).length === 1
  })
  await page.goto(`/console/keys?account=${account}`)
  await page.getByText("1 key expired in the last 7 days").waitFor()
  await page.getByRole("link", { name: "Show expired keys" }).click()
  await page.getByRole("table", { name: "Keys" }).getByText("expired", { exact: true }).waitFor()
  await page.goto("/console/?account=all")
})

test("a failing provider appears first on the overview page, and links to its failed requests", async () => {
  const { page } = operator
  await page.goto("/console/?account=all")
  await page.getByText("Spent today").waitFor()
  expect(await page.getByRole("table", { name: "Failing providers" }).count()).toBe(0)
  const price = { input: "1", output: "2" }
  const model = { kind: "chat", price, context: 100_000, max_output: 1_000 }
  await ask(page, "PUT", "/models/mine/fault-402", model)
  const body = JSON.stringify({
    model: "mine/fault-402",
    messages: [{ role: "user", content: "hello" }],
  })
  const headers = {
    authorization: `Bearer ${tollgate.firstKey}`,
    "content-type": "application/json",
  }
  for (let count = 0; count < 5; count++) {
    const response = await fetch(`${tollgate.url}/v1/chat/completions`, {
      method: "POST",
      headers,
      body,
    })
    expect(response.status).toBe(502)
    await response.text()
  }
  // The page is open during an outage and finds it by itself.
  const failing = page.getByRole("table", { name: "Failing providers" })
  const row = failing.getByRole("row").filter({ hasText: "mine" })
  await row.getByText("failing").waitFor()
  expect(await page.getByRole("heading", { level: 2 }).first().textContent()).toBe(
    "1 provider failing",
  )
  expect(await row.textContent()).toMatch(/\d+(\.\d)?% \d of \d requests/)
  await image(page, "overview-outage")
  await row.getByRole("link", { name: "mine" }).click()
  await page.getByText("Provider: mine").waitFor()
  const requests = page.getByRole("table", { name: "Requests", exact: true }).getByRole("row")
  await until(async () => (await requests.count()) === 6)
})

test("hostile names are displayed as text", async () => {
  const { page } = operator
  const name = HOSTILE.slice(0, 100)
  const made = await ask(page, "POST", "/accounts", { name })
  const account = String(made.body["id"])
  expect(made.status).toBe(200)
  expect(await ask(page, "POST", "/keys", { account, name })).toMatchObject({ status: 200 })
  expect(
    await ask(page, "PUT", `/models/mine/${encodeURIComponent("<b>x")}`, { kind: "chat" }),
  ).toMatchObject({ status: 200 })
  for (const address of [
    "",
    "keys?account=all",
    "accounts",
    `accounts/${account}`,
    "models",
    "audit",
    `requests?account=all&search=${encodeURIComponent(name)}`,
  ]) {
    await page.goto(`/console/${address}`)
    await page.getByRole("heading", { level: 1 }).waitFor()
    await page.waitForLoadState("networkidle")
    expect(await page.evaluate<unknown>("window.broken ?? null"), address).toBeNull()
    expect(await page.locator("img[src=x]").count(), address).toBe(0)
  }
})

test("a stolen cookie becomes invalid when its owner signs out", async () => {
  const { page, context } = member
  const stolen = await context.cookies()
  expect(stolen.length).toBeGreaterThan(0)
  for (const cookie of stolen) expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax" })
  expect(await ask(page, "GET", "/session")).toMatchObject({ status: 200 })
  expect((await ask(page, "DELETE", "/session")).status).toBeLessThan(300)
  await context.addCookies(stolen)
  expect(await ask(page, "GET", "/session")).toMatchObject({ status: 401 })
  await page.goto("/console/keys")
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor()
  await page.getByLabel("Email").fill("mia@example.com")
  await page.getByLabel("Password", { exact: true }).fill("another long password")
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  // The browser returns to the page that the person wanted to open.
  await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor()
})

test("users change their own name, and operators change any user's address", async () => {
  const { page } = member
  await page.goto("/console/profile")
  await page.getByRole("button", { name: "Change name" }).click()
  const own = page.getByRole("dialog")
  expect(await own.getByLabel("Email").isDisabled()).toBe(true)
  await own.getByLabel("Name").fill(" ")
  await own.getByRole("button", { name: "Save" }).click()
  await own.getByText("Enter a name").waitFor()
  await own.getByLabel("Name").fill("Mia Renamed")
  await own.getByRole("button", { name: "Save" }).click()
  await page.getByText("Your profile has been saved.").waitFor()
  await page.getByRole("definition").filter({ hasText: "Mia Renamed" }).waitFor()

  await open(operator, "Users")
  await operator.page.getByRole("button", { name: "Actions for Mia Renamed" }).click()
  await operator.page.getByRole("menuitem", { name: "Change name or email" }).click()
  const dialog = operator.page.getByRole("dialog")
  await dialog.getByLabel("Email").fill(OPERATOR.email)
  await dialog.getByRole("button", { name: "Save" }).click()
  await dialog.locator("input[aria-invalid=true][type=email]").waitFor()
  await dialog.getByLabel("Email").fill("mia.new@example.com")
  await dialog.getByLabel("Name").fill("Mia Member")
  await dialog.getByRole("button", { name: "Save" }).click()
  await operator.page.getByText("mia.new@example.com").waitFor()
  await ask(operator.page, "PATCH", `/users/${await idOf("Mia Member")}`, {
    email: "mia@example.com",
  })
})

/** Returns the id of the user with a name. */
async function idOf(name: string): Promise<string> {
  const { body } = await ask(operator.page, "GET", "/users")
  const users = body["data"] as { id: string; name: string }[]
  return users.find((user) => user.name === name)?.id ?? ""
}

test("an erased person is signed out and no longer named in the audit log", async () => {
  const { page } = operator
  await open(operator, "Audit")
  await page.getByText("mia@example.com").first().waitFor()
  await open(operator, "Users")
  await page.getByRole("button", { name: "Actions for Mia Member" }).click()
  await page.getByRole("menuitem", { name: "Erase" }).click()
  await page.getByText("It cannot be undone.").waitFor()
  await page.getByRole("button", { name: "Erase the person" }).click()
  await page.getByText("mia@example.com").waitFor({ state: "detached" })
  expect(await ask(member.page, "GET", "/session")).toMatchObject({ status: 401 })
  await open(operator, "Audit")
  await page.getByText("erased").first().waitFor()
  await page.getByText("mia@example.com").first().waitFor({ state: "detached" })
  await image(page, "audit-of-an-erased-person")
})

test("no page in the tests of people reported an error", () => {
  expect([...operator.complaints, ...member.complaints]).toEqual([])
})
