import { afterAll, beforeAll, expect, test } from "bun:test"
import { join } from "node:path"
import { SecretFolder } from "../../src/secrets/secret-folder.ts"
import { ConsoleBrowser, OPERATOR } from "../http/admin/console-browser.ts"
import {
  createInstallation,
  type Installation,
  runCommand,
  runJson,
  type ServingProcess,
  startServing,
} from "../support/process.ts"
import { until } from "../support/until.ts"
import { totp } from "../users/totp.ts"
import { filesOf, pageOf } from "./outputs.ts"
import { Places } from "./places.ts"
import * as planted from "./planted.ts"
import { type Canary, findCanaries, type Output } from "./search.ts"
import { settingsWith } from "./settings.ts"
import { askBadly, askOfFailing, askWell, Caller, VENDOR_LIKE } from "./traffic.ts"

/** What is no leak, with the reason. */
interface Exception {
  readonly outputs: RegExp
  readonly canaries: readonly Canary[]
  readonly why: string
}

/** Milliseconds: a few hundred requests, and some fifty million characters. */
const PATIENCE = 120_000

const PAGES = [
  "/session",
  "/accounts",
  "/audit",
  "/codes",
  "/failures",
  "/keys",
  "/members?account=demo",
  "/models",
  "/notices",
  "/notices/targets",
  "/prices",
  "/providers",
  "/providers/vendors",
  "/receipts",
  "/settings",
  "/settings/book",
  "/sign-in",
  "/usage",
  "/usage/overview",
  "/users",
  "/write-offs",
]
const COMMANDS = [
  ["doctor"],
  ["models"],
  ["account", "list"],
  ["key", "list"],
  ["code", "list"],
  ["user", "list"],
  ["prices", "status"],
  ["prices", "diff"],
  ["database", "status"],
  ["ledger", "verify"],
  ["statement", "demo"],
  ["connect", "opencode"],
]

let places: Places
let installation: Installation
const outputs: Output[] = []
/** Those that only this installation has. */
const own: Canary[] = []
/** What callers were answered. */
let answers: readonly Output[] = []

beforeAll(async () => {
  places = await Places.start()
  installation = createInstallation(settingsWith(places.addresses))
  const serving = await startServing(installation)
  try {
    await use(serving)
  } finally {
    await serving[Symbol.asyncDispose]()
  }
  outputs.push(
    { name: "standard output", bytes: Buffer.from(serving.output()) },
    { name: "log", bytes: Buffer.from(serving.errors()) },
    ...places.outputs(),
    ...filesOf(installation.data, "data"),
  )
}, PATIENCE)

afterAll(async () => {
  installation[Symbol.dispose]()
  await places[Symbol.asyncDispose]()
})

/** Does whatever can be done with a gateway, and looks at it from all sides. */
async function use(serving: ServingProcess): Promise<void> {
  const browser = await setUpConsole(serving)
  await addTargets(serving)
  await runJson(installation, "credits", "grant", "demo", "1000", "--yes")
  const words = ["key", "create", "--account", "demo"]
  const { key } = await runJson<{ key: string }>(installation, ...words)
  own.push({ name: "a caller's key", text: key })
  own.push({ name: "a key of another service", text: VENDOR_LIKE })
  const caller = new Caller(() => createCaller(serving), serving.url)
  await askWell(caller)
  await askOfFailing(caller)
  await askBadly(caller, key)
  answers = caller.answers
  await until(() => places.notices.received.some(({ body }) => body.includes("credential.refused")))
  await until(() => places.collector.received.some(({ path }) => path === "/v1/metrics"))
  await collectPages(serving, browser, caller)
  await collectCommands(caller.requests.find((id) => id.startsWith("req_")) ?? "")
}

async function setUpConsole({ url }: ServingProcess): Promise<ConsoleBrowser> {
  const browser = new ConsoleBrowser({ url })
  const token = new SecretFolder(installation.data).setupToken.readOrCreate()
  const password = planted.PASSWORD
  await browser.json("POST", "/setup", { ...OPERATOR, token, password })
  const wrong = { email: OPERATOR.email, password: `${password} wrong` }
  await new ConsoleBrowser({ url }).ask("POST", "/auth/sign-in/email", wrong)
  const enabled = await browser.json("POST", "/auth/two-factor/enable", { password })
  const secret = String(enabled["secret"])
  await browser.json("POST", "/auth/two-factor/verify-totp", { code: totp(secret) })
  const code = await browser.json("POST", "/codes", { credits: "5" })
  await browser.json("POST", "/providers", {
    id: "stored",
    vendor: "openai-compatible",
    base_url: `${places.vendor.url}/refused/v1`,
    api_key: planted.STORED_KEY,
  })
  const cookie = /session[^=]*=([^;]+)/.exec(browser.cookie ?? "")?.[1] ?? ""
  own.push(
    { name: "the secret of the second factor", text: secret },
    { name: "a backup code", text: String((enabled["backup_codes"] as string[])[0]) },
    { name: "a code for credits", text: String(code["code"]) },
    { name: "a session's cookie", text: decodeURIComponent(cookie).split(".")[0] ?? "" },
  )
  return browser
}

/** A key of a new account with credits. */
async function createCaller({ url }: ServingProcess): Promise<string> {
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { ...ADMIN, "content-type": "application/json" }
    const request = { method: "POST", headers, body: JSON.stringify(body) }
    const response = await fetch(`${url}/admin/v1${path}`, request)
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return (await response.json()) as Record<string, unknown>
  }
  const { id: account } = await post("/accounts", { name: `Callers ${own.length}` })
  await post(`/accounts/${account}/entries`, { kind: "grant", amount: "100", note: "tests" })
  const { secret } = await post("/keys", { account, name: "caller" })
  own.push({ name: "a caller's key", text: String(secret) })
  return String(secret)
}

const ADMIN = { authorization: `Bearer ${planted.ADMIN_TOKEN}` }

async function addTargets({ url }: ServingProcess): Promise<void> {
  const add = async (target: object): Promise<void> => {
    const response = await fetch(`${url}/admin/v1/notices/targets`, {
      method: "POST",
      headers: { ...ADMIN, "content-type": "application/json" },
      body: JSON.stringify(target),
    })
    const { id, secret } = (await response.json()) as { id: string; secret: string | null }
    if (secret !== null) own.push({ name: "a webhook's secret", text: secret })
    await fetch(`${url}/admin/v1/notices/targets/${id}/test`, { method: "POST", headers: ADMIN })
  }
  const { notices, refusedNotices } = places
  await add({ channel: "webhook", address: `${notices.url}/${planted.WEBHOOK_PATH}` })
  await add({ channel: "slack", address: `${refusedNotices.url}/${planted.WEBHOOK_PATH}` })
  await add({ channel: "mail", address: OPERATOR.email })
}

async function collectPages(
  { url }: ServingProcess,
  browser: ConsoleBrowser,
  { requests }: Caller,
): Promise<void> {
  const admin = (path: string) => fetch(`${url}/admin/v1${path}`, { headers: ADMIN })
  const metrics = { headers: { authorization: `Bearer ${planted.METRICS_TOKEN}` } }
  outputs.push(await pageOf("GET /metrics", fetch(`${url}/metrics`, metrics)))
  for (const path of ["/openapi.json", "/readyz", "/healthz"]) {
    outputs.push(await pageOf(`GET ${path}`, fetch(url + path)))
  }
  for (const path of PAGES) {
    outputs.push(await pageOf(`GET ${path}`, admin(path)))
    outputs.push(await pageOf(`GET ${path} in the console`, browser.ask("GET", path)))
  }
  for (const id of requests) {
    outputs.push(...(await recordOf(admin(`/requests/${id}`))))
    outputs.push(await pageOf("GET /receipts/{request}", admin(`/receipts/${id}`)))
  }
}

/** What is known of a request, and apart from it why its attempts failed. */
async function recordOf(asked: Promise<Response>): Promise<Output[]> {
  const { attempts, ...record } = (await (await asked).json()) as Record<string, unknown>
  const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value ?? null))
  return [
    { name: "GET /requests/{request}", bytes: bytes(record) },
    { name: "GET /requests/{request}, attempts", bytes: bytes(attempts) },
  ]
}

async function collectCommands(request: string): Promise<void> {
  const backup = join(installation.data, "copies")
  for (const words of [...COMMANDS, ["receipt", request], ["backup", backup]]) {
    for (const more of [[], ["--json"]]) {
      const { stdout, stderr } = await runCommand(installation, ...words, ...more)
      outputs.push({
        name: `tollgate ${words[0]}`,
        bytes: Buffer.from(stdout + stderr),
      })
    }
  }
}

const EXCEPTIONS: readonly Exception[] = [
  {
    outputs: /^data\/(tollgate|copies\/[^/]+\/settings)\.yaml$/,
    canaries: planted.OPERATORS,
    why: "the settings as the operator wrote them, and their copy in a backup (docs/backup.md)",
  },
  {
    outputs: /^data\/failures\.db(-wal)?(, table failed_attempts)?$|, attempts$/,
    canaries: planted.CONTENTS,
    why: "a vendor's own words, which may quote the request, for operators (docs/request-log.md)",
  },
]

function isExpected(output: Output, { name }: Canary): boolean {
  return EXCEPTIONS.some(
    (one) => one.outputs.test(output.name) && one.canaries.some((canary) => canary.name === name),
  )
}

function leaks(searched: readonly Output[], canaries: readonly Canary[]): string[] {
  const found = searched.flatMap((output) => {
    const unexpected = canaries.filter((canary) => !isExpected(output, canary))
    return findCanaries(output, unexpected)
  })
  return [...new Set(found)]
}

test(
  "no secret is in anything that comes out",
  () => {
    expect(leaks(outputs, [...planted.OPERATORS, ...own])).toEqual([])
  },
  PATIENCE,
)

test(
  "nothing that was asked or answered is in anything that comes out",
  () => {
    expect(leaks(outputs, planted.CONTENTS)).toEqual([])
  },
  PATIENCE,
)

test(
  "no secret is in what callers are answered",
  () => {
    expect(leaks(answers, [...planted.OPERATORS, ...own])).toEqual([])
  },
  PATIENCE,
)

test.each([
  "standard output",
  "log",
  "mail",
  "notice",
  "refused notice",
  "sink",
  "GET /metrics",
  "GET /audit",
  "GET /audit in the console",
  "OTLP /v1/traces",
  "OTLP /v1/metrics",
  /^bucket .*\.jsonl\.gz$/,
  "data/lines/requests.jsonl",
  /^data\/tollgate\.db, table /,
  "data/failures.db, table failed_requests",
  "data/console.db",
  "data/conversations.db",
  /^data\/answers\//,
  /^data\/copies\/.*\/tollgate\.db$/,
  "tollgate doctor",
])("%s was looked through", (wanted) => {
  const found = outputs.filter(({ name }) =>
    typeof wanted === "string" ? name === wanted : wanted.test(name),
  )
  expect(found.reduce((bytes, output) => bytes + output.bytes.length, 0)).toBeGreaterThan(0)
})

test("what was planted got as far as it could", () => {
  const text = places.simulator.requests.map((request) => JSON.stringify(request)).join()
  expect(text).toContain(planted.PROMPT)
  for (const { name, text: secret } of own) expect([name, secret.length > 8]).toEqual([name, true])
  const records = outputs.filter(({ name }) => name.endsWith(", attempts"))
  expect(records.some(({ bytes }) => Buffer.from(bytes).includes("[redacted]"))).toBe(true)
  const words = Buffer.concat(answers.map(({ bytes }) => bytes))
  for (const known of ["[redacted]", "sk-tg-…", "sk-proj-…", planted.ANSWER, planted.ARGUMENTS]) {
    expect(words.includes(known)).toBe(true)
  }
})

test.each(EXCEPTIONS.map((one) => [one.why, one] as const))(
  "is in its place for a reason: %s",
  (_, { outputs: searchable, canaries }) => {
    const searched = outputs.filter(({ name }) => searchable.test(name))
    expect(searched.flatMap((output) => findCanaries(output, canaries))).not.toEqual([])
  },
  PATIENCE,
)
