import { describe, expect, test } from "bun:test"
import { toolPath } from "../../console/src/format/tool-path.ts"
import { NO_KEY } from "tollgate-contract/tool-settings.ts"
import { type Tool, TOOLS, toolSettings } from "tollgate-contract/tools.ts"

const facts = { url: "https://gate.example", model: "sandbox/echo", pathOf: toolPath }

describe("the setup card of a tool", () => {
  test.each([
    ["claude", "~/.claude/settings.json"],
    ["codex", "~/.codex/config.toml"],
    ["opencode", "~/.config/opencode/opencode.json"],
    ["aider", "~/.aider.conf.yml"],
  ] as [Tool, string][])("names the location of the settings of %s", (tool, path) => {
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
