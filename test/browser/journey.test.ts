import { afterAll, beforeAll, expect, test } from "bun:test"
import OpenAI from "openai"
import { nanos, nanosText } from "../../console/src/format/credits.ts"
import {
  type ConsoleGateway,
  open,
  image,
  setUpByLink,
  startConsole,
  type Visitor,
} from "./console-gateway.ts"
import { until } from "../support/until.ts"

let tollgate: ConsoleGateway
let operator: Visitor
/** The secret of the key that the new user creates. */
let secret: string

beforeAll(async () => {
  tollgate = await startConsole()
  operator = await tollgate.visitor()
})

afterAll(async () => {
  await operator[Symbol.asyncDispose]()
  await tollgate[Symbol.asyncDispose]()
})

function clientWith(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${tollgate.url}/v1`, maxRetries: 0 })
}

function say(apiKey: string, content: string, model = "sandbox/echo") {
  const messages = [{ role: "user" as const, content }]
  return clientWith(apiKey).chat.completions.create({ model, messages }).withResponse()
}

/** Returns the secret that a dialog shows only once. */
async function takeSecret(): Promise<string> {
  const text = await operator.page.getByTestId("secret").textContent()
  await operator.page.getByRole("button", { name: "I have copied it" }).click()
  return text ?? ""
}

test("the first user signs up with the one-time link", async () => {
  const { page } = operator
  await setUpByLink(operator, tollgate.setupLink)
  expect(await page.getByRole("navigation").getByRole("link", { name: "Providers" }).count()).toBe(
    1,
  )
  await using second = await tollgate.visitor()
  await second.page.goto(tollgate.setupLink)
  await second.page.getByText("This gateway has been set up already").waitFor()
})

test("a key is created, is shown once, and can call the gateway", async () => {
  const { page } = operator
  await open(operator, "Keys")
  await page.getByRole("button", { name: "Create a key" }).first().click()
  await page.getByLabel("Name").fill("my laptop")
  await page.getByRole("button", { name: "Create the key" }).click()
  secret = await takeSecret()
  expect(secret).toMatch(/^sk-tg-[0-9A-Za-z]{43}$/)
  expect(await page.content()).not.toContain(secret)
  const { data } = await say(secret, "hello from the laptop")
  expect(data.choices[0]?.message.content).toContain("hello from the laptop")
})

test("tool settings contain the key and the model, ready to be copied", async () => {
  const { page } = operator
  await open(operator, "Connect")
  await page.getByLabel("Your key", { exact: true }).fill("two words")
  await page.getByText("A key has no spaces").waitFor()
  await page.getByLabel("Your key", { exact: true }).fill(secret)
  await page.getByRole("combobox", { name: "Model" }).click()
  await page.getByRole("option", { name: "sandbox/claude", exact: true }).click()
  for (const name of ["Claude Code", "Codex", "opencode", "Cursor"]) {
    await page.getByRole("button", { name: `Copy the settings for ${name}` }).click()
    const copied = await page.evaluate<string>("navigator.clipboard.readText()")
    expect(copied).toContain(tollgate.url)
    expect(copied).toContain("sandbox/claude")
    if (name !== "Codex") expect(copied).toContain(secret)
  }
  await page.getByRole("button", { name: "Copy the command for Codex" }).click()
  const command = await page.evaluate<string>("navigator.clipboard.readText()")
  expect(command).toBe(`export TOLLGATE_KEY=${secret}`)
  await open(operator, "Keys")
  expect(await page.evaluate<string>("JSON.stringify(localStorage)")).not.toContain(secret)
})

test("a request appears in the list, and its receipt explains the charge", async () => {
  const { page } = operator
  await open(operator, "Requests")
  const { response } = await say(secret, "where is my receipt?")
  const id = response.headers.get("x-request-id") ?? ""
  // The list updates without a reload of the page.
  await page.locator(`a[href*="${id}"]`).first().click()
  await page.getByText(id).first().waitFor()
  const cost = response.headers.get("x-tollgate-cost") ?? ""
  await page.getByText(cost).first().waitFor()
  await page.getByText("my laptop").first().waitFor()
  await image(page, "journey-receipt")
})

test("the palette opens pages, models, keys and a pasted request by keyboard", async () => {
  const { page } = operator
  const id = page.url().split("/").at(-1) ?? ""
  const search = page.getByRole("combobox", { name: "Search" })
  async function follow(typed: string, found: string) {
    await page.keyboard.press("Control+k")
    await search.fill(typed)
    await page.getByRole("option", { selected: true, name: found }).waitFor()
    await page.keyboard.press("Enter")
    await search.waitFor({ state: "detached" })
  }
  await follow("plgr", "Playground")
  await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor()
  await follow("sandbox claude", "sandbox/claude")
  await page.getByRole("dialog").getByText("sandbox/claude").first().waitFor()
  await page.keyboard.press("Escape")
  await follow("my laptop", "my laptop")
  await page.getByRole("row", { name: /my laptop/ }).waitFor()
  await follow(` ${id} `, id)
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.getByText(id).first().waitFor()

  await page.keyboard.press("Control+k")
  await search.press("ArrowDown")
  const second = page.getByRole("option").nth(1)
  expect(await second.getAttribute("aria-selected")).toBe("true")
  const active = await search.getAttribute("aria-activedescendant")
  expect(active).toBe(await second.getAttribute("id"))
  await search.fill("nothing is called like this")
  await page.getByText("Nothing found.").waitFor()
  await page.keyboard.press("Escape")
  await search.waitFor({ state: "detached" })

  await page.keyboard.press("?")
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor()
  await page.keyboard.press("Escape")
  await page.getByRole("dialog").waitFor({ state: "detached" })
  // The second letter must follow within a limited time.
  await Promise.all([page.keyboard.press("g"), page.keyboard.press("c")])
  await page.getByRole("heading", { level: 1, name: "Credits" }).waitFor()
  await page.getByRole("navigation").getByRole("button", { name: "Search" }).click()
  await page.getByRole("option", { name: "Settings" }).click()
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor()
})

test("a rejected request is listed with the reason, and can be found by its id", async () => {
  const { page } = operator
  const rejected = await say(secret, "hello", "sandbox/nothing").catch((error: unknown) => error)
  expect(rejected).toBeInstanceOf(OpenAI.NotFoundError)
  await open(operator, "Requests")
  await page.getByText("Rejected", { exact: true }).click()
  await page
    .getByRole("link", { name: /sandbox\/nothing/ })
    .first()
    .click()
  await page.getByText("Nothing was held or charged, so there is no receipt.").waitFor()
  await page.getByText("model not found").waitFor()
})

test("a failed attempt shows the vendor's message", async () => {
  const { page } = operator
  const failed = await say(secret, "hello", "sandbox/fault-500").catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(OpenAI.InternalServerError)
  const id = failed instanceof OpenAI.APIError ? (failed.requestID ?? "") : ""
  await page.goto(`/console/requests/${id}`)
  await page.getByText("HTTP 500").first().waitFor()
  await page
    .locator("ol.attempts")
    .getByText(/simulat|fault|error/i)
    .last()
    .waitFor()
})

test("a request fails when credits run out, and a code adds more", async () => {
  const { page } = operator
  await open(operator, "Codes")
  await page.getByRole("button", { name: "Create codes" }).first().click()
  await page.getByLabel("Credits per account").fill("2.5")
  await page.getByRole("button", { name: "Create", exact: true }).click()
  const code = await page.getByText(/^TG-/).textContent()
  await page.getByRole("button", { name: "I have copied it" }).click()

  await open(operator, "Credits")
  const held = await page.request.get("/admin/v1/accounts")
  const [account] = ((await held.json()) as { data: { balance: string }[] }).data
  await page.getByRole("button", { name: "Adjust credits" }).click()
  await page.getByRole("dialog").getByRole("combobox", { name: "Kind" }).click()
  await page.getByRole("option", { name: /^Adjustment/ }).click()
  await page.getByLabel("Amount").fill(`-${account?.balance ?? ""}`)
  await page.getByLabel("Reason").fill("spent elsewhere")
  await page.getByRole("button", { name: "Record the entry" }).click()
  await page.getByText("The entry has been recorded.").waitFor()

  const rejected = await say(secret, "hello").catch((error: unknown) => error)
  expect(rejected).toMatchObject({ status: 402, code: "insufficient_credits" })

  await page.getByRole("button", { name: "Redeem a code" }).click()
  await page.getByRole("textbox", { name: "Code" }).fill((code ?? "").toLowerCase())
  await page.getByRole("button", { name: "Redeem", exact: true }).click()
  await page.getByText(/2\.50? credits were added/).waitFor()
  expect((await say(secret, "hello again")).response.status).toBe(200)

  await page.getByRole("button", { name: "Redeem a code" }).click()
  await page.getByRole("textbox", { name: "Code" }).fill(code ?? "")
  await page.getByRole("button", { name: "Redeem", exact: true }).click()
  await page
    .getByText(/already/)
    .first()
    .waitFor()
  await page.getByRole("button", { name: "Cancel" }).click()
})

test("both secrets of a rotated key are accepted, and both are rejected after the key is revoked", async () => {
  const { page } = operator
  await open(operator, "Keys")
  await page.getByRole("button", { name: "Actions for my laptop" }).click()
  await page.getByRole("menuitem", { name: "Rotate" }).click()
  await page.getByRole("button", { name: "Rotate", exact: true }).click()
  const rotated = await takeSecret()
  expect(rotated).not.toBe(secret)
  expect((await say(secret, "old")).response.status).toBe(200)
  expect((await say(rotated, "new")).response.status).toBe(200)

  await page.getByRole("button", { name: "Actions for my laptop" }).click()
  await page.getByRole("menuitem", { name: "Revoke" }).click()
  await page.getByRole("button", { name: "Revoke the key" }).click()
  await page.getByText("The key has been revoked.").waitFor()
  await untilRejected(rotated)
  const rejected = await say(secret, "old").catch((error: unknown) => error)
  expect(rejected).toMatchObject({ status: 401, code: "invalid_api_key" })
})

/** Waits until a key is rejected, because a change reaches other processes later. */
async function untilRejected(key: string): Promise<void> {
  await until(async () => {
    const response = await say(key, "new").catch((error: unknown) => error)
    return response instanceof OpenAI.AuthenticationError
  })
}

test("the playground streams a response and shows its cost", async () => {
  const { page } = operator
  await open(operator, "Playground")
  await page.getByRole("combobox", { name: /Model/ }).first().click()
  await page
    .getByRole("option", { name: /sandbox\/echo/ })
    .first()
    .click()
  await page.getByRole("textbox", { name: /message/i }).fill("stream this back to me")
  await page.keyboard.press("Enter")
  await page.getByText("stream this back to me").nth(1).waitFor()
  await page
    .getByText(/0\.0+\d+ credits/)
    .first()
    .waitFor()
  await image(page, "journey-playground")
})

/** Sends a question to the models of the playground, and waits until all have answered. */
async function send(text: string, responses: number): Promise<void> {
  const { page } = operator
  await page.getByRole("textbox", { name: "Your message" }).fill(text)
  await page.keyboard.press("Enter")
  const receipts = page.getByRole("article").getByRole("link", { name: "Receipt" })
  await receipts.nth(responses - 1).waitFor()
  await page.getByRole("button", { name: "Send", exact: true }).waitFor()
}

test("Markdown in a response is rendered without active content", async () => {
  const { page } = operator
  await page.getByRole("button", { name: "New conversation" }).click()
  const hostile = [
    "# Plan\n\nSome **bold** words, `inline` and &amp;.",
    "```js\nlet a = 1\n```",
    "|a|b|\n|-|-|\n|1|2|",
    "[bad](javascript:alert(1)) [good](https://example.com/x)",
    "![seen](https://example.com/spy.png)",
    `<img src="x" onerror="document.title='acted'"><script>document.title='acted'</script>`,
  ].join("\n\n")
  await send(hostile, 1)
  const response = page.getByRole("article").first()
  await response.locator("strong", { hasText: "bold" }).waitFor()
  expect(await response.locator("img, script, [onerror]").count()).toBe(0)
  const links = await response.locator(".markdown a").evaluateAll((all) => all.map(String))
  expect(links).toEqual(["https://example.com/x", "https://example.com/spy.png"])
  expect(await page.title()).not.toContain("acted")
  await response.getByRole("button", { name: "Copy js code" }).click()
  expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe("let a = 1")
  expect(await response.locator("table td").allTextContents()).toEqual(["1", "2"])
  await send("> ".repeat(10_000) + "deep", 2)
  await page.getByRole("article").nth(1).locator(".markdown-plain").waitFor()
})

test("a model in the playground calls a tool, gets the entered result, and continues", async () => {
  const { page } = operator
  await page.getByRole("button", { name: "New conversation" }).click()
  await page.getByLabel("Tools").fill(`[{ "name": "get_time" `)
  await page.getByText("This is not valid JSON").waitFor()
  await page
    .getByLabel("Tools")
    .fill(`[{ "name": "get_time", "parameters": { "type": "object" } }]`)
  await send("call get_time", 1)
  await page.getByText("Calls get_time").waitFor()
  await page.getByLabel("Result of get_time").fill("it is noon")
  await page.getByRole("button", { name: "Send the result" }).click()
  await page.getByRole("article").nth(1).getByText("it is noon").waitFor()
  await page.getByRole("article").nth(1).getByRole("link", { name: "Receipt" }).waitFor()
  await page.getByLabel("Tools").fill("")
  await image(page, "playground-tools")
})

test("three models answer side by side, each with its exact cost", async () => {
  const { page } = operator
  await page.getByRole("button", { name: "New conversation" }).click()
  await page.getByRole("button", { name: "Compare" }).click()
  await page.getByRole("button", { name: "Compare" }).click()
  expect(await page.getByRole("button", { name: "Compare" }).count()).toBe(0)
  await send("all of you", 3)
  const ids = await page
    .getByRole("article")
    .getByRole("link", { name: "Receipt" })
    .evaluateAll((all) => all.map((link) => String(link).split("/").at(-1)))
  const costs = await Promise.all(
    ids.map(async (id) => {
      const receipt = await page.request.get(`/admin/v1/receipts/${id}`)
      return ((await receipt.json()) as { charged: string }).charged
    }),
  )
  expect(costs).toHaveLength(3)
  for (const [index, cost] of costs.entries()) {
    await page.getByRole("article").nth(index).getByText(cost).waitFor()
  }
  const total = nanosText(costs.reduce((sum, cost) => sum + nanos(cost), 0n))
  await page.getByText("This conversation cost").getByText(total).waitFor()
  await image(page, "playground-three")
  await page
    .getByRole("button", { name: /^Remove / })
    .nth(1)
    .click()
  await send("the two of you", 5)
})

test("conversations are stored in this browser, for this account, until they are deleted", async () => {
  const { page } = operator
  const made = await page.request.post("/admin/v1/accounts", {
    headers: { "x-tollgate-console": "1" },
    data: { name: "another" },
  })
  const { id: another } = (await made.json()) as { id: string }
  const listed = await page.request.get("/admin/v1/accounts")
  const { data } = (await listed.json()) as { data: { id: string }[] }
  const first = data.find(({ id }) => id !== another)?.id ?? ""
  await page.goto(`/console/playground?account=${first}`)
  await page.getByRole("button", { name: "Conversations" }).click()
  const list = page.getByRole("dialog", { name: "Conversations" })
  await list.getByRole("button", { name: "all of you" }).first().click()
  await page.getByText("the two of you").first().waitFor()
  expect(await page.getByRole("article").count()).toBe(5)
  await send("once more", 7)
  await page.getByRole("button", { name: "Conversations" }).click()
  await list.getByRole("button", { name: "Rename all of you" }).click()
  await list.getByRole("textbox", { name: "Name" }).fill("the race")
  await list.getByRole("button", { name: "Rename", exact: true }).click()
  await list.getByRole("button", { name: "Delete the race" }).click()
  await page.getByRole("button", { name: "Delete", exact: true }).click()
  await page.getByRole("article").first().waitFor({ state: "detached" })
  await list.getByRole("button", { name: "Rename call get_time" }).waitFor()
  expect(await list.getByText("the race").count()).toBe(0)
  await page.goto(`/console/playground?account=${another}`)
  await page.getByRole("button", { name: "Conversations" }).click()
  await list.getByText("No conversations yet.").waitFor()
  await page.keyboard.press("Escape")
})

test("no page of the first journey reported an error", () => {
  expect(operator.complaints).toEqual([])
})
