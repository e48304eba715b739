import { describe, expect, test } from "bun:test"
import { toolPath } from "../../console/src/format/tool-path.ts"
import { NO_KEY } from "tollgate-contract/tool-settings.ts"
import { familyModels } from "tollgate-contract/tool-models.ts"
import { type Tool, TOOLS, toolSettings } from "tollgate-contract/tools.ts"

const facts = { url: "https://gate.example", model: "sandbox/echo", pathOf: toolPath }

describe("the setup card of a tool", () => {
  test.each([
    ["claude", "~/.claude/settings.json"],
    ["codex", "~/.codex/config.toml"],
    ["opencode", "~/.config/opencode/opencode.json"],
    ["aider", "~/.aider.conf.yml"],
  ] as [Tool, string][])("names the location of the settings file of %s", (tool, path) => {
    const { words, file } = toolSettings(tool, { ...facts, key: undefined })
    expect([words, file?.path]).toEqual([expect.stringContaining(`${path}`), path])
  })

  test.each(TOOLS)("has the address, the model and the key or a placeholder for %s", (tool) => {
    for (const [key, shown] of [
      [undefined, NO_KEY],
      ["sk-tg-secret", "sk-tg-secret"],
    ] as const) {
      const { text, after = "", command = "" } = toolSettings(tool, { ...facts, key })
      expect(text).toContain("https://gate.example")
      expect(text + after).toContain("sandbox/echo")
      expect(text + command).toContain(shown)
    }
  })
})

test("a coding agent starts with the newest model of its family, and other tools have no family", () => {
  const models = [
    { id: "anthropic/claude-sonnet-4-6", created: 1 },
    { id: "anthropic/claude-sonnet-5", created: 2 },
    { id: "router/anthropic/claude-sonnet-9", created: 9 },
    { id: "anthropic/claude-haiku-5", created: 2 },
    { id: "openai/gpt-5.4-mini", created: 9 },
    { id: "openai/gpt-5.4", created: 3 },
  ]
  const idsOf = (tool: Tool) => {
    const { main, small } = familyModels(tool, models)
    return [main?.id, small?.id]
  }
  expect(idsOf("claude")).toEqual(["anthropic/claude-sonnet-5", "anthropic/claude-haiku-5"])
  expect(idsOf("codex")).toEqual(["openai/gpt-5.4", undefined])
  expect(idsOf("aider")).toEqual([undefined, undefined])
})
