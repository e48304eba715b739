import { expect } from "bun:test"
import { parseCredits } from "../../src/ledger/money.ts"
import { ConsoleBrowser } from "../http/admin/console-browser.ts"
import { type Installation, runCommand, type ServingProcess } from "../support/process.ts"
import { totp } from "../users/totp.ts"
import type { OlderInstallation } from "./older-installation.ts"

export const ADMIN = "an-operators-token-0123456789"

/** The settings with which an older installation is started. */
export function settingsFor(simulator: string, database = ""): string {
  return `
server: { port: 0 }
admin_token: ${ADMIN}
retention: { contents: 36500d }
${database}
providers:
  sim: { vendor: openai-compatible, api_key: upstream, base_url: "${simulator}/v1" }
models:
  sim/echo: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }
`
}

/** Holds a gateway to what the older version said, then uses what it left: key, users, code, credential. */
export async function expectSameInstallation(
  serving: ServingProcess,
  older: OlderInstallation,
): Promise<void> {
  const credits = await get(serving, older, "/v1/credits")
  expect(credits).toMatchObject({
    balance: older.balance,
    held: "0",
    key: { budget_left: older.budgetLeft },
  })
  for (const [request, receipt] of Object.entries(older.receipts)) {
    expect(await get(serving, older, `/v1/receipts/${request}`)).toMatchObject(receipt)
  }
  if (older.cut !== null) {
    const cut = await get(serving, older, `/v1/receipts/${older.cut}`)
    expect(cut).toMatchObject({ status: "expired", charged: "0" })
  }
  const entries = await manage(serving, "GET", `/accounts/${older.account}/entries?limit=100`)
  expect(entries).toMatchObject({ data: older.entries })
  expect(await manage(serving, "GET", "/providers")).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ id: "mine" })]),
  })
  await expectSignIns(serving, older)
  await expectExactChat(serving, older)
}

/** The operator signs in by password and authenticator, or a backup code; a member by password. */
async function expectSignIns(serving: ServingProcess, older: OlderInstallation): Promise<void> {
  const olga = { name: "Olga", email: "olga@example.com", password: "operators know it" }
  for (const [path, code] of [
    ["verify-totp", totp(older.totp)],
    ["verify-backup-code", older.backupCodes[0]],
  ]) {
    const browser = new ConsoleBrowser(serving)
    expect(await browser.signIn(olga)).toEqual({ two_factor: true })
    await browser.json("POST", `/auth/two-factor/${path}`, { code })
    expect(await browser.json("GET", "/session")).toMatchObject({ is_operator: true })
  }
  const browser = new ConsoleBrowser(serving)
  await browser.signIn({ name: "Mia", email: "mia@example.com", password: "the password of mia" })
  expect(await browser.json("GET", "/session")).toMatchObject({
    is_operator: false,
    accounts: [{ id: older.account, role: "member" }],
  })
}

/** A code is redeemed and a chat paid for, and the balance is what that makes it. */
async function expectExactChat(serving: ServingProcess, older: OlderInstallation): Promise<void> {
  await manage(serving, "POST", `/accounts/${older.account}/redeem`, { code: older.openCode })
  const chat = await fetch(`${serving.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${older.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "Hello" }] }),
  })
  expect(chat.status).toBe(200)
  await chat.text()
  const cost = parseCredits(chat.headers.get("x-tollgate-cost") ?? "")
  expect(cost).toBeGreaterThan(0n)
  const { balance } = (await get(serving, older, "/v1/credits")) as { balance: string }
  expect(parseCredits(balance)).toBe(parseCredits(older.balance) + parseCredits("0.5") - cost)
}

/** The whole ledger with the audit log is right, and the doctor has nothing to say against it. */
export async function expectRightLedger(
  installation: Installation,
  older: OlderInstallation,
): Promise<void> {
  const verified = await runCommand(installation, "ledger", "verify")
  expect(verified.stdout).toContain("every row is right")
  const records = Number(/audit records: +(\d+)/.exec(verified.stdout)?.[1])
  expect(records).toBeGreaterThan(older.records)
  expect(await runCommand(installation, "doctor")).toMatchObject({ exitCode: 0 })
}

async function get(
  serving: ServingProcess,
  { key }: OlderInstallation,
  path: string,
): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}` }
  return (await fetch(serving.url + path, { headers })).json()
}

/** @throws when it is refused. */
async function manage(
  serving: ServingProcess,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`${serving.url}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}
