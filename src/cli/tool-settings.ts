import { homedir } from "node:os"
import { join } from "node:path"
import type { Environment } from "../config/substitute.ts"

export const TOOLS = ["claude", "codex", "opencode", "aider", "cursor"] as const

/** A program that people call models with. */
export type Tool = (typeof TOOLS)[number]

export interface ConnectionFacts {
  /** The gateway's address, without `/v1`. */
  readonly url: string
  /** Absent: it is to be taken from `TOLLGATE_KEY`, or to be filled in. */
  readonly key: string | undefined
  readonly model: string
  /** Where the tool's own folder is. */
  readonly environment: Environment
}

/** What makes a tool use this gateway. */
export interface ToolSettings {
  /** What is to be done, before the text. */
  readonly words: string
  /** What the file is to hold, or the steps to take. */
  readonly text: string
  /** Absent where the tool keeps its settings elsewhere. */
  readonly file?: {
    readonly path: string
    /** The settings that may be added to a JSON file; absent: only a file that is not there yet is written. */
    readonly members?: JsonMembers
    /** Whether it works without a key in it. */
    readonly isWholeWithoutKey: boolean
  }
  /** What else there is to do. */
  readonly after?: string
}

export interface JsonMembers {
  readonly [name: string]: string | JsonMembers
}

const NO_KEY = "sk-tg-..."

/** The settings of a tool, in its own words. */
export function toolSettings(tool: Tool, facts: ConnectionFacts): ToolSettings {
  switch (tool) {
    case "claude":
      return claude(facts)
    case "codex":
      return codex(facts)
    case "opencode":
      return opencode(facts)
    case "aider":
      return aider(facts)
    case "cursor":
      return cursor(facts)
  }
}

/** https://code.claude.com/docs/en/settings */
function claude({ url, key = NO_KEY, model, environment }: ConnectionFacts): ToolSettings {
  const folder = environment["CLAUDE_CONFIG_DIR"] || join(homeOf(environment), ".claude")
  const members = {
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    },
  }
  const after = "Unset ANTHROPIC_API_KEY where it is set: Claude Code would send that as well."
  return { ...json(join(folder, "settings.json"), members, false), after }
}

/** https://opencode.ai/docs/providers */
function opencode({ url, key, model, environment }: ConnectionFacts): ToolSettings {
  const folder = environment["XDG_CONFIG_HOME"] || join(homeOf(environment), ".config")
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
  return { ...json(join(folder, "opencode", "opencode.json"), members, true), ...exported(key) }
}

function json(path: string, members: JsonMembers, isWholeWithoutKey: boolean): ToolSettings {
  const text = JSON.stringify(members, undefined, 2)
  return { words: `Add this to ${path}:`, text, file: { path, members, isWholeWithoutKey } }
}

/** https://developers.openai.com/codex/config-reference. The key stays out of the file. */
function codex({ url, key = NO_KEY, model, environment }: ConnectionFacts): ToolSettings {
  const folder = environment["CODEX_HOME"] || join(homeOf(environment), ".codex")
  const path = join(folder, "config.toml")
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
    words: `Add this to ${path}, its first two lines above every [section]:`,
    text,
    file: { path, isWholeWithoutKey: true },
    after: `The key is taken from the environment: export TOLLGATE_KEY=${key}`,
  }
}

/** https://aider.chat/docs/llms/openai-compat.html */
function aider({ url, key, model, environment }: ConnectionFacts): ToolSettings {
  const path = join(homeOf(environment), ".aider.conf.yml")
  const text = [
    `openai-api-base: ${JSON.stringify(`${url}/v1`)}`,
    `openai-api-key: ${JSON.stringify(key ?? NO_KEY)}`,
    `model: ${JSON.stringify(`openai/${model}`)}`,
  ].join("\n")
  return { words: `Add this to ${path}:`, text, file: { path, isWholeWithoutKey: false } }
}

/** It has no file for this; its own servers call the address. */
function cursor({ url, key = NO_KEY, model }: ConnectionFacts): ToolSettings {
  return {
    words: "In Cursor, open Settings, Models, and fill in:",
    text: [
      `OpenAI API Key: ${key}`,
      `Override OpenAI Base URL: ${url}/v1`,
      `Add model: ${model}`,
    ].join("\n"),
    after: "Cursor's servers call that address, so it has to be reachable from the internet.",
  }
}

function exported(key: string | undefined): Pick<ToolSettings, "after"> {
  return key === undefined
    ? { after: `The key is taken from the environment: export TOLLGATE_KEY=${NO_KEY}` }
    : {}
}

function homeOf(environment: Environment): string {
  return environment["HOME"] || homedir()
}
