import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCli } from "../../src/cli/program.ts"
import { FakeTerminal } from "../cli/fake-terminal.ts"
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
import type { ObservedDatabase } from "./database.ts"
import { filesOf, pageOf } from "./outputs.ts"
import { Places } from "./places.ts"
import * as planted from "./planted.ts"
import type { Canary, Output } from "./search.ts"
import { brokenSettings, settingsWith } from "./settings.ts"
import { askBadly, askOfFailing, askWell, Caller, VENDOR_LIKE } from "./traffic.ts"

/** Returns the date the given number of days from now, as `YYYY-MM-DD`. */
function dayAfter(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}
const YESTERDAY = dayAfter(-1)
const TOMORROW = dayAfter(1)

const PAGES = [
  "/session",
  "/accounts",
  "/audit",
  "/codes",
  "/failures",
  "/keys",
  "/ledger/verification",
  "/members?account=demo",
  "/models",
  "/notices",
  "/notices/targets",
  "/prices",
  "/providers",
  "/providers/vendors",
  "/receipts",
  "/settings",
  "/sign-in",
  "/system",
  `/usage?from=${YESTERDAY}T00:00:00Z&to=${TOMORROW}T00:00:00Z&group=model`,
  "/usage/overview",
  "/usage/reliability?group=provider",
  "/users",
  "/write-offs",
  `/billing-gaps?from=${YESTERDAY}T00:00:00Z&to=${TOMORROW}T00:00:00Z`,
  "/reconciliations",
]
const COMMANDS = [
  ["doctor"],
  ["models"],
  ["key", "list"],
  ["code", "list"],
  ["user", "list"],
  ["prices", "status"],
  ["prices", "diff"],
  ["database", "status"],
  ["ledger", "verify"],
  ["statement", "demo", "--from", YESTERDAY, "--to", TOMORROW],
  ["connect", "opencode"],
]

const ADMIN = { authorization: `Bearer ${planted.ADMIN_TOKEN}` }

/** Commands that report an unreachable database. */
const OF_THE_DATABASE = [["doctor"], ["user", "list"]]

/** A gateway whose features have all been used, with all of its outputs. */
export class Observation implements AsyncDisposable {
  readonly outputs: Output[] = []
  /** The responses to callers. */
  responses: readonly Output[] = []
  /** Secrets that exist only in this installation. */
  readonly own: Canary[] = []
  readonly places: Places
  readonly #installation: Installation
  #callers = 0

  private constructor(places: Places, installation: Installation) {
    this.places = places
    this.#installation = installation
  }

  /** @param database a database that is used instead of files, and removed afterwards. */
  static async make(database?: ObservedDatabase): Promise<Observation> {
    const places = await Places.start()
    const installation = createInstallation(settingsWith(places.addresses, database?.settings))
    const observation = new Observation(places, installation)
    observation.own.push(...(database?.secrets ?? []))
    const serving = await startServing(installation, { TOLLGATE_LOG: "trace" })
    try {
      await observation.#use(serving)
      // Invalid settings are found before a database is opened, so they are tested with files only.
      if (database === undefined) await observation.#breakSettings(serving)
    } finally {
      await serving[Symbol.asyncDispose]()
    }
    observation.outputs.push(
      { name: "standard output", bytes: Buffer.from(serving.output()) },
      { name: "log", bytes: Buffer.from(serving.errors()) },
      ...places.outputs(),
      ...filesOf(installation.data, "data"),
    )
    if (database) {
      observation.outputs.push(...(await database.outputs()))
      database.crash()
      for (const words of OF_THE_DATABASE) await observation.#run(...words)
    }
    return observation
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#installation[Symbol.dispose]()
    await this.places[Symbol.asyncDispose]()
  }

  /** Uses every feature of a gateway, and collects all outputs. */
  async #use(serving: ServingProcess): Promise<void> {
    const browser = await this.#setUpConsole(serving)
    await this.#addTargets(serving)
    await runJson(this.#installation, "credits", "grant", "demo", "1000", "--yes")
    const words = ["key", "create", "--account", "demo"]
    const { key } = await runJson<{ key: string }>(this.#installation, ...words)
    this.own.push({ name: "a caller's key", text: key })
    this.own.push({ name: "a key of another service", text: VENDOR_LIKE })
    const caller = new Caller(() => this.#createCaller(serving), serving.url)
    await askWell(caller)
    await askOfFailing(caller)
    await askBadly(caller, key)
    this.responses = caller.responses
    await until(() =>
      this.places.notices.received.some(({ body }) => body.includes("credential.rejected")),
    )
    await until(() => this.places.collector.received.some(({ path }) => path === "/v1/metrics"))
    await this.#collectPages(serving, browser, caller)
    await this.#collectCommands(caller.requests.find((id) => id.startsWith("req_")) ?? "")
  }

  /** Breaks the settings. The log and the commands report each fault with its line. */
  async #breakSettings(serving: ServingProcess): Promise<void> {
    const { config } = this.#installation
    const rejections = (): number => serving.errors().split("settings_rejected").length
    const written = readFileSync(config, "utf8")
    for (const broken of brokenSettings(written)) {
      const before = rejections()
      writeFileSync(config, broken)
      await until(() => rejections() > before)
      await this.#runHere("doctor")
      await this.#runHere("doctor", "--json")
    }
    writeFileSync(config, written)
  }

  /**
   * Runs a command with both output formats. The second run is in this process, because starting a process takes longer
   * than the command.
   */
  async #runBoth(...words: string[]): Promise<void> {
    await Promise.all([this.#run(...words), this.#runHere(...words, "--json")])
  }

  async #run(...words: string[]): Promise<void> {
    const { stdout, stderr } = await runCommand(this.#installation, ...words)
    this.outputs.push({ name: `tollgate ${words[0]}`, bytes: Buffer.from(stdout + stderr) })
  }

  async #runHere(...words: string[]): Promise<void> {
    const { config, data } = this.#installation
    const terminal = new FakeTerminal()
    await runCli(["bun", "tollgate", "--config", config, "--data", data, ...words], terminal)
    const text = terminal.output + terminal.notices
    this.outputs.push({ name: `tollgate ${words[0]}`, bytes: Buffer.from(text) })
  }

  async #setUpConsole(serving: ServingProcess): Promise<ConsoleBrowser> {
    const { url } = serving
    const browser = new ConsoleBrowser({ url })
    const token = /setup\?token=([\w-]+)/.exec(serving.output())?.[1]
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
      base_url: `${this.places.vendor.url}/rejected/v1`,
      api_key: planted.STORED_KEY,
    })
    const cookie = /session[^=]*=([^;]+)/.exec(browser.cookie ?? "")?.[1] ?? ""
    this.own.push(
      { name: "the secret of the second factor", text: secret },
      { name: "a backup code", text: String((enabled["backup_codes"] as string[])[0]) },
      { name: "a code for credits", text: String(code["code"]) },
      { name: "a session's cookie", text: decodeURIComponent(cookie).split(".")[0] ?? "" },
    )
    return browser
  }

  /** Returns a key of a new account with credits. */
  async #createCaller({ url }: ServingProcess): Promise<string> {
    const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
      const headers = { ...ADMIN, "content-type": "application/json" }
      const request = { method: "POST", headers, body: JSON.stringify(body) }
      const response = await fetch(`${url}/admin/v1${path}`, request)
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
      return (await response.json()) as Record<string, unknown>
    }
    const { id: account } = await post("/accounts", { name: `Callers ${++this.#callers}` })
    await post(`/accounts/${account}/entries`, { kind: "grant", amount: "100", note: "tests" })
    const { secret } = await post("/keys", { account, name: "caller" })
    this.own.push({ name: "a caller's key", text: String(secret) })
    return String(secret)
  }

  async #addTargets({ url }: ServingProcess): Promise<void> {
    const add = async (target: object): Promise<void> => {
      const response = await fetch(`${url}/admin/v1/notices/targets`, {
        method: "POST",
        headers: { ...ADMIN, "content-type": "application/json" },
        body: JSON.stringify(target),
      })
      const { id, secret } = (await response.json()) as { id: string; secret: string | null }
      if (secret !== null) this.own.push({ name: "a webhook's secret", text: secret })
      await fetch(`${url}/admin/v1/notices/targets/${id}/test`, { method: "POST", headers: ADMIN })
    }
    const { notices, rejectedNotices } = this.places
    await add({ channel: "webhook", address: `${notices.url}/${planted.WEBHOOK_PATH}` })
    await add({ channel: "slack", address: `${rejectedNotices.url}/${planted.WEBHOOK_PATH}` })
    await add({ channel: "email", address: OPERATOR.email })
  }

  async #collectPages(
    { url }: ServingProcess,
    browser: ConsoleBrowser,
    { requests }: Caller,
  ): Promise<void> {
    const admin = (path: string) => fetch(`${url}/admin/v1${path}`, { headers: ADMIN })
    const metrics = { headers: { authorization: `Bearer ${planted.METRICS_TOKEN}` } }
    this.outputs.push(await pageOf("GET /metrics", fetch(`${url}/metrics`, metrics)))
    for (const path of ["/openapi.json", "/readyz", "/healthz"]) {
      this.outputs.push(await pageOf(`GET ${path}`, fetch(url + path)))
    }
    for (const path of PAGES) {
      this.outputs.push(await pageOf(`GET ${path}`, admin(path)))
      this.outputs.push(await pageOf(`GET ${path} in the console`, browser.ask("GET", path)))
    }
    for (const id of requests) {
      this.outputs.push(...(await recordOf(admin(`/requests/${id}`))))
      this.outputs.push(await pageOf("GET /receipts/{request}", admin(`/receipts/${id}`)))
    }
  }

  async #collectCommands(request: string): Promise<void> {
    const backup = join(this.#installation.data, "copies")
    for (const words of [...COMMANDS, ["receipt", request]]) await this.#runBoth(...words)
    await this.#run("backup", backup)
    await this.#runHere("backup", backup, "--json")
    const exported = join(this.#installation.data, "exported")
    await this.#run("export", join(exported, "lines"), "--with-key-hashes")
    await this.#run("export", join(exported, "cells"), "--format", "csv")
  }
}

/** Returns the record of a request, and separately the errors of its attempts. */
async function recordOf(asked: Promise<Response>): Promise<Output[]> {
  const { attempts, ...record } = (await (await asked).json()) as Record<string, unknown>
  const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value ?? null))
  return [
    { name: "GET /requests/{request}", bytes: bytes(record) },
    { name: "GET /requests/{request}, attempts", bytes: bytes(attempts) },
  ]
}
