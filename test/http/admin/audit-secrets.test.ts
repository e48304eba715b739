import { expect, test } from "bun:test"
import { verifyAudit } from "../../../src/ledger/verify/audit.ts"
import type { TestGateway } from "../../support/gateway.ts"
import { join, OPERATOR, person, setUpOperator } from "./console-browser.ts"
import { startManaged } from "./support.ts"

const PROVIDER_KEY = "sk-vendor-0123456789-never-shown"
const HEADER_SECRET = "team-secret-9876543210"

/** Timeout in milliseconds, because checking a password takes long. */
const SLOW = 30_000

/** Returns the whole audit log as text. */
async function auditText({ store }: TestGateway): Promise<string> {
  return JSON.stringify(await store.audit.list({}, null, 1_000))
}

test(
  "the audit log contains no secrets of changes made through the management API",
  async () => {
    await using gateway = await startManaged()
    const browser = await setUpOperator(gateway)
    const account = String((await browser.json("POST", "/accounts", { name: "Analytics" })).id)

    const key = await browser.json("POST", "/keys", { account, name: "server" })
    const rotated = await browser.json("POST", `/keys/${key.id}/rotate`, {})
    await browser.json("PATCH", `/keys/${key.id}`, { name: "renamed" })
    await browser.json("POST", `/keys/${key.id}/revoke`)

    const code = await browser.json("POST", "/codes", { credits: "5", uses: 2 })
    await browser.json("POST", `/accounts/${account}/redeem`, { code: code.code })
    await browser.json("POST", `/codes/${code.id}/revoke`)

    const entry = { vendor: "openai-compatible", base_url: `${gateway.simulator.url}/v1` }
    const headers = { "x-team": HEADER_SECRET }
    await browser.json("POST", "/providers", {
      id: "mine",
      ...entry,
      api_key: PROVIDER_KEY,
      headers,
    })
    await browser.json("PATCH", "/providers/mine", { api_key: `${PROVIDER_KEY}-changed` })
    await browser.status("DELETE", "/providers/mine")

    const ada = person("Ada")
    const invitation = { account, email: ada.email, role: "member" }
    const invited = await browser.json("POST", "/members/invitations", invitation)
    await browser.status("DELETE", `/members/invitations/${invited.id}`)
    const member = await join(gateway, browser, { account, role: "member", person: ada })
    await member.signIn(ada)

    const text = await auditText(gateway)
    const invitationToken = new URL(String(invited.link)).searchParams.get("token") ?? ""
    const cookies = [browser.cookie, member.cookie].map((cookie) => cookie?.split("=")[1] ?? "")
    const secrets = [
      ...[key.secret, rotated.secret, code.code].map(String),
      PROVIDER_KEY,
      HEADER_SECRET,
      OPERATOR.password,
      ada.password,
      invitationToken,
      ...cookies,
    ]
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(8)
      expect(text).not.toContain(secret)
    }
    const actions = new Set((await gateway.store.audit.list({}, null, 1_000)).map((r) => r.action))
    for (const resource of ["account", "key", "code", "provider", "invitation", "member", "user"]) {
      expect([...actions].filter((action) => action.startsWith(`${resource}.`))).not.toEqual([])
    }
    expect(await verifyAudit(gateway.store)).toMatchObject({ problem: null })
  },
  SLOW,
)
