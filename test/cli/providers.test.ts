import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { runCli } from "../../src/cli/program.ts"
import { asked } from "../http/admin/support.ts"
import { createInstallation, type Installation, startServing } from "../support/process.ts"
import { until } from "../support/until.ts"
import { FakeTerminal } from "./fake-terminal.ts"

const VARIABLE = "TOLLGATE_TEST_PROVIDER_KEY"
const SECRET = "sk-of-the-command"

let simulator: Simulator
let installation: Installation

beforeAll(() => {
  simulator = startSimulator()
  installation = createInstallation("server: { port: 0 }\n")
  process.env[VARIABLE] = SECRET
})

afterAll(async () => {
  delete process.env[VARIABLE]
  installation[Symbol.dispose]()
  await simulator.stop()
})

async function run(...words: string[]) {
  const terminal = new FakeTerminal()
  const code = await runCli(["bun", "tollgate", "--data", installation.data, ...words], terminal)
  return { code, output: terminal.output, notices: terminal.notices }
}

function add(id: string, ...words: string[]) {
  return run("provider", "add", id, "--vendor", "openai-compatible", ...words)
}

describe("provider add", () => {
  test("adds a provider that a running gateway uses, with an encrypted key", async () => {
    const token = { TOLLGATE_ADMIN_TOKEN: "admin-token-for-tests" }
    await using serving = await startServing(installation, token)
    const words = ["--base-url", `${simulator.url}/v1`, "--key-variable", VARIABLE]
    const { code, output } = await add("mine", ...words, "--json")
    expect(code).toBe(0)
    expect(JSON.parse(output)).toMatchObject({
      id: "mine",
      secrets: ["api_key"],
      origin: "console",
    })
    expect(output).not.toContain(SECRET)
    const listed = async () => {
      const { data } = (await asked(serving, "GET", "/providers")) as { data: { id: string }[] }
      return data.map(({ id }) => id)
    }
    await until(async () => (await listed()).includes("mine"))
    await asked(serving, "PUT", "/models/mine/echo", { price: { input: "1", output: "2" } })
    const key = /^key: (sk-tg-\w+)$/m.exec(serving.output())?.[1] ?? ""
    const response = await fetch(`${serving.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "mine/echo", messages: [{ role: "user", content: "Hi" }] }),
    })
    expect([response.status, await response.json()]).toMatchObject([200, { model: "mine/echo" }])
  })

  test("rejects an unknown vendor, an existing id and a variable that is not set", async () => {
    const unknown = await run("provider", "add", "nowhere")
    expect([unknown.code, unknown.notices]).toMatchObject([2, expect.stringContaining("openai,")])
    expect((await add("mine", "--base-url", `${simulator.url}/v1`)).code).toBe(5)
    const unset = await add("other", "--secret", "api_key=TOLLGATE_TEST_UNSET")
    expect([unset.code, unset.notices]).toMatchObject([
      2,
      expect.stringContaining("TOLLGATE_TEST_UNSET is not set"),
    ])
    expect((await add("other", "--setting", "region")).code).toBe(2)
  })
})

describe("the id passed to provider add", () => {
  test.each(["__proto__", "", "Mine", "a b", "a/b", "a\nb", "-a", "a".repeat(41)])(
    "follows the rules of the management API: %j",
    async (id) => {
      const words = ["--vendor", "openai", "--key-variable", VARIABLE]
      const { code, notices } = await run("provider", "add", ...words, "--", id)
      expect([code, notices]).toEqual([2, expect.stringContaining("lowercase letters, digits")])
    },
  )

  test.each(["constructor", "tostring", "a".repeat(40)])("can be %s", async (id) => {
    const words = ["--base-url", `${simulator.url}/v1`, "--key-variable", VARIABLE]
    expect((await add(id, ...words)).code).toBe(0)
    expect((await run("provider", "test", id)).code).toBe(0)
  })
})

describe("provider add --setting", () => {
  test("rejects settings that no vendor has", async () => {
    for (const name of ["__proto__", "constructor", "nothing"]) {
      const words = ["--base-url", `${simulator.url}/v1`, "--setting", `${name}=a`]
      expect([name, (await add("unknown", ...words)).code]).toEqual([name, 2])
    }
  })

  const OWN_ARGUMENTS = [
    ["id=other", "the argument ID"],
    ["vendor=openai", "--vendor VENDOR"],
    ["base_url=https://models.example.com", "--base-url URL"],
    ["api_key=${HOME}", "--key-variable NAME"],
    ["credentials=a", "--secret credentials=VARIABLE"],
    ["secret_access_key=a", "--secret secret_access_key=VARIABLE"],
  ] as const

  test.each(OWN_ARGUMENTS)("rejects %s", async (setting, argument) => {
    const { code, notices } = await add("rejected", "--setting", setting)
    expect([code, notices]).toMatchObject([2, expect.stringContaining(`Use ${argument}.`)])
    expect((await run("provider", "test", "rejected")).code).toBe(4)
  })

  test("rejects two environment variables for the API key", async () => {
    const words = ["--key-variable", VARIABLE, "--secret", `api_key=${VARIABLE}`]
    const { code, notices } = await add("rejected", ...words)
    expect(code).toBe(2)
    expect(notices).toContain("--key-variable and --secret both give 'api_key'")
  })

  test.each(["id", "vendor", "base_url", "region"])("rejects --secret with %s", async (name) => {
    const { code, notices } = await add("rejected", "--secret", `${name}=${VARIABLE}`)
    expect([code, notices]).toMatchObject([2, expect.stringContaining(`'${name}'`)])
  })
})

describe("provider list", () => {
  test("shows where each provider is configured, and its number of models", async () => {
    const { output } = await run("provider", "list")
    expect(output).toMatch(/^ID +VENDOR +FROM +MODELS +WITHOUT PRICE +PROBLEM$/m)
    expect(output).toMatch(/^mine +openai-compatible +console +1 +0 +-$/m)
  })
})

describe("provider test", () => {
  test("prints the result and the models that the vendor lists", async () => {
    const { code, output } = await run("provider", "test", "mine")
    expect(code).toBe(0)
    expect(output).toMatch(/^It accepts the credential, and lists \d+ models\.\n(?:.+\n)*echo\n/)
  })

  test("replaces control characters and line breaks in the names of models", async () => {
    using server = Bun.serve({
      port: 0,
      fetch: () =>
        Response.json({
          data: [{ id: "m\u001b]0;title\u0007\u001b[2J" }, { id: "ok\nlogin: root" }],
        }),
    })
    expect((await add("hostile", "--base-url", `${server.url.href}v1`)).code).toBe(0)
    const { output } = await run("provider", "test", "hostile")
    expect(output).toContain("ok\ufffdlogin: root")
    expect(output.replaceAll("\n", "")).not.toMatch(/\p{C}/u)
  })

  test("fails for a provider that cannot be reached, and prints the next step", async () => {
    expect((await add("gone", "--base-url", "http://127.0.0.1:1/v1")).code).toBe(0)
    const { code, output, notices } = await run("provider", "test", "gone")
    expect(code).toBe(1)
    expect(output).toContain("check base_url")
    expect(notices).toContain("provider 'gone' failed the test")
    expect((await run("provider", "test", "nothing")).code).toBe(4)
  })
})
