import { SecretFolder } from "../../../src/secrets/secret-folder.ts"
import { SoftwareAuthenticator } from "../../users/software-authenticator.ts"
import { SETTINGS } from "./matrix-settings.ts"
import { type Asking, type Case, fresh, PASSWORD, type Role, type World } from "./matrix-world.ts"

const DAY = new Date().toISOString().slice(0, 10)
const OF_DAY = `from=${DAY}T00:00:00Z&to=${DAY}T23:00:00Z`
function ourAccount(more: Omit<Asking, "path"> = {}): (world: World) => Asking {
  return ({ ours }) => ({ path: { id: ours.account }, ...more })
}

/** Creates a key as a member or an operator. Members can change only their own keys. */
async function newKey({ make, gateway, headersOf, ours }: World, role: Role): Promise<string> {
  const body = { account: ours.account, name: fresh("ours-key") }
  if (role !== "member") return String((await make("/keys", body)).id)
  const headers = { ...headersOf(role), "content-type": "application/json" }
  const sent = { method: "POST", headers, body: JSON.stringify(body) }
  const made = await fetch(`${gateway.url}/admin/v1/keys`, sent)
  return ((await made.json()) as { readonly id: string }).id
}

const NOTICE_TARGET = { channel: "slack", address: "https://127.0.0.1:9/hook" } as const

const noticeTargets = new WeakMap<World, Promise<string>>()

/** Returns one target for all roles, because an account can have only a few targets. */
function sharedNoticeTarget(world: World): Promise<string> {
  const target = noticeTargets.get(world) ?? newNoticeTarget(world)
  noticeTargets.set(world, target)
  return target
}

async function newNoticeTarget({ make, ours }: World): Promise<string> {
  return String((await make("/notices/targets", { ...NOTICE_TARGET, account: ours.account })).id)
}

async function newInvitation(world: World): Promise<Record<string, unknown>> {
  const email = `${fresh("ours-invited")}@example.com`
  return world.make("/members/invitations", { account: world.ours.account, email, role: "viewer" })
}

function tokenOf(invitation: Record<string, unknown>): string {
  return new URL(String(invitation.link)).searchParams.get("token") ?? ""
}

const ACCOUNTS: readonly Case[] = [
  { route: "GET /accounts" },
  { route: "POST /accounts", ask: () => ({ body: { name: fresh("an account") } }) },
  { route: "GET /accounts/{id}", isOurs: true, ask: ourAccount() },
  { route: "PATCH /accounts/{id}", ask: ourAccount({ body: {} }) },
  {
    route: "POST /accounts/{id}/checkout",
    isOurs: true,
    ask: ourAccount({ body: { credits: "5" } }),
  },
  { route: "GET /accounts/{id}/label-budgets", isOurs: true, ask: ourAccount() },
  {
    route: "PUT /accounts/{id}/label-budgets",
    isOurs: true,
    ask: ourAccount({ body: { budgets: [{ user: "ours-user", daily_budget: "1" }] } }),
  },
  { route: "GET /accounts/{id}/member-keys", isOurs: true, ask: ourAccount() },
  {
    route: "PUT /accounts/{id}/member-keys",
    isOurs: true,
    ask: ourAccount({ body: {} }),
  },
  { route: "GET /accounts/{id}/label-budgets/spent", isOurs: true, ask: ourAccount() },
  { route: "GET /accounts/{id}/credits", isOurs: true, ask: ourAccount() },
  { route: "GET /accounts/{id}/entries", isOurs: true, ask: ourAccount() },
  {
    route: "POST /accounts/{id}/entries",
    ask: ourAccount({ body: { kind: "grant", amount: "1", note: "ours-note" } }),
  },
  {
    route: "POST /accounts/{id}/redeem",
    isOurs: true,
    async ask({ make, ours }) {
      const { code } = await make("/codes", { credits: "1" })
      return { path: { id: ours.account }, body: { code } }
    },
  },
  { route: "GET /statements", ask: () => ({ query: `from=${DAY}&to=${DAY}` }) },
  {
    route: "GET /accounts/{id}/statement",
    isOurs: true,
    ask: ourAccount({ query: `from=${DAY}&to=${DAY}` }),
  },
]

const KEYS: readonly Case[] = [
  { route: "GET /keys" },
  {
    route: "POST /keys",
    isOurs: true,
    ask: ({ ours }) => ({ body: { account: ours.account, name: fresh("ours-key") } }),
  },
  { route: "GET /keys/{id}", isOurs: true, ask: ({ ours }) => ({ path: { id: ours.key } }) },
  {
    route: "PATCH /keys/{id}",
    isOurs: true,
    ask: async (world, role) => ({
      path: { id: await newKey(world, role) },
      body: { daily_budget: "1" },
    }),
  },
  {
    route: "POST /keys/{id}/rotate",
    isOurs: true,
    ask: async (world, role) => ({
      path: { id: await newKey(world, role) },
      body: { grace_seconds: 0 },
    }),
  },
  {
    route: "POST /keys/{id}/revoke",
    isOurs: true,
    ask: async (world, role) => ({ path: { id: await newKey(world, role) } }),
  },
]

const CODES: readonly Case[] = [
  { route: "GET /codes" },
  { route: "POST /codes", ask: () => ({ body: { credits: "1" } }) },
  { route: "POST /codes/batch", ask: () => ({ body: { credits: "1", count: 2 } }) },
  {
    route: "POST /codes/{id}/revoke",
    ask: async ({ make }) => ({
      path: { id: String((await make("/codes", { credits: "1" })).id) },
    }),
  },
]

const NOTICES: readonly Case[] = [
  { route: "GET /notices" },
  {
    route: "GET /notices/targets",
    isOurs: true,
    ask: ({ ours }) => ({ query: `account=${ours.account}` }),
  },
  {
    route: "POST /notices/targets",
    isOurs: true,
    ask: ({ ours }) => ({ body: { ...NOTICE_TARGET, account: ours.account } }),
  },
  {
    route: "DELETE /notices/targets/{id}",
    isOurs: true,
    ask: async (world) => ({ path: { id: await newNoticeTarget(world) } }),
  },
  {
    route: "POST /notices/targets/{id}/test",
    isOurs: true,
    ask: async (world) => ({ path: { id: await sharedNoticeTarget(world) } }),
  },
]

const REPORTS: readonly Case[] = [
  { route: "GET /failures" },
  { route: "GET /requests" },
  { route: "GET /requests.csv" },
  { route: "GET /receipts" },
  { route: "GET /receipts.csv" },
  {
    route: "GET /receipts/{request}",
    isOurs: true,
    ask: ({ ours }) => ({ path: { request: ours.request } }),
  },
  {
    route: "GET /requests/{request}",
    isOurs: true,
    ask: ({ ours }) => ({ path: { request: ours.request } }),
  },
  {
    route: "GET /usage",
    isOurs: true,
    ask: ({ ours }) => ({
      query: `account=${ours.account}&from=${DAY}T00:00:00Z&to=${DAY}T23:59:59Z&group=key`,
    }),
  },
  {
    route: "GET /usage/changes",
    isOurs: true,
    ask: ({ ours }) => ({ query: `account=${ours.account}&${OF_DAY}` }),
  },
  { route: "GET /usage/overview" },
  { route: "GET /usage/reliability", ask: () => ({ query: "group=model" }) },
  {
    route: "GET /usage/requests",
    isOurs: true,
    ask: ({ ours }) => ({
      query: `account=${ours.account}&${OF_DAY}&step=hour`,
    }),
  },
  { route: "GET /write-offs" },
  { route: "GET /billing-gaps", ask: () => ({ query: OF_DAY }) },
  { route: "GET /reconciliations" },
  {
    route: "GET /audit",
    isOurs: true,
    but: { viewer: 403, member: 403 },
    ask: ({ ours }) => ({ query: `account=${ours.account}` }),
  },
]

const PROVIDERS: readonly Case[] = [
  { route: "GET /providers" },
  { route: "GET /providers/vendors" },
  {
    route: "POST /providers",
    ask: ({ gateway }) => ({
      body: {
        id: fresh("added"),
        vendor: "openai-compatible",
        base_url: `${gateway.simulator.url}/v1`,
        api_key: "upstream",
      },
    }),
  },
  {
    route: "PATCH /providers/{id}",
    ask: async (world) => ({ path: { id: await newProvider(world) }, body: {} }),
  },
  {
    route: "DELETE /providers/{id}",
    ok: 204,
    ask: async (world) => ({ path: { id: await newProvider(world) } }),
  },
  { route: "POST /providers/{id}/test", ask: () => ({ path: { id: "sim" } }) },
]

async function newProvider({ make, gateway }: World): Promise<string> {
  const id = fresh("made")
  const base_url = `${gateway.simulator.url}/v1`
  await make("/providers", { id, vendor: "openai-compatible", base_url, api_key: "upstream" })
  return id
}

const MODEL = { provider: "sim", name: "added" }

const MODELS: readonly Case[] = [
  { route: "GET /models" },
  { route: "GET /models/newer" },
  {
    route: "GET /models/{provider}/{name}",
    ask: () => ({ path: { provider: "sim", name: "echo" } }),
  },
  { route: "POST /models/test", ask: () => ({ body: { model: "sim/echo" } }) },
  {
    route: "PUT /models/{provider}/{name}",
    ask: () => ({ path: MODEL, body: { kind: "chat", price: { input: "1", output: "2" } } }),
  },
  {
    route: "DELETE /models/{provider}/{name}",
    ok: 204,
    // A role earlier in the list has already removed the member.
    but: { admin: 404 },
    ask: () => ({ path: MODEL }),
  },
]

const MEMBERS: readonly Case[] = [
  {
    route: "GET /members",
    isOurs: true,
    ask: ({ ours }) => ({ query: `account=${ours.account}` }),
  },
  {
    route: "PATCH /members/{id}",
    isOurs: true,
    // The last owner must keep the role.
    ok: 409,
    ask: ({ ours }) => ({ path: { id: ours.owner }, body: { role: "viewer" } }),
  },
  {
    route: "DELETE /members/{id}",
    isOurs: true,
    ok: 409,
    ask: ({ ours }) => ({ path: { id: ours.owner } }),
  },
  {
    route: "GET /members/invitations",
    isOurs: true,
    ask: ({ ours }) => ({ query: `account=${ours.account}` }),
  },
  {
    route: "POST /members/invitations",
    isOurs: true,
    ask: ({ ours }) => ({
      body: { account: ours.account, email: `${fresh("ours-guest")}@example.com`, role: "owner" },
    }),
  },
  {
    route: "DELETE /members/invitations/{id}",
    isOurs: true,
    ask: async (world) => ({ path: { id: String((await newInvitation(world)).id) } }),
  },
  {
    route: "GET /invitations/{token}",
    tells: ["ours-account"],
    ask: async (world) => ({ path: { token: tokenOf(await newInvitation(world)) } }),
  },
  {
    route: "POST /invitations/{token}/accept",
    // The invitation is for another email address.
    ok: 403,
    but: { nobody: 400, admin: 400 },
    ask: async (world) => ({ path: { token: tokenOf(await newInvitation(world)) }, body: {} }),
  },
  { route: "GET /users" },
  {
    route: "GET /users/{id}/export",
    ok: 404,
    // An actor cannot do this to their own user.
    but: { viewer: 403, member: 403, owner: 403, stranger: 403 },
    ask: () => ({ path: { id: "user_none" } }),
  },
  { route: "PATCH /users/{id}", ok: 404, ask: () => ({ path: { id: "user_none" }, body: {} }) },
  {
    route: "POST /users/erase",
    ask: () => ({ body: { email: `${fresh("never-invited")}@example.com` } }),
  },
  { route: "POST /users/{id}/erase", ok: 404, ask: () => ({ path: { id: "user_none" } }) },
  {
    route: "POST /users/{id}/reset",
    ok: 404,
    ask: () => ({ path: { id: "user_none" }, body: {} }),
  },
]

const WRONG = { password: "not the password" }

const ASKED = { challenge: "bm9uZQ", origin: "https://ai.example.com", rpId: "ai.example.com" }

function passkeyResponse(): unknown {
  return new SoftwareAuthenticator().get(ASKED)
}

function passkeyCreation(): unknown {
  return new SoftwareAuthenticator().create(ASKED, "bm9uZQ")
}

const SESSIONS: readonly Case[] = [
  { route: "GET /sign-in" },
  {
    route: "POST /setup",
    // There is already an operator.
    ok: 409,
    ask: ({ gateway }) => ({
      body: {
        token: new SecretFolder(gateway.settings.data).setupToken.readOrCreate(),
        name: "second",
        email: "second@example.com",
        password: PASSWORD,
      },
    }),
  },
  { route: "GET /setup/{token}", ok: 409, ask: () => ({ path: { token: "none" } }) },
  {
    route: "POST /auth/sign-in/email",
    ask: ({ emails }) => ({ body: { email: emails.get("viewer"), password: PASSWORD } }),
  },
  {
    route: "POST /auth/sign-in/oidc",
    ok: 404,
    ask: () => ({ body: { provider: "none" } }),
  },
  { route: "GET /auth/callback/{id}", ok: 404, ask: () => ({ path: { id: "none" } }) },
  { route: "GET /session" },
  { route: "DELETE /session", endsSession: true },
  { route: "PATCH /session", but: { admin: 403 }, ask: () => ({ body: { name: "Someone" } }) },
  { route: "GET /session/all", but: { admin: 403 } },
  {
    route: "DELETE /session/all/{id}",
    ok: 404,
    but: { admin: 403 },
    ask: () => ({ path: { id: "none" } }),
  },
  // Browsers do not offer passkeys at an address without a name.
  { route: "POST /auth/sign-in/passkey/begin", ok: 409 },
  {
    route: "POST /auth/sign-in/passkey",
    ok: 401,
    ask: () => ({ body: { credential: passkeyResponse() } }),
  },
  { route: "GET /auth/passkeys", but: { admin: 403 } },
  { route: "POST /auth/passkeys/begin", ok: 409, but: { admin: 403 }, ask: () => ({ body: {} }) },
  {
    route: "POST /auth/passkeys",
    ok: 401,
    but: { admin: 403 },
    ask: () => ({ body: { name: "x", credential: passkeyCreation() } }),
  },
  {
    route: "PATCH /auth/passkeys/{id}",
    ok: 404,
    but: { admin: 403 },
    ask: () => ({ path: { id: "none" }, body: { name: "x" } }),
  },
  {
    route: "DELETE /auth/passkeys/{id}",
    ok: 404,
    but: { admin: 403 },
    ask: () => ({ path: { id: "none" } }),
  },
  {
    route: "POST /auth/change-password",
    ok: 400,
    but: { admin: 403 },
    ask: () => ({ body: { current_password: WRONG.password, new_password: PASSWORD } }),
  },
  {
    route: "POST /auth/reset-password",
    ok: 403,
    ask: () => ({ body: { token: "none", new_password: PASSWORD } }),
  },
  {
    route: "GET /auth/reset-password/{token}",
    ok: 403,
    ask: () => ({ path: { token: fresh("none") } }),
  },
  // These callers have not set up a second factor, and the others have not passed the first step.
  {
    route: "POST /auth/two-factor/verify-totp",
    ok: 409,
    but: { nobody: 401, admin: 401 },
    ask: () => ({ body: { code: "123456" } }),
  },
  {
    route: "POST /auth/two-factor/verify-backup-code",
    ok: 409,
    but: { nobody: 401, admin: 401 },
    ask: () => ({ body: { code: "abcde-fghij" } }),
  },
  {
    route: "POST /auth/two-factor/generate-backup-codes",
    ok: 409,
    but: { admin: 403 },
    ask: () => ({ body: WRONG }),
  },
  ...["enable", "disable"].map((what) => ({
    route: `POST /auth/two-factor/${what}`,
    ok: 400,
    but: { admin: 403 },
    ask: () => ({ body: WRONG }),
  })),
]

/** One case for each route, in the order in which requests are sent. */
export const CASES: readonly Case[] = [
  ...ACCOUNTS,
  ...KEYS,
  ...CODES,
  ...NOTICES,
  ...REPORTS,
  ...PROVIDERS,
  ...MODELS,
  ...SETTINGS,
  ...MEMBERS,
  ...SESSIONS,
]
