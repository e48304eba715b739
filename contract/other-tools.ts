import { inEnglish, type Translate } from "./english.ts"
import { type ConnectionFacts, exported, NO_KEY, type ToolSettings } from "./tool-settings.ts"

/** Programs whose settings are not in `tools.ts`: the names in commands, mapped to the product names. */
export const OTHER_TOOL_NAMES = {
  continue: "Continue",
  copilot: "Copilot CLI",
  cline: "Cline",
  qwen: "Qwen Code",
  pi: "pi",
  "open-webui": "Open WebUI",
  librechat: "LibreChat",
  n8n: "n8n",
  flowise: "Flowise",
  langflow: "Langflow",
  dify: "Dify",
  jupyter: "Jupyter AI",
  marimo: "marimo",
} as const

export type OtherTool = keyof typeof OTHER_TOOL_NAMES

type Describe = (
  facts: ConnectionFacts & { readonly secret: string; readonly translate: Translate },
) => ToolSettings

/** Returns the settings of a tool in the tool's own format. */
export function otherToolSettings(tool: OtherTool, facts: ConnectionFacts): ToolSettings {
  const { key: secret = NO_KEY, translate = inEnglish } = facts
  return SETTINGS[tool]({ ...facts, secret, translate })
}

const SETTINGS: Readonly<Record<OtherTool, Describe>> = {
  /** https://docs.continue.dev/reference */
  continue: ({ url, secret, model, pathOf, translate }) => {
    const path = pathOf({ folder: ".continue", file: "config.yaml" })
    const lines = [
      "name: tollgate",
      "version: 1.0.0",
      "schema: v1",
      "models:",
      `  - name: ${quote(model)}`,
      "    provider: openai",
      `    model: ${quote(model)}`,
      `    apiBase: ${quote(`${url}/v1/`)}`,
      `    apiKey: ${quote(secret)}`,
      "    roles: [chat, edit, apply]",
      "    capabilities: [tool_use]",
    ]
    return inFile(path, lines.join("\n"), false, translate)
  },
  /** https://docs.github.com/en/copilot/concepts/agents/about-copilot-cli */
  copilot: ({ url, secret, model, translate }) =>
    variables(
      {
        COPILOT_PROVIDER_TYPE: "openai",
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_API_KEY: secret,
        COPILOT_MODEL: model,
      },
      translate,
    ),
  /** https://docs.cline.bot/cline-cli */
  cline: ({ url, secret, model, translate }) => ({
    words: translate("Run this command:"),
    text: `cline auth -p openai -b ${url}/v1 -k ${secret} -m ${model}`,
  }),
  /** https://qwenlm.github.io/qwen-code-docs */
  qwen: ({ url, secret, model, pathOf, translate }) => {
    const provider = { id: model, name: model, envKey: "TOLLGATE_KEY", baseUrl: `${url}/v1` }
    const settings = {
      modelProviders: { openai: [provider] },
      security: { auth: { selectedType: "openai" } },
      model: { name: model },
    }
    const path = pathOf({ folder: ".qwen", file: "settings.json" })
    return {
      ...inFile(path, JSON.stringify(settings, undefined, 2), true, translate),
      ...exported(secret, translate),
    }
  },
  /** The value of `apiKey` is the name of a variable. */
  pi: ({ url, secret, model, pathOf, translate }) => {
    const tollgate = {
      baseUrl: `${url}/v1`,
      apiKey: "TOLLGATE_KEY",
      api: "openai-completions",
      models: [{ id: model, reasoning: true }],
    }
    const path = pathOf({ folder: ".pi/agent", file: "models.json" })
    const text = JSON.stringify({ providers: { tollgate } }, undefined, 2)
    return { ...inFile(path, text, true, translate), ...exported(secret, translate) }
  },
  /** https://docs.openwebui.com/getting-started/env-configuration */
  "open-webui": ({ url, secret, model, translate }) => ({
    ...variables(
      {
        OPENAI_API_BASE_URL: `${url}/v1`,
        OPENAI_API_KEY: secret,
        DEFAULT_MODELS: model,
        ENABLE_OLLAMA_API: "False",
        ENABLE_FORWARD_USER_INFO_HEADERS: "True",
        FORWARD_USER_INFO_HEADER_USER_ID: "x-tollgate-user",
        FORWARD_SESSION_INFO_HEADER_CHAT_ID: "x-tollgate-session",
      },
      translate,
    ),
    after: translate(
      "If its database has settings, set ENABLE_PERSISTENT_CONFIG=False so that these apply.",
    ),
  }),
  /** https://www.librechat.ai/docs/configuration/librechat_yaml */
  librechat: ({ url, secret, model, translate }) => ({
    words: translate("Add this to librechat.yaml:"),
    text: [
      "endpoints:",
      "  custom:",
      "    - name: Tollgate",
      `      apiKey: ${quote(secret)}`,
      `      baseURL: ${quote(`${url}/v1`)}`,
      "      models:",
      "        fetch: true",
      `        default: [${quote(model)}]`,
      "      titleConvo: true",
      `      titleModel: ${quote(model)}`,
    ].join("\n"),
  }),
  n8n: ({ url, secret, model, translate }) => ({
    words: translate("In n8n, create a credential of the type OpenAI, and choose the model By ID:"),
    text: [`API Key: ${secret}`, `Base URL: ${url}/v1`, `Model: ${model}`].join("\n"),
    after: translate(
      "Credentials for Anthropic and Google Gemini work too, with the address {url}.",
      { url },
    ),
  }),
  flowise: ({ url, secret, model, translate }) => ({
    words: translate("In Flowise, add ChatOpenAI and fill in:"),
    text: [
      `Connect Credential, OpenAI Api Key: ${secret}`,
      `Model Name: ${model}`,
      `Additional Parameters, BasePath: ${url}/v1`,
    ].join("\n"),
  }),
  langflow: ({ url, secret, model, translate }) => ({
    ...variables(
      {
        OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`,
        OPENAI_COMPATIBLE_API_KEY: secret,
        LANGFLOW_SSRF_ALLOWED_HOSTS: new URL(url).hostname,
      },
      translate,
    ),
    after: translate("Choose the provider OpenAI Compatible and the model {model}.", { model }),
  }),
  dify: ({ url, secret, model, translate }) => ({
    words: translate("In Dify, add a model of the provider OpenAI-API-compatible:"),
    text: [
      `Model Name: ${model}`,
      `API Key: ${secret}`,
      `API endpoint URL: ${url}/v1`,
      "Completion mode: Chat",
      "Function calling: Tool Call",
      "Stream function calling: Supported",
    ].join("\n"),
  }),
  jupyter: ({ url, secret, model, translate }) => ({
    ...variables({ OPENAI_API_BASE: `${url}/v1`, OPENAI_API_KEY: secret }, translate),
    after: translate("Begin a cell with %%ai openai-chat-custom:{model}", { model }),
  }),
  /** https://docs.marimo.io/guides/configuration/llm_providers */
  marimo: ({ url, secret, model, pathOf, translate }) => {
    const path = pathOf({ folder: ".config/marimo", file: "marimo.toml" })
    const lines = [
      "[ai.models]",
      `chat_model = ${quote(`tollgate/${model}`)}`,
      "",
      "[ai.custom_providers.tollgate]",
      `api_key = ${quote(secret)}`,
      `base_url = ${quote(`${url}/v1`)}`,
    ]
    return inFile(path, lines.join("\n"), false, translate)
  },
}

function inFile(
  path: string,
  text: string,
  isWholeWithoutKey: boolean,
  translate: Translate,
): ToolSettings {
  return {
    words: translate("Add this to {path}:", { path }),
    text,
    file: { path, isWholeWithoutKey },
  }
}

function variables(values: Readonly<Record<string, string>>, translate: Translate): ToolSettings {
  const lines = Object.entries(values).map(([name, value]) => `export ${name}=${value}`)
  return { words: translate("Set these variables before you start it:"), text: lines.join("\n") }
}

/** Quotes a text. The result is valid in JSON, YAML and TOML. */
function quote(text: string): string {
  return JSON.stringify(text)
}
