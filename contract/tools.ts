import { inEnglish, type Translate } from "./english.ts"
import { OTHER_TOOL_NAMES, otherToolSettings } from "./other-tools.ts"
import {
  type ConnectionFacts,
  exported,
  type JsonMembers,
  NO_KEY,
  type ToolSettings,
} from "./tool-settings.ts"

/** Programs whose settings are shown with a new key. */
const FIRST_TOOL_NAMES = {
  claude: "Claude Code",
  codex: "Codex",
  opencode: "opencode",
  gemini: "Gemini CLI",
  aider: "Aider",
  cursor: "Cursor",
} as const

/** Programs that call models: the names in commands, mapped to the product names. */
export const TOOL_NAMES = { ...FIRST_TOOL_NAMES, ...OTHER_TOOL_NAMES }

/** A program that people call models with. */
export type Tool = keyof typeof TOOL_NAMES

export const TOOLS = Object.keys(TOOL_NAMES) as readonly Tool[]
export const FIRST_TOOLS = Object.keys(FIRST_TOOL_NAMES) as readonly Tool[]

/** Returns the settings of a tool in the tool's own format. */
export function toolSettings(tool: Tool, facts: ConnectionFacts): ToolSettings {
  switch (tool) {
    case "claude":
      return claude(facts)
    case "codex":
      return codex(facts)
    case "opencode":
      return opencode(facts)
    case "gemini":
      return gemini(facts)
    case "aider":
      return aider(facts)
    case "cursor":
      return cursor(facts)
    default:
      return otherToolSettings(tool, facts)
  }
}

/** https://code.claude.com/docs/en/settings */
function claude({
  url,
  key = NO_KEY,
  model,
  smallModel = model,
  pathOf,
  translate = inEnglish,
}: ConnectionFacts): ToolSettings {
  const path = pathOf({ variable: "CLAUDE_CONFIG_DIR", folder: ".claude", file: "settings.json" })
  const members = {
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: smallModel,
    },
  }
  const after = translate(
    "Unset ANTHROPIC_API_KEY where it is set: Claude Code would send that as well.",
  )
  return { ...json(path, members, false, translate), after }
}

/** https://opencode.ai/docs/providers */
function opencode({
  url,
  key,
  model,
  pathOf,
  translate = inEnglish,
}: ConnectionFacts): ToolSettings {
  const file = "opencode/opencode.json"
  const path = pathOf({ variable: "XDG_CONFIG_HOME", folder: ".config", file })
  const members = {
    $schema: "https://opencode.ai/config.json",
    provider: {
      tollgate: {
        npm: "@ai-sdk/openai-compatible",
        name: "Tollgate",
        options: { baseURL: `${url}/v1`, apiKey: key ?? "{env:TOLLGATE_KEY}" },
        models: { [model]: { name: model } },
      },
    },
    model: `tollgate/${model}`,
  }
  return {
    ...json(path, members, true, translate),
    ...(key === undefined && exported(NO_KEY, translate)),
  }
}

function json(
  path: string,
  members: JsonMembers,
  isWholeWithoutKey: boolean,
  translate: Translate,
): ToolSettings {
  const text = JSON.stringify(members, undefined, 2)
  return {
    words: translate("Add this to {path}:", { path }),
    text,
    file: { path, members, isWholeWithoutKey },
  }
}

/** https://developers.openai.com/codex/config-reference. The file does not contain the key. */
function codex({
  url,
  key = NO_KEY,
  model,
  pathOf,
  translate = inEnglish,
}: ConnectionFacts): ToolSettings {
  const path = pathOf({ variable: "CODEX_HOME", folder: ".codex", file: "config.toml" })
  const text = [
    `model = ${JSON.stringify(model)}`,
    `model_provider = "tollgate"`,
    "",
    "[model_providers.tollgate]",
    `name = "Tollgate"`,
    `base_url = ${JSON.stringify(`${url}/v1`)}`,
    `env_key = "TOLLGATE_KEY"`,
    `wire_api = "responses"`,
  ].join("\n")
  return {
    words: translate("Add this to {path}, its first two lines above every [section]:", { path }),
    text,
    file: { path, isWholeWithoutKey: true },
    ...exported(key, translate),
  }
}

/** https://geminicli.com/docs/reference/configuration */
function gemini({
  url,
  key = NO_KEY,
  model,
  pathOf,
  translate = inEnglish,
}: ConnectionFacts): ToolSettings {
  const path = pathOf({ variable: "GEMINI_CLI_HOME", folder: "", file: ".gemini/.env" })
  const text = [
    `GOOGLE_GEMINI_BASE_URL=${JSON.stringify(url)}`,
    `GEMINI_API_KEY=${JSON.stringify(key)}`,
    `GEMINI_MODEL=${JSON.stringify(model)}`,
  ].join("\n")
  return {
    words: translate("Add this to {path}:", { path }),
    text,
    file: { path, isWholeWithoutKey: false },
    after: translate(
      "Choose 'Use Gemini API Key' when Gemini CLI asks how to authenticate. Trust the folder that you work in: elsewhere it reads only the key from that file, and sends it to Google. If it cannot ask, set GEMINI_CLI_TRUST_WORKSPACE=true.",
    ),
  }
}

/** https://aider.chat/docs/llms/openai-compat.html */
function aider({
  url,
  key = NO_KEY,
  model,
  pathOf,
  translate = inEnglish,
}: ConnectionFacts): ToolSettings {
  const path = pathOf({ folder: "", file: ".aider.conf.yml" })
  const text = [
    `openai-api-base: ${JSON.stringify(`${url}/v1`)}`,
    `openai-api-key: ${JSON.stringify(key)}`,
    `model: ${JSON.stringify(`openai/${model}`)}`,
  ].join("\n")
  return {
    words: translate("Add this to {path}:", { path }),
    text,
    file: { path, isWholeWithoutKey: false },
  }
}

/** Cursor has no settings file for this. Cursor's servers call the gateway's address. */
function cursor({
  url,
  key = NO_KEY,
  model,
  translate = inEnglish,
}: ConnectionFacts): ToolSettings {
  return {
    words: translate("In Cursor, open Settings, Models, and fill in:"),
    text: [
      `OpenAI API Key: ${key}`,
      `Override OpenAI Base URL: ${url}/v1`,
      `Add model: ${model}`,
    ].join("\n"),
    after: translate(
      "Cursor's servers call that address, so it has to be reachable from the internet.",
    ),
  }
}
