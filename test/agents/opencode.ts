import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Agent, COMMAND, type Place } from "./agent.ts"

const OPENCODE = {
  tool: "opencode",
  package: "opencode-ai",
  version: "1.18.33",
  command: ["opencode", "run", "--auto"],
  environment: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
  steps: (folder: string) => {
    const filePath = `${folder}/note.txt`
    return [
      { tool: "read", arguments: { filePath } },
      { tool: "edit", arguments: { filePath, oldString: "before", newString: "after" } },
      { tool: "bash", arguments: { command: COMMAND, description: "Copy the note" } },
    ]
  },
} as const

/** Lets it speak another dialect by another package of the AI SDK. */
function speakBy(npm: string): (place: Place) => void {
  return ({ home }) => {
    const path = join(home, ".config", "opencode", "opencode.json")
    const text = readFileSync(path, "utf8")
    writeFileSync(path, text.replace("@ai-sdk/openai-compatible", npm))
  }
}

/** opencode, in each dialect that it speaks. */
export const OPENCODE_WAYS: readonly Agent[] = [
  { ...OPENCODE, name: "opencode" },
  { ...OPENCODE, name: "opencode, responses", prepare: speakBy("@ai-sdk/openai") },
  { ...OPENCODE, name: "opencode, messages", prepare: speakBy("@ai-sdk/anthropic") },
]
