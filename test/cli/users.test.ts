import { expect, test } from "bun:test"
import { ConsoleBrowser, join, OPERATOR, person } from "../http/admin/console-browser.ts"
import {
  createInstallation,
  type Installation,
  runCommand,
  runJson,
  startCommand,
  startServing,
} from "../support/process.ts"

const ANY_PORT = "server: { port: 0 }\n"
const CONSOLE = /^console: (\S+)$/m

interface Reset {
  readonly link: string
}

/** Signs up as the first user with the link that a start printed. */
async function setUp(url: string, output: string): Promise<ConsoleBrowser> {
  const link = new URL(CONSOLE.exec(output)?.[1] ?? "")
  expect(link.origin + link.pathname).toBe(`${url}/console/setup`)
  const browser = new ConsoleBrowser({ url })
  await browser.json("POST", "/setup", { token: link.searchParams.get("token"), ...OPERATOR })
  return browser
}

/** Returns the statuses of requests on new connections. Every worker answers some of them. */
function statusesOf(browser: ConsoleBrowser, count: number): Promise<number[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const response = await browser.ask("GET", "/session", undefined, { connection: "close" })
      await response.text()
      return response.status
    }),
  )
}

async function tokenOf(installation: Installation, ...words: string[]): Promise<string | null> {
  const { link } = await runJson<Reset>(installation, "user", "reset", ...words)
  return new URL(link).searchParams.get("token")
}

test.concurrent("all workers accept the setup link, sessions and sign-outs of the others", async () => {
  using installation = createInstallation(ANY_PORT)
  const first = await startServing(installation, { TOLLGATE_WORKERS: "2" })
  const browser = await setUp(first.url, first.output())
  expect(new Set(await statusesOf(browser, 20))).toEqual(new Set([200]))
  const stolen = new ConsoleBrowser(first)
  stolen.cookie = browser.cookie
  await browser.json("DELETE", "/session")
  expect(new Set(await statusesOf(stolen, 20))).toEqual(new Set([401]))
  first.process.kill("SIGTERM")
  expect(await first.process.exited).toBe(0)

  await using second = await startServing(installation)
  expect(CONSOLE.exec(second.output())?.[1]).toBe(`${second.url}/console/`)
  await new ConsoleBrowser(second).signIn(OPERATOR)
})

test.concurrent("an operator who is locked out can regain access with the command line", async () => {
  using installation = createInstallation(ANY_PORT)
  const none = await runCommand(installation, "user", "list")
  expect(none.stdout).toContain("No users yet")
  await using serving = await startServing(installation)
  await setUp(serving.url, serving.output())
  const { users } = await runJson<{ users: object[] }>(installation, "user", "list")
  expect(users).toMatchObject([
    { email: OPERATOR.email, is_operator: true, accounts: [{ name: "demo", role: "owner" }] },
  ])
  const rename = ["user", "rename", OPERATOR.email, "Olga Orlova"] as const
  const badAddress = await runCommand(installation, ...rename, "--email", "olga")
  expect(badAddress.stderr).toContain("It must be an email address.")
  expect(await runJson<object>(installation, ...rename)).toMatchObject({
    name: "Olga Orlova",
    email: OPERATOR.email,
  })
  const stranger = await runCommand(installation, "user", "rename", "nobody@example.com", "N")
  expect(stranger.exitCode).toBe(4)
  const token = await tokenOf(installation, OPERATOR.email.toUpperCase(), "--two-factor")
  const browser = new ConsoleBrowser(serving)
  await browser.json("POST", "/auth/reset-password", { token, new_password: "found again at last" })
  await browser.signIn({ ...OPERATOR, password: "found again at last" })
  const unknown = await runCommand(installation, "user", "reset", "nobody@example.com")
  expect(unknown.exitCode).not.toBe(0)
  expect(unknown.stderr).toContain("tollgate user list")
})

test.concurrent("a user invited with the command line can join the account", async () => {
  using installation = createInstallation(ANY_PORT)
  await using serving = await startServing(installation)
  await setUp(serving.url, serving.output())
  const invite = ["user", "invite", "ada@example.com", "--account", "demo"] as const
  const { link, role } = await runJson<{ link: string; role: string }>(installation, ...invite)
  expect(role).toBe("member")
  const browser = new ConsoleBrowser(serving)
  const token = new URL(link).searchParams.get("token")
  await browser.json("POST", `/invitations/${token}/accept`, {
    name: "Ada",
    password: "long enough for anyone",
  })
  const { users } = await runJson<{ users: object[] }>(installation, "user", "list")
  expect(users).toContainEqual(
    expect.objectContaining({
      email: "ada@example.com",
      accounts: [expect.objectContaining({ name: "demo", role: "member" })],
    }),
  )
  const again = await runCommand(installation, ...invite)
  expect(again.exitCode).toBe(5)
  const unknown = await runCommand(
    installation,
    "user",
    "invite",
    "b@example.com",
    "--account",
    "x",
  )
  expect(unknown.stderr).toContain("there is no account 'x'")
})

test.concurrent("a user can be exported and erased while the gateway runs, and is signed out everywhere", async () => {
  using installation = createInstallation(ANY_PORT)
  await using serving = await startServing(installation, { TOLLGATE_WORKERS: "2" })
  const browser = await setUp(serving.url, serving.output())
  const { data } = await browser.json("GET", "/accounts")
  const [{ id: account } = { id: "" }] = data as { id: string }[]
  const order = { account, role: "owner", person: person("Ada") }
  const ada = await join(serving, browser, order)
  const { email } = order.person
  const exported = await runJson<{ audit: object[] }>(installation, "user", "export", email)
  expect(exported).toMatchObject({ object: "user_export", user: { email }, sessions: [{}] })
  expect(exported.audit.length).toBeGreaterThan(1)

  const unsure = await runCommand(installation, "user", "erase", email)
  expect(unsure.exitCode).toBe(2)
  expect(unsure.stderr).toContain("tollgate user export ada@example.com")
  const last = await runCommand(installation, "user", "erase", OPERATOR.email, "--yes")
  expect([last.exitCode, last.stderr]).toEqual([5, expect.stringContaining("operator")])
  expect(new Set(await statusesOf(ada, 20))).toEqual(new Set([200]))
  const erased = await runJson<object>(installation, "user", "erase", email, "--yes")
  expect(erased).toMatchObject({ object: "erasure", user: expect.stringContaining("user_") })
  expect(new Set(await statusesOf(ada, 20))).toEqual(new Set([401]))
  expect((await runCommand(installation, "user", "export", email)).exitCode).toBe(4)
  const again = await runCommand(installation, "user", "erase", email, "--yes")
  expect(again.stdout).toContain("No user had this address.")
  const verified = await runJson<object>(installation, "ledger", "verify")
  expect(verified).toMatchObject({ is_right: true })
})

test.concurrent("the JSON output of a start includes the setup link of the console", async () => {
  using installation = createInstallation(ANY_PORT)
  const { config, data } = installation
  const words = ["--config", config, "--data", data, "serve", "--json"]
  await using serving = await startCommand(words, {})
  const { url, console } = JSON.parse(serving.output()) as { url: string; console: string }
  expect(console).toStartWith(`${url}/console/setup?token=`)
})
