import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, test } from "bun:test"
import type { Command } from "commander"
import { GatewayError } from "../../src/canon/errors.ts"
import {
  type RegisterCommand,
  commandGroup,
  globalOptions,
  outputOf,
} from "../../src/cli/command.ts"
import { CommandError } from "../../src/cli/exit-codes.ts"
import { loadCommands } from "../../src/cli/commands.ts"
import { creditsArgument } from "../../src/cli/parse.ts"
import { createProgram, runCli } from "../../src/cli/program.ts"
import { ConfigError } from "../../src/config/config-error.ts"
import { cleanEnvironment } from "../support/process.ts"
import { FakeTerminal } from "./fake-terminal.ts"
import packageFacts from "../../package.json" with { type: "json" }

/** Returns a command and all commands below it, with the words that call them. */
function allCommands(command: Command, before = ""): [string, Command][] {
  const name = `${before} ${command.name()}`.trim()
  return [[name, command], ...command.commands.flatMap((child) => allCommands(child, name))]
}

const listKeys: RegisterCommand = (program, terminal) => {
  commandGroup(program, "key", "Keys of callers")
    .command("list")
    .description("list the keys")
    .action((_options, command) => {
      outputOf(command, terminal).result({ ...globalOptions(command) }, () => "no keys")
    })
}

const createKey: RegisterCommand = (program, terminal) => {
  commandGroup(program, "key", "Keys of callers")
    .command("create <NAME>")
    .description("create a key")
    .option("--budget <N>", "what it may spend", creditsArgument)
    .action(async (name: string, options: { budget?: bigint }, command) => {
      await Promise.resolve()
      outputOf(command, terminal).result({ name }, () => `${name} ${options.budget ?? "none"}`)
    })
}

async function run(words: string, terminal = new FakeTerminal(), more: RegisterCommand[] = []) {
  const line = ["bun", "main.ts", ...words.split(" ").filter((word) => word !== "")]
  const exitCode = await runCli(line, terminal, [listKeys, createKey, ...more])
  return { exitCode, output: terminal.output, notices: terminal.notices }
}

describe("the command line program", () => {
  test("runs commands and accepts global options at any position", async () => {
    expect(await run("key list")).toEqual({ exitCode: 0, output: "no keys\n", notices: "" })
    const expected = { file: "a.yaml", dataDirectory: "d", isJson: true }
    for (const words of [
      "--json --config a.yaml --data d key list",
      "key --json list --config a.yaml --data d",
      "key list --config=a.yaml --data=d --json",
    ]) {
      const { exitCode, output } = await run(words)
      expect(exitCode).toBe(0)
      expect(JSON.parse(output)).toEqual(expected)
    }
  })

  test("passes parsed options to a command", async () => {
    expect((await run("key create mine --budget 0.5")).output).toBe("mine 500000000\n")
  })
})

describe("the command line help", () => {
  test("appears on the standard output, and so does the version", async () => {
    expect(await run("--version")).toEqual({
      exitCode: 0,
      output: `${packageFacts.version}\n`,
      notices: "",
    })
    for (const words of ["--help", "help", "key --help", "key list --help", "help key"]) {
      const { exitCode, output, notices } = await run(words)
      expect(exitCode).toBe(0)
      expect(notices).toBe("")
      expect(output).toContain("Usage: tollgate")
    }
    const { output } = await run("key list --help")
    for (const option of ["--config <FILE>", "--data <DIR>", "--json"]) {
      expect(output).toContain(option)
    }
  })

  test("lists every command, with defaults in the units that users enter", async () => {
    const program = createProgram(new FakeTerminal(), await loadCommands([]))
    const commands = allCommands(program)
    expect(commands.length).toBeGreaterThan(50)
    for (const [name, command] of commands) {
      const help = command.helpInformation()
      expect(help).toStartWith(`Usage: ${name}`)
      expect(help).not.toMatch(/default: \d{5}/)
    }
  })

  test("appears if a subcommand is missing", async () => {
    const { exitCode, output, notices } = await run("key")
    expect(exitCode).toBe(2)
    expect(output).toBe("")
    expect(notices).toContain("Usage: tollgate")
    expect(notices).not.toContain("error:")
    const asked = await run("key --json")
    expect(asked.exitCode).toBe(2)
    expect(JSON.parse(asked.notices).error.code).toBe("usage")
  })

  test("does not appear without arguments, which start the gateway", async () => {
    const serve: RegisterCommand = (program) => {
      program.command("serve").action((_options, command) => {
        outputOf(command, terminal).result({}, () => "started")
      })
    }
    const terminal = new FakeTerminal()
    expect(await run("", terminal, [serve])).toMatchObject({ exitCode: 0, output: "started\n" })
  })
})

describe("the command line parser", () => {
  const cases: [string, string, string][] = [
    ["key lst", "unknown command 'lst'", "Did you mean list?"],
    ["key list --jsn", "unknown option '--jsn'", "Did you mean --json?"],
    ["key create", "missing required argument 'NAME'", "Add --help"],
    ["key list extra", "too many arguments", "Add --help"],
    ["key create a --budget", "argument missing", "Add --help"],
    ["key create a --budget ten", "It must be credits such as 10 or 0.5", "Add --help"],
  ]
  for (const [words, message, hint] of cases) {
    test(`rejects: ${words}`, async () => {
      const { exitCode, output, notices } = await run(words)
      expect(exitCode).toBe(2)
      expect(output).toBe("")
      expect(notices).toStartWith("error: ")
      expect(notices).toContain(message)
      expect(notices).toContain(`hint: ${hint}`)
      expect(notices.match(/error:/g)).toHaveLength(1)

      const json = await run(`${words} --json`.replace("--budget --json", "--json --budget"))
      expect(json.exitCode).toBe(2)
      expect(JSON.parse(json.notices).error).toMatchObject({ code: "usage" })
    })
  }
})

function failing(thrown: unknown): RegisterCommand[] {
  const register: RegisterCommand = (program) => {
    program.command("fail").action(() => {
      throw thrown
    })
  }
  return [register]
}

describe("a failed command", () => {
  const problem = { file: "t.yaml", line: 1, column: 2, path: "server", message: "is wrong" }
  const busy = Object.assign(new Error("address in use"), { code: "EADDRINUSE" })
  const cases: [string, unknown, number, object][] = [
    [
      "an error of the command",
      new CommandError("conflict", "It exists.", "Use another name."),
      5,
      { code: "conflict", message: "It exists.", hint: "Use another name." },
    ],
    [
      "an error of the command without a hint",
      new CommandError("not_healthy", "3 problems."),
      6,
      { code: "not_healthy", message: "3 problems." },
    ],
    [
      "an error in the settings",
      new ConfigError([problem]),
      3,
      { code: "configuration", problems: [problem] },
    ],
    [
      "an unknown item",
      new GatewayError("not_found", "No such receipt."),
      4,
      { code: "not_found", message: "No such receipt." },
    ],
    [
      "an invalid value",
      new GatewayError("invalid_value", "Not a glob."),
      2,
      { code: "invalid_value" },
    ],
    [
      "an error of the gateway",
      new GatewayError("insufficient_credits", "No money."),
      1,
      { code: "insufficient_credits" },
    ],
    [
      "an error of the operating system",
      busy,
      1,
      {
        code: "failed",
        message: "address in use",
        hint: "Stop the program that uses the port, or choose another with TOLLGATE_PORT.",
      },
    ],
    [
      "an unexpected error",
      new TypeError("undefined is no object"),
      1,
      { code: "failed", hint: "Set TOLLGATE_DEBUG=1 to print the stack." },
    ],
    ["a thrown value other than an error", "text", 1, { code: "failed", message: "text" }],
  ]
  for (const [name, thrown, exitCode, error] of cases) {
    test(`prints its error and sets its exit code: ${name}`, async () => {
      const words = await run("fail", undefined, failing(thrown))
      expect(words.exitCode).toBe(exitCode)
      expect(words.output).toBe("")
      expect(words.notices).toStartWith("error: ")
      expect(words.notices).not.toContain("    at ")
      const json = await run("fail --json", undefined, failing(thrown))
      expect(json.exitCode).toBe(exitCode)
      expect(json.output).toBe("")
      const shown = JSON.parse(json.notices).error
      expect(shown).toMatchObject(error)
      expect(shown).not.toHaveProperty("stack")
      expect(shown).not.toHaveProperty("exitCode")
    })
  }

  test("shows its stack trace and cause only when debugging", async () => {
    const cause = new Error("the root")
    const thrown = new Error("the leaf", { cause })
    const terminal = new FakeTerminal({ isDebugging: true })
    const { notices } = await run("fail", terminal, failing(thrown))
    expect(notices).toContain("    at ")
    expect(notices).toContain("caused by Error: the root")
  })
})

test("the program exits even if a connection attempt is still pending", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-end-"))
  const preload = join(folder, "keep-alive.ts")
  writeFileSync(preload, "setInterval(() => {}, 1_000_000)\n")
  const main = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url))
  const words = [process.execPath, "--preload", preload, main, "--version"]
  const child = Bun.spawn(words, { stdout: "pipe", env: cleanEnvironment() })
  expect(await child.exited).toBe(0)
  expect(await child.stdout.text()).toMatch(/^\d+\.\d+\.\d+\n$/)
  rmSync(folder, { recursive: true })
})
