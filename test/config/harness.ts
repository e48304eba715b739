import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ConfigError } from "../../src/config/config-error.ts"
import { type LoadOptions, type LoadedSettings, loadSettings } from "../../src/config/load.ts"
import type { KnownVendor } from "../../src/config/vendors.ts"

export const VENDORS: readonly KnownVendor[] = [
  {
    id: "openai",
    name: "OpenAI",
    keyVariables: ["OPENAI_API_KEY"],
    baseUrl: "https://api.openai.com/v1",
  },
  {
    id: "gemini",
    name: "Gemini",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    baseUrl: "https://generativelanguage.googleapis.com",
  },
  { id: "ollama", name: "Ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  { id: "vllm", name: "vLLM", keyVariables: ["VLLM_API_KEY"] },
  { id: "openai-compatible", name: "OpenAI-compatible" },
]

/** A folder of its own with a settings file in it. */
export class Folder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "tollgate-config-"))

  get file(): string {
    return join(this.path, "tollgate.yaml")
  }

  write(text: string): void {
    writeFileSync(this.file, text)
  }

  options(environment: LoadOptions["environment"] = {}): LoadOptions {
    return { file: this.file, environment, vendors: VENDORS }
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

export function load(
  text: string,
  environment: LoadOptions["environment"] = {},
  more: Partial<LoadOptions> = {},
): LoadedSettings {
  using folder = new Folder()
  folder.write(text)
  return loadSettings({ ...folder.options(environment), ...more })
}

/** The error that loading throws. */
export function failure(text: string, environment: LoadOptions["environment"] = {}): ConfigError {
  try {
    load(text, environment)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error("the settings were accepted")
}

/** Its problems as `line:column path: message`. */
export function problems(text: string, environment: LoadOptions["environment"] = {}): string[] {
  return failure(text, environment).problems.map(
    ({ line, column, path, message }) => `${line ?? "-"}:${column ?? "-"} ${path}: ${message}`,
  )
}
