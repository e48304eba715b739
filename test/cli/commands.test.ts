import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import {
  createInstallation,
  type Installation,
  runCommand,
  runJson,
  startServing,
} from "../support/process.ts"

let simulator: Simulator
let installation: Installation

const yaml = () => `
server: { port: 0 }
providers:
  sim: { vendor: openai-compatible, api_key: upstream, base_url: "${simulator.url}/v1" }
models:
  sim/echo: { price: { input: 1, output: 2 }, multiplier: 1.5, context: 100000, max_output: 1000 }
  sim/unpriced: { kind: chat, rules: { tools: false, rejected_parameters: [seed, stop] } }
`

beforeAll(() => {
  simulator = startSimulator()
  installation = createInstallation(yaml())
})

afterAll(async () => {
  installation[Symbol.dispose]()
  await simulator.stop()
})

const run = (...words: string[]) => runCommand(installation, ...words)

/**
 * Runs a command that must fail, with text output and with JSON output.
 * @returns the message and the JSON error.
 */
async function failing(exitCode: number, ...words: string[]) {
  const [plain, json] = await Promise.all([run(...words), run("--json", ...words)])
  expect({ words, exitCode: plain.exitCode, stdout: plain.stdout }).toEqual({
    words,
    exitCode,
    stdout: "",
  })
  expect(plain.stderr).toStartWith("error: ")
  expect(plain.stderr).not.toContain("    at ")
  expect(json.exitCode).toBe(exitCode)
  const { error } = JSON.parse(json.stderr) as { error: { code: string; message: string } }
  return { ...error, words: plain.stderr }
}

interface KeyDocument {
  readonly id: string
  readonly key: string
  readonly status: string
}

describe("account and credit commands", () => {
  test("create an account with no credits, or with a grant", async () => {
    const plain = await run("account", "create", "poor")
    expect(plain).toMatchObject({ exitCode: 0, stderr: "" })
    expect(plain.stdout).toContain("balance:  0 credits")
    expect(await runJson(installation, "account", "create", "rich", "--credits", "2.5")).toEqual({
      id: expect.stringMatching(/^acc_/),
      name: "rich",
      balance: "2.5",
    })
  })

  test("reject an account name that is in use", async () => {
    const error = await failing(5, "account", "create", "poor")
    expect(error).toMatchObject({ code: "conflict", message: expect.stringContaining("poor") })
  })

  test("grant credits to an account by name or id, exact to the nanocredit", async () => {
    const granted = await runJson<{ account: string }>(
      installation,
      "credits",
      "grant",
      "poor",
      "0.000000001",
      "--note",
      "a gift",
    )
    expect(granted).toMatchObject({ name: "poor", balance: "0.000000001", entry: 1 })
    const plain = await run("credits", "grant", granted.account, "1")
    expect(plain.stdout).toContain("1.000000001 credits")
  })

  test("list the existing accounts if the account is unknown", async () => {
    const error = await failing(4, "credits", "grant", "nobody", "1")
    expect(error.code).toBe("not_found")
    expect(error.words).toContain("'nobody'")
    expect(error.words).toContain("poor, rich")
  })

  test("reject invalid amounts before anything is written", async () => {
    for (const amount of ["0", "-1", "0.0000000001"]) {
      const error = await failing(2, "account", "create", "never", "--credits", amount)
      expect(error.code).toBe("usage")
    }
    await failing(4, "credits", "grant", "never", "1")
  })
})

describe("the key command", () => {
  test("creates keys with every option, and shows each secret only once", async () => {
    const before = Date.now()
    const words = ["key", "create", "--account", "rich", "--name", "all", "--budget", "0.5"]
    words.push("--alias", "gpt-4o=sim/echo", "--alias", "a=sim/a,b=sim/b")
    words.push(
      "--models",
      "sim/*,other/x",
      "--rpm",
      "60",
      "--tpm",
      "1000",
      "--concurrent",
      "9",
      "--expires",
      "30d",
    )
    words.push("--origin", "https://App.example.com,http://localhost:3000")
    const created = await runJson<KeyDocument & { expires_at: string }>(installation, ...words)
    expect(created).toMatchObject({
      name: "all",
      status: "active",
      models: ["sim/*", "other/x"],
      aliases: { "gpt-4o": "sim/echo", a: "sim/a", b: "sim/b" },
      budget: "0.5",
      budget_left: "0.5",
      requests_per_minute: 60,
      tokens_per_minute: 1_000,
      concurrent_requests: 9,
      origins: ["https://app.example.com", "http://localhost:3000"],
    })
    expect(created.id).toMatch(/^key_/)
    expect(created.key).toMatch(/^sk-tg-[0-9A-Za-z]{43}$/)
    const days = (Date.parse(created.expires_at) - before) / 86_400_000
    expect(days).toBeWithin(29.99, 30.01)

    const listed = await run("key", "list")
    expect(listed.exitCode).toBe(0)
    expect(listed.stdout).toContain(created.id)
    expect(listed.stdout).toContain(`sk-tg-...${created.key.slice(-4)}`)
    expect(listed.stdout).not.toContain(created.key)
    const { keys } = await runJson<{ keys: KeyDocument[] }>(
      installation,
      "key",
      "list",
      "--account",
      "rich",
    )
    expect(keys.map(({ id }) => id)).toEqual([created.id])
    expect(JSON.stringify(keys)).not.toContain(created.key)
    expect((await run("key", "list", "--account", "poor")).stdout).toContain("No keys yet")
  })

  test("prints the new key on a separate line", async () => {
    const { stdout } = await run("key", "create", "--account", "poor")
    expect(stdout).toMatch(/^key: sk-tg-[0-9A-Za-z]{43}$/m)
  })

  test("returns an error if the key or the account does not exist", async () => {
    await Promise.all([
      failing(4, "key", "create", "--account", "nobody"),
      failing(4, "key", "list", "--account", "nobody"),
      failing(4, "key", "rotate", "key_none"),
      failing(4, "key", "revoke", "key_none"),
      failing(2, "key", "create"),
      failing(2, "key", "create", "--account", "poor", "--origin", "app.example.com"),
    ])
  })
})

describe("the models command", () => {
  test("prints the rules of a model and the source of each rule", async () => {
    const { stdout, exitCode } = await run("models", "--rules", "sim/unpriced")
    expect(exitCode).toBe(0)
    expect(stdout).toContain("sim/unpriced at sim/unpriced")
    expect(stdout).toMatch(/^tools +no +settings$/m)
    expect(stdout).toMatch(/^rejected_parameters +seed, stop +settings$/m)
    const words = ["models", "--rules", "sim/unpriced"]
    expect(await runJson<object>(installation, ...words)).toEqual({
      model: "sim/unpriced",
      deployments: [
        {
          provider: "sim",
          model: "unpriced",
          rules: [
            { name: "tools", value: false, source: "settings", note: null },
            {
              name: "rejected_parameters",
              value: ["seed", "stop"],
              source: "settings",
              note: null,
            },
          ],
        },
      ],
    })
    expect((await run("models", "--rules", "sim/echo")).stdout).toContain("No rules")
    const { message } = await failing(4, "models", "--rules", "sim/ecko")
    expect(message).toContain("sim/ecko")
  })

  test("reports with --rules that no provider is configured", async () => {
    using empty = createInstallation("server: { port: 0 }\n")
    const { exitCode, stderr } = await runCommand(empty, "models", "--rules", "sandbox/claude")
    expect(exitCode).toBe(4)
    expect(stderr).toContain("No provider is configured")
  })

  test("lists models with their prices, including the multiplier", async () => {
    const { stdout } = await run("models")
    expect(stdout).toMatch(/^sim\/echo +chat +100000 +1\.5 +3$/m)
    expect(stdout).toMatch(/^sim\/unpriced +chat +- +no price/m)
    const { models } = await runJson<{ models: { id: string }[] }>(installation, "models")
    expect(models.map(({ id }) => id)).toEqual(["sim/echo", "sim/unpriced"])
  })
})

describe("the receipt command", () => {
  interface Receipt {
    readonly usage: Record<string, number>
    readonly arithmetic: { class: string; quantity: number; per_million: string }[]
    readonly price: { multiplier: string }
    readonly cost: string
    readonly charged: string
    readonly entry: { amount: string; balance: string }
  }

  test("explains the charge of the receipt, exact to the nanocredit", async () => {
    await runJson(installation, "account", "create", "caller", "--credits", "1")
    const { key } = await runJson<KeyDocument>(installation, "key", "create", "--account", "caller")
    await using serving = await startServing(installation)
    const response = await fetch(`${serving.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "Hello" }] }),
    })
    const id = response.headers.get("x-request-id") ?? ""
    const receipt = await runJson<Receipt>(installation, "receipt", id)
    // The multiplier 1.5 is computed as three halves. The quotient is rounded up.
    let millionths = 0n
    for (const { quantity, per_million } of receipt.arithmetic) {
      millionths += BigInt(quantity) * BigInt(per_million) * 1_000_000_000n
    }
    const cost = (millionths * 3n + 1_999_999n) / 2_000_000n
    expect(receipt.price.multiplier).toBe("1.5")
    expect(receipt.cost).toBe(`0.${cost.toString().padStart(9, "0").replace(/0+$/, "")}`)
    expect(receipt.charged).toBe(receipt.cost)
    expect(receipt.entry.amount).toBe(`-${receipt.cost}`)
    expect(response.headers.get("x-tollgate-cost")).toBe(receipt.cost)
    expect(response.headers.get("x-tollgate-balance")).toBe(receipt.entry.balance)

    const words = await run("receipt", id)
    expect(words.exitCode).toBe(0)
    expect(words.stdout).toContain(`x multiplier 1.5 = ${receipt.cost} credits`)
    expect(words.stdout).toContain(`balance after it ${receipt.entry.balance} credits`)
  })

  test("returns an error if the receipt does not exist", async () => {
    const error = await failing(4, "receipt", "req_nothing")
    expect(error.words).toContain("hint: ")
  })
})

describe("a command with invalid settings", () => {
  test("reports the file and the line, and does not start", async () => {
    using broken = createInstallation("server:\n  port: 0\n  prot: 1\nmultiplier: lots\n")
    for (const words of [["models"], ["serve"], ["key", "list"]]) {
      const { exitCode, stdout, stderr } = await runCommand(broken, ...words)
      expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: "" })
      expect(stderr).toContain(`${broken.config}:3`)
      expect(stderr).toContain(`${broken.config}:4`)
      expect(stderr).toContain("prot")
    }
    const { exitCode, stderr } = await runCommand(broken, "models", "--json")
    expect(exitCode).toBe(3)
    const { error } = JSON.parse(stderr)
    expect(error.code).toBe("configuration")
    expect(error.problems.map(({ line }: { line: number }) => line)).toEqual([3, 4])
  })

  test("reports a missing settings file", async () => {
    const missing = { ...installation, config: `${installation.config}.away` }
    const { exitCode, stderr } = await runCommand(missing, "models")
    expect(exitCode).toBe(3)
    expect(stderr).toContain("--config")
  })

  test("succeeds after the settings are fixed", async () => {
    using broken = createInstallation("port: 1\n")
    expect((await runCommand(broken, "models")).exitCode).toBe(3)
    writeFileSync(broken.config, yaml())
    expect((await runCommand(broken, "models")).exitCode).toBe(0)
  })
})

const COMMANDS = [
  [],
  ["serve"],
  ["demo"],
  ["account"],
  ["account", "create"],
  ["credits", "grant"],
  ["credits", "adjust"],
  ["credits", "refund"],
  ["code", "create"],
  ["code", "list"],
  ["code", "revoke"],
  ["statement"],
  ["ledger", "verify"],
  ["provider", "add"],
  ["provider", "test"],
  ["key", "create"],
  ["key", "list"],
  ["key", "rotate"],
  ["key", "revoke"],
  ["models"],
  ["receipt"],
  ["doctor"],
]

test("every command prints its usage", async () => {
  const responses = await Promise.all(COMMANDS.map((words) => run(...words, "--help")))
  for (const [index, { exitCode, stdout, stderr }] of responses.entries()) {
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    const usage = ["tollgate", ...(COMMANDS[index] ?? [])].join(" ")
    expect(stdout).toContain(`Usage: ${usage}`)
  }
})

test("a running gateway applies commands that pause, close and resume accounts and keys", async () => {
  using held = createInstallation(yaml())
  await using serving = await startServing(held)
  await runJson(held, "account", "create", "held", "--credits", "1")
  const words = ["key", "create", "--account", "held"]
  const { id, key } = await runJson<{ id: string; key: string }>(held, ...words)
  const chat = async () => {
    const response = await fetch(`${serving.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "Hi" }] }),
    })
    await response.text()
    return response.status
  }
  expect(await chat()).toBe(200)
  for (const word of ["pause", "close"]) {
    await runJson(held, "account", word, "held")
    expect(await chat()).toBe(403)
  }
  await runJson(held, "account", "resume", "held")
  expect(await chat()).toBe(200)
  expect(await runJson(held, "key", "pause", id)).toMatchObject({ is_paused: true })
  expect(await chat()).toBe(403)
  await runJson(held, "key", "resume", id)
  expect(await chat()).toBe(200)
})
