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
    chat: [{ dialect: { id: "openai-chat" } }, { dialect: { id: "openai-responses" } }],
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
  {
    id: "bedrock",
    name: "Bedrock",
    keyVariables: ["BEDROCK_KEY"],
    variableSets: [
      { needed: { api_key: ["BEDROCK_KEY"], region: ["AWS_REGION", "AWS_DEFAULT_REGION"] } },
      {
        needed: {
          access_key_id: ["AWS_ACCESS_KEY_ID"],
          secret_access_key: ["AWS_SECRET_ACCESS_KEY"],
          region: ["AWS_REGION"],
        },
        optional: { session_token: ["AWS_SESSION_TOKEN"] },
        isShared: true,
      },
    ],
    settings: ["api_key", "region", "access_key_id", "secret_access_key", "session_token"],
    needs: [
      ["api_key", "region"],
      ["access_key_id", "secret_access_key", "region"],
    ],
  },
  {
    id: "vertex",
    name: "Vertex",
    variableSets: [
      {
        needed: { credentials: ["GOOGLE_CREDENTIALS"], project: ["GOOGLE_PROJECT"] },
        optional: { location: ["GOOGLE_LOCATION"] },
        isShared: true,
      },
    ],
    settings: ["credentials", "identity", "project", "location"],
    needs: [["credentials"], ["identity", "project"]],
  },
]

/** A service account key in Google's format. */
export const KEY_FILE = {
  type: "service_account",
  project_id: "robots",
  private_key_id: "key-1",
  private_key: "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n",
  client_email: "robot@robots.iam.gserviceaccount.com",
  token_uri: "https://oauth2.googleapis.com/token",
}

/** A configuration of workload identity federation in Google's format. */
export const EXTERNAL_FILE = {
  type: "external_account",
  audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: "https://sts.googleapis.com/v1/token",
  credential_source: { file: "/var/run/token" },
}

/** The service account in the form of the loaded settings. */
export const ACCOUNT = {
  clientEmail: KEY_FILE.client_email,
  privateKey: KEY_FILE.private_key,
  privateKeyId: "key-1",
  tokenUri: KEY_FILE.token_uri,
  projectId: "robots",
}

/** A temporary folder with a settings file. */
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

/** Returns the error that loading throws. */
export function failure(
  text: string,
  environment: LoadOptions["environment"] = {},
  more: Partial<LoadOptions> = {},
): ConfigError {
  try {
    load(text, environment, more)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error("the settings were accepted")
}

/** Returns the problems of the error as `line:column path: message`. */
export function problems(
  text: string,
  environment: LoadOptions["environment"] = {},
  more: Partial<LoadOptions> = {},
): string[] {
  return failure(text, environment, more).problems.map(
    ({ line, column, path, message }) => `${line ?? "-"}:${column ?? "-"} ${path}: ${message}`,
  )
}
