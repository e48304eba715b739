import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { runCli } from "../../src/cli/program.ts"
import { FakeTerminal } from "./fake-terminal.ts"

const KEY = `sk-tg-${"test".repeat(11).slice(1)}`
/** The form of a key that was imported from another gateway. */
const IMPORTED_KEY = "sk-Yl3_imported.key"
const NAMES = [
  "HOME",
  "CLAUDE_CONFIG_DIR",
  "CODEX_HOME",
  "GEMINI_CLI_HOME",
  "XDG_CONFIG_HOME",
  "TOLLGATE_KEY",
]
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

const LOCAL =
  'providers: { local: { vendor: openai-compatible, base_url: "http://127.0.0.1:1/v1" } }\n'
const LLAMA = `${LOCAL}models: { local/llama: { kind: chat, price: { input: 1, output: 1 } } }\n`
const FAMILIES = `providers:
  anthropic: { vendor: anthropic, api_key: a }
  google: { vendor: google, api_key: a }
  openai: { vendor: openai, api_key: a }
`

/** Returns the models that the settings of a tool select. */
async function selected(settings: string, tool: string, ...words: string[]) {
  const { output } = await connectWith(settings, tool, "--json", ...words)
  const { model, small_model: small } = JSON.parse(output) as Record<string, string>
  return { model, small }
}

function connect(...words: string[]) {
  return connectWith(LLAMA, ...words)
}

async function connectWith(models: string, ...words: string[]) {
  const settings = join(home, "tollgate.yaml")
  writeFileSync(settings, `server: { port: 9999 }\ndata: ${join(home, "data")}\n${models}`)
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

describe("printed connect settings", () => {
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
    ["gemini", ['GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:9999"', `GEMINI_API_KEY="${KEY}"`]],
    ["aider", ['openai-api-base: "http://127.0.0.1:9999/v1"', 'model: "openai/local/llama"']],
    ["cursor", ["Override OpenAI Base URL: http://127.0.0.1:9999/v1", `OpenAI API Key: ${KEY}`]],
    ["continue", ['apiBase: "http://127.0.0.1:9999/v1/"', 'model: "local/llama"']],
    [
      "copilot",
      ["COPILOT_PROVIDER_BASE_URL=http://127.0.0.1:9999/v1", "COPILOT_MODEL=local/llama"],
    ],
    ["cline", [`cline auth -p openai -b http://127.0.0.1:9999/v1 -k ${KEY} -m local/llama`]],
    ["qwen", ['"baseUrl": "http://127.0.0.1:9999/v1"', '"envKey": "TOLLGATE_KEY"']],
    ["pi", ['"baseUrl": "http://127.0.0.1:9999/v1"', '"api": "openai-completions"']],
    ["open-webui", ["OPENAI_API_BASE_URL=http://127.0.0.1:9999/v1", `OPENAI_API_KEY=${KEY}`]],
    ["librechat", ['baseURL: "http://127.0.0.1:9999/v1"', `apiKey: "${KEY}"`]],
    ["n8n", ["Base URL: http://127.0.0.1:9999/v1", "Model: local/llama"]],
    ["flowise", ["BasePath: http://127.0.0.1:9999/v1", "Model Name: local/llama"]],
    [
      "langflow",
      ["OPENAI_COMPATIBLE_BASE_URL=http://127.0.0.1:9999/v1", "SSRF_ALLOWED_HOSTS=127.0.0.1"],
    ],
    ["dify", ["API endpoint URL: http://127.0.0.1:9999/v1", "Stream function calling: Supported"]],
    ["jupyter", ["OPENAI_API_BASE=http://127.0.0.1:9999/v1", "openai-chat-custom:local/llama"]],
    ["marimo", ['base_url = "http://127.0.0.1:9999/v1"', 'chat_model = "tollgate/local/llama"']],
  ])("contain every line of %s", async (tool, lines) => {
    const { exitCode, output } = await connect(tool, "--key", KEY)
    expect(exitCode).toBe(0)
    for (const line of lines) expect(output).toContain(line)
    expect(output).toContain("local/llama")
  })

  test("contain the given address and model, and are available as JSON", async () => {
    const words = ["--url", "https://ai.example.com/v1/", "--model", "local/other", "--json"]
    const { output } = await connect("claude", ...words)
    expect(JSON.parse(output)).toMatchObject({
      url: "https://ai.example.com",
      model: "local/other",
    })
  })

  test("select the newest model of the family that the tool prefers", async () => {
    const models = await selected(FAMILIES, "claude")
    expect(models).toEqual({
      model: "anthropic/claude-sonnet-5-5",
      small: "anthropic/claude-haiku-5-5",
    })
    expect((await selected(FAMILIES, "codex")).model).toStartWith("openai/gpt-")
    expect((await selected(FAMILIES, "gemini")).model).toMatch(/^google\/gemini-[\d.]+-flash$/)
  })

  test("select an inexpensive model if the preferred family is missing", async () => {
    const models = `
models:
  local/a-expensive: { kind: chat, price: { input: 12, output: 60 } }
  local/b-cheap: { kind: chat, price: { input: 0.1, output: 0.4 } }
`
    for (const tool of ["claude", "opencode"]) {
      expect((await selected(LOCAL + models, tool)).model).toBe("local/b-cheap")
    }
  })

  test("use the given model for small tasks, unless a small model is given", async () => {
    expect(await selected(FAMILIES, "claude", "--model", "local/x")).toEqual({
      model: "local/x",
      small: "local/x",
    })
    const words = ["--model", "local/x", "--small-model", "local/y"]
    expect(await selected(FAMILIES, "claude", ...words)).toEqual({
      model: "local/x",
      small: "local/y",
    })
  })

  test("require a valid address and key", async () => {
    for (const url of ["gate.example", "ftp://gate.example", "http://a b"]) {
      expect([url, (await connect("claude", "--url", url)).exitCode]).toEqual([url, 2])
    }
    const malformed = [
      "",
      "bad",
      "sk-",
      "sk-tg-...",
      "two words",
      `${KEY}\nevil: 1`,
      "sk-$(touch x)",
    ]
    for (const key of [...malformed, KEY.slice(0, -1), `${KEY}a`]) {
      const { exitCode } = await connect("claude", "--key", key, "--write")
      expect([key, exitCode, existsSync(join(home, ".claude"))]).toEqual([key, 2, false])
    }
  })

  test("include responses to the questions that Gemini CLI asks at its start", async () => {
    const { output } = await connect("gemini", "--key", KEY)
    expect(output).toContain("Trust the folder")
    expect(output).toContain("Use Gemini API Key")
  })

  test("support only known tools", async () => {
    const { exitCode, notices } = await connect("emacs")
    expect([exitCode, notices]).toEqual([2, expect.stringContaining("claude, codex, opencode")])
  })
})

describe("written connect settings", () => {
  test("have a separate file that is readable by its owner only", async () => {
    for (const [tool, path] of [
      ["claude", ".claude/settings.json"],
      ["codex", ".codex/config.toml"],
      ["opencode", ".config/opencode/opencode.json"],
      ["gemini", ".gemini/.env"],
      ["aider", ".aider.conf.yml"],
      ["continue", ".continue/config.yaml"],
      ["qwen", ".qwen/settings.json"],
      ["pi", ".pi/agent/models.json"],
      ["marimo", ".config/marimo/marimo.toml"],
    ] as const) {
      const { exitCode, output } = await connect(tool, "--key", KEY, "--write")
      expect([exitCode, output]).toEqual([0, expect.stringContaining(join(home, path))])
      expect(read(path)).toContain("127.0.0.1:9999")
      expect(statSync(join(home, path)).mode & 0o777).toBe(0o600)
    }
    expect(read(".codex/config.toml")).not.toContain(KEY)
  })

  test("can be in the folder that the tool's own environment variable names", async () => {
    for (const [tool, variable, path] of [
      ["claude", "CLAUDE_CONFIG_DIR", "settings.json"],
      ["codex", "CODEX_HOME", "config.toml"],
      ["opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"],
      ["gemini", "GEMINI_CLI_HOME", ".gemini/.env"],
    ] as const) {
      process.env[variable] = join(home, "elsewhere", tool)
      await connect(tool, "--key", KEY, "--write")
      expect(read(join("elsewhere", tool, path))).toContain("127.0.0.1:9999")
    }
  })

  test("do not change existing content of the file", async () => {
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
    await connect("claude", "--key", IMPORTED_KEY, "--write")
    expect(read(".claude/settings.json")).toContain(IMPORTED_KEY)
    expect(read(".claude/settings.json.before-tollgate")).toBe(own)
  })

  test("never overwrite content that would be lost", async () => {
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

  test.each([
    ["a number beyond the range of doubles", '{"big":12345678901234567890}'],
    ["a duplicate member", '{"a":1,"a":2}'],
    ["text in place of settings", '{"env":"mine"}'],
    ["nothing", ""],
  ])("never overwrite a JSON file with %s", async (_, text) => {
    put(".claude/settings.json", text)
    const { exitCode, notices } = await connect("claude", "--key", KEY, "--write")
    expect([exitCode, notices]).toEqual([5, expect.stringContaining("without --write")])
    expect(read(".claude/settings.json")).toBe(text)
  })

  test("follow a symbolic link unless the target is missing", async () => {
    put("dotfiles/claude.json", '{\n  "theme": "dark"\n}\n')
    mkdirSync(join(home, ".claude"))
    symlinkSync(join(home, "dotfiles/claude.json"), join(home, ".claude/settings.json"))
    expect((await connect("claude", "--key", KEY, "--write")).exitCode).toBe(0)
    expect(readJson("dotfiles/claude.json")).toMatchObject({ theme: "dark", env: {} })
    expect(lstatSync(join(home, ".claude/settings.json")).isSymbolicLink()).toBe(true)
    rmSync(join(home, "dotfiles/claude.json"))
    const { exitCode, notices } = await connect("claude", "--key", KEY, "--write")
    expect([exitCode, notices]).toEqual([1, expect.stringContaining(".claude/settings.json")])
    expect(notices).toContain("without --write")
  })

  test("cause an error with the path if a folder has the file's name", async () => {
    mkdirSync(join(home, ".claude/settings.json"), { recursive: true })
    put(".codex", "no folder")
    for (const [tool, path] of [
      ["claude", ".claude/settings.json"],
      ["codex", ".codex/config.toml"],
    ] as const) {
      const { exitCode, notices } = await connect(tool, "--key", KEY, "--write")
      expect([exitCode, notices]).toEqual([1, expect.stringContaining(join(home, path))])
    }
  })

  test("can contain the key from TOLLGATE_KEY, which keeps the key out of the shell history", async () => {
    process.env["TOLLGATE_KEY"] = KEY
    expect((await connect("claude", "--write")).exitCode).toBe(0)
    expect(read(".claude/settings.json")).toContain(KEY)
    expect((await connect("opencode", "--write")).exitCode).toBe(0)
    expect(read(".config/opencode/opencode.json")).not.toContain(KEY)
  })

  test("never contain the value of TOLLGATE_KEY if the value is not a key", async () => {
    process.env["TOLLGATE_KEY"] = "bad"
    expect((await connect("claude", "--write")).exitCode).toBe(2)
    expect(existsSync(join(home, ".claude"))).toBe(false)
  })

  test("cause an error if a required key is missing or the tool has no settings file", async () => {
    expect((await connect("claude", "--write")).exitCode).toBe(2)
    expect((await connect("cursor", "--key", KEY, "--write")).exitCode).toBe(2)
    expect((await connect("opencode", "--write")).exitCode).toBe(0)
    expect(read(".config/opencode/opencode.json")).toContain("{env:TOLLGATE_KEY}")
  })
})
