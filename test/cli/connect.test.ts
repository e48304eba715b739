import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { runCli } from "../../src/cli/program.ts"
import { FakeTerminal } from "./fake-terminal.ts"

const KEY = "sk-tg-test"
const NAMES = ["HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"]
const before = NAMES.map((name) => [name, process.env[name]] as const)

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "tollgate-connect-"))
  for (const name of NAMES) delete process.env[name]
  process.env["HOME"] = home
})

afterEach(() => {
  rmSync(home, { recursive: true, force: true })
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})

async function connect(...words: string[]) {
  const settings = join(home, "tollgate.yaml")
  writeFileSync(
    settings,
    `server: { port: 9999 }
data: ${join(home, "data")}
providers: { local: { vendor: openai-compatible, base_url: "http://127.0.0.1:1/v1" } }
models: { local/llama: { kind: chat, price: { input: 1, output: 1 } } }
`,
  )
  const terminal = new FakeTerminal()
  const line = ["bun", "main.ts", "connect", ...words, "--config", settings]
  const exitCode = await runCli(line, terminal)
  return { exitCode, output: terminal.output, notices: terminal.notices }
}

const read = (path: string) => readFileSync(join(home, path), "utf8")
const readJson = (path: string) => JSON.parse(read(path)) as Record<string, unknown>

function put(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
}

describe("the settings are shown", () => {
  test.each([
    [
      "claude",
      ['"ANTHROPIC_BASE_URL": "http://127.0.0.1:9999"', `"ANTHROPIC_AUTH_TOKEN": "${KEY}"`],
    ],
    [
      "codex",
      ['base_url = "http://127.0.0.1:9999/v1"', 'wire_api = "responses"', `TOLLGATE_KEY=${KEY}`],
    ],
    ["opencode", ['"baseURL": "http://127.0.0.1:9999/v1"', '"model": "tollgate/local/llama"']],
    ["aider", ['openai-api-base: "http://127.0.0.1:9999/v1"', 'model: "openai/local/llama"']],
    ["cursor", ["Override OpenAI Base URL: http://127.0.0.1:9999/v1", `OpenAI API Key: ${KEY}`]],
  ])("of %s", async (tool, lines) => {
    const { exitCode, output } = await connect(tool, "--key", KEY)
    expect(exitCode).toBe(0)
    for (const line of lines) expect(output).toContain(line)
    expect(output).toContain("local/llama")
  })

  test("with another address and model, and as JSON", async () => {
    const words = ["--url", "https://ai.example.com/v1/", "--model", "local/other", "--json"]
    const { output } = await connect("claude", ...words)
    expect(JSON.parse(output)).toMatchObject({
      url: "https://ai.example.com",
      model: "local/other",
    })
  })

  test("of known tools only", async () => {
    const { exitCode, notices } = await connect("emacs")
    expect([exitCode, notices]).toEqual([2, expect.stringContaining("claude, codex, opencode")])
  })
})

describe("the settings are written", () => {
  test("into a new file that is nobody else's to read", async () => {
    for (const [tool, path] of [
      ["claude", ".claude/settings.json"],
      ["codex", ".codex/config.toml"],
      ["opencode", ".config/opencode/opencode.json"],
      ["aider", ".aider.conf.yml"],
    ] as const) {
      const { exitCode, output } = await connect(tool, "--key", KEY, "--write")
      expect([exitCode, output]).toEqual([0, expect.stringContaining(join(home, path))])
      expect(read(path)).toContain("127.0.0.1:9999")
      expect(statSync(join(home, path)).mode & 0o777).toBe(0o600)
    }
    expect(read(".codex/config.toml")).not.toContain(KEY)
  })

  test("beside what a file says already, which is kept", async () => {
    const own = '{"env":{"EDITOR":"vi","ANTHROPIC_MODEL":"x"},"permissions":{"allow":["Read"]}}'
    put(".claude/settings.json", own)
    const { output } = await connect("claude", "--key", KEY, "--write")
    expect(readJson(".claude/settings.json")).toEqual({
      env: {
        EDITOR: "vi",
        ANTHROPIC_MODEL: "local/llama",
        ANTHROPIC_BASE_URL: "http://127.0.0.1:9999",
        ANTHROPIC_AUTH_TOKEN: KEY,
        ANTHROPIC_DEFAULT_HAIKU_MODEL: "local/llama",
      },
      permissions: { allow: ["Read"] },
    })
    expect(output).toContain(".before-tollgate")
    expect(read(".claude/settings.json.before-tollgate")).toBe(own)
    expect(statSync(join(home, ".claude/settings.json")).mode & 0o777).toBe(0o600)
    await connect("claude", "--key", "sk-tg-next", "--write")
    expect(read(".claude/settings.json")).toContain("sk-tg-next")
    expect(read(".claude/settings.json.before-tollgate")).toBe(own)
  })

  test("never over what would be lost", async () => {
    for (const [tool, path, text] of [
      ["codex", ".codex/config.toml", 'model = "mine"\n'],
      ["aider", ".aider.conf.yml", "model: mine\n"],
      ["opencode", ".config/opencode/opencode.json", '{ // mine\n "theme": "dark" }'],
    ] as const) {
      put(path, text)
      const { exitCode, notices } = await connect(tool, "--key", KEY, "--write")
      expect([exitCode, notices]).toEqual([5, expect.stringContaining("without --write")])
      expect(read(path)).toBe(text)
    }
  })

  test("not without a key that the file would need, nor where there is no file", async () => {
    expect((await connect("claude", "--write")).exitCode).toBe(2)
    expect((await connect("cursor", "--key", KEY, "--write")).exitCode).toBe(2)
    expect((await connect("opencode", "--write")).exitCode).toBe(0)
    expect(read(".config/opencode/opencode.json")).toContain("{env:TOLLGATE_KEY}")
  })
})
