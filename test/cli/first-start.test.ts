import { describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  createInstallation,
  runJson,
  type ServingProcess,
  startCommand,
  startServing,
} from "../support/process.ts"

const ANY_PORT = "server: { port: 0 }\n"
const KEY = /^key: (sk-tg-[0-9A-Za-z]{43})$/m

interface Credits {
  readonly account: string
  readonly balance: string
}

async function creditsOf(url: string, key: string): Promise<Credits> {
  const response = await fetch(`${url}/v1/credits`, { headers: { authorization: `Bearer ${key}` } })
  expect(response.status).toBe(200)
  return (await response.json()) as Credits
}

/** Returns the command that a start printed, as a user would copy it. */
function printedCommand(serving: ServingProcess): string {
  return /^ {2}curl (.|\n)*?}'$/m.exec(serving.output())?.[0] ?? "false"
}

async function runPrinted(serving: ServingProcess): Promise<string> {
  const shell = Bun.spawn(["sh", "-c", printedCommand(serving)], { stderr: "ignore" })
  return new Response(shell.stdout).text()
}

async function end(serving: ServingProcess): Promise<void> {
  serving.process.kill("SIGTERM")
  expect(await serving.process.exited).toBe(0)
}

test.concurrent("only the first start prints a key, and the printed command works", async () => {
  using installation = createInstallation(ANY_PORT)
  const first = await startServing(installation)
  const key = KEY.exec(first.output())?.[1] ?? ""
  expect(key).toStartWith("sk-tg-")
  expect(await creditsOf(first.url, key)).toMatchObject({ account: "demo", balance: "10" })
  if (Bun.which("curl")) {
    const response = JSON.parse(await runPrinted(first))
    expect(response.choices[0].message.content).toBe("Hello, Tollgate!")
  }
  const before = await creditsOf(first.url, key)
  await end(first)

  await using second = await startServing(installation)
  expect(second.output()).not.toContain("sk-tg-")
  expect(await creditsOf(second.url, key)).toEqual(before)
  const { keys } = await runJson<{ keys: unknown[] }>(installation, "key", "list")
  expect(keys).toHaveLength(1)
})

describe("a start with a port in use", () => {
  for (const workers of ["1", "2"]) {
    test.concurrent(`reports the remedy and does not lose the new key, ${workers} worker(s)`, async () => {
      using installation = createInstallation(ANY_PORT)
      const busy = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })
      const child = await startServing(installation, {
        TOLLGATE_PORT: String(busy.port),
        TOLLGATE_WORKERS: workers,
      }).catch((error: Error) => error.message)
      busy.stop(true)
      expect(child).toContain("error: ")
      expect(child).toContain("hint: Stop the program that uses the port, or choose another")
      expect(child).not.toContain("    at ")
      await using serving = await startServing(installation)
      expect(serving.output()).toMatch(KEY)
    })
  }
})

describe("environment variables at the start", () => {
  test.concurrent("can replace the host, port and data directory of the file", async () => {
    using installation = createInstallation("server: { host: 127.0.0.1, port: 1 }\ndata: ./wrong\n")
    const data = join(installation.data, "elsewhere")
    const words = ["--config", installation.config, "serve"]
    const environment = { TOLLGATE_HOST: "::1", TOLLGATE_PORT: "0", TOLLGATE_DATA: data }
    await using serving = await startCommand(words, environment)
    expect(serving.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect((await fetch(`${serving.url}/healthz`)).status).toBe(200)
    expect(readdirSync(data)).toContain("tollgate.db")
    expect(readdirSync(installation.data)).not.toContain("wrong")
  })

  test.concurrent("can set the path of the file, and are named in errors about their values", async () => {
    using installation = createInstallation(ANY_PORT)
    const { config: TOLLGATE_CONFIG, data: TOLLGATE_DATA } = installation
    await using serving = await startCommand(["serve"], { TOLLGATE_CONFIG, TOLLGATE_DATA })
    expect(serving.output()).toMatch(KEY)
    const rejected = await startCommand(["serve"], { TOLLGATE_PORT: "many" }).catch(String)
    expect(rejected).toContain("TOLLGATE_PORT")
  })
})

describe("the demo command", () => {
  for (const workers of ["1", "2"]) {
    test.concurrent(`leaves no files with TOLLGATE_WORKERS=${workers}`, async () => {
      const temporary = mkdtempSync(join(tmpdir(), "tollgate-test-"))
      const empty = join(temporary, "empty")
      mkdirSync(empty)
      const environment = {
        TMPDIR: empty,
        TOLLGATE_PORT: "0",
        TOLLGATE_WORKERS: workers,
        OPENAI_API_KEY: "sk-nobody",
      }
      const serving = await startCommand(["demo"], environment)
      const key = KEY.exec(serving.output())?.[1] ?? ""
      expect(await creditsOf(serving.url, key)).toMatchObject({ balance: "10" })
      expect(readdirSync(empty)).toHaveLength(1)
      // The simulator is the only provider, because a demonstration must not call a provider that costs money.
      expect(await providersOf(serving.url, key)).toEqual(["sandbox"])
      await end(serving)
      expect(readdirSync(empty)).toEqual([])
      rmSync(temporary, { recursive: true })
    })
  }
})

/** Returns the providers of the models that a key may call. */
async function providersOf(url: string, key: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${key}` }
  const list = (await (await fetch(`${url}/v1/models`, { headers })).json()) as {
    data: { id: string }[]
  }
  return [...new Set(list.data.map(({ id }) => id.slice(0, id.indexOf("/"))))]
}

test.concurrent("a start with --json prints one JSON document", async () => {
  using installation = createInstallation(ANY_PORT)
  const { config, data } = installation
  const words = ["--config", config, "--data", data, "serve", "--json"]
  await using serving = await startCommand(words, {})
  const document = JSON.parse(serving.output())
  expect(document).toMatchObject({ account: "demo", models: expect.any(Number), sandbox: true })
  expect(await creditsOf(document.url, document.key)).toMatchObject({ balance: "10" })
})
