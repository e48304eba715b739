import type { Settings } from "../../../src/config/settings.ts"
import { databaseOf } from "../../../src/store/installation-database.ts"
import {
  type GatewayOptions,
  provider,
  simulated,
  type TestGateway,
} from "../../support/gateway.ts"
import { ADMIN_TOKEN, asked, startManaged } from "./support.ts"

/** All kinds of callers. `stranger` is the owner of another account. */
export const ROLES = [
  "nobody",
  "key",
  "viewer",
  "member",
  "owner",
  "stranger",
  "operator",
  "admin",
] as const
export type Role = (typeof ROLES)[number]

/** A script that would run if a page rendered a name as HTML. */
const SCRIPT = "<script>alert(1)</script>"
export const PASSWORD = "correct horse battery"

/** An account with one object of each kind. */
export interface Side {
  readonly account: string
  readonly key: string
  readonly secret: string
  /** The id of a request that was charged. */
  readonly request: string
  /** The id of the owner's membership. */
  readonly owner: string
  /** Values that users of other accounts must not read. */
  readonly secrets: readonly string[]
}

/** A gateway with two accounts. In the first account, there is a person with each role. */
export interface World extends AsyncDisposable {
  readonly gateway: TestGateway
  readonly ours: Side
  readonly theirs: Side
  readonly emails: ReadonlyMap<Role, string>
  /** Returns the headers of a role's requests. */
  headersOf(role: Role): Record<string, string>
  /** Creates a new session for a role, for requests that end a session. */
  newSession(role: Role): Promise<Record<string, string>>
  /** Creates an object as the operator. Returns the response. */
  make(path: string, body: unknown): Promise<Record<string, unknown>>
}

let made = 0

/** Returns a name that is not used yet. */
export function fresh(word: string): string {
  return `${word}-${++made}`
}

const CONSOLE = { "x-tollgate-console": "1" }

/** Starts a gateway with the accounts and people. */
export async function startWorld(
  more: Partial<Settings> = {},
  { providersAt, models }: Pick<GatewayOptions, "providersAt" | "models"> = {},
): Promise<World> {
  const stripe = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ id: "cs_1", object: "checkout.session", url: "https://pay.test" }),
  })
  const gateway = await startManaged({
    providersAt: (url) => ({ other: provider(`${url}/v1`), ...providersAt?.(url) }),
    models: { "other/echo": simulated(), ...models },
    settings: {
      ...more,
      adminToken: ADMIN_TOKEN,
      stripe: {
        secretKey: "sk_test_1",
        webhookSecret: "whsec_1",
        currency: "usd",
        baseUrl: stripe.url.origin,
      },
    },
  })
  const cookies = new Map<Role, string>()
  const emails = new Map<Role, string>()
  const operator = "operator@example.com"
  cookies.set("operator", await setUp(gateway, operator))
  emails.set("operator", operator)
  const [ours, theirs] = [await makeSide(gateway, "ours"), await makeSide(gateway, "theirs")]
  for (const role of ["viewer", "member", "owner", "stranger"] as const) {
    const email = `${role}@example.com`
    const account = role === "stranger" ? theirs.account : ours.account
    const as = role === "stranger" ? "owner" : role
    cookies.set(role, await join(gateway, account, email, as))
    emails.set(role, email)
  }
  return {
    gateway,
    ours: await withMembers(gateway, ours, "owner@example.com"),
    theirs: await withMembers(gateway, theirs, "stranger@example.com"),
    emails,
    headersOf: (role) => headersOf(role, cookies.get(role), ours.secret),
    async newSession(role) {
      const email = emails.get(role)
      if (email === undefined) return headersOf(role, undefined, ours.secret)
      return headersOf(role, await signIn(gateway, email), ours.secret)
    },
    make: (path, body) => asked(gateway, "POST", path, body),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await stripe.stop(true)
    },
  }
}

function headersOf(role: Role, cookie: string | undefined, secret: string): Record<string, string> {
  if (role === "admin") return { authorization: `Bearer ${ADMIN_TOKEN}` }
  if (role === "key") return { ...CONSOLE, authorization: `Bearer ${secret}` }
  return cookie === undefined ? CONSOLE : { ...CONSOLE, cookie }
}

/** Returns the cookies that a response sets, as a browser sends them back. */
async function cookiesOf(response: Response): Promise<string> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text}`)
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.slice(0, cookie.indexOf(";")))
    .join("; ")
}

function post(gateway: TestGateway, path: string, body: unknown): Promise<Response> {
  return fetch(`${gateway.url}/admin/v1${path}`, {
    method: "POST",
    headers: { ...CONSOLE, "content-type": "application/json" },
    body: JSON.stringify(body),
  })
}

async function setUp(gateway: TestGateway, email: string): Promise<string> {
  const { setupToken } = await databaseOf(gateway.settings).openSecrets()
  const token = setupToken.readOrCreate()
  const order = { token, name: `operator ${SCRIPT}`, email, password: PASSWORD }
  return cookiesOf(await post(gateway, "/setup", order))
}

async function signIn(gateway: TestGateway, email: string): Promise<string> {
  return cookiesOf(await post(gateway, "/auth/sign-in/email", { email, password: PASSWORD }))
}

async function join(
  gateway: TestGateway,
  account: string,
  email: string,
  role: string,
): Promise<string> {
  const order = { account, email, role }
  const { link } = await asked(gateway, "POST", "/members/invitations", order)
  const token = new URL(String(link)).searchParams.get("token") ?? ""
  const body = { name: `${email} ${SCRIPT}`, password: PASSWORD }
  return cookiesOf(await post(gateway, `/invitations/${token}/accept`, body))
}

async function makeSide(gateway: TestGateway, name: string): Promise<Side> {
  const marked = (what: string): string => `${name}-${what} ${SCRIPT}`
  const order = { name: marked("account"), credits: "10" }
  const account = String((await asked(gateway, "POST", "/accounts", order)).id)
  const made = await asked(gateway, "POST", "/keys", { account, name: marked("key") })
  const note = { kind: "grant", amount: "1", note: marked("note") }
  await asked(gateway, "POST", `/accounts/${account}/entries`, note)
  const invitation = { account, email: `${name}-invited@example.com`, role: "viewer" }
  const invited = await asked(gateway, "POST", "/members/invitations", invitation)
  const secret = String(made.secret)
  const request = await call(gateway, secret)
  const ids = [account, String(made.id), request, String(invited.id)]
  const words = ["account", "key", "note"].map((what) => `${name}-${what}`)
  const secrets = [...ids, ...words, invitation.email, secret]
  return { account, key: String(made.id), secret, request, owner: "", secrets }
}

async function withMembers(gateway: TestGateway, side: Side, email: string): Promise<Side> {
  const page = await asked(gateway, "GET", `/members?account=${side.account}`)
  const members = page.data as { id: string; user: string; email: string }[]
  const known = members.flatMap((one) => [one.id, one.user, one.email])
  const owner = members.find((one) => one.email === email)?.id ?? ""
  return { ...side, owner, secrets: [...side.secrets, ...known] }
}

/** Sends a request and returns its id once it has been charged. Waits until the gateway accepts the key. */
async function call(gateway: TestGateway, secret: string): Promise<string> {
  for (;;) {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: SCRIPT }] }),
    })
    const text = await response.text()
    if (response.ok) return response.headers.get("x-request-id") ?? ""
    if (response.status !== 401) throw new Error(`the call failed: ${response.status} ${text}`)
    await Bun.sleep(10)
  }
}

/** The parameters of a request. */
export interface Asking {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: string
  readonly body?: unknown
}

export interface Case {
  /** The path in `/openapi.json`, relative to `/admin/v1`. */
  readonly route: string
  /** Whether the request names an object of the first account. For other accounts, the object does not exist. */
  readonly isOurs?: boolean
  /** Status for permitted roles; absent: 200. */
  readonly ok?: number
  /** Statuses of roles for which the status differs from the rule. */
  readonly but?: Partial<Record<Role, number>>
  /** Whether the request ends the session with which it is sent. */
  readonly endsSession?: boolean
  /** Data of the first account that anyone with the link can read. */
  readonly tells?: readonly string[]
  readonly ask?: (world: World, role: Role) => Asking | Promise<Asking>
}
